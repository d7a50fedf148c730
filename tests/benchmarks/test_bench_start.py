"""What it costs until the first thing happens, as ratios of CPU time beside the libraries, in turns.

python -m pytest -n 0 -m benchmark tests/benchmarks/test_bench_start.py -s
"""

import compileall
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import campaign

TURNS = 9
ROOT = Path(__file__).parents[2]
LIBRARIES = "import pandas, pyarrow, aiohttp"
# What a sample campaign needs on top: the sandbox with its certificate, parquet, workbook, ledger and report.
ALL_LIBRARIES = (
    f"{LIBRARIES}, aiohttp.web, pyarrow.parquet, python_calamine, psutil, sqlite3, phonenumbers, regex, "
    "filelock, platformdirs, tqdm, jinja2, cryptography.x509, cryptography.hazmat.primitives.asymmetric.ec"
)
SAMPLE = (
    "send", str(ROOT / "sample_data/clinic_visits.xlsx"), "--message-file",
    str(ROOT / "sample_data/visit_reminder.txt"), "--sender", "CLINIC", "--region", "UG",
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """The package's bytecode, which an installation has and a checkout may not have."""
    compileall.compile_dir(ROOT / "campaign", quiet=1)


def cpu(arguments, folder, expected=0):
    """Seconds of CPU, user and system, of one process and of those that it starts."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == expected, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(ways, folder, turns=TURNS):
    """The least that each way costs, all of them once in every turn: what is more is other guests' noise."""
    costs = {name: [] for name in ways}
    for turn in range(turns):
        for name, (arguments, expected) in ways.items():
            place = folder / f"{turn} {name}"
            place.mkdir()
            costs[name].append(cpu(arguments, place, expected))
    return {name: min(seconds) for name, seconds in costs.items()}


def shown(costs, beside):
    """The ratios to one of the ways, printed."""
    ratios = {name: seconds / costs[beside] for name, seconds in costs.items()}
    print()
    for name, seconds in costs.items():
        print(f"{name:<16} {seconds:.3f} s of CPU, {ratios[name]:.2f} times {beside}")
    return ratios


@pytest.mark.benchmark
@pytest.mark.timeout(1800)
def test_everything_but_the_widgets_costs_at_most_a_tenth_more_than_its_libraries(tmp_path):
    names = [name for name, module in campaign._MODULES.items() if ".notebook." not in module]
    verbs = [name for name in names if name.islower()]
    ways = {
        "libraries": (["-c", LIBRARIES], 0),
        "import": (["-c", "import campaign"], 0),
        "everything": (["-c", f"from campaign import {', '.join(names)}"], 0),
        **{verb: (["-c", f"import campaign; campaign.{verb}"], 0) for verb in verbs},
    }
    ratios = shown(least(ways, tmp_path), "libraries")
    assert ratios.pop("libraries") == 1
    assert max(ratios.values()) <= 1.1
    assert ratios["import"] <= 0.1


@pytest.mark.benchmark
@pytest.mark.timeout(600)
def test_help_and_wrong_usage_cost_less_than_a_third_of_the_libraries(tmp_path):
    ways = {
        "libraries": (["-c", LIBRARIES], 0),
        "help": (["-m", "campaign", "--help"], 0),
        "help of send": (["-m", "campaign", "send", "--help"], 0),
        "wrong command": (["-m", "campaign", "sent"], 2),
        "wrong option": (["-m", "campaign", "send", "contacts.xlsx", "--sendr", "CLINIC"], 2),
    }
    ratios = shown(least(ways, tmp_path), "libraries")
    assert ratios.pop("libraries") == 1
    assert max(ratios.values()) <= 0.3


@pytest.mark.benchmark
@pytest.mark.timeout(600)
def test_the_sample_campaign_costs_at_most_half_as_much_again_as_its_libraries(tmp_path):
    ways = {"libraries": (["-c", ALL_LIBRARIES], 0), "sample campaign": (["-m", "campaign", *SAMPLE], 0)}
    # It works for twice as long as anything else here, so that a turn without other guests is rarer.
    ratios = shown(least(ways, tmp_path, turns=3 * TURNS), "libraries")
    assert ratios["sample campaign"] <= 1.5
