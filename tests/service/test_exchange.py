"""The whole exchange over TCP and TLS: how connections end, and cuts at every byte in both directions."""

import asyncio
import gc
import io
import ssl
import subprocess
import time
from collections import Counter

import pyarrow as pa
import pytest
from support.raw_server import OK, hostile, reply
from support.relay import relay

from campaign.service import transport as transports
from campaign.service.sandbox.server import Sandbox
from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages
from campaign.values import replace

COLUMNS = {"number": "256772000012", "message": "Hi Ann", "sender": "CLINIC", "priority": ""}
BATCH = EncodedMessages(pa.table({name: [text] for name, text in COLUMNS.items()}), "url").slice(0, 1)
LARGE = EncodedMessages(
    pa.table({name: [text * (20 if name == "message" else 1)] * 40_000 for name, text in COLUMNS.items()}),
    "url",
).slice(0, 40_000)


async def gate():
    pass


async def post(account, batch=BATCH, timeout=5.0):
    async with Transport(account, timeout=timeout) as transport:
        return await transport.post(batch, gate)


# how a connection may end once the answer is complete


async def close(visit):
    visit.close()


async def cut(visit):
    visit.cut()


async def close_later(visit):
    await asyncio.sleep(0.02)
    visit.close()


async def stay_open(visit):
    await asyncio.Event().wait()


ANSWERS = {
    "length": reply(OK),
    "length and close": reply(OK, "200 OK", "Connection: close"),
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(OK), OK),
}


@pytest.mark.parametrize("ending", [close, cut, close_later, stay_open])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("batch", [BATCH, LARGE], ids=["small", "large"])
def test_an_ok_is_accepted_however_its_connection_ends(link, answer, ending, batch):
    async def script(visit):
        await visit.request()
        await visit.say(answer)
        await ending(visit)

    async def play():
        async with link.serve(script) as server:
            return [await post(link.account(server.port), batch) for _ in range(3)]

    assert [outcome.status for outcome in asyncio.run(play())] == ["accepted"] * 3


@pytest.mark.parametrize("ending", [close, cut])
def test_an_ok_that_ends_with_its_connection_is_accepted(link, ending):
    async def script(visit):
        await visit.request()
        await visit.say(b"HTTP/1.1 200 OK\r\n\r\n" + OK)
        await ending(visit)

    async def play():
        async with link.serve(script) as server:
            return await post(link.account(server.port))

    assert asyncio.run(play()).status == "accepted"


@pytest.mark.parametrize("batch", [BATCH, LARGE], ids=["small", "large"])
def test_an_ok_whose_connection_is_reset_is_accepted_or_unknown(link, batch):
    """A reset may overtake the answer and destroy it; what it leaves behind is never another verdict."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(OK))
        visit.reset()

    async def play():
        async with link.serve(script) as server:
            return [await post(link.account(server.port), batch) for _ in range(20)]

    outcomes = asyncio.run(play())
    assert {outcome.status for outcome in outcomes} <= {"accepted", "unknown"}
    assert {outcome.cause for outcome in outcomes} == {""}


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
def test_each_version_of_tls_will_do(tls_link, version):
    """Version 1.3 also sends its session tickets at the time of the answer: here more than anybody does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls_link.server_file)
    context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
    context.num_tickets = 40
    link = replace(tls_link, context=context)

    async def script(visit):
        await visit.request()
        await visit.say(reply(OK))
        visit.close()

    async def play():
        async with link.serve(script) as server:
            return [await post(link.account(server.port), batch) for batch in (BATCH, LARGE) * 3]

    assert [outcome.status for outcome in asyncio.run(play())] == ["accepted"] * 6


def read_until(stream, text):
    """What a process says up to and including `text`."""
    words = b""
    while text not in words:
        words += stream.read1()
    return words


def test_a_new_key_just_before_the_answer_changes_nothing(tls_link):
    command = [
        "openssl",
        "s_server",
        "-accept",
        "127.0.0.1:0",
        "-cert",
        tls_link.server_file,
        "-tls1_3",
        "-msg",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        said = io.BufferedReader(process.stdout)

        async def play(port):
            posting = asyncio.create_task(post(tls_link.account(port)))
            await asyncio.to_thread(read_until, said, b"]}")
            # Nothing is awaited here, so that the client gets the key and the answer in one piece.
            process.stdin.write(b"K\n")  # a new key, and please reply with one
            read_until(said, b", KeyUpdate")
            process.stdin.write(reply(OK + b"\n"))
            process.stdin.close()
            process.wait(10)
            return await posting

        try:
            greeting = read_until(said, b"ACCEPT 127.0.0.1:")
            greeting += b"" if greeting.endswith(b"\n") else said.readline()
            outcome = asyncio.run(play(int(greeting.rsplit(b":", 1)[1])))
        finally:
            process.kill()
    assert outcome.status == "accepted"


# cuts and stalls at any byte


async def exchange(link, **cut):
    """One exchange through a relay: the outcome, how often and how much the server got, and the relay."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(OK))
        visit.close()

    async with link.serve(script) as server, relay(server.port, **cut) as between:
        outcome = await post(link.account(between.port), timeout=0.5 if cut.get("ending") == "stall" else 10)
    return outcome, server, between


async def exchange_with_cuts(link, direction, ending, step):
    """Exchanges cut after every so many bytes of one direction; how many ended in which status."""
    outcome, server, between = await exchange(link)
    assert (outcome.status, len(server.bodies)) == ("accepted", 1)
    total = getattr(between, direction)
    at_once, statuses = asyncio.Semaphore(16), Counter()

    async def check(limit):
        async with at_once:
            outcome, server, _ = await exchange(link, **{direction: limit, "ending": ending})
        statuses[outcome.status] += 1
        where = f"{outcome} after {limit} of {total} bytes {direction}"
        assert outcome.status in ("accepted", "unknown", "not_sent"), where
        assert outcome.status != "accepted" or len(server.bodies) == 1, where
        assert outcome.status != "not_sent" or server.body_bytes == 0, where
        assert outcome.cause == ("connect" if outcome.status == "not_sent" else ""), where

    await asyncio.gather(*(check(limit) for limit in range(0, total, step)))
    return statuses


@pytest.mark.parametrize("ending", ["close", "reset", "stall"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_cut_anywhere_is_never_another_verdict(link, direction, ending):
    statuses = asyncio.run(exchange_with_cuts(link, direction, ending, step=61 if ending == "stall" else 11))
    assert statuses["unknown"] > 0
    assert (statuses["not_sent"] > 0) == link.is_tls  # the handshake comes before the gate


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ending", ["close", "reset", "stall"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_cut_at_every_byte_is_never_another_verdict(link, direction, ending):
    statuses = asyncio.run(exchange_with_cuts(link, direction, ending, step=1))
    print(f"{direction}, {ending}, {'TLS' if link.is_tls else 'TCP'}: {dict(statuses)}")


# a handshake that does not come about


def test_a_handshake_that_stalls_ends_with_the_time_for_connecting(tls_link, monkeypatch):
    """Long before the time for the whole exchange is over: nothing has left, so it may be tried again."""
    monkeypatch.setattr(transports, "CONNECT_TIMEOUT", 0.3)

    async def play():
        async with hostile(stay_open) as silent:
            return await post(tls_link.account(silent.port), timeout=60)

    began = time.monotonic()
    outcome = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
    assert time.monotonic() - began < 10


def test_who_is_cancelled_at_the_gate_leaves_no_connection_open():
    async def cancel_after(seconds):
        async with Transport(sandbox.account) as transport:
            under_way = asyncio.create_task(transport.post(BATCH, asyncio.Event().wait))
            await asyncio.sleep(seconds)
            under_way.cancel()
            await asyncio.wait([under_way])

    with Sandbox(tls=True) as sandbox:
        for milliseconds in range(2, 26, 3):  # in the handshake and after it
            asyncio.run(cancel_after(milliseconds / 1000))
    gc.collect()  # which warns of what was left open, and warnings are errors


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_a_handshake_that_is_cut_is_not_sent(tls_link, ending):
    async def script(visit):
        getattr(visit, ending)()

    async def play():
        async with hostile(script) as server:
            return await post(tls_link.account(server.port))

    outcome = asyncio.run(play())
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
