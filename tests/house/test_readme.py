"""What the README tells people to type works, word for word."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from campaign.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.S) for line in block.splitlines()]


@pytest.fixture(autouse=True)
def _in_a_clone(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)


def test_the_two_commands_stand_in_the_first_thirty_lines():
    head = README.splitlines()[:30]
    assert len(COMMANDS) == 2
    assert set(COMMANDS) <= set(head)
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install") for line in COMMANDS)


def test_the_first_command_ends_with_a_summary_and_a_report(capsys):
    command = shlex.split(COMMANDS[0].rsplit(" && ", 1)[1])
    assert command[0] == ".venv/bin/campaign"
    assert main(command[1:]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^ +275  accepted, cost ", said, re.M)
    kinds = re.findall(r"^ +(\d+)  (?!row not read)", said, re.M)
    assert sum(map(int, kinds)) == 299
    (folder,) = Path("campaigns").iterdir()
    assert (folder / "report.html").stat().st_size > 10_000


def test_ci_runs_the_second_command():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    (pattern,) = re.findall(r"grep -m1 -E '(.*)' README.md", script)
    found = [line for line in README.splitlines() if re.search(pattern, line)]
    assert found[0] == COMMANDS[1]


def test_every_dependency_has_its_reason():
    wanted = re.findall(r'^    "([a-z0-9-]+)[>;]', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    core = wanted[: wanted.index("tzdata") + 1]
    table = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert [name for name in core if name not in table] == []
