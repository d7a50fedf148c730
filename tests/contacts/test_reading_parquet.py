"""Parquet files are opened in a process of their own, and their rows arrive in pieces."""

import io
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.findings import as_codes
from support.parquet_attacks import (
    BROTLI,
    ZSTD,
    claimed_page,
    crowded,
    deep,
    long_text,
    nulls,
    same_number,
    same_text,
    wide,
)
from support.refusals import refused
from support.shares import a_share

from campaign import prepare, read_contacts
from campaign.errors import ColumnError, FileError

ROOT = Path(__file__).parents[2]
# Each of these took between 2 and 20 GB where the file was opened without a wall.
ATTACKS = {
    "190,000,000 empty rows": lambda: nulls(190_000_000),
    "190,000,000 rows of one letter": lambda: same_text(190_000_000, b"x"),
    "1,000,000 rows of a text of 60 KB": lambda: same_text(1_000_000, b"x" * 60_000),
    "190,000,000 rows of one number": lambda: same_number(190_000_000),
    "a cell of 1.9 GB": lambda: long_text(1_900_000_000, "zstd", ZSTD),
    "a cell of 300 MB": lambda: long_text(300_000_000, "brotli", BROTLI),
    "a page that claims 2 GB": claimed_page,
    "36,000,000 cells in 90 columns": lambda: wide(400_000, 90),
    "12,000 groups in groups": lambda: deep(6_000),
    "90,000 empty row groups": lambda: crowded(90_000),
}
READ = """
import sys, campaign
for read in (campaign.read_contacts, lambda path: campaign.prepare(
    path, message="Hi", sender="CLINIC", region="UG", stream=True
)):
    try:
        read(sys.argv[1])
    except campaign.CampaignError as error:
        print(type(error).__name__)
"""


def watched(command):
    """What a new process printed, the seconds that it computed, and the most memory, with its children."""
    child = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    first, most, seconds = psutil.Process(child.pid), 0, {}
    while child.poll() is None:
        with suppress(psutil.Error):  # one of them has just ended
            family = [first, *first.children(recursive=True)]
            sizes = [one.memory_info() for one in family]
            again = sum(getattr(size, "shared", 0) for size in sizes[1:])  # libraries, which count once
            most = max(most, sum(size.rss for size in sizes) - again)
            seconds |= {one.pid: sum(one.cpu_times()[:2]) for one in family}
        time.sleep(0.01)
    return child.communicate()[0].decode().split(), sum(seconds.values()), most


@pytest.mark.parametrize("attack", a_share(ATTACKS, 5))
def test_a_small_parquet_file_never_takes_a_gigabyte(attack, tmp_path):
    """Read whole, and then in parts: a sentence each time, in a process that nobody else has warmed."""
    path = tmp_path / "people.parquet"
    path.write_bytes(ATTACKS[attack]())
    assert path.stat().st_size < 110_000
    printed, seconds, most = watched(["-c", READ, str(path)])
    assert printed[0] == "FileError"
    assert printed[1] in ("FileError", "ColumnError")  # of 36,000,000 letters none is a phone
    assert most < 1_000_000_000
    assert seconds < 15  # both together


def test_what_a_parquet_file_unpacks_to_may_be_raised():
    data = same_text(40_000_000, b"x")
    with refused("file_too_large", FileError, unit="bytes", option="memory"):
        read_contacts(data)
    with refused("file_too_large", FileError, unit="bytes", option="bytes"):
        read_contacts(same_text(30_000, b"0772000001"), max_bytes=100_000)
    assert len(read_contacts(same_text(30_000, b"0772000001"))) == 30_000


def test_a_parquet_file_is_read_here_if_no_process_can_be_started(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", "")
    path = tmp_path / "people.parquet"
    pd.DataFrame({"phone": ["0772000001"]}).to_parquet(path)
    assert as_codes(read_contacts(path).attrs["reading"].notices) == {"no_process": {}}
    plan = prepare(path, message="Hi", sender="CLINIC", region="UG", stream=True)
    assert as_codes(plan.reading.notices) == {"no_process": {}}
    assert plan.messages["number"].tolist() == ["256772000001"]


def test_a_table_that_is_left_early_leaves_no_process(tmp_path):
    """Its columns are refused while its rows are still on their way."""
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"name": ["x"] * 100_000, "photo": [b"\xff"] * 100_000}), path)
    before, processes = threading.active_count(), psutil.Process().children()
    for stream in (False, True):
        with refused("cell_unfit", ColumnError, column="photo", kind="values of the kind binary"):
            prepare(path, message="Hi", sender="CLINIC", region="UG", stream=stream)
    assert psutil.Process().children() == processes
    assert threading.active_count() == before


def test_rows_of_many_pieces_and_groups_keep_their_order():
    """Dictionaries, numbers and empty cells of 100,000 rows in uneven row groups."""
    rows = np.arange(100_000)
    frame = pd.DataFrame(
        {
            "phone": [f"0772{row:06d}" for row in rows],
            "town": pd.Categorical.from_codes(rows % 3, ["Kampala", "Jinja", "Gulu"]),
            "fee": np.where(rows % 7, rows * 500.0, np.nan),
        }
    )
    target = io.BytesIO()
    frame.to_parquet(target, row_group_size=7_001)
    table = read_contacts(target.getvalue())
    assert table.to_dict("list") == read_contacts(frame).to_dict("list")
    assert table.index.tolist() == [*range(2, 100_002)]
