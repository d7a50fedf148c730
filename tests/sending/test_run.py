"""When a run is over: `send` returns then and not before, whatever ended it."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pandas as pd
import pytest
from support.consistency_audit import audit_folder
from support.findings import codes, rows_found
from support.refusals import refused

import campaign
from campaign.notebook.run_card import run_card

without_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM for others")


def plan_of(count):
    """A plan with one message for each of `count` people."""
    rows = "".join(f"Person {n},25677200{n:04d}\n" for n in range(count))
    contacts = campaign.read_contacts(("name,phone\n" + rows).encode())
    return campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def slow_service():
    """The answer to the third request is lost; the others that are with it then are answered."""
    with campaign.Sandbox(latency=0.4, faults={3: "accept_close"}) as sandbox:
        yield sandbox


@pytest.fixture
def _usual_signals():
    """The handlers of a program that was started at a terminal, whoever started the tests."""
    previous = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGTERM: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    }
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


def asend(plan, **options):
    return asyncio.run(campaign.asend(plan, **options))


def started(plan, **options):
    return campaign.start(plan, **options).wait()


def assert_same(result, other):
    for frame in ("contacts", "messages", "batches"):
        pd.testing.assert_frame_equal(getattr(result, frame), getattr(other, frame))
    assert dict(result.totals) == dict(other.totals)


def run_threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("campaign ")]


def when(happened, act):
    """Call `act` in another thread as soon as `happened` is true."""

    def watch():
        while not happened():
            idle.wait(0.002)
        act()

    idle = threading.Event()
    thread = threading.Thread(target=watch)
    thread.start()
    return thread


@pytest.mark.parametrize("send", [campaign.send, asend])
def test_a_run_that_a_valve_holds_has_ended_when_its_result_is_returned(send, slow_service):
    before = run_threads()
    result = send(plan_of(400), account=slow_service.account, batch_size=10, concurrency=10, progress=False)
    assert run_threads() == before
    assert result.totals["unknown"] == 10
    assert 11 < result.totals["accepted"] == len(slow_service.inbox) - 10  # whatever was under way counts
    assert (result.ending.code, result.ending.facts["messages"]) == ("answer_lost", 10)
    assert_same(result, campaign.load_result(result.folder))
    assert list(result.folder.glob("ledger.sqlite-*")) == []  # closed: its write-ahead file is folded in
    slow_service._latency = 0
    rest = campaign.resume(result.folder, account=slow_service.account, progress=False)  # not locked
    assert (rest.totals["accepted"], rest.totals["unknown"]) == (390, 10)


def test_a_batch_can_be_settled_as_soon_as_send_has_returned(slow_service):
    result = campaign.send(
        plan_of(200), account=slow_service.account, batch_size=10, concurrency=10, progress=False
    )
    batch = result.batches.loc[result.batches["status"] == "unknown", "batch"].item()
    phrase = f"batch {batch} was refused"
    settled = campaign.resolve(result.folder, batch, "refused", confirm=phrase)
    assert settled.totals["refused"] == 10


def test_waiting_for_a_run_that_a_valve_pauses_waits_for_what_is_under_way(slow_service):
    run = campaign.start(
        plan_of(400), account=slow_service.account, batch_size=10, concurrency=10, progress=False
    )
    result = run.wait()
    assert (run.status, run.ended, run.counts.in_flight) == ("paused", False, 0)
    assert result.totals["unknown"] == 10
    assert 11 < result.totals["accepted"] == len(slow_service.inbox) - 10  # whatever was under way counts
    assert_same(result, campaign.load_result(run.folder))
    slow_service._latency = 0
    run.resume()
    assert run.wait().totals["accepted"] == 390
    assert run.ended


def test_a_coroutine_that_waits_for_a_run_waits_for_what_is_under_way(slow_service):
    async def notebook():
        run = campaign.start(
            plan_of(400), account=slow_service.account, batch_size=10, concurrency=10, progress=False
        )
        return run, await run.finished()

    run, result = asyncio.run(notebook())
    assert result.totals["unknown"] == 10
    assert_same(result, campaign.load_result(run.folder))
    run.stop()
    run.wait()


def test_a_pause_by_hand_is_waited_for_until_its_answers_are_on_record():
    with campaign.Sandbox(latency=0.1) as sandbox:
        run = campaign.start(plan_of(300), account=sandbox.account, batch_size=10, progress=False)
        watcher = when(lambda: sandbox.requests > 3, run.pause)
        watcher.join()
        result = run.wait()
        assert (run.status, run.counts.in_flight, result.totals["unknown"]) == ("paused", 0, 0)
        assert result.totals["accepted"] == len(sandbox.inbox) == run.counts.accepted
        run.stop()
        assert_same(run.wait(), campaign.load_result(run.folder))


def test_an_order_that_changes_nothing_does_not_hide_a_later_pause():
    """Resume is pressed while the run is running; then a valve holds it."""
    with campaign.Sandbox(latency=0.05, faults={4: "accept_reset"}) as sandbox:
        run = campaign.start(
            plan_of(300), account=sandbox.account, batch_size=10, concurrency=1, progress=False
        )
        when(lambda: sandbox.requests == 3, run.resume).join()
        assert run.wait(30).totals["unknown"] == 10
        assert (run.status, run.ended) == ("paused", False)
        run.stop()
        run.wait()


def test_waiting_no_longer_than_asked():
    with campaign.Sandbox(latency=60) as sandbox:
        run = campaign.start(plan_of(3), account=sandbox.account, progress=False)
        assert run.wait(0.01).totals["accepted"] == 0
        assert not run.ended
        run.cancel()
        assert run.wait().totals["not_sent"] + run.wait().totals["unknown"] == 3


@pytest.mark.parametrize("timeout", ["5", True, -1, [1]])
def test_a_time_to_wait_that_is_none(timeout):
    run = campaign.start(plan_of(1), progress=False)
    with refused("wrong_value", campaign.UsageError, argument="timeout", needs="a number of seconds"):
        run.wait(timeout)
    run.wait()


@without_signals
@pytest.mark.usefixtures("_usual_signals")
@pytest.mark.parametrize(
    ("number", "raised", "send"),
    [
        (signal.SIGINT, KeyboardInterrupt, campaign.send),  # asyncio makes a cancellation of it
        (signal.SIGTERM, SystemExit, campaign.send),
        (signal.SIGTERM, SystemExit, asend),
    ],
)
def test_a_signal_lets_what_is_under_way_finish(number, raised, send):
    with campaign.Sandbox(latency=0.2) as sandbox:
        watcher = when(lambda: sandbox.requests >= 4, lambda: os.kill(os.getpid(), number))
        with pytest.raises(raised) as ended:
            send(plan_of(400), account=sandbox.account, folder="visits", batch_size=10, progress=False)
        watcher.join()
        if raised is SystemExit:
            assert ended.value.code == 143
        assert signal.getsignal(number) == {2: signal.default_int_handler, 15: signal.SIG_DFL}[number]
        result = campaign.load_result("visits")
        assert result.totals["unknown"] == 0
        assert 0 < result.totals["accepted"] == len(sandbox.inbox) < 400
        sandbox._latency = 0
        assert campaign.resume("visits", account=sandbox.account, progress=False).totals["accepted"] == 400


@without_signals
@pytest.mark.usefixtures("_usual_signals")
@pytest.mark.parametrize("send", [campaign.send, asend])
def test_a_second_sigterm_ends_at_once(send, caplog):
    def first():
        os.kill(os.getpid(), signal.SIGTERM)
        when(lambda: "Stopping" in caplog.text, partial(os.kill, os.getpid(), signal.SIGTERM))

    with campaign.Sandbox(latency=0.05) as sandbox, caplog.at_level(logging.WARNING, "campaign"):
        watcher = when(lambda: sandbox.requests >= 2, first)
        sandbox._schedule._scripted.update(dict.fromkeys(range(2, 99), "hang"))
        began = time.monotonic()
        with pytest.raises(SystemExit):
            send(plan_of(400), account=sandbox.account, folder="visits", batch_size=10, progress=False)
        assert time.monotonic() - began < 15  # what hangs would hang for five minutes
        watcher.join()
        result = campaign.load_result("visits")
        assert (result.totals["accepted"], result.totals["not_sent"] > 0) == (1, True)
        assert result.totals["unknown"] > 0
        assert audit_folder(result.folder, sandbox.inbox) == []


@without_signals
@pytest.mark.usefixtures("_usual_signals")
def test_a_program_with_its_own_handlers_keeps_them():
    heard = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: heard.append(number))
    with campaign.Sandbox(latency=0.05) as sandbox:
        watcher = when(lambda: sandbox.requests >= 2, lambda: os.kill(os.getpid(), signal.SIGTERM))
        result = campaign.send(plan_of(50), account=sandbox.account, batch_size=10, progress=False)
        watcher.join()
    assert (heard, result.totals["accepted"]) == ([signal.SIGTERM], 50)


@without_signals
@pytest.mark.usefixtures("_usual_signals")
def test_a_signal_that_is_ignored_stays_ignored():
    """As under nohup: a terminal that is closed does not end the campaign."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with campaign.Sandbox(latency=0.05) as sandbox:
        watcher = when(lambda: sandbox.requests >= 2, lambda: os.kill(os.getpid(), signal.SIGINT))
        result = campaign.send(plan_of(50), account=sandbox.account, batch_size=10, progress=False)
        watcher.join()
    assert result.totals["accepted"] == 50


def test_asend_that_is_cancelled_before_it_has_begun_sends_nothing():
    async def impatient(account):
        sending = asyncio.create_task(
            campaign.asend(plan_of(300), account=account, folder="visits", progress=False)
        )
        await asyncio.sleep(0)  # the thread that freezes the plan has been started
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending

    with campaign.Sandbox() as sandbox:
        others = run_threads()  # runs that other tests have left paused may be among them
        asyncio.run(impatient(sandbox.account))
        assert (run_threads(), sandbox.requests) == (others, 0)
        assert campaign.resume("visits", account=sandbox.account, progress=False).totals["accepted"] == 300


def test_asend_that_is_cancelled_twice_ends_at_once(caplog):
    async def very_impatient(account, sandbox):
        sending = asyncio.create_task(
            campaign.asend(plan_of(300), account=account, folder="visits", concurrency=1, progress=False)
        )
        while sandbox.requests < 2:
            await asyncio.sleep(0.002)
        sending.cancel()
        while "Stopping" not in caplog.text:
            await asyncio.sleep(0.002)
        sending.cancel()
        async with asyncio.timeout(20):
            with pytest.raises(asyncio.CancelledError):
                await sending

    with campaign.Sandbox(faults={2: "hang"}) as sandbox:
        asyncio.run(very_impatient(sandbox.account, sandbox))
        result = campaign.load_result("visits")
        assert (result.totals["unknown"], result.totals["not_sent"]) == (100, 199)
        assert campaign.resume("visits", account=sandbox.account, progress=False).totals["accepted"] == 200


def test_a_run_that_cannot_start_lets_go_of_the_campaign():
    plan = plan_of(30)
    with campaign.Sandbox(balance=35) as sandbox:
        folder = campaign.send(plan, account=sandbox.account, progress=False).folder
        sandbox.top_up(10**6)
        content = (folder / "ledger.sqlite").read_bytes()
        (folder / "ledger.sqlite").write_bytes(content[:5000])
        with pytest.raises(campaign.LedgerError):
            campaign.send(plan, account=sandbox.account, progress=False)
        (folder / "ledger.sqlite").write_bytes(content)
        assert campaign.send(plan, account=sandbox.account, progress=False).totals["not_sent"] == 0


def test_a_machine_without_another_thread_lets_go_of_the_campaign(monkeypatch):
    with campaign.Sandbox() as sandbox:
        with monkeypatch.context() as full:
            full.setattr(threading.Thread, "start", no_more_threads)
            with pytest.raises(RuntimeError, match="new thread"):
                campaign.send(plan_of(30), account=sandbox.account, folder="visits", progress=False)
        assert campaign.resume("visits", account=sandbox.account, progress=False).totals["accepted"] == 30


def no_more_threads(thread):
    raise RuntimeError("can't start new thread")


def test_a_person_settles_a_batch_once_its_run_is_held():
    """The run that a valve holds waits for nobody else, so it ends and lets go of the campaign."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(
            plan_of(30), account=sandbox.account, batch_size=10, concurrency=1, progress=False
        )
        run.wait()
        assert run.status == "paused"
        settled = campaign.resolve(run.folder, 2, "accepted", confirm="batch 2 was accepted")
        assert run.ended
        assert settled.totals["unknown"] == 0


def test_a_run_that_a_valve_holds_makes_way_for_the_next_send():
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        options = {"account": sandbox.account, "batch_size": 10, "concurrency": 1, "progress": False}
        held = campaign.start(plan_of(30), **options)
        held.wait()
        assert held.status == "paused"
        result = campaign.send(plan_of(30), **options)
        assert held.ended
        assert (result.totals["accepted"], result.totals["unknown"]) == (20, 10)
        assert "To settle batch 2" not in run_card(held)  # its result and the new one have what is true now
        assert not sandbox.inbox["number"].duplicated().any()


def settled(folder, unknown):
    campaign.resolve(folder, unknown, "accepted", confirm=f"batch {unknown} was accepted")


def reconciled(folder, unknown):
    result = campaign.load_result(folder)
    took = result.messages[result.messages["batch"] == unknown]
    provider = pd.DataFrame(
        {"number": took["number"], "text": took["message"], "time": str(pd.Timestamp.now("UTC"))}
    )
    campaign.reconcile(folder, provider, confirm=campaign.reconcile(folder, provider).phrase)


@pytest.fixture
def held():
    """A run of 30 that waits for a person, because it is not known whether ten were sent."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(
            plan_of(30), account=sandbox.account, batch_size=10, concurrency=1, progress=False
        )
        run.wait()
        assert run.status == "paused"
        yield run
        run.stop()
        run.wait()


@pytest.mark.parametrize("settle", [settled, reconciled])
def test_a_run_that_a_valve_holds_makes_way_for_the_decision_that_it_waits_for(held, settle):
    settle(held.folder, 2)
    assert held.ended
    assert held.wait().findings == campaign.load_result(held.folder).findings
    assert held.counts.finding.code == "made_way"
    assert "rows_unknown" not in codes(held.result)
    assert "batches_unknown" not in run_card(held)
    assert campaign.resume(held.folder, progress=False).totals["accepted"] == 30


def test_a_run_that_a_valve_holds_makes_way_for_closing(held):
    closed = campaign.close(held.folder, confirm="close with 19 messages not sent")
    assert held.ended
    assert (closed.totals["accepted"], closed.totals["not_sent"]) == (1, 19)


def test_erasing_what_a_valve_holds_says_what_is_unknown(held):
    with refused("campaign_not_settled", campaign.FolderError, unknown=10):
        campaign.erase(held.folder)
    assert held.ended


def test_a_run_that_is_under_way_locks_out_whoever_would_close_it():
    with campaign.Sandbox(latency=0.05) as sandbox:
        run = campaign.start(plan_of(300), account=sandbox.account, batch_size=10, progress=False)
        with refused("campaign_open", campaign.LockedError):
            campaign.close(run.folder)
        assert run.wait().totals["accepted"] == 300


def test_a_run_that_a_person_paused_does_not_make_way():
    with campaign.Sandbox(latency=0.05) as sandbox:
        run = campaign.start(plan_of(300), account=sandbox.account, batch_size=10, progress=False)
        run.pause()
        run.wait()
        with refused("campaign_open", campaign.LockedError):
            campaign.send(plan_of(300), account=sandbox.account, progress=False)
        run.resume()
        assert run.wait().totals["accepted"] == 300


def test_a_result_that_is_looked_at_too_early_says_that_the_run_is_under_way():
    with campaign.Sandbox(latency=0.05) as sandbox:
        run = campaign.start(plan_of(300), account=sandbox.account, batch_size=10, progress=False)
        early = run.result
        assert rows_found(run.wait()) == {"rows_accepted": 300}
    assert "under_way" in codes(early)
    assert "campaign.resume(" not in early.sentence


FORKING = """
import os, sys, campaign
contacts = campaign.read_contacts(b"name,phone\\nAisha,0772000001\\nBen,0772000002\\n")
plan = campaign.prepare(contacts, message="Hi {name}", sender="CLINIC", region="UG")
account = campaign.Account("local", sys.argv[1], "sandbox", "sesame")
run = campaign.start(plan, account=account, progress=False)
if os.fork():
    os.wait()
    print(run.wait().totals["accepted"])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_of_a_program_that_sends_can_end():
    with campaign.Sandbox(password="sesame", latency=0.3) as sandbox:
        command = [sys.executable, "-W", "ignore", "-c", FORKING, sandbox.account.url]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "2\n"
