"""One sentinel password, searched in everything that a campaign leaves behind or shows."""

import asyncio
import base64
import copy
import io
import logging
import os
import pickle
import subprocess
import sys
import time
import traceback
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

import campaign
from campaign.cli.main import main

SENTINEL = "Wé$ame-7731 %&/öpen"
SPELLINGS = [
    SENTINEL,
    quote(SENTINEL, safe=""),
    base64.b64encode(SENTINEL.encode()).decode().rstrip("=")[:-1],
    SENTINEL.encode("unicode_escape").decode(),
]


def assert_absent(text, where):
    found = [spelling for spelling in SPELLINGS if spelling in text]
    assert found == [], f"the password stands in {where}"


def make_plan(count=300, message="Hi {name}"):
    rows = "".join(f"Person {n},25677200{n:04d}\n" for n in range(count))
    contacts = campaign.read_contacts(("name,phone\n" + rows).encode())
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def debug_log():
    """Everything that any library logs, at the most talkative."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.setLevel(before)
    root.removeHandler(handler)


def content_of(folder):
    """Every file below the folder as text; workbooks unzipped."""
    for path in folder.rglob("*"):
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(path) as workbook:
                for name in workbook.namelist():
                    yield f"{path.name}/{name}", workbook.read(name).decode("utf-8", "replace")
        elif path.is_file():
            yield path.name, path.read_bytes().decode("utf-8", "replace")


def test_nothing_that_a_campaign_leaves_or_shows_holds_the_password(tmp_path, debug_log, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    faults = {2: "accept_reset", 5: "html"}
    with campaign.Sandbox(password=SENTINEL, faults=faults) as sandbox:
        account = sandbox.account
        run = campaign.start(make_plan(), account=account, batch_size=50, concurrency=1, max_unknown=9)
        result = run.wait()
        assert result.totals["unknown"] == 100
        for suffix in ("html", "xlsx", "csv"):
            campaign.write_report(result, result.folder / f"report.{suffix}", reveal=True)
        shown = [repr(one) for one in (sandbox, account, vars(run), result, run.plan, sandbox._behaviour)]
        shown += [result._repr_html_(), run.plan._repr_html_(), str(vars(account)), str(vars(sandbox))]
    for name, text in content_of(tmp_path):
        assert_absent(text, name)
    for text in shown:
        assert_absent(text, "a repr")
    assert_absent(debug_log.getvalue(), "the log")
    assert "campaign" in debug_log.getvalue() or debug_log.getvalue()
    out, err = capfd.readouterr()
    assert_absent(out + err, "the output")
    if Path("/proc/self/cmdline").exists():
        assert_absent(Path("/proc/self/cmdline").read_text(), "the command line")


def failing_calls(account, other):
    plan = make_plan(30)
    campaign.send(plan, account=account, folder="visits", progress=False)
    yield lambda: campaign.send(plan, account=other, folder="visits", progress=False)
    yield lambda: campaign.resume("visits", account=other, progress=False)
    yield lambda: campaign.send(
        make_plan(30, "Dear {name}"), account=account, folder="visits", progress=False
    )
    yield lambda: campaign.send(plan, account=account, folder="visits", hours="never", progress=False)
    yield lambda: pickle.dumps(account)
    yield lambda: copy.deepcopy(account)
    live = campaign.Account("live", "https://sms.example.com", "clinic", f"{SENTINEL}-live")
    yield lambda: campaign.send(plan, account=live, progress=False)
    yield lambda: asyncio.run(campaign.asend(plan, account=live, progress=False))


def test_no_traceback_shows_the_password_even_with_local_variables():
    with campaign.Sandbox(password=SENTINEL) as sandbox:
        other = campaign.Account("sandbox", sandbox.account.url, "clinic", SENTINEL)
        checked = 0
        for call in failing_calls(sandbox.account, other):
            try:
                call()
            except campaign.CampaignError:
                found = traceback.TracebackException(*sys.exc_info(), capture_locals=True)
                own = [frame for frame in found.stack if "test_secrets" not in frame.filename]
                text = str(found) + "".join(f"{frame.locals}" for frame in own)
                assert_absent(text, "a traceback")
                checked += 1
        assert checked == 8


@pytest.mark.parametrize(
    "url", ["http://sms.example.com", "https://127.0.0.1", "https://u:p@sms.example.com", "::"]
)
def test_a_refused_account_does_not_show_its_password(url):
    try:
        campaign.Account("live", url, "clinic", SENTINEL)
    except campaign.AccountError:
        found = traceback.TracebackException(*sys.exc_info(), capture_locals=True)
    else:
        pytest.fail("the address was taken")
    inside = [frame for frame in found.stack if "campaign/service" in frame.filename.replace("\\", "/")]
    assert inside
    assert_absent(str(found) + "".join(f"{frame.locals}" for frame in inside), "a traceback")


def test_the_command_line_takes_no_password(monkeypatch, capsys):
    Path("visits.csv").write_text("name,phone\nAisha,0772000001\n")
    with campaign.Sandbox(password=SENTINEL) as sandbox:
        monkeypatch.setenv("CAMPAIGN_SANDBOX_URL", sandbox.account.url)
        monkeypatch.setenv("CAMPAIGN_SANDBOX_USERNAME", "sandbox")
        monkeypatch.setenv("CAMPAIGN_SANDBOX_PASSWORD", SENTINEL)
        arguments = ["send", "visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]
        assert main([*arguments, "--environment", "sandbox"]) == 0
        assert len(sandbox.inbox) == 1
    said = capsys.readouterr()
    assert_absent(said.out + said.err, "the output")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no list of processes to look at")
def test_a_command_under_way_shows_it_nowhere(tmp_path):
    """In the list of processes, the output with everything switched on, and the files it leaves."""
    Path("visits.csv").write_text("name,phone\n" + "".join(f"P {n},0772000{n:03}\n" for n in range(5)))
    command = ["-X", "dev", "-m", "campaign", "send", "visits.csv", "--message", "Hi {name}"]
    options = ["--sender", "CLINIC", "--region", "UG", "--environment", "sandbox", "--batch-size", "1"]
    with campaign.Sandbox(password=SENTINEL, latency=0.3, faults={3: "accept_reset"}) as sandbox:
        given = {"URL": sandbox.account.url, "USERNAME": "sandbox", "PASSWORD": SENTINEL}
        environment = {**os.environ, **{f"CAMPAIGN_SANDBOX_{name}": value for name, value in given.items()}}
        sending = subprocess.Popen(
            [sys.executable, *command, *options],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        seen = []
        while sending.poll() is None:
            seen.append(Path(f"/proc/{sending.pid}/cmdline").read_bytes())
            time.sleep(0.05)
        said = sending.communicate()[0].decode()
    assert sandbox.requests >= 3
    assert any(b"sandbox" in line for line in seen)
    assert_absent(said + b"".join(seen).decode(), "the output or the list of processes")
    kept = list(content_of(tmp_path))
    assert {"ledger.sqlite", "report.html"} <= {name for name, _ in kept}
    for name, text in kept:
        assert_absent(text, name)


def test_the_search_finds_a_password_that_is_shown():
    """The search itself can fail: each spelling is found where it stands."""
    for spelling in (SENTINEL, quote(SENTINEL, safe=""), base64.b64encode(SENTINEL.encode()).decode()):
        with pytest.raises(AssertionError):
            assert_absent(f"Account(password={spelling})", "a repr")
