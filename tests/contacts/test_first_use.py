"""Threads that use the package for the first time in the same moment, each with another country."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import campaign

PROGRAM = Path(__file__).parent.parent / "support" / "first_use.py"


def what_goes_wrong(what, folder):
    folder.mkdir()
    command = [sys.executable, str(PROGRAM), what, str(folder)]
    path = {"PYTHONPATH": str(Path(campaign.__file__).parent.parent)}  # the package that is tested
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, **path})
    return ended.stdout + ended.stderr


def wrong_programs(what, programs, tmp_path):
    """What some new programs print that go wrong, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        printed = pool.map(what_goes_wrong, [what] * programs, (tmp_path / f"{n}" for n in range(programs)))
        return [text for text in printed if text]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("what", "programs"),
    [("cleaned", 4), ("prepared", 4), ("read", 2), ("dated", 1), ("sent", 1), ("sent_to_one_sandbox", 1)],
)
def test_eight_threads_with_eight_countries(what, programs, tmp_path):
    assert wrong_programs(what, programs, tmp_path) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("what", "programs"),
    [
        ("cleaned", 70),
        ("prepared", 70),
        ("read", 60),
        ("dated", 20),
        ("sent", 20),
        ("sent_to_one_sandbox", 20),
    ],
)
def test_eight_threads_in_many_new_programs(what, programs, tmp_path):
    assert wrong_programs(what, programs, tmp_path) == []
