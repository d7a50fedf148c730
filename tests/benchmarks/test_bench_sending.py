"""What sending costs beside a bare aiohttp loop, and what the ledger adds, as ratios of CPU time in one run.

The campaign has the 1,240,000 rows of an export, of which four in five can be sent to: 10,000 batches of 100.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_sending.py -s
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest
from dirty_contacts import dirty_rows
from test_bench_distance import service as distant_service

HERE = Path(__file__).parent
TURNS, ROWS = 15, 1_240_000
TLS_TURNS, TLS_ROWS = 8, 310_000  # a request over TLS takes four times as long


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The address of a service lighter than any client, in a process of its own."""
    port_file = tmp_path_factory.mktemp("service") / "port"
    process = subprocess.Popen([sys.executable, str(HERE / "light_service.py"), str(port_file)])
    try:
        while not port_file.exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port_file.read_text()}/"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("contacts") / "dirty.csv"
    dirty_rows(ROWS).to_csv(path, index=False)
    return path


Pairs = list[tuple[dict[str, float], dict[str, float]]]


def send(ways, url, csv, folder, *, turns=TURNS, ca_file=None):
    """What both ways cost, turn by turn: seconds of CPU, batches, moves and commits."""
    command = [sys.executable, str(HERE / "sender.py"), *ways, url, str(turns), str(csv), str(folder)]
    command += [str(ca_file)] if ca_file else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def compare(pairs, part="whole"):
    """The median of the ratios of each turn."""
    ratios = [ours[part] / theirs[part] for ours, theirs in pairs]
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    batches = pairs[0][0]["batches"]
    ours, theirs = (median(cost[part] for cost in way) / batches * 1e6 for way in zip(*pairs, strict=True))
    print(f"\n{part}: {ours:.0f} and {theirs:.0f} us for each of {batches:,} batches")
    print(f"ratios {each}; median {median(ratios):.2f}")
    return median(ratios)


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_the_ledger_costs_at_most_a_tenth_of_a_campaign(service, csv, tmp_path):
    pairs = send(("run", "bare"), service, csv, tmp_path)
    moves, commits = (sum(kept[key] for kept, _ in pairs) for key in ("moves", "commits"))
    ratio, sending = compare(pairs), compare(pairs, "sending")
    print(f"a campaign with its ledger / without: {ratio:.2f}, its sending alone: {sending:.2f}")
    print(f"{moves / commits:.1f} moves shared a commit")
    assert moves == 2 * sum(kept["batches"] for kept, _ in pairs)
    assert ratio <= 1.10


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_never_twice_costs_at_most_a_third_more_than_a_bare_loop(service, csv, tmp_path):
    ratio = compare(send(("stage", "loop"), service, csv, tmp_path))
    print(f"gate, valves, ledger and requests / the requests alone: {ratio:.2f}")
    assert ratio <= 1.33


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_on_the_fast_loop_never_twice_costs_at_most_a_quarter_more_than_a_bare_loop(service, csv, tmp_path):
    """The bare loop is on asyncio's own, as everywhere here: the extra is a choice of this package."""
    ratio = compare(send(("fast", "loop"), service, csv, tmp_path))
    print(f"gate, valves, ledger and requests with the extra `fast` / the requests alone: {ratio:.2f}")
    assert ratio <= 1.25


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_over_tls_never_twice_costs_at_most_a_quarter_more_than_a_bare_loop(tmp_path):
    """As live, which takes no other address: the handshakes are three quarters of what a loop costs."""
    csv = tmp_path / "dirty.csv"
    dirty_rows(TLS_ROWS).to_csv(csv, index=False)
    with distant_service(0.0, tmp_path) as (url, ca_file):
        pairs = send(("stage", "loop"), url, csv, tmp_path, turns=TLS_TURNS, ca_file=ca_file)
    ratio = compare(pairs)
    print(f"gate, valves, ledger and requests over TLS / the requests alone: {ratio:.2f}")
    assert ratio <= 1.25


@pytest.mark.benchmark
@pytest.mark.timeout(3600)
def test_a_whole_campaign_costs_at_most_3_2_bare_loops(service, csv, tmp_path):
    ratio = compare(send(("run", "loop"), service, csv, tmp_path))
    print(f"from the spreadsheet to the last answer / the requests alone: {ratio:.2f}")
    assert ratio <= 3.2
