"""Every fault, from a plan to the audit: each ends in its class, and no schedule of them breaks a promise.

30 random schedules in every run, 5,000 behind `-m long`; seeds are printed.
"""

import asyncio
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import plan_of
from support.ledgers import count_by_state
from support.refusals import refused

import campaign
from campaign.sending.engine import engine_thread
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.service import transport, wire
from campaign.service.fast_loop import FastLoop
from campaign.service.sandbox.faults import FAULTS, TEXTS
from campaign.service.transport import Transport

PLAN = plan_of(30)
UNKNOWN = (
    "reset", "close", "hang", "bad_header", "html", "empty", "redirect", "moved", "too_large", "throttle",
    "server_error", "unavailable", "failed_500", "stall", "reset_midway",
    "accept_reset", "accept_close", "accept_hang", "accept_bad_header", "accept_html", "accept_empty",
    "accept_redirect", "accept_moved", "accept_too_large", "accept_throttle", "accept_server_error",
    "accept_unavailable", "accept_failed_500", "accept_half", "accept_drip", "accept_garbage",
    "accept_doubled", "accept_odd_status", "accept_no_code", "accept_bomb", "accept_endless",
)  # fmt: skip
CLASSES = dict.fromkeys(UNKNOWN, "unknown") | {"accept_no_cost": "accepted"} | dict.fromkeys(TEXTS, "refused")
ENDS = ("accepted", "refused", "unknown")
# The run holds at the first of these, and at the third of the others.
HOLDS_AT_ONCE = {
    "throttle", "redirect", "moved", "accept_throttle", "accept_redirect", "accept_moved",
    wire.NO_FUNDS, wire.WRONG_LOGIN, wire.UNKNOWN_USER, wire.LOGIN_NOT_SET, "Authentication Failed",
}  # fmt: skip


@pytest.fixture
def be_impatient(monkeypatch):
    """Wait so many seconds for one batch instead of five minutes; what a service asks to wait is short."""

    def be_impatient(seconds):
        monkeypatch.setitem(Transport.__init__.__kwdefaults__, "timeout", seconds)
        monkeypatch.setattr(transport, "_seconds", lambda wait: 0.01 if wait else None)

    return be_impatient


def test_the_table_names_every_fault_of_the_embedded_service():
    assert set(CLASSES) == {*FAULTS, *TEXTS}


@pytest.mark.parametrize("fault", CLASSES)
def test_a_fault_ends_in_its_class_and_is_not_tried_again(fault, tmp_path, be_impatient):
    be_impatient(1.0)  # a busy machine may stand still for some tenths of a second
    folder, one = tmp_path / "visits", {"concurrency": 1, "max_unknown": 99}
    with campaign.Sandbox(faults={2: fault}) as sandbox:
        account = sandbox.account
        sent = campaign.send(PLAN, account=account, folder=folder, batch_size=10, progress=False, **one)
        tried = sent.batches["status"] != "not_sent"
        assert tried.sum() == sandbox.requests == (2 if fault in HOLDS_AT_ONCE else 4)
        again = campaign.resume(folder, account=account, progress=False, **one)
        status = again.batches.set_index("batch")["status"]
        if CLASSES[fault] == "refused":  # on an explicit run it goes out once more, in a batch of a new round
            assert status[2] == "refused"
            assert set(again.messages["status"]) == {"accepted"}
        else:
            assert status.tolist() == ["accepted", CLASSES[fault], "accepted", "accepted"]
            assert sandbox.requests == 4
        assert audit_folder(folder, sandbox.inbox) == []


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_full_disk_keeps_everything_here_that_had_not_left(concurrency, tmp_path, monkeypatch):
    """`max_page_count` makes SQLite say that the disk is full, before some bodies and after others."""
    folder, plan = tmp_path / "visits", plan_of(300)

    def nearly_full(ledger):
        pages = ledger._connection.execute("PRAGMA page_count").fetchone()[0]
        ledger._connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        return GroupCommit(ledger)

    with campaign.Sandbox() as sandbox:
        with monkeypatch.context() as full:
            full.setattr("campaign.sending.run.GroupCommit", nearly_full)
            run = campaign.start(
                plan,
                account=sandbox.account,
                folder=folder,
                batch_size=1,
                concurrency=concurrency,
                progress=False,
            )
            with refused("ledger_unwritable", campaign.LedgerError):
                run.wait()
        assert run.status == "failed"
        assert "disk is full" in run.counts.finding.facts["reason"]
        broken = campaign.load_result(folder).batches["status"].value_counts()
        assert audit_folder(folder, sandbox.inbox) == []
        assert (run.counts.accepted, run.counts.unknown) == (broken["accepted"], broken.get("unknown", 0))
        assert broken["not_sent"] > 0
        again = campaign.resume(folder, account=sandbox.account, progress=False)
        assert audit_folder(folder, sandbox.inbox) == []
        assert again.totals["unknown"] == broken.get("unknown", 0)
        assert again.totals["not_sent"] == 0


def play(seed, folder):
    """One campaign under random faults and orders, from its start to its end; what came of its messages."""
    chance = random.Random(seed)
    names = chance.sample(sorted(CLASSES), 6)
    faults = {name: chance.uniform(0, 0.08) for name in names}
    options = {
        "batch_size": chance.choice([1, 2, 5]),
        "concurrency": 1 + seed % 8,
        "canary": chance.random() < 0.5,
        "max_unknown": chance.choice([1, 2, 99]),
    }
    latency = chance.choice([0, 0.001, 0.01])
    with campaign.Sandbox(random_faults=faults, seed=seed, latency=latency) as sandbox:
        while True:
            run = campaign.start(PLAN, account=sandbox.account, folder=folder, **options)
            give_orders(run, chance)
            found = audit_folder(folder, sandbox.inbox)
            assert found == [], f"seed {seed}"
            kept = count_by_state(folder / "ledger.sqlite")
            totals = campaign.load_result(folder).totals
            assert tuple(totals[state] for state in ENDS) == (
                run.counts.accepted,
                run.counts.refused,
                run.counts.unknown,
            )
            assert "pending" not in kept or run.status == "stopped", f"seed {seed}"
            if "pending" not in kept:
                return kept


def give_orders(run, chance):
    """Orders at random moments until the run has ended; most pauses are answered by going on."""
    weights = {run.pause: 1, run.resume: 4, run.stop: 0.5, run.cancel: 0.5}
    while not run.ended:
        time.sleep(chance.uniform(0, 0.02))
        if run.status == "paused" or chance.random() < 0.2:
            chance.choices([*weights], [*weights.values()])[0]()


def play_all(seeds, tmp_path, be_impatient):
    be_impatient(0.2)
    print(f"seeds {seeds}")
    came = Counter()
    with ThreadPoolExecutor(2) as players:  # much of a schedule is waiting; with three they wait for Python
        # Each has a folder of its own, because a campaign looks at those beside it.
        for kept in players.map(lambda seed: play(seed, tmp_path / str(seed) / "visits"), seeds):
            came.update({state: count.batches for state, count in kept.items()})
    print(f"{len(seeds):,} schedules: 0 twice, 0 lost, 0 stuck; batches: {dict(came)}")
    assert min(came[state] for state in ENDS) > len(seeds) / 4


@pytest.fixture
def on_either_loop(monkeypatch):
    """Every other run is on the event loop of the extra `fast`."""
    loops = cycle([FastLoop, asyncio.new_event_loop])
    monkeypatch.setattr(engine_thread, "new_event_loop", lambda messages: next(loops)())


@pytest.mark.usefixtures("on_either_loop")
def test_random_faults_and_orders_break_no_promise(tmp_path, be_impatient):
    first = random.randrange(10**6)
    play_all(range(first, first + 30), tmp_path, be_impatient)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.usefixtures("on_either_loop")
def test_thousands_of_random_faults_and_orders_break_no_promise(tmp_path, be_impatient):
    play_all(range(10**6, 10**6 + 5000), tmp_path, be_impatient)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_without_faults_nothing_is_unknown(concurrency, tmp_path):
    with campaign.Sandbox() as sandbox:
        result = campaign.send(
            plan_of(2000), account=sandbox.account, folder=tmp_path / "visits", batch_size=5,
            concurrency=concurrency, progress=False,
        )  # fmt: skip
        assert result.batches["status"].tolist() == ["accepted"] * 401
        assert audit_folder(tmp_path / "visits", sandbox.inbox) == []
