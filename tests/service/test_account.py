"""Where messages go and as whom: every address that may be used, and every one that may not."""

import asyncio
import copy
import json
import pickle
import socket
import ssl
import subprocess
from types import SimpleNamespace
from typing import ClassVar
from urllib.parse import quote, quote_plus

import keyring
import pytest
from keyring.backend import KeyringBackend
from support.raw_server import OK, hostile, reply
from support.refusals import refused

from campaign.errors import AccountError, Interrupted, UsageError
from campaign.service.account import Account
from campaign.service.kept_account import kept_account
from campaign.service.transport import Transport

PASSWORD = "only-for-tests"


def account(environment, url, **more):
    return Account(environment, url, "clinic", PASSWORD, **more)


@pytest.fixture
def variables(monkeypatch):
    for environment in ("LIVE", "SANDBOX"):
        for name in ("URL", "USERNAME", "PASSWORD", "PASSWORD_FILE"):
            monkeypatch.delenv(f"CAMPAIGN_{environment}_{name}", raising=False)

    def give(environment, **values):
        for name, value in values.items():
            monkeypatch.setenv(f"CAMPAIGN_{environment.upper()}_{name.upper()}", value)

    return give


# addresses


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://sms.example.com", "https://sms.example.com/"),
        ("https://sms.example.com/", "https://sms.example.com/"),
        ("https://sms.example.com//", "https://sms.example.com/"),
        ("  https://sms.example.com \n", "https://sms.example.com/"),
        ("https://sms.example.com/gateway", "https://sms.example.com/gateway/"),
        ("https://sms.example.com/api/v1/json/", "https://sms.example.com/"),  # the whole address
        ("https://sms.example.com/api/v1/json", "https://sms.example.com/"),
        ("https://sms.example.com/gateway/api/v1/json/", "https://sms.example.com/gateway/"),
        ("HTTPS://SMS.Example.COM", "https://sms.example.com/"),
        ("https://sms.example.com.", "https://sms.example.com/"),
        ("https://sms.example.com:443", "https://sms.example.com/"),
        ("https://sms.example.com:8443", "https://sms.example.com:8443/"),
        ("https://192.0.2.10", "https://192.0.2.10/"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x/"),
        ("https://bücher.example", "https://xn--bcher-kva.example/"),
        ("https://BÜCHER.example", "https://xn--bcher-kva.example/"),
        ("https://faß.example", "https://xn--fa-hia.example/"),  # another host than fass.example
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
        ("https://例え。テスト", "https://xn--r8jz45g.xn--zckzah/"),  # an ideographic full stop
        ("https://sms_gate.example.com", "https://sms_gate.example.com/"),
    ],
)
def test_an_address_is_written_down_in_one_way(given, base):
    live = account("live", given)
    assert (live.url, live.endpoint) == (base, base + "api/v1/json/")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("", "no http:// or no host"),
        ("sms.example.com", "no http:// or no host"),
        ("ftp://sms.example.com", "no http:// or no host"),
        ("file:///etc/passwd", "no http:// or no host"),
        ("https://", "no http:// or no host"),
        ("https:///api", "no http:// or no host"),
        ("https://:443/", "no http:// or no host"),
        ("https://me:s3cret@sms.example.com", "it has a password"),
        ("https://me@sms.example.com", "it has a password"),
        ("https://@sms.example.com", "it has a password"),
        ("https://sms.example.com?key=1", "it has ? or #"),
        ("https://sms.example.com/?", "it has ? or #"),
        ("https://sms.example.com#top", "it has ? or #"),
        ("https://sms.example.com:99999", ""),
        ("https://sms.example.com:port", ""),
        ("https://[::1", ""),
        ("https://sms.example.com\\@evil.example", ""),
        ("https://sms.example.com\x00.evil.example", ""),
        ("https://sms.exa\tmple.com", ""),
        ("https://sms.exa mple.com", ""),
        ("https://sms.example.com\u202e", ""),
        ("https://sms\u2100evil.example", ""),  # ℀ would become a/c
        (None, ""),
        (b"https://sms.example.com", ""),
        ("https://-sms.example.com", "host "),
        ("https://sms..example.com", "host "),
        ("https://sms%2eexample.com", "host "),
        ("https://" + "a" * 64 + ".example", "host "),
        ("https://" + "a." * 130 + "example", "host "),
        ("https://sms.exam\u00adple\u0378.com", ""),
        ("https://\u0301a.example", "host "),  # begins with a combining accent
        ("https://1.2.3", "IP address "),
        ("https://256.1.1.1", "IP address "),
        ("https://0.0.0.0", "IP address "),
        ("https://[::]", "IP address "),
        ("https://[fe80::1%25eth0]", "IP address "),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(given, problem):
    with refused("address_unusable", AccountError) as refusal:
        account("live", given)
    shown = refusal.value.finding.facts["problem"]
    assert shown == problem or (problem.endswith(" ") and shown.startswith(problem))
    assert "s3cret" not in str(refusal.value)


THIS_MACHINE = [
    "127.0.0.1",
    "127.8.9.10",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "１２７.0.0.1",  # full-width digits are digits to the resolver
    "127。0。0。1",
    "ｌｏｃａｌｈｏｓｔ",
]
# Names that some systems resolve to this machine and others ask the network for.
PERHAPS_THIS_MACHINE = ["localhost.localdomain", "sms.localhost", "127.0.0.1.localhost"]


@pytest.mark.parametrize("host", [*THIS_MACHINE, *PERHAPS_THIS_MACHINE])
def test_this_machine_is_never_live(host):
    with refused("live_on_this_machine", AccountError):
        account("live", f"https://{host}:8443/")


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.0.0.0x1"])
def test_odd_spellings_of_this_machine_are_no_addresses_at_all(host):
    """The system's resolver takes each of them for 127.0.0.1."""
    with refused("address_unusable", AccountError):
        account("live", f"https://{host}/")


@pytest.mark.parametrize("host", THIS_MACHINE)
def test_local_is_this_machine(host):
    assert account("local", f"http://{host}:8080").environment == "local"


@pytest.mark.parametrize(
    "host",
    [
        *PERHAPS_THIS_MACHINE,
        "sms.example.com",
        "192.0.2.10",
        "127.0.0.1.x.example",
        "localhost.x",
        "[::2]",
        "[::ffff:192.0.2.10]",
    ],
)
def test_local_is_no_other_machine(host):
    with refused("local_elsewhere", AccountError):
        account("local", f"http://{host}/")


@pytest.mark.parametrize("resolved", [["192.0.2.10"], ["127.0.0.1", "192.0.2.10"], []], ids=str)
def test_localhost_is_what_the_system_resolves_it_to(monkeypatch, resolved):
    """A hosts file can send it elsewhere."""

    def getaddrinfo(host, port):
        if not resolved:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in resolved]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with refused("local_elsewhere", AccountError, host="localhost"):
        account("local", "http://localhost:8080")
    assert account("local", "http://127.0.0.1:8080").url == "http://127.0.0.1:8080/"


def test_live_is_https_only():
    with refused("address_unusable", AccountError, problem="live needs https"):
        account("live", "http://sms.example.com")


def test_the_providers_sandbox_may_be_plain_http(variables):
    sandbox = account("sandbox", "http://sandbox.example.com:80")
    assert (sandbox.url, sandbox.environment) == ("http://sandbox.example.com/", "sandbox")


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"environment": "prod"}, {"argument": "environment", "suggestion": ""}),
        ({"environment": "Live"}, {"suggestion": "live"}),
        ({"environment": "sandbx"}, {"suggestion": "sandbox"}),
        ({"environment": None}, {"given": "None", "choices": ["'local'", "'sandbox'", "'live'"]}),
        ({"encoding": "base64"}, {"choices": ["'url'", "'plain'"]}),
        ({"encoding": "URL"}, {"suggestion": "url"}),
    ],
)
def test_an_unknown_word_is_refused_with_the_choices(change, facts):
    given = {"environment": "live", "encoding": "url", **change}
    with refused("wrong_choice", UsageError, **facts):
        Account(given["environment"], "https://x.example", "me", PASSWORD, encoding=given["encoding"])


@pytest.mark.parametrize(
    ("username", "password", "argument", "given"),
    [
        ("me", b"bytes", "password", "bytes"),
        ("me", 123456, "password", "an int"),
        ("me", None, "password", "None"),
        ("me", "half \ud83d", "password", "half a character"),
        ("me", "", "password", "an empty text"),
        ("me", " \t", "password", "an empty text"),
        (None, PASSWORD, "username", "None"),
        (5, PASSWORD, "username", "5"),
        ("\udc00", PASSWORD, "username", "half a character"),
        ("", PASSWORD, "username", "an empty text"),
        ("  ", PASSWORD, "username", "the text '  '"),
    ],
)
def test_a_credential_that_cannot_be_one_is_refused(username, password, argument, given):
    with refused("wrong_value", AccountError, argument=argument, given=given) as refusal:
        Account("live", "https://x.example", username, password)
    assert "123456" not in str(refusal.value)


# who is who


def test_every_embedded_sandbox_is_one_account():
    sandboxes = [
        account("local", "http://127.0.0.1:1"),
        account("local", "http://127.0.0.1:2"),
        account("local", "https://[::1]:3/gateway"),
        Account("local", "http://localhost:1", "somebody else", PASSWORD),
    ]
    assert len({one.identity for one in sandboxes}) == 1


def test_accounts_differ_by_environment_place_and_user():
    accounts = [
        account("live", "https://a.example"),
        account("live", "https://b.example"),
        account("live", "https://a.example:8443"),
        account("live", "https://a.example/gateway"),
        account("live", "https://a.example/Gateway"),
        account("live", "https://www2.a.example"),
        Account("sandbox", "https://s.example", "clinic", "of-sandbox"),
        Account("live", "https://a.example", "other", PASSWORD),
        account("local", "http://127.0.0.1:1"),
    ]
    assert len({one.identity for one in accounts}) == len(accounts)


def test_one_account_written_in_several_ways_is_one():
    written = [
        "https://a.example",
        "HTTPS://A.example:443/api/v1/json/",
        "https://www.a.example",
        "https://WWW.A.example.:443/",
    ]
    assert len({account("live", url).identity for url in written}) == 1


def test_the_usual_port_of_plain_http_makes_no_difference():
    written = ["http://s.example", "http://s.example:80", "http://www.s.example:80/"]
    assert len({Account("sandbox", url, "clinic", "of-sandbox").identity for url in written}) == 1


def test_a_user_name_in_capitals_or_composed_otherwise_is_the_same_user():
    written = ["Müller", "MÜLLER", "mu\u0308ller", "MU\u0308LLER"]
    users = [Account("live", "https://a.example", name, PASSWORD) for name in written]
    assert len({one.identity for one in users}) == 1
    assert users[1].username == "MÜLLER"  # what the service is told stays as it was typed


def test_what_reports_show():
    assert account("live", "https://a.example:8443/x").label == "LIVE, a.example"
    sandbox = Account("sandbox", "http://s.example", "clinic", "of-sandbox")
    assert sandbox.label == "REHEARSAL in the provider's sandbox: nobody gets anything, s.example"
    assert account("local", "http://[::1]:5").label == "REHEARSAL on this machine: nobody gets anything"
    assert repr(account("live", "https://a.example")) == (
        "Account('live', 'https://a.example/', username='clinic', password=<hidden>)"
    )


@pytest.mark.parametrize(
    ("password", "shown"),
    [
        ("sesam1", "a <hidden> b"),  # six characters
        ("sesam", "a sesam b"),  # five also stand in ordinary words
        ("sesame-0pen", "a <hidden> b"),
    ],
)
def test_passwords_of_six_characters_or_more_are_hidden(password, shown):
    made = Account("live", "https://a.example", "clinic", password)
    assert made.hide(f"a {password} b") == shown


@pytest.mark.parametrize(
    "spell",
    [
        str,
        quote,
        quote_plus,
        lambda text: quote(text, safe=""),
        json.dumps,
        lambda text: json.dumps(text, ensure_ascii=False),
        repr,
        lambda text: repr(text.encode()),
        lambda text: repr(json.dumps(text)),
        lambda text: repr(json.dumps(text, ensure_ascii=False).encode()),
    ],
)
def test_a_password_is_hidden_as_programs_spell_it(spell):
    password = "pass/w örd\"'\\"
    shown = Account("live", "https://a.example", "clinic", password).hide(spell(password))
    assert shown.strip("b'\"") in ("<hidden>", '\\"<hidden>\\"')


def test_a_password_is_hidden_to_its_last_character_in_every_spelling():
    """JSON doubles the backslash: taking out the plain spelling first would leave one."""
    made = Account("live", "https://a.example", "clinic", "sesame\\")
    assert made.hide(json.dumps("sesame\\")) == '"<hidden>"'


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_account_is_neither_saved_nor_copied(act):
    with refused("secret_not_copied", AccountError):
        act(account("live", "https://a.example"))


# where credentials come from


def test_credentials_come_from_the_environment(variables):
    variables("live", url="https://a.example", username="me", password=PASSWORD)
    live = Account.from_environment("live", encoding="plain")
    assert (live.environment, live.url, live.username, live.encoding) == (
        "live",
        "https://a.example/",
        "me",
        "plain",
    )
    assert b'"password":"only-for-tests"' in bytes(live.body(memoryview(b"")))


def test_missing_variables_are_named(variables):
    variables("live", username="me")
    missing = ["CAMPAIGN_LIVE_URL", "CAMPAIGN_LIVE_PASSWORD"]
    with refused("variables_missing", AccountError, variables=missing, count=2):
        Account.from_environment("live")


def test_an_empty_variable_is_a_missing_one(variables):
    variables("sandbox", url="http://s.example", username="me", password="")
    with refused("variables_missing", AccountError, variables=["CAMPAIGN_SANDBOX_PASSWORD"]):
        Account.from_environment("sandbox")


@pytest.mark.parametrize(
    "content", [b"only-for-tests", b"only-for-tests\n", b"\xef\xbb\xbfonly-for-tests\r\n"]
)
def test_a_password_may_be_in_a_file(content, variables, tmp_path):
    (tmp_path / "password").write_bytes(content)
    variables("live", url="https://a.example", username="me", password_file=str(tmp_path / "password"))
    for live in (Account.from_environment("live"), kept_account("live")):
        assert b'"password":"only-for-tests"' in bytes(live.body(memoryview(b"")))
    with refused("passwords_alike", AccountError, where="CAMPAIGN_LIVE_PASSWORD"):
        Account("sandbox", "http://s.example", "me", PASSWORD)


@pytest.mark.parametrize(
    ("content", "code", "facts"),
    [
        (None, "account_file_unusable", {"reason": "No such file or directory"}),
        (b"\xff\xfeo\x00", "account_file_unusable", {"reason": "not UTF-8 text"}),
        (b"a" * 5000, "account_file_unusable", {"reason": "too long"}),
        (b"\n", "wrong_value", {"argument": "password", "given": "an empty text"}),
    ],
)
def test_a_file_without_a_password_is_refused(content, code, facts, variables, tmp_path):
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    variables("sandbox", url="http://s.example", username="me", password_file=str(tmp_path / "password"))
    with refused(code, AccountError, **facts):
        Account.from_environment("sandbox")


def test_a_password_has_one_place(variables, tmp_path):
    given = {"password": PASSWORD, "password_file": "elsewhere"}
    variables("live", url="https://a.example", username="me", **given)
    both = ["CAMPAIGN_LIVE_PASSWORD", "CAMPAIGN_LIVE_PASSWORD_FILE"]
    with refused("variables_conflict", AccountError, variables=both):
        Account.from_environment("live")


def test_live_variables_are_never_taken_for_the_sandbox(variables):
    variables("live", url="https://a.example", username="me", password=PASSWORD)
    with refused("variables_missing", AccountError, count=3):
        Account.from_environment("sandbox")


def test_there_are_no_variables_for_local(variables):
    with refused("wrong_choice", UsageError, choices=["'live'", "'sandbox'"]):
        Account.from_environment("local")


# live under the name of sandbox


LIVE_HOST = [
    ("https://sms.example.com", "https://sms.example.com"),
    ("https://sms.example.com", "http://sms.example.com"),
    ("https://sms.example.com", "HTTPS://SMS.Example.COM"),
    ("https://sms.example.com", "https://www.sms.example.com"),
    ("https://www.sms.example.com", "https://sms.example.com"),
    ("https://sms.example.com", "https://sms.example.com."),
    ("https://sms.example.com", "https://sms.example.com:8443"),
    ("https://sms.example.com:8443", "http://sms.example.com:8080/sandbox"),
    ("https://sms.example.com/live", "https://sms.example.com/sandbox/api/v1/json/"),
    ("https://bücher.example", "https://xn--bcher-kva.example"),
    ("https://bücher.example", "https://www.BÜCHER.example"),
    ("https://sms.example.com", "https://ｓｍｓ。example.com"),
    ("https://[2001:db8::1]", "https://[2001:0DB8:0:0::0001]:99"),
    ("https://192.0.2.10", "https://[::ffff:192.0.2.10]"),
    ("https://192.0.2.10", "https://[::ffff:c000:20a]"),
]


@pytest.mark.parametrize(("live", "sandbox"), LIVE_HOST)
def test_the_live_host_of_the_environment_is_no_sandbox(variables, live, sandbox):
    variables("live", url=live)
    with refused("sandbox_is_live", AccountError, where="CAMPAIGN_LIVE_URL"):
        account("sandbox", sandbox)


@pytest.mark.parametrize(("live", "sandbox"), LIVE_HOST)
def test_the_host_of_a_live_account_is_no_sandbox(variables, live, sandbox):
    account("live", live)
    with refused("sandbox_is_live", AccountError, where=None):
        Account("sandbox", sandbox, "clinic", "of-sandbox")


@pytest.mark.parametrize(("live", "sandbox"), LIVE_HOST)
def test_what_was_called_a_sandbox_is_not_live(variables, live, sandbox):
    """The mistake is noticed late, and what it did is said."""
    Account("sandbox", sandbox, "clinic", "of-sandbox")
    with refused("live_was_sandbox", AccountError):
        account("live", live)


@pytest.mark.parametrize(
    "sandbox",
    [
        "https://sandbox.example.com",
        "https://sms.example.org",
        "https://example.com",
        "https://sms.example.co",
    ],
)
def test_another_host_may_be_the_sandbox(variables, sandbox):
    variables("live", url="https://sms.example.com", password="of-live")
    account("live", "https://sms.example.com")
    made = Account("sandbox", sandbox, "clinic", "of-sandbox")
    again = Account("sandbox", sandbox, "clinic", "of-sandbox")  # nothing is used up
    assert (made.environment, again.identity) == ("sandbox", made.identity)
    assert account("live", "https://sms.example.com:8443").environment == "live"


def test_a_refused_account_leaves_no_trace(variables):
    account("live", "https://a.example")
    for _ in range(2):
        with refused("sandbox_is_live", AccountError):
            Account("sandbox", "https://a.example", "clinic", "of-sandbox")
        account("live", "https://a.example")
    with refused("account_file_unusable", AccountError):
        Account("sandbox", "https://s.example", "clinic", "of-sandbox", ca_file="no.pem")
    assert account("live", "https://s.example").environment == "live"


def test_a_live_address_that_cannot_be_read_leaves_no_sandbox(variables):
    """Nobody can say whether it names this host."""
    variables("live", url="sms.example.com")
    with refused("address_unusable", AccountError, problem="CAMPAIGN_LIVE_URL"):
        account("sandbox", "https://sandbox.example.com")
    assert account("local", "http://127.0.0.1:5").environment == "local"


def test_a_local_account_is_not_compared(variables):
    account("live", "https://sms.example.com")
    assert account("local", "http://127.0.0.1:5").environment == "local"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_sandbox_has_a_password_of_its_own(variables, scheme):
    variables("live", url="https://a.example", username="me", password=PASSWORD)
    variables("sandbox", url=f"{scheme}://s.example", username="me", password=PASSWORD)
    with refused("passwords_alike", AccountError, where="CAMPAIGN_LIVE_PASSWORD"):
        Account.from_environment("sandbox")
    variables("sandbox", password="of-sandbox")
    assert Account.from_environment("sandbox").environment == "sandbox"


def test_the_password_of_a_live_account_is_none_for_the_sandbox(variables):
    account("live", "https://a.example")
    with refused("passwords_alike", AccountError):
        account("sandbox", "https://s.example")


def test_a_password_that_the_sandbox_has_seen_is_none_for_live(variables):
    account("sandbox", "http://s.example")
    with refused("passwords_alike", AccountError):
        account("live", "https://a.example")


def test_a_live_password_that_is_no_text_is_not_the_sandboxs(variables):
    """As when the shell that set it used another encoding."""
    variables("live", password="caf\udce9")
    assert account("sandbox", "https://s.example").environment == "sandbox"


class SmallKeyring(KeyringBackend):
    """A keyring that holds one password."""

    priority = 1
    kept: ClassVar = {
        ("campaign live", "clinic"): PASSWORD,
        ("campaign live", "shop"): PASSWORD,
        ("campaign sandbox", "shop"): PASSWORD,
        ("campaign sandbox", "tester"): "of-sandbox",
    }

    def get_password(self, service, username):
        if username == "locked":
            raise keyring.errors.KeyringLocked("s3cret")
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password


@pytest.fixture
def small_keyring():
    usual = keyring.get_keyring()
    keyring.set_keyring(SmallKeyring())
    yield
    keyring.set_keyring(usual)


@pytest.mark.usefixtures("small_keyring")
def test_a_password_comes_from_the_keyring():
    live = Account.from_keyring("live", "https://a.example", "clinic")
    assert b"only-for-tests" in bytes(live.body(memoryview(b"")))
    sandbox = Account.from_keyring("sandbox", "https://s.example", "tester")
    assert b"of-sandbox" in bytes(sandbox.body(memoryview(b"")))


@pytest.mark.parametrize(
    ("environment", "username", "code", "facts"),
    [
        ("live", "other", "keyring_without_password", {"environment": "live", "username": "other"}),
        ("sandbox", "clinic", "keyring_without_password", {"environment": "sandbox"}),  # bound to live
        ("live", "locked", "password_unusable", {"reason": "KeyringLocked", "place": "the system's keyring"}),
        ("sandbox", "shop", "passwords_alike", {"where": "keyring"}),
        ("live", "", "wrong_value", {"argument": "username"}),
    ],
)
@pytest.mark.usefixtures("small_keyring")
def test_a_keyring_that_cannot_help_says_why(environment, username, code, facts):
    with refused(code, AccountError, **facts):
        Account.from_keyring(environment, "https://a.example", username)


# whom to trust


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A company's own certificate authority, and a server's certificate from it for "localhost"."""
    place = tmp_path_factory.mktemp("authority")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    (place / "san.txt").write_text("subjectAltName=DNS:localhost\n")
    for command in (
        f"openssl req -x509 {key} -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem "
        "-addext keyUsage=critical,keyCertSign",
        f"openssl req {key} -subj /CN=localhost -keyout server.key -out server.csr",
        "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out server.pem "
        "-extfile san.txt",
    ):
        subprocess.run(command.split(), cwd=place, check=True, capture_output=True)
    return place


def post_over_tls(authority, host, **more):
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(authority / "server.pem", authority / "server.key")

    async def script(visit):
        await visit.request()
        await visit.say(reply(OK))

    async def gate():
        pass

    async def play():
        async with hostile(script, tls=served) as server:
            there = account("local", f"https://{host}:{server.port}", **more)
            async with Transport(there, timeout=5) as transport:
                return await transport.post(memoryview(b""), gate), server

    return asyncio.run(play())


def test_a_companys_own_authority_is_trusted_when_named(authority):
    outcome, server = post_over_tls(authority, "localhost", ca_file=authority / "ca.pem")
    assert (outcome.status, len(server.bodies)) == ("accepted", 1)


def test_it_is_not_trusted_unasked(authority):
    outcome, server = post_over_tls(authority, "localhost")
    assert (outcome.status, outcome.cause, server.body_bytes) == ("not_sent", "setup", 0)


def test_a_certificate_for_another_host_stops(authority):
    outcome, server = post_over_tls(authority, "127.0.0.1", ca_file=authority / "ca.pem")
    assert (outcome.status, outcome.cause, server.body_bytes) == ("not_sent", "setup", 0)


def test_the_authority_can_be_named_in_the_environment(authority, monkeypatch):
    for name, value in {"URL": "https://a.example", "USERNAME": "clinic", "PASSWORD": "made up"}.items():
        monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
    monkeypatch.setenv("CAMPAIGN_LIVE_CURRENCY", "UGX")
    monkeypatch.setenv("CAMPAIGN_LIVE_CA_FILE", str(authority / "ca.pem"))
    for named in (Account.from_environment("live"), kept_account("live")):
        assert len(named.certificates.get_ca_certs()) == 1
        assert named.currency == "UGX"
    monkeypatch.setenv("CAMPAIGN_LIVE_CA_FILE", "")
    assert Account.from_environment("live").certificates is None
    monkeypatch.setenv("CAMPAIGN_LIVE_CA_FILE", str(authority / "no.pem"))
    with refused("account_file_unusable", AccountError):
        Account.from_environment("live")


def test_a_named_authority_never_turns_checking_off(authority):
    trusted = account("live", "https://a.example", ca_file=authority / "ca.pem").certificates
    assert (trusted.check_hostname, trusted.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert len(trusted.get_ca_certs()) == 1  # and none of the system's beside it


@pytest.mark.parametrize("name", ["missing.pem", "folder.pem", "words.pem", "empty.pem"])
def test_a_file_without_certificates_is_refused(tmp_path, name):
    (tmp_path / "folder.pem").mkdir()
    (tmp_path / "words.pem").write_text("not a certificate")
    (tmp_path / "empty.pem").write_text("")
    with refused("account_file_unusable", AccountError, file=tmp_path / name):
        account("live", "https://a.example", ca_file=tmp_path / name)


@pytest.mark.parametrize(
    ("given", "near"), [("compny.pem", "company.pem"), ("company-ca.pem", "company.pem")]
)
def test_a_missing_file_of_certificates_suggests_its_neighbour(tmp_path, given, near):
    (tmp_path / "company.pem").touch()
    (tmp_path / "visits.csv").touch()
    with refused("account_file_unusable", AccountError, suggestion=near):
        account("live", "https://a.example", ca_file=tmp_path / given)


@pytest.mark.parametrize("given", ["a\0.pem", "x" * 300, "no/such/folder.pem"])
def test_a_file_of_certificates_that_cannot_be_there(given):
    with refused("account_file_unusable", AccountError, suggestion=""):
        account("live", "https://a.example", ca_file=given)


@pytest.mark.parametrize(("given", "came"), [(5, "5"), (b"a.pem", "bytes"), ("", "an empty text")])
def test_certificates_are_a_path(given, came):
    with refused("wrong_value", UsageError, argument="ca_file", given=came):
        account("live", "https://a.example", ca_file=given)


def test_certificates_for_plain_http_are_a_mistake(authority):
    with refused("certificates_unused", UsageError):
        account("sandbox", "http://s.example", ca_file=authority / "ca.pem")


def test_a_person_who_interrupts_the_question_reads_one_sentence(monkeypatch):
    """As in a notebook: the kernel raises it in the call that waits for what is typed."""

    def interrupt(_):
        raise KeyboardInterrupt("Interrupted by user")

    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", interrupt)
    with pytest.raises(Interrupted) as told:
        Account.from_environment("sandbox")
    assert str(told.value) == "CAMPAIGN_SANDBOX_URL: not typed"


@pytest.mark.usefixtures("small_keyring")
def test_a_kept_account_is_found_without_asking_anybody(monkeypatch):
    for name in ("URL", "USERNAME", "PASSWORD"):
        monkeypatch.delenv(f"CAMPAIGN_LIVE_{name}", raising=False)
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("it asked"))
    monkeypatch.setattr("getpass.getpass", lambda *_: pytest.fail("it asked"))
    assert kept_account("live") is None
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", "https://a.example")
    assert kept_account("live") is None
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "nobody")
    assert kept_account("live") is None
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "clinic")
    from_keyring = kept_account("live")
    assert (from_keyring.environment, from_keyring.username) == ("live", "clinic")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", "nobody")
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "made up")
    assert b"made%20up" in bytes(kept_account("live").body(memoryview(b"[]")))
