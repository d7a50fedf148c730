"""Every small world, and worlds at random, held to what is promised of each row.

A share of both in every run; all of them behind `-m long`. A failure shows the smallest world that differs,
whose repr lives again: `Life(World(...), folder).live()`.
"""

import shutil
import tempfile
from itertools import groupby
from pathlib import Path

import pytest
from support.lived_worlds import Life
from support.promised_rows import judge
from support.random_worlds import random_world
from support.small_worlds import moved_number, one_number, record_of, two_numbers
from support.worlds import Round, Row, World

SMALL = {"one number": one_number, "two numbers": two_numbers, "moved number": moved_number}
SHARES = {"one number": 4, "two numbers": 2, "moved number": 2}  # beginnings, with all that follow
LONG_SHARES = {"one number": None, "two numbers": 150, "moved number": None}


@pytest.fixture
def memory():
    """A folder in memory where there is one: nothing here has to survive a power cut."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


def beginnings(worlds, share):
    """The worlds by their first two rounds: `share` of these, spread evenly, or all."""
    groups = [(rounds, [*some]) for rounds, some in groupby(worlds, lambda world: world.rounds[:-1])]
    step = 1 if share is None else max(1, len(groups) // share)
    return groups[::step]


def live_small(kind, share, folder):
    """How many worlds were lived, and those that differ, with what differs."""
    count, different = 0, []
    for rounds, worlds in beginnings(SMALL[kind](), share):
        life = Life(World(rounds), folder / "visits")
        lasts = [world.rounds[-1] for world in worlds]
        for differences, last in zip(life.branches(lasts), lasts, strict=False):
            count += 1
            if differences:
                different.append((World((*rounds, last)), differences))
        shutil.rmtree(folder / "visits", ignore_errors=True)
    return count, different


def live_random(seeds, folder):
    """The random worlds that differ, with what differs."""
    different = []
    for seed in seeds:
        life = Life(random_world(seed), folder / "visits", compares=seed % 2 == 0)
        if not life.live():
            life.check_nothing_is_sent_again()
        if life.differences:
            different.append((life.world, life.differences))
        shutil.rmtree(folder / "visits", ignore_errors=True)
    return different


def told(different):
    """The smallest of the worlds that differ, and how many there are."""
    smallest = sorted(different, key=lambda one: len(repr(one[0])))[:5]
    shown = "\n\n".join(f"{world!r}\n" + "\n".join(differences) for world, differences in smallest)
    return f"{len(different)} worlds differ\n\n{shown}"


A, B, C, SPACED = (Row("0772 000 001", text) for text in ("A", "B", "C", "A spaced"))
OTHER_CELL = Row("+256 772 000 001", "B")
HIS_A, HIS_B = Row("0772 000 002", "A"), Row("0772 000 002", "B")


@pytest.mark.parametrize(
    ("rounds", "recorded"),
    [
        ([Round((A,)), Round((SPACED,))], ["ACCEPTED"]),
        ([Round((A,), "u"), Round((A,))], ["UNKNOWN"]),
        ([Round((A,)), Round((B,))], ["OTHER_TEXT"]),
        ([Round((A,), "r"), Round((B,))], ["NEW"]),
        # A was withdrawn and B sent since: nobody has chosen A again.
        ([Round((A,), "w"), Round((B,)), Round((A,))], ["OTHER_TEXT"]),
        # B came first, and was known when A was cut.
        ([Round((B,)), Round((A,), "r"), Round((A,))], ["REFUSED"]),
        ([Round((A,), "g"), Round((A,))], ["AGAIN"]),
        ([Round((A,), "g"), Round((B,))], ["OTHER_TEXT"]),
        ([Round((A,)), Round((A,), region="KE")], ["OTHER_NUMBER"]),
        # The number that was reached is still in the table.
        ([Round((A,)), Round((A, OTHER_CELL), region="KE")], ["NEW", "OTHER_TEXT"]),
        # Of rows with one number those stay that were reached, or else the one ordered again, or the first.
        ([Round((A,)), Round((B, A))], ["shared_phone", "ACCEPTED"]),
        ([Round((A,), "g"), Round((B, A))], ["shared_phone", "AGAIN"]),
        ([Round((A,)), Round((B, C))], ["OTHER_TEXT", "shared_phone"]),
        ([Round((A,)), Round((B, C), duplicates="keep")], ["OTHER_TEXT", "OTHER_TEXT"]),
        ([Round((A, SPACED))], ["NEW", "same_text"]),
        # A brother leaves the table, and his sister is new with his phone.
        ([Round((A, HIS_A)), Round((A, HIS_B))], ["ACCEPTED", "OTHER_TEXT"]),
    ],
)
def test_the_oracle_says_what_is_promised(rounds, recorded):
    verdict = judge(record_of(tuple(rounds[:-1])), rounds[-1])
    assert [standing.recorded for standing in verdict.standings] == recorded


@pytest.mark.parametrize("kind", SMALL)
def test_some_small_worlds(kind, memory):
    _, different = live_small(kind, SHARES[kind], memory)
    assert not different, told(different)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", SMALL)
def test_every_small_world(kind, memory):
    count, different = live_small(kind, LONG_SHARES[kind], memory)
    print(f"{count} small worlds with {kind}, {len(different)} differ")
    assert not different, told(different)


def test_some_random_worlds(memory):
    different = live_random(range(30), memory)
    assert not different, told(different)


@pytest.mark.long
@pytest.mark.timeout(14_400)
def test_twenty_thousand_random_worlds(memory):
    different = live_random(range(1_000, 21_000), memory)
    print(f"20000 random worlds, {len(different)} differ")
    assert not different, told(different)
