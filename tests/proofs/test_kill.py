"""Kill -9 in the middle of a send, then resume: nothing twice, nothing lost, the rest truly unknown."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel
from support.ledgers import Count, count_by_state

import campaign

SENDER = """
import sys
from pathlib import Path
import campaign

url, password, folder = sys.argv[1:]
contacts = campaign.read_contacts(Path(folder).with_suffix(".csv"))
plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
account = campaign.Account("local", url, "sandbox", password)
options = {"batch_size": 10, "concurrency": 4, "max_unknown": 99, "progress": False}
campaign.send(plan, account=account, folder=folder, **options)
"""
PEOPLE = 2000


@pytest.fixture
def folder(tmp_path):
    """Where the campaign will live, beside the spreadsheet of 2,000 people."""
    rows = "".join(f"Person {n},25677200{n:04d}\n" for n in range(PEOPLE))
    (tmp_path / "visits.csv").write_text("name,phone\n" + rows)
    return tmp_path / "visits"


def send_in_another_process(sandbox, folder):
    return subprocess.Popen([sys.executable, "-c", SENDER, sandbox.account.url, "sesame", str(folder)])


def accepted_so_far(folder):
    path = folder / "ledger.sqlite"
    return count_by_state(path).get("accepted", Count(0, 0)).batches if path.exists() else 0


def hold_the_answers(sandbox, seconds):
    """Let every answer take that long from now on; return when each of the four connections waits for one."""
    sandbox._latency = seconds
    received = sandbox.requests
    while sandbox.requests < received + 4:
        time.sleep(0.01)


def assert_audit(result, sandbox):
    received = sandbox.inbox["number"]
    states = result.messages.set_index("number")["status"]
    assert not received.duplicated().any()
    assert len(states) == PEOPLE
    took = states[states.index.isin(received)]
    assert set(took) <= {"accepted", "unknown"}
    assert (states == "accepted").sum() == (took == "accepted").sum()
    assert sum(result.totals.values()) == PEOPLE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot kill -9")
def test_killed_and_resumed_nothing_goes_out_twice(folder):
    with campaign.Sandbox(password="sesame", latency=0.02) as sandbox:
        sender = send_in_another_process(sandbox, folder)
        while accepted_so_far(folder) < 20:
            assert sender.poll() is None
            time.sleep(0.01)
        hold_the_answers(sandbox, 20.0)
        sender.kill()
        sender.wait()
        sandbox._latency = 0.02
        before = campaign.load_result(folder)
        under_way = before.batches["status"].eq("unknown")
        assert under_way.sum() == 4
        result = campaign.resume(folder, account=sandbox.account, progress=False)
        assert_audit(result, sandbox)
    assert result.batches["status"].eq("unknown").equals(under_way)
    assert result.totals["not_sent"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot kill -9")
def test_killed_again_and_again(folder):
    """Four kills at random moments; the seed is printed, so that a failure can be looked at again."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    with campaign.Sandbox(password="sesame", latency=0.01) as sandbox:
        for _ in range(4):
            sender = send_in_another_process(sandbox, folder)
            wanted = accepted_so_far(folder) + moments.randrange(1, 15)
            while accepted_so_far(folder) < wanted and sender.poll() is None:
                time.sleep(0.002)
            time.sleep(moments.random() * 0.02)
            sender.kill()
            sender.wait()
            assert_audit(campaign.load_result(folder), sandbox)
        result = campaign.resume(folder, account=sandbox.account, max_unknown=99, progress=False)
        assert_audit(result, sandbox)
    assert result.totals["not_sent"] == 0
    assert result.totals["unknown"] <= 4 * 4 * 10


INTERRUPTED = """
import sys
import campaign
from pathlib import Path

url, password, folder = sys.argv[1:]
contacts = campaign.read_contacts(Path(folder).with_suffix(".csv"))
plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
account = campaign.Account("local", url, "sandbox", password)
try:
    campaign.send(plan, account=account, folder=folder, batch_size=10, concurrency=4, progress=False)
except KeyboardInterrupt:
    print("interrupted", campaign.load_result(folder).totals["unknown"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_stops_cleanly_and_twice_at_once(folder, times):
    import signal

    slow = 0.1 if times == 1 else 20.0
    with campaign.Sandbox(password="sesame", latency=0.02) as sandbox:
        command = [sys.executable, "-c", INTERRUPTED, sandbox.account.url, "sesame", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
            while accepted_so_far(folder) < 5:
                assert sender.poll() is None
                time.sleep(0.01)
            hold_the_answers(sandbox, slow)
            began = time.monotonic()
            for _ in range(times):
                sender.send_signal(signal.SIGINT)
                time.sleep(0.5)
            said, _ = sender.communicate(timeout=15)
        assert time.monotonic() - began < 10
        assert said == f"interrupted {0 if times == 1 else 40}\n"
        sandbox._latency = 0
        result = campaign.resume(folder, account=sandbox.account, progress=False)
        assert_audit(result, sandbox)
        assert result.totals["not_sent"] == 0


def test_interrupt_in_a_notebook_stops_cleanly_and_twice_at_once(folder):
    """The button "Interrupt the kernel": once, what is under way finishes; twice, it is unknown."""
    with campaign.Sandbox(password="sesame", latency=0.02) as sandbox:
        cells = INTERRUPTED.replace("sys.argv[1:]", repr([sandbox.account.url, "sesame", str(folder)]))
        manager, client = start_new_kernel()
        try:
            for latency, times in ((0.3, 1), (20.0, 2)):
                said, accepted = [], accepted_so_far(folder)
                client.execute(cells)
                while accepted_so_far(folder) < accepted + 5:
                    time.sleep(0.01)
                hold_the_answers(sandbox, latency)
                began = time.monotonic()
                for _ in range(times):
                    manager.interrupt_kernel()
                    time.sleep(0.5)
                hear(client, said)
                assert time.monotonic() - began < 10
                assert said[-1] == f"interrupted {0 if times == 1 else 40}\n"
                sandbox._latency = 0.02
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
        result = campaign.resume(folder, account=sandbox.account, progress=False)
        assert_audit(result, sandbox)
        assert result.totals["unknown"] == 40


def hear(client, said):
    """What a cell prints, until it is done."""
    while True:
        heard = client.get_iopub_msg(timeout=15)
        if heard["msg_type"] == "stream" and heard["content"]["name"] == "stdout":
            said.append(heard["content"]["text"])
        assert heard["msg_type"] != "error", heard["content"]
        if heard["msg_type"] == "status" and heard["content"]["execution_state"] == "idle" and said:
            return


WAIT_FOR_TWENTY = """
import time
while run.counts.accepted < 20:
    time.sleep(0.01)
"""


def test_a_script_that_ends_without_waiting_lets_what_is_under_way_finish(folder):
    script = SENDER.replace("campaign.send(", "run = campaign.start(") + WAIT_FOR_TWENTY
    with campaign.Sandbox(password="sesame", latency=0.05) as sandbox:
        subprocess.run(
            [sys.executable, "-c", script, sandbox.account.url, "sesame", str(folder)], check=True, timeout=60
        )
        result = campaign.load_result(folder)
        assert_audit(result, sandbox)
        assert len(sandbox.inbox) == result.totals["accepted"] > 0
        assert result.totals["unknown"] == 0
    assert not Path(folder / "ledger.sqlite-wal").exists()
