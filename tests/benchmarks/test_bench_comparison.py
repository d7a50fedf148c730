"""What comparing a million rows with a campaign of a million messages costs, and what the record costs.

Measured are public calls on a real campaign folder, in a new process each. The limits are ratios to
preparing the same table in the same process.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_comparison.py -s
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from accepted_campaign import BATCH, ROWS

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc"),
]
TURNS = 3


def measured(folder, act):
    """What one process has measured."""
    places = [str(Path(__file__).parent), *sys.path]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("accepted_campaign.py")), str(folder), act],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def least(folder, act, figure):
    """The turn that cost least: what is more is other guests' noise."""
    return min((measured(folder, act) for _ in range(TURNS)), key=lambda turn: turn[figure])


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """The folder of a campaign of which everything was accepted, and what sending it has cost."""
    folder = tmp_path_factory.mktemp("accepted") / "visits"
    return folder, measured(folder, "send")


def test_what_a_first_send_costs(sent):
    """Comparing with nothing, and freezing all rows with what is kept for later comparisons."""
    _, costs = sent
    print(
        f"\nprepare {costs['prepare']:.2f} s, freeze {costs['freeze']:.2f} s: "
        f"{1e6 * costs['freeze'] / ROWS:.2f} us a row; {costs['peak'] / 1e6:.0f} MB"
    )
    assert costs["freeze"] <= 2 * costs["prepare"]


@pytest.mark.parametrize(("act", "counted"), [("compare", "reached"), ("compare_changed", "changed")])
def test_what_comparing_costs(sent, act, counted):
    costs = least(sent[0], act, "compare")
    print(
        f"\n{act}: {costs['compare']:.2f} s, {costs['compare'] / costs['prepare']:.2f} times as long as "
        f"prepare ({costs['prepare']:.2f} s); {costs['peak'] / 1e6:.0f} MB above the plan"
    )
    assert costs[counted] == ROWS
    assert costs["compare"] <= 2 * costs["prepare"]
    assert costs["peak"] <= 400e6


def test_what_a_result_costs(sent):
    costs = least(sent[0], "result", "load")
    print(
        f"\nload_result, contacts and batches: {costs['load']:.2f} s, {1e6 * costs['load'] / ROWS:.2f} us a "
        f"row; {costs['peak'] / 1e6:.0f} MB"
    )
    assert costs["accepted"] == costs["rows"] == ROWS
    assert costs["batches"] == ROWS / BATCH
    assert costs["load"] <= 0.7 * sent[1]["prepare"]
