"""What comparing a plan with an equally large record costs, beside preparing it, and the memory it takes.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_comparison.py -s
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dirty_contacts import NAMES

from campaign.arrow_text import TEXT, combine_chunks, series_to_array
from campaign.contacts.reading import read_contacts
from campaign.messages.plan import Plan
from campaign.messages.preparation import prepare
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    CHANGED,
    Comparison,
    RecordedTexts,
    RowTexts,
    compare_texts,
)

ROWS, PART, BATCH = 1_000_000, 50_000, 100
TEXT_NOW = "Hi {name}, your visit to Mulago is on {day}. Please bring your card and come at 9."
TEXT_BEFORE = TEXT_NOW.replace("bring", "take")


def clean_contacts() -> pd.DataFrame:
    """People with a number each, in no order."""
    chance = np.random.default_rng(7)
    phones = pd.Series(772_000_000 + chance.permutation(10_000_000)[:ROWS]).astype("str")
    days = pd.Series(np.datetime64("2026-01-01") + chance.integers(0, 300, ROWS)).dt.strftime("%Y-%m-%d")
    names = NAMES[chance.integers(0, len(NAMES), ROWS)]
    return read_contacts(pd.DataFrame({"Name": names, "Phone": "+256" + phones, "Day": days}))


def plan_of(contacts: pd.DataFrame, message: str) -> Plan:
    return prepare(contacts, message=message, sender="CLINIC")


def write_parts(plan: Plan, folder: Path) -> None:
    """The rows of a plan as the parts of a round hold them, with the batch of each."""
    folder.mkdir()
    table = pa.table(
        {
            "number": plan.addressing.numbers,
            "text": series_to_array(plan.messages["message"]),
            "cell": series_to_array(plan.contacts["Phone"]),
            "batch": 1 + np.arange(ROWS) // BATCH,
        }
    )
    for start in range(0, ROWS, PART):
        pq.write_table(table.slice(start, PART), folder / f"part-{start:08}.parquet", compression="zstd")


def read_rows(file: Path) -> tuple[RowTexts, np.ndarray]:
    table = pq.read_table(file)
    texts, cells = (combine_chunks(table[name].cast(TEXT)) for name in ("text", "cell"))
    return RowTexts(table["number"].to_numpy(), texts, cells), table["batch"].to_numpy()


def record(folder: Path) -> Iterator[RecordedTexts]:
    first = 2
    for file in sorted(folder.iterdir()):
        rows, batches = read_rows(file)
        yield RecordedTexts(rows, batches, first + np.arange(len(rows)))
        first += len(rows)


def compare(planned: RowTexts, folder: Path) -> Comparison:
    """Compare rows with a record of which everything was accepted; reading it is included."""
    knowledge = np.full(ROWS // BATCH + 1, ACCEPTED, dtype=np.int8)
    return compare_texts(planned, np.empty(0, dtype=np.int64), lambda: record(folder), knowledge)


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU, user and system, of all threads."""
    before = os.times()
    work()
    after = os.times()
    return after.user + after.system - before.user - before.system


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An earlier round with the same texts, and one with other texts for the same numbers."""
    folder, contacts = tmp_path_factory.mktemp("rounds"), clean_contacts()
    write_parts(plan_of(contacts, TEXT_NOW), folder / "same")
    write_parts(plan_of(contacts, TEXT_BEFORE), folder / "changed")
    return folder


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_comparing_costs_about_as_much_as_preparing(rounds: Path) -> None:
    contacts = clean_contacts()
    plan = plan_of(contacts, TEXT_NOW)
    assert len(plan.messages) == ROWS
    planned = RowTexts(
        plan.addressing.numbers,
        series_to_array(plan.messages["message"]),
        series_to_array(plan.contacts["Phone"]),
    )
    assert (compare(planned, rounds / "same").knowledge == ACCEPTED).all()
    assert (compare(planned, rounds / "changed").knowledge == CHANGED).all()
    turns = [
        (
            cpu(lambda: plan_of(contacts, TEXT_NOW)),
            cpu(lambda: compare(planned, rounds / "same")),
            cpu(lambda: compare(planned, rounds / "changed")),
        )
        for _ in range(3)
    ]
    preparing, same, changed = (min(times) for times in zip(*turns, strict=True))
    print(
        f"\nprepare {preparing:.2f} s; compare, nothing changed {same:.2f} s: {same / preparing:.2f} times; "
        f"everything changed {changed:.2f} s: {changed / preparing:.2f} times"
    )
    assert same <= 1.2 * preparing
    assert changed <= 3 * preparing


MEASURE = """
import re, sys
from pathlib import Path
import numpy as np
import pyarrow as pa
from test_bench_comparison import compare, record, RowTexts
from campaign.arrow_text import concat_arrays

def memory(name):
    return 1024 * int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

now, before = map(Path, sys.argv[1:])
parts = [part.rows for part in record(now)]
planned = RowTexts(
    np.concatenate([part.numbers for part in parts]),
    concat_arrays([part.texts for part in parts]),
    concat_arrays([part.cells for part in parts]),
)
del parts
pa.default_memory_pool().release_unused()
Path("/proc/self/clear_refs").write_text("5")  # forget the peak of reading
start = memory("VmRSS")
compare(planned, before)
print(memory("VmHWM") - start)
"""


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("before", ["same", "changed"])
def test_peak_memory_is_at_most_300_mb_above_the_plan(rounds: Path, before: str) -> None:
    """The record is read part by part, so it is no second table in memory."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(rounds / "same"), str(rounds / before)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
    )
    print(f"\n{before}: {int(done.stdout) / 1e6:.0f} MB above the plan of {ROWS:,} rows")
    assert int(done.stdout) <= 300e6
