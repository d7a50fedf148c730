"""How a command ends: with its exit code, and nothing lost that was to be written or called."""

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, sys, threading
from campaign.cli.leaving import leave
atexit.register(print, "called")
{before}
sys.stdout.write("written, ")
leave(3)
"""
AT_WORK = "threading.Timer(0.2, print, ['worked to its end']).start()"


def end_of(before):
    program = PROGRAM.format(before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("before", "said"),
    [("", "written, called\n"), (AT_WORK, "written, worked to its end\ncalled\n")],
)
def test_what_was_written_is_there_and_who_asked_is_called(before, said):
    assert end_of(before) == (3, said, "")


def test_python_takes_nothing_apart_where_nobody_is_at_work():
    taken_apart = "class Torn:\n    def __del__(self):\n        print('torn')\ntorn = Torn()"
    assert end_of(taken_apart) == (3, "written, called\n", "")
    assert "torn" in end_of(f"{taken_apart}\n{AT_WORK}")[1]
