"""The power is cut while a ledger is written: no acknowledged move is lost, and the harness would see it.

100 cuts in every run, 5,000 behind `-m long`.
"""

import random
import shutil
from collections import Counter

import pytest
from support.power_cut import cuts, record
from support.wrong_designs import adopt

from campaign.errors import LedgerError


@pytest.fixture
def chance():
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    return random.Random(seed)


def look_after_cuts(tmp_path, monkeypatch, chance, count, batches=2000):
    """What so many cuts did to a campaign: all was kept, moves were lost, or the rollback guard noticed.

    At least one automatic checkpoint lies within the recording, where SQLite folds its log into the file.
    """
    (tmp_path / "first").mkdir()
    recording = record(tmp_path / "first", monkeypatch, batches, chance.randrange(10**6))
    events = recording.events[recording.registered :]
    folded = sum(event.kind == "sync" and event.file == "ledger.sqlite" for event in events)
    assert folded > 2  # more often than at the ends of the two sessions
    outcomes = Counter()
    for number, remains in enumerate(cuts(recording, count, chance)):
        folder = tmp_path / f"cut {number}"
        folder.mkdir()
        try:
            outcomes["lost" if remains.lost(folder) else "kept"] += 1
        except LedgerError:
            outcomes["refused"] += 1
        shutil.rmtree(folder)
    print(f"{len(events):,} writes and syncs, {folded} checkpoints, {count:,} cuts: {dict(outcomes)}")
    return outcomes


def test_no_power_cut_loses_what_was_acknowledged(tmp_path, monkeypatch, chance):
    assert look_after_cuts(tmp_path, monkeypatch, chance, 100) == {"kept": 100}


def test_the_harness_sees_what_synchronous_normal_loses(tmp_path, monkeypatch, chance):
    adopt("synchronous normal", monkeypatch.setattr)
    outcomes = look_after_cuts(tmp_path, monkeypatch, chance, 100)
    assert outcomes["lost"] + outcomes["refused"] > 80


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("batches", [2000, 5000])
def test_no_power_cut_of_thousands_loses_what_was_acknowledged(tmp_path, monkeypatch, chance, batches):
    assert look_after_cuts(tmp_path, monkeypatch, chance, 2500, batches) == {"kept": 2500}
