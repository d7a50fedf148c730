"""A proxy that is given: what goes through it, what is known when it fails, and what it never shows."""

import asyncio
import base64
from urllib.parse import quote

import pytest
from support.links import link_for
from support.proxy import proxy
from support.raw_server import OK, hostile, reply
from support.refusals import refused
from test_secrets_service import SENTINEL, leaks, tracebacks
from test_transport import Gate, answering, entries, hang, post

from campaign.errors import AccountError, UsageError
from campaign.service.account import Account
from campaign.service.passwords import Secret
from campaign.service.transport import Transport
from campaign.words.python import PYTHON

LIVE = "live.example.com"
LOGIN = "office:k%eY/#@:7"  # of the proxy
IN_ADDRESS = "office:k%25eY%2F%23%40:7@"
LARGE = entries(40_000, 160)
VARIABLES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def _no_proxy_is_set(monkeypatch):
    for name in (*VARIABLES, "CAMPAIGN_LIVE_PROXY", "CAMPAIGN_SANDBOX_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def live_link(tmp_path_factory):
    """TLS with a certificate for the live name and for the proxy's."""
    return link_for(LIVE, tmp_path_factory.mktemp("live"))


@pytest.fixture(params=["asyncio", "the fast loop"])
def event_loop_of(request):
    if request.param == "the fast loop":
        request.getfixturevalue("fast_loop")


def live(address, ca_file, **more):
    return Account(
        "live", f"https://{LIVE}", "clinic", "only-for-live", ca_file=ca_file, proxy=address, **more
    )


def send_live(
    link, script, address="http://{login}127.0.0.1:{port}", *, batch=None, gate=None, timeout=5.0, **options
):
    """One batch through a proxy: the outcome, what the service saw, what the proxy saw."""

    async def play():
        async with link.serve(script) as service, proxy(service.port, **options) as between:
            account = live(address.format(login=IN_ADDRESS, port=between.port), link.ca_file)
            outcome = await post(account, gate, batch, timeout)
            await asyncio.sleep(0.02)
            return outcome, service, between

    return asyncio.run(play())


# what goes through it


@pytest.mark.usefixtures("event_loop_of")
def test_live_goes_through_a_tunnel_and_only_the_proxy_reads_the_login(live_link):
    outcome, service, between = send_live(live_link, answering(reply(OK)), login=LOGIN)
    assert (outcome.status, outcome.code) == ("accepted", "ApiJsonSubmit0123456789abc.12345678")
    login = base64.b64encode(LOGIN.encode())
    assert between.heads[0].startswith(f"CONNECT {LIVE}:443 HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic " + login in between.heads[0]
    assert b"proxy" not in service.heads[0].lower()
    assert service.heads[0].startswith(b"POST /api/v1/json/ HTTP/1.1\r\nHost: live.example.com\r\n")


@pytest.mark.usefixtures("event_loop_of")
def test_a_proxy_over_tls_is_verified_like_the_service(live_link, resolves_here):
    resolves_here(LIVE)
    address = "https://{login}" + LIVE + ":{port}"
    outcome, _, between = send_live(
        live_link, answering(reply(OK)), address, login=LOGIN, tls=live_link.context
    )
    assert (outcome.status, len(between.heads)) == ("accepted", 1)
    outcome, service, between = send_live(
        live_link, answering(reply(OK)), "https://{login}127.0.0.1:{port}", tls=live_link.context
    )
    assert (outcome.status, outcome.cause, between.heads, service.connections) == ("not_sent", "setup", [], 0)


def test_the_provider_s_sandbox_over_plain_http_goes_through_it(resolves_here):
    async def play(login):
        async with hostile(answering(reply(OK))) as service, proxy(service.port, login=login) as between:
            account = Account(
                "sandbox", "http://tests.example.com", "clinic", "only-for-tests",
                proxy=f"{IN_ADDRESS}127.0.0.1:{between.port}",
            )  # fmt: skip
            return await post(account), between, service

    outcome, _, service = asyncio.run(play(LOGIN))
    assert outcome.status == "accepted"
    assert service.heads[0].startswith(b"POST http://tests.example.com/api/v1/json/ HTTP/1.1")
    outcome, _, service = asyncio.run(play("somebody:else"))
    assert (outcome.status, service.connections) == ("unknown", 0)  # the body left for the proxy
    assert (outcome.remark.code, outcome.remark.facts["http_status"]) == ("proxy_refused", 407)


def test_a_certificate_of_another_host_in_the_tunnel_is_no_live_service(tls_link, tmp_path):
    outcome, service, _ = send_live(tls_link, answering(reply(OK)))
    assert (outcome.status, outcome.cause, service.body_bytes) == ("not_sent", "setup", 0)


# what is known when it fails

REFUSALS = {
    "407": (reply(b"", "407 Proxy Authentication Required"), "setup"),
    "403": (reply(b"no", "403 Forbidden"), "setup"),
    "502": (reply(b"", "502 Bad Gateway"), "connect"),
    "503": (reply(b"", "503 Service Unavailable", "Retry-After: 5"), "connect"),
    "an OK": (reply(OK, "201 Created"), "setup"),
    "nothing": (b"", "connect"),
    "no HTTP": (b"220 smtp.example.org\r\n", "connect"),
    "half an answer": (b"HTTP/1.1 200 Conn", "connect"),
    "no TLS in the tunnel": (b"HTTP/1.1 200 OK\r\n\r\n220 smtp.example.org\r\n", "connect"),
    "a body in the tunnel": (reply(OK), "connect"),
}
REFUSED_BY_PROXY = ("407", "403", "an OK")


@pytest.mark.usefixtures("event_loop_of")
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_tunnel_that_does_not_come_about_lets_nothing_leave(live_link, refusal):
    answer, cause = REFUSALS[refusal]
    gate = Gate()
    outcome, service, between = send_live(live_link, answering(reply(OK)), answer=answer, gate=gate)
    assert (outcome.status, outcome.cause, gate.calls) == ("not_sent", cause, 0)
    assert (service.connections, between.up) == (0, 0)
    assert LOGIN not in outcome.kept_error
    assert outcome.remark.code == ("proxy_refused" if refusal in REFUSED_BY_PROXY else "not_reached")
    assert ("wants" in outcome.remark.facts) == (refusal == "407")


def test_a_proxy_that_hangs_or_is_not_there_is_not_sent(live_link, monkeypatch):
    async def nobody():
        async with hostile(hang) as closed:
            port = closed.port
        return await post(live(f"http://127.0.0.1:{port}", live_link.ca_file))

    async def hangs():
        async with hostile(hang) as between:
            return await post(live(f"http://127.0.0.1:{between.port}", live_link.ca_file), timeout=0.3)

    for play in (nobody, hangs):
        outcome = asyncio.run(play())
        assert (outcome.status, outcome.cause) == ("not_sent", "connect")
        assert outcome.remark.code == "not_reached"
        assert "proxy" in PYTHON.text(outcome.remark)


@pytest.mark.usefixtures("event_loop_of")
@pytest.mark.parametrize("ending", ["close", "reset", "stall"])
@pytest.mark.parametrize("up", [0, 300, 4000, 8000, 200_000])  # the first bytes are those of TLS
def test_cut_anywhere_what_left_decides(live_link, up, ending):
    """Before the gate nothing left; after it, a proxy may have passed on more than it says."""
    gate = Gate()
    outcome, service, _ = send_live(
        live_link, answering(reply(OK)), up=up, ending=ending, batch=LARGE, gate=gate, timeout=1.0
    )
    assert outcome.status == ("unknown" if gate.calls else "not_sent")
    assert gate.calls == (up >= 4000)
    assert service.bodies == []


@pytest.mark.usefixtures("event_loop_of")
def test_an_ok_while_the_body_waits_in_this_process_is_impossible_through_a_proxy_too(live_link):
    async def early(visit):
        await visit.head()
        await visit.say(reply(OK))
        await hang()

    outcome, *_ = send_live(live_link, early, batch=LARGE)
    assert (outcome.status, outcome.cause) == ("unknown", "impossible")


# where none is given


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_failed_connection_names_the_variable_of_a_proxy_and_never_its_value(
    monkeypatch, variable, resolves_here, live_link
):
    resolves_here(LIVE)
    monkeypatch.setenv(variable, f"http://office:{SENTINEL}@proxy.example.com:3128")
    outcome = asyncio.run(post(Account("live", f"https://{LIVE}:9", "clinic", "only-for-live")))
    assert (outcome.status, outcome.cause) == ("not_sent", "connect")
    facts = outcome.remark.facts
    assert (facts["variable"], facts["setting"]) == (variable, "CAMPAIGN_LIVE_PROXY")
    assert leaks(outcome, outcome.kept_error) == []
    assert "proxy.example.com" not in outcome.kept_error


def test_nothing_is_said_of_a_variable_that_could_not_help(monkeypatch, resolves_here):
    resolves_here(LIVE)
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.com:3128")  # for http, and this is https
    monkeypatch.setenv("HTTPS_PROXY", "")
    outcome = asyncio.run(post(Account("live", f"https://{LIVE}:9", "clinic", "only-for-live")))
    assert "PROXY" not in outcome.kept_error
    outcome = asyncio.run(post(Account("local", "http://127.0.0.1:9", "clinic", "only-for-tests")))
    assert "PROXY" not in outcome.kept_error


# what may be given


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("http://proxy.example.com:3128", "http://proxy.example.com:3128"),
        ("proxy.example.com:3128", "http://proxy.example.com:3128"),
        (" HTTP://Proxy.Example.com:3128/ ", "http://proxy.example.com:3128"),
        ("http://proxy", "http://proxy"),
        ("https://[2001:db8::1]:443", "https://[2001:db8::1]:443"),
        ("http://127.0.0.1:3128", "http://127.0.0.1:3128"),  # as cntlm listens
        (f"http://{IN_ADDRESS}10.0.0.1:8080", "http://10.0.0.1:8080"),
        ("http://office:p@ss@10.0.0.1:8080", "http://10.0.0.1:8080"),
        (Secret("office:word@proxy:3128"), "http://proxy:3128"),
    ],
)
def test_the_address_of_a_proxy_is_read_as_people_write_it(given, address):
    account = live(given, None)
    assert account.proxy.address == address
    assert repr(account).endswith(f"password=<hidden>, proxy={address!r})")
    assert account.identity == live(None, None).identity


@pytest.mark.parametrize(
    "given",
    [
        f"socks5://office:{SENTINEL}@proxy:1080", "socks4a://proxy", "ftp://proxy", "http://", "", "   ",
        "http://proxy:port", "http://proxy:99999", "http://office:w/rd@proxy:3128", "http://office:w#rd@proxy",
        "http://office:1/rd@proxy:3128", "http://pro xy:3128", "http://proxy\x00", "http://[::1", 3128, b"http://p",
        True, "http://proxy:3128/path", "http://proxy:3128?x", "http://office:word@:3128", "http://pro_?xy!",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_proxy_is_refused_and_not_repeated(given):
    with refused("address_unusable", AccountError, of="proxy") as refusal:
        live(given, None)
    assert leaks(*tracebacks(refusal.value)) == []
    assert "rd@" not in str(refusal.value)


def test_the_embedded_sandbox_has_no_proxy():
    with refused("wrong_value", UsageError, argument="proxy"):
        Account("local", "http://127.0.0.1:9", "clinic", "word", proxy="http://127.0.0.1:3128")


@pytest.mark.parametrize("given", ["variable", "file", "argument"])
def test_it_is_kept_like_the_password(monkeypatch, tmp_path, given):
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", f"https://{LIVE}")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "only-for-live")
    address = f"http://{IN_ADDRESS}proxy:3128"
    if given == "variable":
        monkeypatch.setenv("CAMPAIGN_LIVE_PROXY", address)
    if given == "file":
        (tmp_path / "proxy").write_text(address + "\n")
        monkeypatch.setenv("CAMPAIGN_LIVE_PROXY_FILE", str(tmp_path / "proxy"))
    account = Account.from_environment("live", proxy=address if given == "argument" else None)
    assert account.proxy.address == "http://proxy:3128"


def test_no_output_and_no_frame_shows_its_password(live_link):
    """Not in reprs, nor in what is logged, nor in a traceback of a run that is cancelled in the tunnel."""

    async def play():
        async with hostile(hang) as between:
            address = f"http://office:{quote(SENTINEL, safe='')}@127.0.0.1:{between.port}"
            account = live(address, live_link.ca_file)
            async with Transport(account, timeout=5) as transport:
                task = asyncio.create_task(transport.post(entries(), Gate()))
                await asyncio.sleep(0.1)
                shown = [repr(frame.f_locals) for frame in task.get_stack()]
                task.cancel()
                with pytest.raises(asyncio.CancelledError) as cancelled:
                    await task
            login = base64.b64encode(f"office:{SENTINEL}".encode()).decode()
            hidden = account.hide(f"{SENTINEL} {quote(SENTINEL, safe='')} Basic {login}")
            return [
                account,
                vars(account),
                account.proxy,
                *shown,
                *tracebacks(cancelled.value),
                hidden,
            ], login

    shown, login = asyncio.run(play())
    assert leaks(*shown) == []
    assert login not in "".join(map(repr, shown))
