"""One POST behind a gate, against real servers on this machine: what left decides what is known."""

import asyncio
import gzip
import inspect
import json
import os
import socket
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime

import aiohttp
import pyarrow as pa
import pytest
from aioresponses import aioresponses
from support.raw_server import OK, hostile, reply

from campaign.service import transport as transports
from campaign.service.account import Account
from campaign.service.gated_body import GateClosed, GatedBody, WireWitness
from campaign.service.transport import Outcome, Transport, _reason_unsent
from campaign.service.wire import EncodedMessages
from campaign.words.finding import Finding

FAILED = b'{"Status": "Failed", "Message": "Money Not Enough To Send This Batch of Msgs"}'


def entries(messages=1, length=20):
    columns = {"number": "256772000012", "message": "a" * length, "sender": "CLINIC", "priority": ""}
    table = pa.table({name: pa.array([text] * messages) for name, text in columns.items()})
    return EncodedMessages(table, "url").slice(0, messages)


LARGE = entries(40_000, 160)  # 9 MB: more than a connection holds while nobody reads


@dataclass
class Gate:
    """A gate that says what happened to it; `after` is awaited while it is at work."""

    after: object = None
    calls: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self):
        self.calls += 1
        if self.after is not None:
            await self.after()
        self.opened.set()


def account_at(port, scheme="http", host="127.0.0.1", **more):
    return Account("local", f"{scheme}://{host}:{port}", "clinic", "only-for-tests", **more)


async def post(account, gate=None, batch=None, timeout=5.0):
    async with Transport(account, timeout=timeout) as transport:
        return await transport.post(entries() if batch is None else batch, gate or Gate())


@pytest.fixture
def post_to(link):
    """Post one batch to a server that plays a script: the outcome, and what the server saw."""

    def post_to(script, gate=None, batch=None, timeout=5.0, **server_options):
        async def play():
            async with link.serve(script, **server_options) as server:
                outcome = await post(link.account(server.port), gate, batch, timeout)
                await asyncio.sleep(0.02)  # whatever were still to leave would arrive now
            return outcome, server

        return asyncio.run(play())

    return post_to


def answering(data):
    async def script(visit):
        await visit.request()
        await visit.say(data)

    return script


async def hang(*_):
    await asyncio.Event().wait()


# what a well-behaved service says


def test_an_ok_is_accepted_with_its_cost_and_code(post_to):
    outcome, server = post_to(answering(reply(OK)))
    assert outcome == Outcome("accepted", cost=Decimal("35"), code="ApiJsonSubmit0123456789abc.12345678")
    assert (server.connections, len(server.bodies)) == (1, 1)


def test_the_request_is_the_contracts_and_nothing_more(post_to):
    _, server = post_to(answering(reply(OK)))
    lines = server.heads[0].decode().split("\r\n")
    assert lines[0] == "POST /api/v1/json/ HTTP/1.1"
    assert sorted(line for line in lines[1:] if line) == [
        "Accept-Encoding: identity",
        "Accept: */*",
        "Connection: close",
        f"Content-Length: {len(server.bodies[0])}",
        "Content-Type: application/json",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: campaign",
    ]
    assert server.bodies[0].startswith(b'{"method":"SendSms","userdata":{"username":"clinic",')


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "402 Payment Required", "500 Oh"])
def test_a_failed_is_refused_whatever_the_http_status(post_to, status):
    outcome, _ = post_to(answering(reply(FAILED, status)))
    assert outcome == Outcome("refused", error="Money Not Enough To Send This Batch of Msgs", cause="funds")


def test_an_answer_without_a_length_ends_with_the_connection(post_to):
    async def script(visit):
        await visit.request()
        await visit.say(b"HTTP/1.1 200 OK\r\n\r\n" + OK)
        visit.close()

    assert post_to(script)[0].status == "accepted"


def test_an_answer_in_chunks_is_read_whole(post_to):
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in OK) + b"0\r\n\r\n"
    outcome, _ = post_to(answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
    assert outcome.status == "accepted"


def test_a_cost_that_is_no_amount_is_noted_and_the_batch_stays_accepted(post_to):
    answer = OK.replace(b'"35"', b'"UGX 35"')
    outcome, _ = post_to(answering(reply(answer)))
    assert (outcome.status, outcome.cost, outcome.error) == ("accepted", None, "")
    assert outcome.remark == Finding("answer_without_cost", {"cost_text": "UGX 35"})


# faults before anything left: not sent


def test_a_name_that_does_not_exist_is_not_sent():
    account = Account("sandbox", "http://no-such-host.invalid", "clinic", "only-for-tests")
    outcome = asyncio.run(post(account))
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")


def test_a_refused_connection_is_not_sent():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening
        outcome = asyncio.run(post(account_at(taken.getsockname()[1])))
    assert (outcome.status, outcome.remark.code, outcome.cause) == ("not_sent", "not_reached", "connect")
    facts = outcome.remark.facts
    assert (facts["target"], facts["failure"]) == ("The service", "ClientConnectorError")
    assert facts["errno"] > 0


def test_a_connection_that_never_comes_about_is_not_sent():
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # the queue of connections is full from here on
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        outcome = asyncio.run(post(account_at(full.getsockname()[1]), timeout=0.3))
        for one in waiting:
            one.close()
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")


def test_connecting_has_a_time_of_its_own(monkeypatch):
    """A try that gets nowhere ends long before the time for a whole exchange, so that there is another."""
    monkeypatch.setattr(transports, "CONNECT_TIMEOUT", 0.3)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # the queue of connections is full from here on
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        began = time.monotonic()
        outcome = asyncio.run(post(account_at(full.getsockname()[1]), timeout=60))
        for one in waiting:
            one.close()
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
    assert time.monotonic() - began < 10


def test_connecting_takes_at_most_15_seconds_and_a_batch_five_minutes():
    async def look():
        async with Transport(account_at(9)) as transport:
            return transport._patience, transport._session.timeout

    patience, timeout = asyncio.run(look())
    assert (patience.connecting, patience.whole, timeout) == (15, 300, aiohttp.ClientTimeout())


def test_each_batch_has_its_own_time(link):
    """There is one timer for all of them."""

    async def play():
        async with (
            link.serve(hang) as server,
            Transport(link.account(server.port), connections=3, timeout=0.2) as transport,
        ):

            async def post_after(seconds):
                await asyncio.sleep(seconds)
                began = time.monotonic()
                outcome = await transport.post(entries(), Gate())
                return outcome.status, time.monotonic() - began

            return await asyncio.gather(*map(post_after, (0, 0.1, 0.3)))

    for status, seconds in asyncio.run(play()):
        assert status == "unknown"
        assert 0.19 < seconds < 5


def test_whoever_is_cancelled_when_the_time_is_over_stays_cancelled(link):
    async def play():
        gate = Gate()
        async with link.serve(hang) as server, Transport(link.account(server.port)) as transport:
            under_way = asyncio.create_task(transport.post(entries(), gate))
            await gate.opened.wait()
            (exchange,) = transport._patience._under_way
            exchange.time_out()
            under_way.cancel()
            await asyncio.wait([under_way])
        return under_way.cancelled()

    assert asyncio.run(play())


def test_waiting_for_a_free_connection_for_too_long_is_not_sent(link, monkeypatch):
    monkeypatch.setattr(transports, "CONNECT_TIMEOUT", 0.2)

    async def play():
        gate = Gate()
        async with (
            link.serve(hang) as server,
            Transport(link.account(server.port), connections=1) as transport,
        ):
            first = asyncio.create_task(transport.post(entries(), gate))
            await gate.opened.wait()
            second = await transport.post(entries(), Gate())
            assert not first.done()  # it has its connection
            first.cancel()
            await asyncio.wait([first])
        return second

    outcome = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")


def test_a_server_that_speaks_no_tls_is_not_sent():
    async def script(visit):
        await visit.say(b"220 smtp.example.org\r\n")

    async def play():
        async with hostile(script) as server:
            return await post(account_at(server.port, "https"))

    outcome = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")


WRONG_CERTIFICATE = Outcome(
    "not_sent",
    remark=Finding("certificate_invalid", {"failure": "ClientConnectorCertificateError"}),
    cause="setup",
)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_certificate_that_nobody_vouches_for_stops(tls_link, host):
    async def play():
        async with tls_link.serve(answering(reply(OK))) as server:
            return await post(account_at(server.port, "https", host)), server

    outcome, server = asyncio.run(play())
    assert outcome == WRONG_CERTIFICATE
    assert server.body_bytes == 0


def test_a_certificate_for_another_host_stops(tls_link, resolves_here):
    resolves_here("sms.example.com")

    async def play():
        async with tls_link.serve(answering(reply(OK))) as server:
            there = f"https://sms.example.com:{server.port}"
            account = Account("sandbox", there, "clinic", "only-for-tests", ca_file=tls_link.ca_file)
            return await post(account), server

    outcome, server = asyncio.run(play())
    assert outcome == WRONG_CERTIFICATE
    assert server.body_bytes == 0


def test_no_keys_of_connections_are_written_where_a_variable_asks_for_it(tls_link, tmp_path, monkeypatch):
    """A file of them opens whatever was recorded of the traffic, the password included."""
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))

    async def play():
        async with tls_link.serve(answering(reply(OK))) as server:
            trusted = await post(tls_link.account(server.port))
            return trusted, await post(account_at(server.port, "https"))

    trusted, untrusted = asyncio.run(play())
    assert (trusted.status, untrusted.status) == ("accepted", "not_sent")
    assert not (tmp_path / "keys").exists()


# the gate


@pytest.mark.parametrize("batch", [entries(), LARGE], ids=["small", "large"])
def test_a_closed_gate_leaves_no_byte_of_the_body(post_to, batch):
    async def shut():
        raise GateClosed(Finding("pilot_over"))

    outcome, server = post_to(answering(reply(OK)), gate=shut, batch=batch)
    assert outcome == Outcome("not_sent", remark=Finding("pilot_over"), cause="gate")
    assert (server.body_bytes, server.heads) == (0, [])


@pytest.mark.parametrize(
    ("failure", "facts"),
    [(OSError(28, "No space left on device"), {"errno": 28}), (ValueError("disk"), {}), (TimeoutError(), {})],
)
def test_a_gate_that_fails_leaves_nothing_and_stops(post_to, failure, facts):
    async def fail():
        raise failure

    outcome, server = post_to(answering(reply(OK)), gate=fail)
    remark = Finding("not_recorded", {"failure": type(failure).__name__, **facts})
    assert outcome == Outcome("not_sent", remark=remark, cause="gate")
    assert server.body_bytes == 0


def test_the_gate_is_asked_before_the_first_byte_and_once(post_to):
    async def look():
        await asyncio.sleep(0.1)
        assert not seen  # the script has read nothing yet

    seen = []

    async def script(visit):
        seen.append(await visit.head())
        await visit.body()
        await visit.say(reply(OK))

    gate = Gate(after=look)
    assert post_to(script, gate=gate)[0].status == "accepted"
    assert gate.calls == 1


def test_a_gate_that_takes_too_long_is_a_record_that_could_not_be_kept(post_to):
    outcome, server = post_to(answering(reply(OK)), gate=Gate(after=hang), timeout=0.2)
    remark = Finding("not_recorded", {"failure": "TimeoutError"})
    assert outcome == Outcome("not_sent", remark=remark, cause="gate")
    assert server.body_bytes == 0


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_a_connection_lost_while_the_gate_is_at_work_is_not_sent(post_to, ending):
    async def script(visit):
        getattr(visit, ending)()

    outcome, server = post_to(script, gate=Gate(after=hang))
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
    assert server.body_bytes == 0


def test_a_gate_that_ignores_being_cancelled_opens_for_nothing(link):
    """The connection is lost, "not sent" is told, and only then the gate says yes."""
    release = asyncio.Event()

    async def stubborn():
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    async def script(visit):
        await visit.say(reply(FAILED))  # answers at once, and keeps the connection

    async def play():
        async with link.serve(script) as server, Transport(link.account(server.port)) as transport:
            outcome = await transport.post(entries(), stubborn)
            release.set()
            await asyncio.sleep(0.05)
        return outcome, server

    outcome, server = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
    assert server.body_bytes == 0


def test_a_second_upload_of_the_same_body_is_refused(link):
    """A middleware that sends a request again, as a later aiohttp might, gets no second body out."""

    async def send_again(request, handler):
        (await handler(request)).close()
        return await handler(request)

    async def play():
        async with (
            link.serve(answering(reply(OK))) as server,
            Transport(link.account(server.port)) as transport,
        ):
            transport._session._middlewares = (send_again,)
            outcome = await transport.post(entries(), Gate())
        return outcome, server

    outcome, server = asyncio.run(play())
    assert outcome.status == "unknown"
    assert len(server.bodies) == 1


# faults after the gate: unknown, and never tried again by itself


async def close_before_reading(visit):
    visit.close()


async def reset_after_the_head(visit):
    await visit.head()
    visit.reset()


async def reset_midway(visit):
    await visit.head()
    await visit.body(0.5)
    visit.reset()


async def close_midway(visit):
    await visit.head()
    await visit.body(0.5)
    visit.close()


async def reset_after_the_body(visit):
    await visit.request()
    visit.reset()


async def close_after_the_body(visit):
    await visit.request()
    visit.close()


@pytest.mark.parametrize(
    "script",
    [reset_after_the_head, reset_midway, close_midway, reset_after_the_body, close_after_the_body],
)
@pytest.mark.parametrize("batch", [entries(), LARGE], ids=["small", "large"])
def test_a_connection_cut_after_the_gate_is_unknown(post_to, script, batch):
    outcome, server = post_to(script, batch=batch)
    assert (outcome.status, outcome.cause) == ("unknown", "")
    assert outcome.remark.code == "connection_broke"
    assert outcome.remark.facts["failure"]
    assert server.connections == 1


def test_a_connection_closed_before_the_body_is_unknown_once_the_gate_has_passed(post_to):
    outcome, _ = post_to(close_before_reading, gate=Gate(after=lambda: asyncio.sleep(0)))
    assert outcome.status in ("unknown", "not_sent")  # the gate may have passed or not
    assert outcome.status == "unknown" or outcome.cause == "connect"


async def no_answer(visit):
    await visit.request()
    await hang()


async def never_read(visit):
    await hang()


async def drip(visit):
    await visit.request()
    for byte in reply(OK):
        await visit.say(bytes([byte]))
        await asyncio.sleep(0.05)


async def endless_early_hints(visit):
    await visit.request()
    while True:
        await visit.say(b"HTTP/1.1 100 Continue\r\n\r\n")
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("batch", [entries(), LARGE], ids=["small", "large"])
def test_no_answer_in_time_is_unknown(link, batch):
    """Each way of not answering, all at once: what they have in common is waiting."""

    async def play(script):
        async with link.serve(script) as server:
            outcome = await post(link.account(server.port), batch=batch, timeout=1.0)
        return script.__name__, outcome, server.connections

    async def play_all():
        return await asyncio.gather(*map(play, (no_answer, never_read, drip, endless_early_hints)))

    late = Outcome("unknown", remark=Finding("no_answer", {"failure": "TimeoutError"}))
    assert asyncio.run(play_all()) == [
        ("no_answer", late, 1),
        ("never_read", late, 1),
        ("drip", late, 1),
        ("endless_early_hints", late, 1),
    ]


UNREADABLE_ANSWERS = {
    "half a body": reply(OK[:40], length=len(OK)),
    "a whole body, promised longer": reply(OK, length=len(OK) + 1),
    "a whole body, promised shorter": reply(OK, length=len(OK) - 1),
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n" + OK[:20],
    "no last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(OK), OK),
    "garbage": b"\x00\xff\x17garbage" * 20 + b"\r\n\r\n",
    "a bad header": b"HTTP/1.1 200 OK\r\nContent-Length: twelve\r\n\r\n" + OK,
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: %d\r\n\r\n%b" % (len(OK), OK),
    "a header without end": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n" + OK,
    "no http": OK,
    "a switch of protocols": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + OK,
    "no content by definition": b"HTTP/1.1 204 No Content\r\n\r\n" + OK,
    "an empty body": reply(b""),
    "a page": reply(b"<html><h1>Welcome to the hotel</h1></html>", "200 OK", "Content-Type: text/html"),
    "bad json": reply(OK[:-1]),
    "two answers in one": reply(OK + OK),
    "a doubled key": reply(OK[:-1] + b', "Status": "Failed"}'),
    "an odd status": reply(OK.replace(b'"OK"', b'"ok"')),
    "null": reply(b"null"),
    "a gzip bomb": reply(gzip.compress(b" " * 50_000_000 + OK), "200 OK", "Content-Encoding: gzip"),
    "an ok inside gzip": reply(gzip.compress(OK), "200 OK", "Content-Encoding: gzip"),
    "more than 64 KiB": reply(b" " * 70_000 + OK),
    "413": reply(b"", "413 Payload Too Large"),
    "500": reply(b"Internal Server Error", "500 Internal Server Error"),
    "502 with an ok": reply(OK, "502 Bad Gateway"),
    "503": reply(b"{}", "503 Service Unavailable"),
    "500 with an unlisted reason": reply(b'{"Status":"Failed","Message":"Oops"}', "500 Internal"),
    "no code": reply(b'{"Status":"OK","Cost":"35"}'),
    "failed without a reason": reply(b'{"Status":"Failed"}'),
}


@pytest.mark.parametrize("answer", UNREADABLE_ANSWERS.values(), ids=UNREADABLE_ANSWERS)
def test_an_answer_that_proves_nothing_is_unknown(post_to, answer):
    async def script(visit):
        await visit.request()
        await visit.say(answer)
        visit.close()

    outcome, server = post_to(script)
    assert (outcome.status, outcome.cost, outcome.code, outcome.cause) == ("unknown", None, "", "")
    assert outcome.remark
    assert server.connections == 1


def test_an_answer_without_end_is_left_after_64_kib(post_to):
    async def script(visit):
        await visit.request()
        await visit.say(reply(b"", length=10**11))
        while True:
            await visit.say(b" " * 65_536)

    outcome, _ = post_to(script)
    remark = Finding("answer_unreadable", {"flaw": "longer than 64 KiB"})
    assert outcome == Outcome("unknown", remark=remark)


@pytest.mark.parametrize(("size", "status"), [(65_536, "accepted"), (65_537, "unknown")])
@pytest.mark.parametrize("has_length", [True, False])
def test_an_answer_may_have_64_kib(post_to, size, status, has_length):
    content = OK + b" " * (size - len(OK))

    async def script(visit):
        await visit.request()
        await visit.say(reply(content) if has_length else b"HTTP/1.1 200 OK\r\n\r\n" + content)
        visit.close()

    assert post_to(script)[0].status == status


def test_an_answer_that_unpacks_without_end_is_not_unpacked(post_to):
    async def script(visit):
        await visit.request()
        packed = gzip.compress(b"0" * 10_000_000)
        await visit.say(reply(packed, "200 OK", "Content-Encoding: gzip"))

    assert post_to(script)[0].status == "unknown"


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Again", "308 For Good"])
def test_a_redirect_is_reported_and_never_followed(link, status):
    """The other port never sees a connection, whatever body the redirect has."""

    async def play():
        async with link.serve(answering(reply(OK))) as elsewhere:
            location = f"Location: {link.account(elsewhere.port).endpoint}"
            async with link.serve(answering(reply(OK, status, location))) as server:
                outcome = await post(link.account(server.port))
            await asyncio.sleep(0.05)
        return outcome, server, elsewhere

    outcome, server, elsewhere = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("unknown", "throttled")
    assert outcome.remark.code == "redirected"
    assert (server.connections, elsewhere.connections) == (1, 0)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("99999", 3600.0),
        ("-1", None),
        ("soon", None),
        ("1e9", None),
        ("٣", None),
        ("Fri, 31 Dec 2027 23:59:59", None),
    ],
)
def test_too_many_requests_is_unknown_and_says_how_long_to_wait(post_to, header, seconds):
    answer = reply(b"slow down", "429 Too Many Requests", f"Retry-After: {header}")
    outcome, _ = post_to(answering(answer))
    assert outcome == Outcome(
        "unknown",
        remark=Finding("slow_down", {"http_status": 429}),
        cause="throttled",
        retry_after=seconds,
    )


def test_any_answer_that_proves_nothing_may_say_how_long_to_wait(post_to):
    outcome, _ = post_to(answering(reply(b"", "503 Service Unavailable", "Retry-After: 7")))
    assert (outcome.status, outcome.cause, outcome.retry_after) == ("unknown", "", 7.0)


@pytest.mark.parametrize(
    ("answer", "status"), [(reply(OK, "200 OK", "Retry-After: 7"), "accepted"), (reply(FAILED), "refused")]
)
def test_nobody_waits_after_an_answer_that_can_be_read(post_to, answer, status):
    outcome, _ = post_to(answering(answer))
    assert (outcome.status, outcome.retry_after) == (status, None)


def test_what_the_service_wrote_is_kept_up_to_500_characters(post_to):
    outcome, _ = post_to(answering(reply(b'{"Status": "Failed", "Message": "%b"}' % (b"x" * 3000))))
    assert outcome.error == "x" * 500


@pytest.mark.parametrize(
    ("password", "shown"), [("sesam", "sesam"), ("sesame", "<hidden>"), ('s%/ é"', "<hidden>")]
)
def test_a_password_of_six_characters_is_hidden_in_what_the_service_wrote(link, password, shown):
    """A shorter one also occurs in ordinary words and codes: hiding it would tell it."""

    async def script(visit):
        await visit.request()
        message = json.dumps({"Status": "Failed", "Message": f"bad login {password}!"})
        await visit.say(reply(message.encode()))

    async def play():
        async with link.serve(script) as server:
            url = link.account(server.port).url
            return await post(Account("local", url, "clinic", password, ca_file=link.ca_file))

    assert asyncio.run(play()).error == f"bad login {shown}!"


class Unspeakable(asyncio.Transport):
    """A connection that raises at every question, as one that is gone may."""

    def __init__(self, connection):
        self._connection = connection

    def get_protocol(self):
        return self._connection.get_protocol()

    def set_protocol(self, protocol):
        self._connection.set_protocol(protocol)

    def is_closing(self):
        return False


def test_a_connection_that_cannot_be_asked_changes_no_answer(link, monkeypatch):
    """Nor does a response that cannot be closed: what was answered stands."""

    def fail(*_):
        raise RuntimeError("gone")

    look = WireWitness.__init__
    monkeypatch.setattr(WireWitness, "__init__", lambda self, connection: look(self, Unspeakable(connection)))
    monkeypatch.setattr(aiohttp.ClientResponse, "close", fail)

    async def play(answer):
        async with link.serve(answering(answer)) as server:
            return await post(link.account(server.port))

    assert asyncio.run(play(reply(OK))).status == "accepted"
    assert asyncio.run(play(reply(FAILED))).status == "refused"


@pytest.mark.parametrize(("hours", "least", "most"), [(0.5, 1790, 1800), (9, 3600, 3600), (-1, 0, 0)])
def test_too_many_requests_may_name_a_date(post_to, hours, least, most):
    date = format_datetime(datetime.now(UTC) + timedelta(hours=hours), usegmt=True)
    answer = reply(b"slow down", "429 Too Many Requests", f"Retry-After: {date}")
    outcome, _ = post_to(answering(answer))
    assert least - 1 <= outcome.retry_after <= most


# a success that cannot be


def test_an_ok_while_the_gate_is_at_work_is_impossible(post_to):
    async def script(visit):
        await visit.say(reply(OK))

    outcome, server = post_to(script, gate=Gate(after=hang))
    remark = Finding("answered_too_soon", {"before": "anything", "says": "OK"})
    assert outcome == Outcome("not_sent", remark=remark, cause="impossible")
    assert server.body_bytes == 0


TOO_EARLY = Outcome(
    "unknown",
    remark=Finding("answered_too_soon", {"before": "the whole batch", "says": "OK"}),
    cause="impossible",
)


async def answer_the_head(visit):
    await visit.head()
    await visit.say(reply(OK))
    await hang()


def test_an_ok_before_the_body_was_handed_over_is_impossible(post_to):
    """The server reads the head and answers; it never reads the body."""
    assert post_to(answer_the_head, batch=LARGE, receive_buffer=1024)[0] == TOO_EARLY


def test_an_ok_while_the_end_of_the_body_waits_in_this_process_is_impossible(post_to, monkeypatch):
    """A body under 64 KiB is taken by asyncio at once, although the system has not taken it yet."""
    look = WireWitness.__init__

    def look_at_a_narrow_one(self, connection):
        with socket.socket(fileno=os.dup(connection.get_extra_info("socket").fileno())) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        look(self, connection)

    monkeypatch.setattr(WireWitness, "__init__", look_at_a_narrow_one)
    assert post_to(answer_the_head, batch=entries(260, 160), receive_buffer=1024)[0] == TOO_EARLY


def test_a_refusal_before_the_body_was_handed_over_is_believed(post_to):
    async def script(visit):
        await visit.head()
        await visit.say(reply(FAILED))
        await hang()

    assert post_to(script, batch=LARGE, receive_buffer=1024)[0].status == "refused"


def test_once_the_outcome_is_told_not_a_byte_leaves_any_more(link):
    """The server refuses after the head, and reads on only after the client has been told."""
    told = asyncio.Event()

    async def script(visit):
        await visit.head()
        await visit.say(reply(FAILED))
        await told.wait()

    async def play():
        async with link.serve(script) as server:
            outcome = await post(link.account(server.port), batch=LARGE)
            told.set()
            read = -1
            while read < server.body_bytes:  # as long as anything still comes
                read = server.body_bytes
                await asyncio.sleep(0.2)
        return outcome, server

    outcome, server = asyncio.run(play())
    assert outcome.status == "refused"
    assert 0 < server.body_bytes < len(LARGE) - 100_000  # what the system had taken before


def test_a_body_whose_attempt_is_over_writes_nothing_even_where_it_could():
    written = []

    class Connection:
        transport = None

        async def write(self, chunk):
            written.append(bytes(chunk))

    async def play():
        opened = asyncio.Event()
        body = GatedBody(memoryview(b"{}"), opened.wait)
        writing = asyncio.create_task(body.write(Connection()))
        await asyncio.sleep(0)
        body.end()
        opened.set()
        with pytest.raises(RuntimeError, match="the attempt is over"):
            await writing
        return body.passed

    assert asyncio.run(play()) is False
    assert written == []


def test_a_connection_that_is_lost_as_the_gate_opens_got_nothing():
    class Lost:
        transport = None

        async def write(self, chunk):
            raise AssertionError("nothing may be written")

    async def play():
        body = GatedBody(memoryview(b"{}"), Gate())
        with pytest.raises(ConnectionResetError):
            await body.write(Lost())
        return body.passed

    assert asyncio.run(play()) is False


def test_an_answer_after_the_outcome_is_nobodys(link):
    """A late OK never reaches the next batch: every request has a connection of its own."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(FAILED) + reply(OK))

    async def play():
        async with (
            link.serve(script) as server,
            Transport(link.account(server.port), connections=1) as transport,
        ):
            outcomes = [await transport.post(entries(), Gate()) for _ in range(3)]
        return outcomes, server

    outcomes, server = asyncio.run(play())
    assert [outcome.status for outcome in outcomes] == ["refused"] * 3
    assert server.connections == 3


class CannedResponse(aiohttp.ClientResponse):
    """aiohttp 3.14 hands its responses the writer of the request; aioresponses 0.7.9 does not know that."""

    def __init__(self, *args, **more):
        super().__init__(*args, stream_writer=aiohttp.http.StreamWriter(None, None), **more)


@pytest.fixture
def canned():
    with aioresponses() as answers:
        yield answers


def test_a_canned_ok_is_never_believed(canned):
    """With the network replaced, no body passes the gate: an OK from there is a lie."""
    canned.post("http://127.0.0.1:9/api/v1/json/", body=OK, response_class=CannedResponse)
    gate = Gate()
    outcome = asyncio.run(post(account_at(9), gate))
    assert (outcome.status, outcome.cause, gate.calls) == ("not_sent", "impossible", 0)


def test_a_canned_refusal_is_not_believed_either(canned):
    canned.post("http://127.0.0.1:9/api/v1/json/", body=FAILED, response_class=CannedResponse)
    outcome = asyncio.run(post(account_at(9)))
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")


# being cancelled


def test_cancelled_after_the_body_left_raises_and_closes_the_connection(link):
    gone = asyncio.Event()

    async def script(visit):
        await visit.request()
        await visit._reader.read()
        gone.set()

    async def play():
        async with link.serve(script) as server, Transport(link.account(server.port)) as transport:
            gate = Gate()
            sending = asyncio.create_task(transport.post(entries(), gate))
            while not server.bodies:
                await asyncio.sleep(0.01)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            await asyncio.wait_for(gone.wait(), 2)
        return server

    assert len(asyncio.run(play()).bodies) == 1


def test_cancelled_at_the_gate_lets_nothing_out_even_if_the_gate_opens_later(link):
    release = asyncio.Event()

    async def stubborn():
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    async def play():
        async with (
            link.serve(answering(reply(OK))) as server,
            Transport(link.account(server.port)) as transport,
        ):
            sending = asyncio.create_task(transport.post(entries(), stubborn))
            await asyncio.sleep(0.1)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            release.set()
            await asyncio.sleep(0.05)
        return server

    assert asyncio.run(play()).body_bytes == 0


@pytest.mark.parametrize("beginning", ["the start", "the open gate"])
def test_an_answer_in_hand_is_never_lost_to_a_cancellation(link, beginning):
    """Cancelled at every step of the loop in turn: each POST ends in its outcome, or raises; never both."""

    async def play(steps):
        async with (
            link.serve(answering(reply(OK))) as server,
            Transport(link.account(server.port)) as transport,
        ):
            gate = Gate()
            sending = asyncio.create_task(transport.post(entries(), gate))
            if beginning == "the open gate":
                await gate.opened.wait()
            while steps and not sending.done():
                await asyncio.sleep(0)
                steps -= 1
            was_done = sending.done()
            sending.cancel()
            try:
                return was_done, (await sending).status
            except asyncio.CancelledError:
                return was_done, "cancelled"

    results = [asyncio.run(play(steps)) for steps in (*range(40), -1)]
    assert results[-1] == (True, "accepted")
    assert {outcome for was_done, outcome in results if not was_done} == {"cancelled"}


# what aiohttp can raise

UNSENT = {
    "setup": {
        "ClientConnectorCertificateError", "ClientHttpProxyError", "InvalidURL",
        "InvalidUrlClientError", "InvalidUrlRedirectClientError", "NonHttpUrlClientError",
        "NonHttpUrlRedirectClientError", "ServerFingerprintMismatch",
    },
    "connect": {
        "ClientConnectionError", "ClientConnectionResetError", "ClientConnectorDNSError",
        "ClientConnectorError", "ClientConnectorSSLError", "ClientError", "ClientOSError",
        "ClientPayloadError", "ClientProxyConnectionError", "ClientResponseError", "ClientSSLError",
        "ConnectionTimeoutError",
        "ContentTypeError", "RedirectClientError", "ServerConnectionError", "ServerDisconnectedError",
        "ServerTimeoutError", "SocketTimeoutError", "TooManyRedirects", "UnixClientConnectorError",
        "UploadAbortedError", "WSServerHandshakeError",
    },
}  # fmt: skip


def test_every_exception_of_aiohttp_has_its_class():
    """A stranger in a later aiohttp fails here, before it is met on a live account."""
    known = {
        name: kind
        for name, kind in inspect.getmembers(aiohttp.client_exceptions, inspect.isclass)
        if issubclass(kind, Exception) and kind.__module__.startswith("aiohttp")
    }
    del known["WSMessageTypeError"]  # of websockets only
    errors = {name: kind.__new__(kind) for name, kind in known.items()}
    errors["ClientHttpProxyError"].status = 407
    classes = {name: _reason_unsent(error, {})[0] for name, error in errors.items()}
    expected = {name: cause for cause, names in UNSENT.items() for name in names}
    assert classes.items() <= expected.items()  # an older aiohttp has fewer
    assert len(classes) > 25


@pytest.mark.parametrize(
    ("error", "cause"),
    [(TimeoutError(), "connect"), (OSError(), "connect"), (RuntimeError(), "setup"), (TypeError(), "setup")],
)
def test_other_exceptions_have_theirs(error, cause):
    assert _reason_unsent(error, {})[0] == cause


def test_a_transport_outside_its_context_sends_nothing():
    outcome = asyncio.run(Transport(account_at(9)).post(entries(), Gate()))
    remark = Finding("request_impossible", {"failure": "RuntimeError"})
    assert outcome == Outcome("not_sent", remark=remark, cause="setup")


def test_many_batches_at_once_keep_their_answers_apart(link):
    """Eight connections, sixty batches, each answered with the number it carried."""

    async def script(visit):
        number = (await visit.request()).split(b'"message":"')[1].split(b'"')[0]
        await asyncio.sleep(0.001 * (int(number) % 7))
        await visit.say(reply(OK.replace(b"ApiJsonSubmit0123456789abc.12345678", number)))

    def numbered(number):
        columns = {"number": "256772000012", "message": str(number), "sender": "C", "priority": "1"}
        return EncodedMessages(pa.table({name: [text] for name, text in columns.items()}), "url").slice(0, 1)

    async def play():
        async with link.serve(script) as server, Transport(link.account(server.port)) as transport:
            return await asyncio.gather(*(transport.post(numbered(n), Gate()) for n in range(60)))

    outcomes = asyncio.run(play())
    assert [outcome.code for outcome in outcomes] == [str(number) for number in range(60)]
