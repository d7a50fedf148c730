"""The comparison alone, held to the oracle of `promised_rows` in thousands of worlds in a few seconds.

Records and tables are arrays, so nothing is sent, frozen or read; `test_proof_worlds` does that.
"""

import numpy as np
import pytest
from support.promised_rows import ASKED, EXCLUDED, judge
from support.random_worlds import random_world
from support.small_worlds import moved_number, one_number, record_of, two_numbers

from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    RECORDED,
    REFUSED,
    UNKNOWN,
    UNSENT,
    SentRows,
    compare_rows,
)
from campaign.sending.store.hashed_rows import HashedRows

KNOWLEDGE = {
    "pending": UNSENT, "withdrawn": UNSENT, "refused": REFUSED, "again": AGAIN, "unknown": UNKNOWN,
    "accepted": ACCEPTED,
}  # fmt: skip
WITHOUT_TEXT = ("invalid", "blank", "opted_out")
SMALL = {"one number": one_number, "two numbers": two_numbers, "moved number": moved_number}
SHARE, RANDOM = 300, 1_000  # of each kind of small worlds, and random ones, in every run


def integers(values):
    return np.array([*values], dtype=np.int64)


def hashed(keys):
    """Rows from their number, text and cell each."""
    numbers, texts, cells = zip(*keys, strict=True) if keys else ((), (), ())
    return HashedRows(integers(numbers), integers(map(hash, texts)), integers(map(hash, cells)))


def sent_rows(cuts):
    """The record in two parts."""
    for some in (cuts[: len(cuts) // 2], cuts[len(cuts) // 2 :]):
        rows = hashed([(cut.number, cut.text, cut.cell) for cut in some])
        yield SentRows(rows, integers(cut.batch for cut in some), integers(1 for _ in some))


def compared(record, sent, verdict):
    """What the comparison says of each row with a text: what is recorded, or behind which row it stands."""
    standings = [row for row in verdict.standings if row.recorded not in WITHOUT_TEXT]
    excluded = [row.number for row in verdict.standings if row.recorded in WITHOUT_TEXT]
    comparison = compare_rows(
        hashed([(*row.key, row.row.cell) for row in standings]),
        integers(excluded),
        sent_rows(record.cuts),
        np.array([0, *(KNOWLEDGE[cut.state] for cut in record.cuts)], np.int8),
        waiting=np.array([False, *(cut.state == "pending" for cut in record.cuts)]),
        every_text=sent.duplicates == "keep",
    )
    told = []
    for place, (row, kept) in enumerate(zip(standings, comparison.kept, strict=True)):
        is_copy = standings[kept].key == row.key
        name = RECORDED[comparison.recorded[place]].upper()
        batch = int(comparison.batches[place]) if name in (*ASKED, "ACCEPTED", "UNKNOWN") else 0
        told.append((name, batch) if kept == place else ("same_text" if is_copy else "shared_phone", 0))
    return told, len(comparison.waiting)


def promised(verdict):
    rows = [row for row in verdict.standings if row.recorded not in WITHOUT_TEXT]
    told = []
    for row in rows:
        is_unsent_copy = row.recorded == "same_text" and row.copied.recorded == "shared_phone"
        recorded = (
            "shared_phone" if is_unsent_copy else row.recorded
        )  # both stand behind the row that is kept
        batch = row.before.batch if row.before and recorded not in EXCLUDED else 0
        told.append((recorded, batch))
    return told, len(verdict.waiting)


def check(world):
    """Hold the comparison of the last table to the oracle."""
    *earlier, sent = world.rounds
    record = record_of(tuple(earlier))
    verdict = judge(record, sent)
    assert compared(record, sent, verdict) == promised(verdict), world


@pytest.mark.parametrize("kind", SMALL)
def test_small_worlds(kind):
    worlds = SMALL[kind]()
    for world in worlds[:: len(worlds) // SHARE]:
        check(world)


def test_random_worlds():
    for seed in range(RANDOM):
        check(random_world(seed))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", SMALL)
def test_every_small_world(kind):
    for world in SMALL[kind]():
        check(world)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_twenty_thousand_random_worlds():
    for seed in range(RANDOM, RANDOM + 20_000):
        check(random_world(seed))
