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
    ("given", "words"),
    [
        ("", "https:// and a host name"),
        ("sms.example.com", "https:// and a host name"),
        ("ftp://sms.example.com", "https:// and a host name"),
        ("file:///etc/passwd", "https:// and a host name"),
        ("https://", "https:// and a host name"),
        ("https:///api", "https:// and a host name"),
        ("https://:443/", "https:// and a host name"),
        ("https://me:s3cret@sms.example.com", "user name and password out of the address"),
        ("https://me@sms.example.com", "user name and password out of the address"),
        ("https://@sms.example.com", "user name and password out of the address"),
        ("https://sms.example.com?key=1", "cannot contain ? or #"),
        ("https://sms.example.com/?", "cannot contain ? or #"),
        ("https://sms.example.com#top", "cannot contain ? or #"),
        ("https://sms.example.com:99999", "cannot be read"),
        ("https://sms.example.com:port", "cannot be read"),
        ("https://[::1", "cannot be read"),
        ("https://sms.example.com\\@evil.example", "cannot be read"),
        ("https://sms.example.com\x00.evil.example", "cannot be read"),
        ("https://sms.exa\tmple.com", "cannot be read"),
        ("https://sms.exa mple.com", "cannot be read"),
        ("https://sms.example.com\u202e", "cannot be read"),
        ("https://sms\u2100evil.example", "cannot be read"),  # ℀ would become a/c
        (None, "cannot be read"),
        (b"https://sms.example.com", "cannot be read"),
        ("https://-sms.example.com", "not a host name"),
        ("https://sms..example.com", "not a host name"),
        ("https://sms%2eexample.com", "not a host name"),
        ("https://" + "a" * 64 + ".example", "not a host name"),
        ("https://" + "a." * 130 + "example", "not a host name"),
        ("https://sms.exam\u00adple\u0378.com", "cannot be read"),
        ("https://\u0301a.example", "looked up"),  # begins with a combining accent
        ("https://1.2.3", "usual form"),
        ("https://256.1.1.1", "usual form"),
        ("https://0.0.0.0", "one machine"),
        ("https://[::]", "one machine"),
        ("https://[fe80::1%25eth0]", "one machine"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(given, words):
    with pytest.raises(AccountError) as refusal:
        account("live", given)
    assert words in str(refusal.value)
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
    with pytest.raises(AccountError, match="can never be live"):
        account("live", f"https://{host}:8443/")


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.0.0.0x1"])
def test_odd_spellings_of_this_machine_are_no_addresses_at_all(host):
    """The system's resolver takes each of them for 127.0.0.1."""
    with pytest.raises(AccountError, match="usual form"):
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
    with pytest.raises(AccountError, match="is not this machine"):
        account("local", f"http://{host}/")


@pytest.mark.parametrize("resolved", [["192.0.2.10"], ["127.0.0.1", "192.0.2.10"], []], ids=str)
def test_localhost_is_what_the_system_resolves_it_to(monkeypatch, resolved):
    """A hosts file can send it elsewhere."""

    def getaddrinfo(host, port):
        if not resolved:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in resolved]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(AccountError, match="does not resolve localhost to this machine alone"):
        account("local", "http://localhost:8080")
    assert account("local", "http://127.0.0.1:8080").url == "http://127.0.0.1:8080/"


def test_live_is_https_only():
    with pytest.raises(AccountError, match="https only"):
        account("live", "http://sms.example.com")


def test_the_providers_sandbox_may_be_plain_http(variables):
    sandbox = account("sandbox", "http://sandbox.example.com:80")
    assert (sandbox.url, sandbox.environment) == ("http://sandbox.example.com/", "sandbox")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"environment": "prod"}, r"'local', 'sandbox' or 'live'\.$"),
        ({"environment": "Live"}, "Did you mean 'live'"),
        ({"environment": "sandbx"}, "Did you mean 'sandbox'"),
        ({"environment": None}, "environment is None; it can be"),
        ({"encoding": "base64"}, "'url' or 'plain'"),
        ({"encoding": "URL"}, "Did you mean 'url'"),
    ],
)
def test_an_unknown_word_is_refused_with_the_choices(change, words):
    given = {"environment": "live", "encoding": "url", **change}
    with pytest.raises(UsageError, match=words):
        Account(given["environment"], "https://x.example", "me", PASSWORD, encoding=given["encoding"])


@pytest.mark.parametrize(
    ("username", "password", "words"),
    [
        ("me", b"bytes", "password must be text, not bytes"),
        ("me", 123456, "password must be text, not an int"),
        ("me", None, "password must be text, not None"),
        ("me", "half \ud83d", "password contains half a character"),
        ("me", "", "password is empty"),
        ("me", " \t", "password is empty"),
        (None, PASSWORD, "user name must be text, not None"),
        (5, PASSWORD, "user name must be text, not 5"),
        ("\udc00", PASSWORD, "user name contains half a character"),
        ("", PASSWORD, "user name is empty"),
        ("  ", PASSWORD, "user name is empty"),
    ],
)
def test_a_credential_that_cannot_be_one_is_refused(username, password, words):
    with pytest.raises(AccountError, match=words) as refusal:
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
    with pytest.raises(AccountError, match="cannot be saved or copied"):
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
    with pytest.raises(AccountError) as refusal:
        Account.from_environment("live")
    assert str(refusal.value) == (
        "Set CAMPAIGN_LIVE_URL and CAMPAIGN_LIVE_PASSWORD in the environment, then run this again."
    )


def test_an_empty_variable_is_a_missing_one(variables):
    variables("sandbox", url="http://s.example", username="me", password="")
    with pytest.raises(AccountError, match="Set CAMPAIGN_SANDBOX_PASSWORD in"):
        Account.from_environment("sandbox")


@pytest.mark.parametrize(
    "content", [b"only-for-tests", b"only-for-tests\n", b"\xef\xbb\xbfonly-for-tests\r\n"]
)
def test_a_password_may_be_in_a_file(content, variables, tmp_path):
    (tmp_path / "password").write_bytes(content)
    variables("live", url="https://a.example", username="me", password_file=str(tmp_path / "password"))
    for live in (Account.from_environment("live"), kept_account("live")):
        assert b'"password":"only-for-tests"' in bytes(live.body(memoryview(b"")))
    with pytest.raises(AccountError, match="The sandbox was given the password in CAMPAIGN_LIVE_PASSWORD"):
        Account("sandbox", "http://s.example", "me", PASSWORD)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory"),
        (b"\xff\xfeo\x00", "it is not UTF-8 text"),
        (b"a" * 5000, "it is too long"),
        (b"\n", "The password is empty"),
    ],
)
def test_a_file_without_a_password_is_refused(content, said, variables, tmp_path):
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    variables("sandbox", url="http://s.example", username="me", password_file=str(tmp_path / "password"))
    with pytest.raises(AccountError, match=said):
        Account.from_environment("sandbox")


def test_a_password_has_one_place(variables, tmp_path):
    given = {"password": PASSWORD, "password_file": "elsewhere"}
    variables("live", url="https://a.example", username="me", **given)
    with pytest.raises(AccountError, match="PASSWORD and CAMPAIGN_LIVE_PASSWORD_FILE are set"):
        Account.from_environment("live")


def test_live_variables_are_never_taken_for_the_sandbox(variables):
    variables("live", url="https://a.example", username="me", password=PASSWORD)
    with pytest.raises(AccountError, match="CAMPAIGN_SANDBOX_URL"):
        Account.from_environment("sandbox")


def test_there_are_no_variables_for_local(variables):
    with pytest.raises(UsageError, match="'live' and 'sandbox'"):
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
    with pytest.raises(AccountError, match="is the host in CAMPAIGN_LIVE_URL: it is live"):
        account("sandbox", sandbox)


@pytest.mark.parametrize(("live", "sandbox"), LIVE_HOST)
def test_the_host_of_a_live_account_is_no_sandbox(variables, live, sandbox):
    account("live", live)
    with pytest.raises(AccountError, match="this program has made a live account for it"):
        Account("sandbox", sandbox, "clinic", "of-sandbox")


@pytest.mark.parametrize(("live", "sandbox"), LIVE_HOST)
def test_what_was_called_a_sandbox_is_not_live(variables, live, sandbox):
    """The mistake is noticed late, and what it did is said."""
    Account("sandbox", sandbox, "clinic", "of-sandbox")
    with pytest.raises(AccountError, match="what was sent to that sandbox has reached phones"):
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
        with pytest.raises(AccountError, match=r"it is live|is live: "):
            Account("sandbox", "https://a.example", "clinic", "of-sandbox")
        account("live", "https://a.example")
    with pytest.raises(AccountError, match="cannot be read as a file"):
        Account("sandbox", "https://s.example", "clinic", "of-sandbox", ca_file="no.pem")
    assert account("live", "https://s.example").environment == "live"


def test_a_live_address_that_cannot_be_read_leaves_no_sandbox(variables):
    """Nobody can say whether it names this host."""
    variables("live", url="sms.example.com")
    with pytest.raises(AccountError, match="CAMPAIGN_LIVE_URL cannot be read"):
        account("sandbox", "https://sandbox.example.com")
    assert account("local", "http://127.0.0.1:5").environment == "local"


def test_a_local_account_is_not_compared(variables):
    account("live", "https://sms.example.com")
    assert account("local", "http://127.0.0.1:5").environment == "local"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_sandbox_has_a_password_of_its_own(variables, scheme):
    variables("live", url="https://a.example", username="me", password=PASSWORD)
    variables("sandbox", url=f"{scheme}://s.example", username="me", password=PASSWORD)
    with pytest.raises(AccountError, match=r"password in CAMPAIGN_LIVE_PASSWORD.* could be read on the way"):
        Account.from_environment("sandbox")
    variables("sandbox", password="of-sandbox")
    assert Account.from_environment("sandbox").environment == "sandbox"


def test_the_password_of_a_live_account_is_none_for_the_sandbox(variables):
    account("live", "https://a.example")
    with pytest.raises(AccountError, match="given the password of a live account"):
        account("sandbox", "https://s.example")


def test_a_password_that_the_sandbox_has_seen_is_none_for_live(variables):
    account("sandbox", "http://s.example")
    with pytest.raises(AccountError, match="given the password of a sandbox account"):
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
    ("environment", "username", "words"),
    [
        ("live", "other", 'Save it once: keyring set "campaign live" other'),
        ("sandbox", "clinic", 'Save it once: keyring set "campaign sandbox" clinic'),  # bound to live
        ("live", "locked", r"cannot be read \(KeyringLocked\)"),
        ("sandbox", "shop", "the same password for live and for sandbox as shop"),
        ("live", "", "user name is empty"),
    ],
)
@pytest.mark.usefixtures("small_keyring")
def test_a_keyring_that_cannot_help_says_why(environment, username, words):
    with pytest.raises(AccountError, match=words):
        Account.from_keyring(environment, "https://a.example", username)


def test_without_the_keyring_library_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)  # as if it were not installed
    with pytest.raises(AccountError, match=r'pip install "campaign\[keyring\]"'):
        Account.from_keyring("live", "https://a.example", "clinic")


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
    with pytest.raises(AccountError, match=r"no\.pem cannot be read as a file of certificates"):
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
    with pytest.raises(AccountError, match=f"{name} cannot be read as a file of certificates"):
        account("live", "https://a.example", ca_file=tmp_path / name)


@pytest.mark.parametrize(
    ("given", "near"), [("compny.pem", "company.pem"), ("company-ca.pem", "company.pem")]
)
def test_a_missing_file_of_certificates_suggests_its_neighbour(tmp_path, given, near):
    (tmp_path / "company.pem").touch()
    (tmp_path / "visits.csv").touch()
    with pytest.raises(AccountError, match=rf"\(PEM\)\. Did you mean {near}\?"):
        account("live", "https://a.example", ca_file=tmp_path / given)


@pytest.mark.parametrize("given", ["a\0.pem", "x" * 300, "no/such/folder.pem"])
def test_a_file_of_certificates_that_cannot_be_there(given):
    with pytest.raises(AccountError, match=r"cannot be read as a file of certificates \(PEM\)\.$"):
        account("live", "https://a.example", ca_file=given)


@pytest.mark.parametrize(
    ("given", "came"), [(5, "got 5"), (b"a.pem", "got bytes"), ("", "got an empty text")]
)
def test_certificates_are_a_path(given, came):
    with pytest.raises(UsageError, match=f"ca_file needs a path, but {came}"):
        account("live", "https://a.example", ca_file=given)


def test_certificates_for_plain_http_are_a_mistake(authority):
    with pytest.raises(UsageError, match="plain HTTP"):
        account("sandbox", "http://s.example", ca_file=authority / "ca.pem")


def test_a_person_who_interrupts_the_question_reads_one_sentence(monkeypatch):
    """As in a notebook: the kernel raises it in the call that waits for what is typed."""

    def interrupt(_):
        raise KeyboardInterrupt("Interrupted by user")

    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", interrupt)
    with pytest.raises(Interrupted) as told:
        Account.from_environment("sandbox")
    assert str(told.value) == "CAMPAIGN_SANDBOX_URL was not typed, so there is no account. Run this again."


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
