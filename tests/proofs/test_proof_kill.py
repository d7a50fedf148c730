"""Killed with -9 at named places and at random times, resumed, killed again: nothing twice, nothing lost.

Some 100 kills in every run, 2,000 behind `-m long`. Seeds are printed: a failure can be looked at again.
"""

import os
import random

import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import ALWAYS, CREATING, REGISTERING, SENDING, begin, send
from support.ledgers import count_by_state

import campaign

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
SIZE, CONCURRENCY = 5, 4
ONCE = ("after the folder has its name", "after the round is registered")  # not passed by the next process


@pytest.fixture
def sandbox():
    with campaign.Sandbox(password="sesame", latency=0.003) as service:
        yield service


@pytest.fixture
def chance():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


def run(folder, people, sandbox, *, seconds=60.0, **options):
    """One process of the sender, to its end or to its death; says whether it was killed."""
    process = begin(send, folder, people, sandbox.account.url, **options)
    process.join(seconds)
    process.kill()
    process.join()
    assert process.exitcode in (0, -9)
    return process.exitcode == -9


def is_complete(folder):
    path = folder / "ledger.sqlite"
    return path.exists() and (states := count_by_state(path)) and "pending" not in states


def check_at_the_end(folder, people, sandbox, kills):
    """A last process that nobody kills: nothing is stuck, and no more is unknown than was under way."""
    assert not run(folder, people, sandbox)
    assert audit_folder(folder, sandbox.inbox) == []
    result = campaign.load_result(folder)
    assert len(result.messages) == people
    assert result.totals["not_sent"] == result.totals["refused"] == 0
    assert result.totals["unknown"] <= kills * CONCURRENCY * SIZE
    return result.totals


@pytest.mark.parametrize("place", [*ALWAYS, *CREATING, *REGISTERING, *SENDING])
def test_killed_at_a_named_place(place, tmp_path, sandbox, chance):
    """Three times over, after a different number of batches each time."""
    folder, killed = tmp_path / "visits", 0
    for _ in range(3):
        passes = chance.randrange(1, 5) if place in SENDING else 1
        killed += run(folder, 301, sandbox, die=(place, passes))
        if folder.exists():
            assert audit_folder(folder, sandbox.inbox) == []
    assert killed == (1 if place in ONCE else 3)
    check_at_the_end(folder, 301, sandbox, killed)


def kill_at_random(folder, people, sandbox, chance, kills, look_every):
    """Kill and resume so often, half at a place and half at a time; all may have been sent before."""
    killed = 0
    while killed < kills and not is_complete(folder):
        if chance.random() < 0.5:
            killed += run(folder, people, sandbox, die=(chance.choice(SENDING), chance.randrange(1, 12)))
        else:
            killed += run(folder, people, sandbox, seconds=chance.uniform(0.05, 0.2))
        if folder.exists() and killed % look_every == 0:
            assert audit_folder(folder, sandbox.inbox) == []
    return killed


def test_killed_at_random(tmp_path, sandbox, chance):
    kills = kill_at_random(tmp_path / "visits", 3001, sandbox, chance, kills=16, look_every=1)
    totals = check_at_the_end(tmp_path / "visits", 3001, sandbox, kills)
    print(f"{kills} kills, 601 batches: 0 twice, 0 lost, 0 stuck, {totals['unknown']} unknown")


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_killed_two_thousand_times(tmp_path, chance):
    kills = 0
    while kills < 2000:
        folder = tmp_path / f"visits after {kills}"
        with campaign.Sandbox(password="sesame", latency=0.003) as service:
            now = kill_at_random(folder, 50_001, service, chance, kills=2000 - kills, look_every=100)
            totals = check_at_the_end(folder, 50_001, service, now)
        kills += now
        print(f"{kills} kills, 10,001 batches: 0 twice, 0 lost, 0 stuck, {totals['unknown']} unknown")
