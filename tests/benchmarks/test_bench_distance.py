"""Messages a second over TLS to a service at a distance, beside a bare aiohttp loop at the same concurrency.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_distance.py -s
"""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from statistics import median

import pytest
from dirty_contacts import dirty_rows

HERE = Path(__file__).parent
ROUND_TRIPS = (0.02, 0.1, 0.3)  # seconds: the same country, another continent, the other side of the world
CONCURRENCIES = (8, 16, 32, 64)
TURNS, SECONDS = 5, 3.0  # how often and about how long each way is measured


@contextmanager
def service(round_trip, folder):
    """The address of a service at that distance, in a process of its own, and the certificate to trust."""
    port_file = folder / "port"
    command = [sys.executable, str(HERE / "distant_service.py"), str(port_file), str(round_trip)]
    process = subprocess.Popen(command)
    try:
        while not port_file.exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield f"https://127.0.0.1:{port_file.read_text()}/", port_file.with_suffix(".pem")
    finally:
        process.kill()
        process.wait()
        port_file.unlink()


def rates(round_trip, concurrency, csv, folder):
    """Messages a second of the engine and of the bare loop, each at its best, and the middle of the ratios of
    all turns: other guests slow both ways of a turn, but not all turns alike."""
    rounds = max(5, ceil(SECONDS / (3 * round_trip)))
    with service(round_trip, folder) as (url, ca_file):
        places = [url, str(ca_file), str(csv), str(folder / "campaign")]
        command = [sys.executable, str(HERE / "distant_sender.py"), *places]
        command += map(str, (concurrency, rounds, TURNS))
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    pairs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(pairs) == TURNS
    ratio = median(ours / bare for ours, bare in pairs)
    return *(max(way) for way in zip(*pairs, strict=True)), ratio


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_distance_leaves_at_most_a_tenth_to_be_gained(tmp_path):
    csv = tmp_path / "dirty.csv"
    dirty_rows(20_000).to_csv(csv, index=False)
    ratios = {}
    print(f"\n| at once | {' | '.join(f'{trip * 1000:.0f} ms' for trip in ROUND_TRIPS)} |")
    for concurrency in CONCURRENCIES:
        cells = []
        for trip in ROUND_TRIPS:
            ours, bare, ratio = rates(trip, concurrency, csv, tmp_path)
            ratios[concurrency, trip] = ratio
            cells.append(f"{ours:,.0f} of {bare:,.0f} ({ratio:.2f})")
        print(f"| {concurrency} | {' | '.join(cells)} |", flush=True)
    # Nearby and with many at once, both wait for the processor, and not for the service.
    assert min(ratio for (_, trip), ratio in ratios.items() if trip >= 0.1) >= 0.9
