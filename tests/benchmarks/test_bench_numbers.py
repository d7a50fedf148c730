"""What `clean_numbers` costs, as ratios of CPU time and memory measured side by side in one run.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_numbers.py -s
"""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import phonenumbers
import pytest

from campaign.contacts.phone_numbers.cleaning import clean_numbers

sys.path.insert(0, str(Path(__file__).parent.parent))
from support import written_numbers

ROWS = 1_000_000
PART = ROWS // 10  # of phonenumbers, whose cost is that of one row at a time


@pytest.fixture(scope="module")
def contacts():
    """Mixed numbers of Uganda, Kenya, Britain, India and the United States, each with its region."""
    return pd.DataFrame(written_numbers.mixed(4, ROWS), columns=["number", "region"], dtype="str")


def cpu(work):
    """Seconds of CPU, user and system, of all threads."""
    before = os.times()
    work()
    after = os.times()
    return after.user + after.system - before.user - before.system


def one_by_one(contacts):
    """What a script does with each number."""
    cleaned = []
    for text, region in zip(contacts["number"], contacts["region"], strict=True):
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            cleaned.append("")
            continue
        valid = phonenumbers.is_valid_number(number)
        e164 = phonenumbers.PhoneNumberFormat.E164
        cleaned.append(phonenumbers.format_number(number, e164)[1:] if valid else "")
    return cleaned


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_phonenumbers_a_row_at_a_time_costs_25_times_as_much(contacts):
    part = contacts.iloc[:PART]
    one_by_one(part.iloc[:1000])
    tables = []

    def ours():
        tables[:] = [clean_numbers(contacts["number"], region=contacts["region"])]

    first = cpu(ours)  # with the tables made and the memory touched for the first time
    turns = [(cpu(lambda: one_by_one(part)) / PART, cpu(ours) / ROWS) for _ in range(3)]
    theirs, again = (min(times) * 1e6 for times in zip(*turns, strict=True))
    sendable = tables[0]["number"].notna().mean()
    print(
        f"\nphonenumbers {theirs:.1f} us a row, clean_numbers {again:.2f} us, the first time "
        f"{first / ROWS * 1e6:.2f} us: {theirs / again:.1f} times; {sendable:.0%} of {ROWS:,} rows sendable"
    )
    assert 0.75 < sendable < 0.95
    assert theirs >= 25 * again


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_what_is_compared_comes_to_the_same_numbers(contacts):
    part = contacts.iloc[:PART]
    cleaned = clean_numbers(contacts["number"], region=contacts["region"]).iloc[:PART]
    taken = cleaned["repair"].eq("") & cleaned["problem"].eq("")
    known = pd.Series(one_by_one(part), index=cleaned.index, dtype="str")
    assert taken.mean() > 0.6
    assert cleaned.loc[taken, "number"].tolist() == known[taken].tolist()


MEASURE = """
import sys, threading
import pandas as pd, pyarrow as pa
from campaign.contacts.phone_numbers.cleaning import clean_numbers

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def watch():
    while not done.wait(0.002):
        seen.append(resident())

contacts = pd.read_parquet(sys.argv[1])
few = contacts.iloc[:1000]
clean_numbers(few["number"], region=few["region"])
pa.default_memory_pool().release_unused()
done, seen = threading.Event(), [resident()]
watcher = threading.Thread(target=watch)
watcher.start()
table = clean_numbers(contacts["number"], region=contacts["region"])
done.set()
watcher.join()
seen.append(resident())
column = contacts["number"].memory_usage(index=False, deep=True)
print(max(seen) - seen[0], column, table.memory_usage(index=False, deep=True).sum())
"""


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_at_most_six_times_the_column(contacts, tmp_path):
    """The table that comes back included; the column itself and what the imports take are not."""
    contacts.to_parquet(tmp_path / "contacts.parquet")
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "contacts.parquet")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, column, table = map(int, ended.stdout.split())
    print(
        f"\npeak {peak / 1e6:.0f} MB for a column of {column / 1e6:.0f} MB: {peak / column:.1f} times; "
        f"the table alone has {table / 1e6:.0f} MB"
    )
    assert peak <= 6 * column
