"""What `prepare` costs, as ratios of CPU time and memory measured side by side in one run.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_prepare.py -s
"""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from dirty_contacts import MESSAGE, dirty_rows

from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.messages.preparation import prepare

sys.path.insert(0, str(Path(__file__).parent.parent))
from support import written_numbers

ROWS = 1_000_000


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("contacts") / "dirty.csv"
    dirty_rows(ROWS).to_csv(path, index=False)
    return path


def cpu(work):
    """Seconds of CPU, user and system, of all threads."""
    before = os.times()
    work()
    after = os.times()
    return after.user + after.system - before.user - before.system


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_prepare_costs_at_most_twice_what_cleaning_its_numbers_costs(csv):
    contacts = read_contacts(csv)
    plans = []

    def whole():
        plans[:] = [prepare(contacts, message=MESSAGE, sender="CLINIC", region="UG")]

    def numbers():
        clean_numbers(contacts["Phone"], region="UG")

    whole()  # memory touched for the first time is charged by some machines: the first turn does not count
    turns = [(cpu(whole), cpu(numbers)) for _ in range(3)]
    all_of_it, alone = (min(times) for times in zip(*turns, strict=True))
    sendable = len(plans[0].messages) / ROWS
    print(
        f"\nprepare {all_of_it:.2f} s, clean_numbers alone {alone:.2f} s: {all_of_it / alone:.2f} times; "
        f"{sendable:.0%} of {ROWS:,} rows sendable, {len(plans[0].issues):,} findings"
    )
    assert 0.75 < sendable < 0.87
    assert all_of_it <= 2.0 * alone


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_a_column_of_regions_costs_at_most_a_fifth_more_than_one_region():
    """Numbers of five countries with a column beside the same table with the column's region for all."""
    five = pd.DataFrame(written_numbers.mixed(4, ROWS // 2), columns=["Phone", "Country"], dtype="str")
    table = dirty_rows(ROWS // 2).assign(Phone=five["Phone"], Country=five["Country"])
    by_country = [(read_contacts(part), region) for region, part in table.groupby("Country", sort=True)]
    contacts = read_contacts(table)
    counts = []

    def column():
        counts.append(len(prepare(contacts, message=MESSAGE, sender="CLINIC", region="Country").messages))

    def one_region_at_a_time():
        plans = [
            prepare(part, message=MESSAGE, sender="CLINIC", region=region) for part, region in by_country
        ]
        counts.append(sum(len(plan.messages) for plan in plans))

    column()
    one_region_at_a_time()
    turns = [(cpu(column), cpu(one_region_at_a_time)) for _ in range(5)]
    mixed, alone = (min(times) / len(table) * 1e6 for times in zip(*turns, strict=True))
    print(f"\na column {mixed:.2f} us a row, one region at a time {alone:.2f} us: {mixed / alone:.2f} times")
    assert abs(counts[0] - counts[1]) < len(table) / 1000  # but for duplicates across countries
    assert mixed <= 1.2 * alone


MEASURE = """
import re, sys
from pathlib import Path
import pandas as pd
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.messages.preparation import prepare

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

clean_numbers(pd.Series(["0772000001"], dtype="str"), region="UG")
before = peak()
plan = prepare(sys.argv[1], message=sys.argv[2], sender="CLINIC", region="UG")
held = peak()
print(held - before, len(plan.messages), len(plan.issues), len(plan.contacts), peak() - before)
"""


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_peak_memory_is_at_most_eight_times_the_csv(csv):
    """Reading included; what the imports take is not counted. The table of issues comes on top of it."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(csv), MESSAGE], capture_output=True, text=True, check=True
    )
    peak, messages, _, _, peak_with_frames = map(int, done.stdout.split())
    size = csv.stat().st_size
    print(
        f"\npeak {peak / 1e6:.0f} MB for a csv of {size / 1e6:.0f} MB: {peak / size:.1f} times, "
        f"{peak_with_frames / size:.1f} with all frames looked at; {messages:,} messages"
    )
    assert peak <= 8 * size
    assert peak_with_frames <= 9 * size


def row_at_a_time(contacts):
    """What a careful script does: each number through phonenumbers, each text through format_map."""
    import phonenumbers

    basic = set("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡§¿ÄÖÑÜäöñüà") | {
        chr(code) for code in (*range(65, 91), *range(97, 123))
    }
    template = (
        "Hi {First name}, your visit to {Clinic} is on {Visit date}. Please bring your card and come at 9."
    )
    seen, messages = set(), []
    for row, contact in zip(contacts.index, contacts.to_dict("records"), strict=True):
        try:
            number = phonenumbers.parse(contact["Phone"], "UG")
        except phonenumbers.NumberParseException:
            continue
        mobile = phonenumbers.PhoneNumberType.MOBILE
        if not phonenumbers.is_valid_number(number) or phonenumbers.number_type(number) != mobile:
            continue
        if not contact["First name"].strip():
            continue
        text = template.format_map(contact)
        if len(text) > 160:
            continue
        written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)[1:]
        if written in seen:
            continue
        seen.add(written)
        gsm = all(character in basic for character in text)
        parts = 1 if len(text) <= (160 if gsm else 70) else -(-len(text) // (153 if gsm else 67))
        messages.append({"row": row, "number": written, "message": text, "sender": "CLINIC", "parts": parts})
    return messages


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_a_row_at_a_time_script_costs_twelve_times_as_much(csv):
    contacts = read_contacts(csv)
    part = contacts.iloc[: ROWS // 5]

    def whole():
        prepare(contacts, message=MESSAGE, sender="CLINIC", region="UG")

    row_at_a_time(part.iloc[:1000])
    whole()
    turns = [(cpu(lambda: row_at_a_time(part)) / len(part), cpu(whole) / ROWS) for _ in range(3)]
    script, ours = (min(times) * 1e6 for times in zip(*turns, strict=True))
    print(f"\nscript {script:.1f} us a row, prepare {ours:.2f} us a row: {script / ours:.1f} times")
    assert script >= 12 * ours
