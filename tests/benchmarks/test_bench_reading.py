"""Reading costs little more than the fastest reader alone: ratios of CPU time, side by side in one run."""

import gc
import os
import random
import sys
import threading
import tracemalloc

import pyarrow as pa
import pyarrow.csv
import pytest
import python_calamine
import xlsxwriter

from campaign.contacts.reading import read_contacts

HEADER = ["first_name", "phone", "account", "visit_date", "amount", "clinic"]
ROUNDS = 5


def row(i):
    chance = random.Random(i)
    day = f"2026-01-{i % 28 + 1:02d}"
    return [
        f"Amina {i}",
        f"+256 772 000 {i % 1000:03d}",
        772000000 + i,
        day,
        chance.randint(1, 10**6) / 100,
        "Gulu",
    ]


@pytest.fixture(scope="module")
def text_of_a_million(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "million.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(HEADER) + "\n")
        file.writelines(",".join(map(str, row(i))) + "\n" for i in range(1_000_000))
    return path


@pytest.fixture(scope="module")
def workbooks(tmp_path_factory):
    """One of 10,000 rows and one of 100,000."""
    folder = tmp_path_factory.mktemp("bench")
    return [write_workbook(folder / f"{rows}.xlsx", rows) for rows in (10_000, 100_000)]


def write_workbook(path, rows):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, HEADER)
        for i in range(rows):
            sheet.write_row(i + 1, 0, row(i))
    return path


def cpu_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def ratio(ours, theirs):
    """The CPU seconds of each in the round of the median ratio: a machine's speed may drift.

    Those of processes that were started and have ended count, too: workbooks are opened in one.
    """
    rounds = []
    for _ in range(ROUNDS):
        times = []
        for work in (ours, theirs):
            gc.collect()
            start = cpu_seconds()
            result = work()
            times.append(cpu_seconds() - start)
            del result
        rounds.append(times)
    rounds.sort(key=lambda times: times[0] / max(times[1], 0.01))
    return rounds[ROUNDS // 2]


@pytest.fixture
def small_workbook(tmp_path):
    path = tmp_path / "small.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet().write_row(0, 0, HEADER)
    return path


@pytest.mark.benchmark
def test_a_row_of_a_workbook_costs_at_most_half_more_than_calamine_alone(workbooks):
    """Apart from what every workbook costs, whatever its size, which has a bound of its own below."""

    def alone(path):
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            return book.get_sheet_by_index(0).to_python()

    costs = [
        ratio(lambda path=path: read_contacts(path), lambda path=path: alone(path)) for path in workbooks
    ]
    ours, theirs = (larger - smaller for smaller, larger in zip(*costs, strict=True))
    by_row = ours / theirs
    print(
        f"\nxlsx, 100,000 rows: {costs[1][0]:.2f} s, calamine alone {costs[1][1]:.2f} s; "
        f"90,000 rows more / calamine alone: {by_row:.2f}"
    )
    assert by_row <= 1.5


@pytest.mark.benchmark
def test_a_process_of_its_own_costs_at_most_a_tenth_of_a_second(small_workbook, monkeypatch):
    """A small workbook, beside the same one opened in this process, as in a frozen program."""

    def here():
        with monkeypatch.context() as frozen:
            frozen.setattr(sys, "frozen", True, raising=False)
            return read_contacts(small_workbook)

    apart, together = ratio(lambda: read_contacts(small_workbook), here)
    print(f"\na small xlsx: {apart:.2f} s, in this process {together:.2f} s")
    assert apart - together <= 0.1


@pytest.mark.benchmark
def test_a_text_costs_at_most_twice_as_much_as_arrow_alone(text_of_a_million):
    path = text_of_a_million
    all_text = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(HEADER, pa.string()), strings_can_be_null=False
    )

    def alone():
        return pyarrow.csv.read_csv(path, convert_options=all_text)

    ours, theirs = ratio(lambda: read_contacts(path), alone)
    print(f"\ncsv, 1,000,000 rows: {ours:.2f} s, Arrow alone {theirs:.2f} s, ratio {ours / theirs:.2f}")
    assert ours / theirs <= 2


class Watch(threading.Thread):
    """Looks every millisecond how much Python and Arrow hold, and keeps the highest sum."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self._done = 0, threading.Event()

    def run(self):
        while not self._done.wait(0.001):
            self.peak = max(self.peak, tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes())

    def __enter__(self):
        tracemalloc.start()
        self.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self.join()
        tracemalloc.stop()


@pytest.mark.benchmark
def test_memory_stays_within_two_and_a_half_times_the_text(text_of_a_million):
    before = pa.total_allocated_bytes()
    with Watch() as watch:
        table = read_contacts(text_of_a_million)
    peak, size = watch.peak - before, text_of_a_million.stat().st_size
    print(f"\ncsv, {size / 1e6:.0f} MB of text: {peak / 1e6:.0f} MB of memory, ratio {peak / size:.2f}")
    assert len(table) == 1_000_000
    assert peak / size <= 2.5
