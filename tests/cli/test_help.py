"""Help, examples, versions and completion: light, and true."""

import re
import resource
import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest
from support.shell import refusal

from campaign.cli.arguments import parser
from campaign.cli.commands import COMMANDS
from campaign.cli.exit_codes import EXIT_CODES
from campaign.cli.main import main

CPU_SECONDS = 0.15


@pytest.mark.parametrize("arguments", [["--help"], ["send", "--help"], ["send", "visits.csv"]])
def test_help_and_wrong_usage_take_next_to_no_time(arguments):
    """The least of some runs: another program on the machine does not make this one slower than it is."""

    def cpu_seconds():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "campaign", *arguments], capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_seconds() for _ in range(3)) < CPU_SECONDS


def test_the_version_is_that_of_the_installed_package(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"campaign {version('campaign')}\n"


def test_the_help_lists_commands_and_exit_codes(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for name in COMMANDS:
        assert re.search(rf"^    {name} +\S", said, re.M)
    for code, meaning in EXIT_CODES.items():
        assert f"{code:>3}  {meaning}" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_begins_with_what_has_to_be_typed_and_ends_with_examples(command, capsys):
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: campaign {' '.join([command, *COMMANDS[command].usage])} [options]\n")
    assert "--environment" not in said  # the name that --account had before
    examples = said.split("\nexamples:\n")[1].splitlines()
    assert examples == [f"  campaign {example}" for example in COMMANDS[command].examples]
    for example in examples:
        arguments = shlex.split(example.split(" > ")[0])
        assert parser().parse_args(arguments[1:]).command == command


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["snd"], "send"),
        (["dance"], ""),
        (["resolve", "x", "1", "acepted"], "accepted"),
        (["send", "x"], ""),
        (["status", "x", "--jsn"], "--json"),
        (["status", "x", "y"], ""),
        (["send", "x", "--mess", "Hi", "--sender", "A"], ""),
        (["resolve", "x", "two", "again"], ""),
        (["report"], ""),
    ],
)
def test_wrong_usage_suggests_what_was_meant(arguments, suggestion, capsys):
    error = refusal(capsys, *arguments)
    assert (error["code"], error["facts"]["suggestion"]) == ("wrong_usage", suggestion)
    assert main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("usage: campaign")
    assert shown.endswith(" --help.\n")


COMPLETED = {
    ("campaign", "re"): {"resume", "resolve", "report", "reconcile", "release"},
    ("campaign", "send", "--acc"): {"--account", "--account-encoding"},
    ("campaign", "send", "x.csv", "--account", ""): {"local", "sandbox", "live"},
    ("campaign", "send", "vis"): {"visits.csv", "visit.txt"},
    ("campaign", "status", "cam"): {"campaigns"},
}


@pytest.mark.parametrize("words", COMPLETED)
def test_bash_completes(words, tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "campaign.bash"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "campaigns").mkdir()
    for name in ("visits.csv", "visit.txt"):
        (tmp_path / name).touch()
    typed = " ".join(f'"{word}"' for word in words)
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _shtab_campaign; echo ${{COMPREPLY[@]}}"
    ended = subprocess.run(
        ["bash", "-c", f". {script}; {ask}"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(ended.stdout.split()) == COMPLETED[words]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_every_command_and_option(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in (*COMMANDS, "account", "not-again", "dry-run"):
        assert name in script
    assert "environment" not in script
    assert "SUPPRESS" not in script
