"""One sentinel password, searched in everything that the service floor can show: it is nowhere.

Searched are reprs, what attributes hold, errors, tracebacks that print local variables (by the standard
library and by IPython), logs at DEBUG, the frames of tasks at work, outcomes when the service echoes the
request, and the cells of a notebook in which the password is typed.
"""

import asyncio
import base64
import copy
import gc
import json
import logging
import pickle
import pprint
import sys
import tempfile
import traceback
from urllib.parse import quote, quote_plus

import keyring
import keyring.errors
import pyarrow as pa
import pytest
from IPython.core.ultratb import VerboseTB
from IPython.lib.pretty import pretty
from jupyter_client.manager import start_new_kernel
from keyring.backend import KeyringBackend
from support.raw_server import hostile, reply

from campaign.errors import CampaignError
from campaign.service.account import Account
from campaign.service.gated_body import GateClosed, GatedBody
from campaign.service.passwords import Secret
from campaign.service.sandbox.faults import FAULTS
from campaign.service.sandbox.server import Sandbox
from campaign.service.transport import Transport
from campaign.service.wire import EncodedMessages
from campaign.words.finding import Finding

SENTINEL = 'Zx9-S3NTINEL é/+%"q'


def spellings(secret):
    """The secret as text, as escapes, percent-encoded and in base64 at any offset."""
    found = {secret, secret[4:12], repr(secret)[1:-1], json.dumps(secret)[1:-1]}
    found |= {repr(secret.encode())[2:-1], quote(secret), quote(secret, safe=""), quote_plus(secret)}
    found |= {secret.encode().hex()}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret.encode()).decode()
        found.add(encoded[4:-4])
    return found


def leaks(*outputs):
    """Those spellings of the sentinel that stand in the outputs."""
    text = "\n".join(one if isinstance(one, str) else repr(one) for one in outputs)
    return [spelling for spelling in spellings(SENTINEL) if spelling in text]


def entries():
    columns = {"number": "256772000012", "message": "Hello", "sender": "CLINIC", "priority": ""}
    return EncodedMessages(pa.table({name: [text] for name, text in columns.items()}), "url").slice(0, 1)


def account_at(port=9):
    return Account("local", f"http://127.0.0.1:{port}", "clinic", SENTINEL)


async def open_gate():
    pass


def in_this_package(frames):
    """The traceback from its first frame in the package on: what a test calls it with is the test's own."""
    while frames is not None and "/campaign/service/" not in frames.tb_frame.f_code.co_filename:
        frames = frames.tb_next
    return frames


def tracebacks(error):
    """An error with all local variables, as two tools print it, and all errors behind it."""
    shown = []
    while error is not None:
        frames = in_this_package(error.__traceback__)
        plain = traceback.TracebackException(type(error), error, frames, capture_locals=True)
        shown += [*plain.format(), VerboseTB(theme_name="nocolor").text(type(error), error, frames)]
        error = error.__cause__ or error.__context__
    return shown


def test_the_search_finds_what_it_should():
    """Put into a repr, a local variable or base64 on purpose, the sentinel is found."""

    class Careless:
        def __repr__(self):
            return f"<password {SENTINEL}>"

    def fail():
        careless = Careless()
        raise ValueError(careless and "no")

    assert leaks(Careless())
    assert leaks({"key": base64.b64encode(b"userdata:" + SENTINEL.encode())}.__repr__())
    assert leaks(json.dumps({"password": SENTINEL}), quote(SENTINEL))
    with pytest.raises(ValueError, match="no") as caught:
        fail()
    plain = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert leaks(*plain.format())
    assert leaks(VerboseTB(theme_name="nocolor").text(ValueError, caught.value, caught.value.__traceback__))


# what can be looked at


def test_nothing_shows_it_when_looked_at():
    account = account_at()
    body = account.body(entries())
    assert leaks(repr(body), str(body)) == []
    with Sandbox(password=SENTINEL) as service:
        things = [account, entries(), service, service.account, service._behaviour, service.inbox]
        things += [Secret(SENTINEL), Transport(account), GatedBody(body, open_gate)]
        for thing in things:
            shown = [repr(thing), str(thing), f"{thing}", pprint.pformat(thing), pretty(thing)]
            shown += [repr(getattr(thing, name)) for name in dir(thing) if not name.startswith("__")]
            shown += [repr(getattr(thing, "__dict__", "")), repr(vars(type(thing)))]
            assert leaks(*shown) == []


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_is_neither_saved_nor_copied(act):
    with pytest.raises(CampaignError) as refusal:
        act(Secret(SENTINEL))
    assert leaks(*tracebacks(refusal.value)) == []


def test_a_secret_is_compared_without_being_shown():
    assert Secret(SENTINEL).is_same(Secret(SENTINEL))
    assert not Secret(SENTINEL).is_same(Secret("other"))
    with pytest.raises(AttributeError):
        Secret(SENTINEL).text = "x"


# errors


class CarelessKeyring(KeyringBackend):
    """A keyring that fails with everything it knows in its error and in its frames."""

    priority = 1

    def get_password(self, service, username):
        password = SENTINEL
        raise keyring.errors.KeyringLocked(f"cannot unlock {password}")

    def set_password(self, service, username, password):
        raise NotImplementedError


@pytest.fixture
def everything_set(monkeypatch):
    for environment in ("LIVE", "SANDBOX"):
        values = {"URL": "http://a.example", "USERNAME": "clinic", "PASSWORD": SENTINEL}
        for name, value in values.items():
            monkeypatch.setenv(f"CAMPAIGN_{environment}_{name}", value)
    usual = keyring.get_keyring()
    keyring.set_keyring(CarelessKeyring())
    yield monkeypatch
    keyring.set_keyring(usual)


def without_a_user_name(world):
    world.delenv("CAMPAIGN_LIVE_USERNAME")
    Account.from_environment("live")


def in_a_file_that_is_no_text(world):
    with tempfile.NamedTemporaryFile() as file:
        file.write(SENTINEL.encode() + b"\xff")
        file.flush()
        world.delenv("CAMPAIGN_LIVE_PASSWORD")
        world.setenv("CAMPAIGN_LIVE_PASSWORD_FILE", file.name)
        Account.from_environment("live")


def in_a_file_of_a_plain_sandbox(world):
    with tempfile.NamedTemporaryFile() as file:
        file.write(f"{SENTINEL}\n".encode())
        file.flush()
        world.delenv("CAMPAIGN_SANDBOX_PASSWORD")
        world.setenv("CAMPAIGN_SANDBOX_PASSWORD_FILE", file.name)
        Account.from_environment("sandbox")


MISTAKES = {
    "an unknown environment": lambda _: Account("prod", "https://a.example", "me", SENTINEL),
    "an unknown encoding": lambda _: Account("live", "https://a.example", "me", SENTINEL, encoding="x"),
    "a plain live address": lambda _: Account("live", "http://a.example", "me", SENTINEL),
    "an unreadable address": lambda _: Account("live", "https://[", "me", SENTINEL),
    "an address that cannot be looked up": lambda _: Account("live", "https://\u0301a", "me", SENTINEL),
    "it stands in the address": lambda _: Account("live", f"https://me:{quote(SENTINEL)}@a", "me", SENTINEL),
    "a user name that is no text": lambda _: Account("live", "https://a.example", 5, SENTINEL),
    "a password of bytes": lambda _: Account("live", "https://a.example", "me", SENTINEL.encode()),
    "a password of half an emoji": lambda _: Account("live", "https://a", "me", SENTINEL + "\ud83d"),
    "certificates that are none": lambda _: Account("live", "https://a", "me", SENTINEL, ca_file="no.pem"),
    "the live password for the sandbox": lambda _: Account("sandbox", "http://a.example", "me", SENTINEL),
    "the same from variables": lambda _: Account.from_environment("sandbox"),
    "variables for plain http": lambda _: Account.from_environment("live"),
    "a missing variable": without_a_user_name,
    "a file that is no text": in_a_file_that_is_no_text,
    "the live password in the sandbox's file": in_a_file_of_a_plain_sandbox,
    "it stands in the address for the keyring": lambda _: Account.from_keyring(
        "live", f"https://me:{quote(SENTINEL)}@a", "me"
    ),
    "a keyring that fails": lambda _: Account.from_keyring("live", "https://a.example", "me"),
    "entries that are none": lambda _: account_at().body(None),
    "saving an account": lambda _: pickle.dumps(account_at()),
    "copying an account": lambda _: copy.deepcopy(account_at()),
    "a sandbox on the network": lambda _: Sandbox(password=SENTINEL, host="0.0.0.0"),
    "a sandbox with an unknown word": lambda _: Sandbox(password=SENTINEL, decode="x"),
    "a sandbox with an odd price": lambda _: Sandbox(password=SENTINEL, price="x"),
    "a sandbox with an unknown fault": lambda _: Sandbox(password=SENTINEL, faults={1: "x"}),
    "a sandbox on a port that it may not have": lambda _: Sandbox(password=SENTINEL, host="::1", port=-1),
    "a sandbox that is not running": lambda _: Sandbox(password=SENTINEL).account,
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_no_mistake_shows_it(everything_set, mistake):
    """Neither in the words of the error nor in the local variables of any frame in the package."""
    with pytest.raises(CampaignError) as caught:
        mistake(everything_set)
    assert in_this_package(caught.value.__traceback__) is not None
    assert leaks(str(caught.value), *tracebacks(caught.value)) == []


# sending


def post_through(service, timeout=1.0, gate=open_gate):
    async def play():
        async with Transport(service.account, timeout=timeout) as transport:
            return await transport.post(entries(), gate)

    return asyncio.run(play(), debug=True)


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_no_fault_shows_it(fault, caplog, capfd):
    """In the outcome, in logs at DEBUG with asyncio's own debugging on, and on the screen."""
    caplog.set_level(logging.DEBUG)
    slow = fault.removeprefix("accept_") in ("hang", "stall", "drip")
    with Sandbox(password=SENTINEL, faults={1: fault} if fault else {}) as service:
        outcome = post_through(service, timeout=0.3 if slow else 5.0)
        gc.collect()
    assert leaks(outcome, caplog.text, *(repr(vars(record)) for record in caplog.records)) == []
    assert leaks(*capfd.readouterr()) == []


def test_no_failing_gate_shows_it(caplog):
    async def shut():
        raise GateClosed(Finding("pilot_over"))

    async def fail():
        raise OSError("disk full")

    caplog.set_level(logging.DEBUG)
    with Sandbox(password=SENTINEL) as service:
        outcomes = [post_through(service, gate=gate) for gate in (shut, fail)]
    assert leaks(*outcomes, caplog.text) == []


ECHOES = {
    "as the reason": lambda body: {"Status": "Failed", "Message": f"cannot read {body}"},
    "as the code": lambda body: {"Status": "OK", "Cost": "1", "MsgFollowUpUniqueCode": body},
    "as the cost": lambda body: {"Status": "OK", "Cost": body, "MsgFollowUpUniqueCode": "1"},
    "as the status": lambda body: {"Status": body},
    "as a list": lambda body: [body],
    "in no json": lambda body: "{" + body,
}


@pytest.mark.parametrize("encoding", ["url", "plain"])
@pytest.mark.parametrize("http_status", ["200 OK", "500 Internal Server Error"])
@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_a_service_that_echoes_the_request_does_not_bring_it_out(echo, http_status, encoding, caplog):
    caplog.set_level(logging.DEBUG)

    async def script(visit):
        body = (await visit.request()).decode()
        told = echo(body if encoding == "url" else SENTINEL + body)
        content = told if isinstance(told, str) else json.dumps(told)
        await visit.say(reply(content.encode(), http_status))

    async def play():
        async with hostile(script) as server:
            account = Account("local", f"http://127.0.0.1:{server.port}", "me", SENTINEL, encoding=encoding)
            async with Transport(account, timeout=5) as transport:
                return await transport.post(entries(), open_gate)

    outcome = asyncio.run(play())
    assert outcome.error or outcome.code or outcome.remark
    assert leaks(outcome, outcome.kept_error, caplog.text) == []


def test_an_ordinary_text_stays_as_it_is():
    short = Account("local", "http://127.0.0.1:9", "me", "pass")
    assert short.hide("Wrong Username or Password, no pass") == "Wrong Username or Password, no pass"
    assert account_at().hide("Wrong Username or Password") == "Wrong Username or Password"


def frames_of(tasks):
    """All frames of all tasks with their local variables, down to the innermost awaited one."""
    for task in tasks:
        coroutine = task.get_coro()
        while coroutine is not None:
            frame = getattr(coroutine, "cr_frame", None)
            if frame is not None and "/tests/" not in frame.f_code.co_filename:
                summary = traceback.StackSummary.extract([(frame, frame.f_lineno)], capture_locals=True)
                yield from summary.format()
            coroutine = getattr(coroutine, "cr_await", None)
        yield repr(task)


@pytest.mark.parametrize("moment", ["at the gate", "while the body waits", "while the answer is awaited"])
def test_tasks_at_work_do_not_show_it(moment):
    async def never():
        await asyncio.Event().wait()

    async def script(visit):
        if moment == "while the answer is awaited":
            await visit.request()
        await never()

    async def play():
        async with hostile(script, receive_buffer=1024) as server:
            batch = entries() if moment != "while the body waits" else memoryview(b'{"a":1},' * 2_000_000)
            async with Transport(account_at(server.port)) as transport:
                gate = never if moment == "at the gate" else open_gate
                sending = asyncio.create_task(transport.post(batch, gate))
                await asyncio.sleep(0.2)
                shown = list(frames_of(asyncio.all_tasks()))
                sending.cancel()
                with pytest.raises(asyncio.CancelledError) as caught:
                    await sending
        return shown, tracebacks(caught.value)

    shown, cancelled = asyncio.run(play())
    assert any("transport.py" in line for line in shown)
    assert leaks(*shown, *cancelled) == []


# a notebook


def run_cells(*cells, typed=(), allow_stdin=True):
    """Run cells in a real kernel, with a person who types; everything that the page would show or save."""
    manager, client = start_new_kernel(kernel_name="python3")
    shown, typed = [], list(typed)
    try:
        for cell in cells:
            client.execute_interactive(
                cell,
                timeout=60,
                allow_stdin=allow_stdin,
                output_hook=lambda message: shown.append(json.dumps(message["content"])),
                stdin_hook=lambda message: (
                    shown.append(json.dumps(message["content"])),
                    client.input(typed.pop(0)),
                ),
            )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return "\n".join(shown), typed


IMPORT = "from campaign.service.account import Account"


@pytest.fixture
def nothing_set(monkeypatch):
    for environment in ("LIVE", "SANDBOX"):
        for name in ("URL", "USERNAME", "PASSWORD"):
            monkeypatch.delenv(f"CAMPAIGN_{environment}_{name}", raising=False)


@pytest.mark.usefixtures("nothing_set")
def test_a_person_at_a_notebook_is_asked_and_the_password_stays_out_of_it():
    shown, left = run_cells(
        f"%xmode Verbose\n{IMPORT}",
        "account = Account.from_environment('live')",
        "account, vars(account)",
        "account.body(None)",  # fails: the traceback shows local variables
        "import getpass; In, Out, _oh",
        typed=["https://a.example", "clinic", SENTINEL],
    )
    assert left == []
    assert '"prompt": "CAMPAIGN_LIVE_URL: "' in shown
    assert '"prompt": "CAMPAIGN_LIVE_PASSWORD: "' in shown
    assert '"password": true' in shown
    assert "username='clinic', password=<hidden>" in shown
    assert "The password cannot be used: TypeError" in shown
    assert leaks(shown) == []


@pytest.mark.usefixtures("nothing_set")
def test_a_notebook_that_a_program_runs_names_the_variables():
    shown, _ = run_cells(f"{IMPORT}\nAccount.from_environment('live')", allow_stdin=False)
    assert "AccountError" in shown
    assert "CAMPAIGN_LIVE_URL is not set" in shown


@pytest.mark.usefixtures("nothing_set")
def test_an_empty_answer_is_no_password():
    shown, _ = run_cells(f"{IMPORT}\nAccount.from_environment('live')", typed=["https://a.example", "me", ""])
    assert "CAMPAIGN_LIVE_PASSWORD is not set" in shown


def test_a_person_at_a_terminal_is_asked():
    """A pseudo-terminal stands for the person's; what is typed there is not echoed."""
    pytest.importorskip("pty")
    import pexpect

    code = f"{IMPORT}; print(Account.from_environment('live'))"
    environment = {"PATH": "/usr/bin:/bin", "CAMPAIGN_LIVE_URL": "https://a.example"}
    child = pexpect.spawn(sys.executable, ["-c", code], env=environment, encoding="utf-8", timeout=30)
    child.expect_exact("CAMPAIGN_LIVE_USERNAME: ")
    child.sendline("clinic")
    child.expect_exact("CAMPAIGN_LIVE_PASSWORD: ")
    child.sendline(SENTINEL)
    child.expect(pexpect.EOF)
    assert "password=<hidden>" in child.before
    assert leaks(child.before) == []
