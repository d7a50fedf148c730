"""Tables larger than memory, from the csv file to the result: memory, CPU a row, and nobody twice.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_streaming.py -s
"""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from dirty_contacts import write_large_csv

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")


@contextmanager
def service(folder):
    """The address of a service in a process of its own, and the file with every number it was sent."""
    port_file, record = folder / "port", folder / "record"
    command = [sys.executable, str(HERE / "recording_service.py"), str(port_file), str(record)]
    process = subprocess.Popen(command)
    try:
        while not port_file.exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port_file.read_text()}/", record
    finally:
        process.kill()
        process.wait()


def campaign_of(rows, way, folder):
    """What one campaign cost and what came of it: by the service's record, nobody got two messages."""
    folder.mkdir()
    csv = folder / "people.csv"
    write_large_csv(csv, rows)
    with service(folder) as (url, record):
        command = [sys.executable, str(HERE / "streamed_campaign.py"), csv, way, folder / "campaign", url]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)
        sent = np.fromfile(record, np.int64)
    outcome = json.loads(done.stdout)
    print(
        f"\n{rows:,} rows {way}: {outcome['cpu'] / rows * 1e6:.2f} us a row, of which "
        f"{outcome['preparing'] / rows * 1e6:.2f} preparing; peak {outcome['peak'] / 1e6:.0f} MB"
    )
    assert outcome["rows"] == rows == sum(outcome["statuses"].values())
    assert outcome["statuses"]["accepted"] == outcome["messages"] == outcome["in batches"] == len(sent)
    assert outcome["attempts"] == 1
    assert len(np.unique(sent)) == len(sent)
    return outcome


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_million_rows_are_the_same_in_parts_and_in_memory(tmp_path):
    held = campaign_of(2_000_000, "in-memory", tmp_path / "memory")
    streamed = campaign_of(2_000_000, "in-parts", tmp_path / "parts")
    assert (held["parts"], streamed["parts"]) == (1, 16)
    assert streamed["fingerprint"] == held["fingerprint"]
    assert streamed["statuses"] == held["statuses"]
    assert streamed["peak"] < 600e6 < held["peak"]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_million_rows_are_frozen_alike_in_parts_and_on_dask(tmp_path):
    csv, outcomes = tmp_path / "people.csv", {}
    write_large_csv(csv, 2_000_000)
    for way in ("stream", "dask"):
        command = [sys.executable, str(HERE / "frozen_campaign.py"), str(csv), way, str(tmp_path / way)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        outcome = outcomes[way] = json.loads(done.stdout)
        print(
            f"\n{way}: {outcome['seconds']:.0f} s, {outcome['cpu']:.1f} s of CPU; peak "
            f"{outcome['peak'] / 1e6:.0f} MB, {outcome['peak of a worker'] / 1e6:.0f} MB in a worker"
        )
    for name in ("mark", "rows", "messages"):
        assert outcomes["dask"][name] == outcomes["stream"][name]
    assert max(outcomes["dask"]["peak"], outcomes["dask"]["peak of a worker"]) < 1.5e9


@pytest.mark.benchmark
@pytest.mark.timeout(7200)
def test_ten_million_rows_take_at_most_600_mb_and_as_much_time_a_row_as_one_million_in_memory(tmp_path):
    held = campaign_of(1_000_000, "in-memory", tmp_path / "memory")
    streamed = campaign_of(10_000_000, "in-parts", tmp_path / "parts")
    ratio = streamed["cpu"] / 10 / held["cpu"]
    print(f"CPU a row, ten million in parts / one million in memory: {ratio:.2f}")
    assert streamed["peak"] <= 600e6
    assert ratio <= 1.1
