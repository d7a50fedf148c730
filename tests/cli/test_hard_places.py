"""Closed pipes, full disks and folders that cannot be written: a sentence and the right exit code, never a
traceback; and the messages that should leave have left or have not."""

import ctypes
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from support.broken_output import broken_stream, main_into
from support.shell import refused_code
from support.small_campaigns import people, plan_for

import campaign
from campaign.cli.commands import COMMANDS
from campaign.cli.main import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="its pipes, disks and permissions differ")

VISITS = "name,phone\n" + "".join(f"Person {n},0772 000 {n:03}\n" for n in range(12)) + "Nobody,12\n"
PLAN = ["visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]
FULL = "campaign: The output could not be written: No space left on device."
# A command for each verb that succeeds; without app and sandbox, which run until they are stopped.
SUCCEEDING = {
    "check": ["check", *PLAN],
    "try-out": ["try-out", *PLAN, "--to", "0772 000 099"],
    "send": ["send", *PLAN],
    "resume": ["resume", "done"],
    "status": ["status", "done"],
    "resolve": ["resolve", "lost", "1", "accepted", "--confirm", "batch 1 was accepted"],
    "reconcile": ["reconcile", "done", "provider.csv"],
    "close": ["close", "done"],
    "erase": ["erase", "done", "--confirm", "erase 3 people of done"],
    "follow-up": ["follow-up", "done", "to_correct.csv"],
    "history": ["history", "."],
    "report": ["report", "done", "report.csv"],
    "completion": ["completion", "bash"],
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with a spreadsheet, a finished campaign, and one whose only batch is unknown."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "visits.csv").write_text(VISITS)
    (folder / "provider.csv").write_text("Number,Text,Time\n256772000000,Hi,2126-01-01 08:00Z\n")
    options = {"canary": False, "progress": False}
    with campaign.Sandbox(faults={1: "accept_reset"}) as sandbox:
        campaign.send(plan_for(people(2)), account=sandbox, folder=folder / "lost", **options)
        campaign.send(plan_for(people(3)), account=sandbox, folder=folder / "done", **options)
    return folder


@pytest.fixture(autouse=True)
def desk(world, tmp_path, monkeypatch):
    path = tmp_path / "desk"
    shutil.copytree(world, path)
    monkeypatch.chdir(path)
    return path


def totals(folder):
    return {status: count for status, count in campaign.load_result(folder).totals.items() if count}


ALL_ACCEPTED = {"invalid": 1, "accepted": 12}


# output that cannot be written


def test_every_command_is_tried():
    with_a_database = {"release", "worker", "order"}  # see test_workers_in_a_shell
    assert {*SUCCEEDING, *with_a_database, "app", "sandbox"} == set(COMMANDS)


@pytest.mark.parametrize("command", SUCCEEDING)
@pytest.mark.parametrize("place", ["full", "left"])
def test_a_command_does_its_work_when_nobody_can_read_what_it_says(command, place, capsys):
    assert main_into(place, SUCCEEDING[command]) == (4 if place == "full" else 0)
    said = capsys.readouterr().err
    assert said.startswith(FULL) if place == "full" else said == ""
    done = {
        "send": lambda: totals("campaigns/visits.local") == ALL_ACCEPTED,
        "resolve": lambda: totals("lost") == {"accepted": 2},
        "erase": lambda: not Path("done/rounds/0001/plan").exists(),
        "follow-up": lambda: Path("to_correct.csv").is_file(),
        "report": lambda: Path("report.csv").is_file(),
    }
    assert command not in done or done[command]()
    if place == "full" and command == "send":
        assert "campaign status campaigns/visits.local" in said


@pytest.mark.parametrize("place", ["full", "left"])
@pytest.mark.parametrize(
    "arguments", [["--help"], ["send", "--help"], ["--version"], ["status", "done", "--json"]]
)
def test_help_that_cannot_be_written_says_so(arguments, place, capsys):
    assert main_into(place, arguments) == (4 if place == "full" else 0)
    assert capsys.readouterr().err == (f"{FULL}\n" if place == "full" else "")


def test_an_error_that_cannot_be_written_still_has_its_exit_code():
    with broken_stream("full") as stream, redirect_stderr(stream):
        assert main_into("full", ["status", "nowhere"]) == 2
        assert main_into("full", ["stats"]) == 2


PROGRAM = [sys.executable, "-W", "error", "-m", "campaign"]


def in_a_shell(line):
    """The exit code of a line, and what it said, in a shell in which `campaign` is the program."""
    ended = subprocess.run(
        ["sh", "-c", f'campaign() {{ {shlex.join(PROGRAM)} "$@"; }}\n{line}'], capture_output=True, text=True
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{ campaign send %s; echo $? > code; } | head -1", "Rehearsal, nobody got anything: "),
        ("campaign send %s <&- >&- 2>&-; echo $? > code", ""),
    ],
    ids=["head", "closed"],
)
def test_a_program_without_its_streams_sends_all_the_same(line, said):
    """As processes: the interpreter's own end, and descriptors that a ledger could take."""
    _, shown, errors = in_a_shell(line % shlex.join(PLAN))
    assert shown.startswith(said)
    assert errors == ""
    assert Path("code").read_text() == "0\n"
    assert totals("campaigns/visits.local") == ALL_ACCEPTED
    assert (Path("campaigns/visits.local") / "report.html").is_file()


def test_no_file_takes_the_place_of_a_closed_stream():
    """The next file that is opened would be standard output, and get whatever is written there."""
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from campaign.cli.main import steady_streams\n"
        "with steady_streams():\n"
        "    Path('number').write_text(str(os.open('visits.csv', os.O_RDONLY)))\n"
    )
    line = f"{shlex.join([sys.executable, '-c', code])} <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line]).returncode == 0
    assert int(Path("number").read_text()) > 2


def test_characters_that_a_terminal_lacks_are_escaped():
    Path("visits.csv").write_text("name,phone\nŽofie,12\n")
    ended = subprocess.run(
        [*PROGRAM, "check", *PLAN[:-2], "--region", "Žižkov"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 2
    assert r"\u017di\u017ekov" in ended.stderr


# input that is not there


def test_nothing_on_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert refused_code(capsys, "check", "-", *PLAN[1:]) == "input_empty"


# reports that cannot be written


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nowhere/report.html", "file_not_writable"),
        ("report.pdf", "wrong_ending"),
        (".", "wrong_ending"),
        ("folder.html", "file_not_writable"),
        ("link.html", "file_not_writable"),
        ("device.html", "file_not_writable"),
        ("x" * 300 + ".html", "file_not_writable"),
    ],
)
@pytest.mark.parametrize("command", ["check", "send", "resume", "report"])
def test_the_place_of_a_report_is_checked_before_anything_is_sent(command, path, code, capsys):
    Path("folder.html").mkdir()
    Path("link.html").symlink_to("visits.csv")
    os.mkfifo("device.html")
    before = sorted(Path.cwd().rglob("*"))
    option = [] if command == "report" else ["--report", "good.html", "--report"]
    assert refused_code(capsys, *SUCCEEDING[command][:2], *option, path, *SUCCEEDING[command][2:]) == code
    assert sorted(Path.cwd().rglob("*")) == before


def test_a_report_that_fails_afterwards_is_a_warning_and_hides_nothing(monkeypatch, capsys):
    """The disk fills up between the check and the report."""
    from campaign.results import report

    def fill_up(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "write_csv_parts", fill_up)
    assert main(["send", *PLAN, "--report", "late.csv", "--report", "good.html"]) == 4
    said = capsys.readouterr()
    assert "12  accepted" in said.out
    assert "Report: good.html" in said.out
    assert main(["send", *PLAN, "--report", "late.csv", "--json"]) == 4
    facts = json.loads(capsys.readouterr().out)
    assert facts["exit_code"] == 4
    (warning,) = facts["warnings"]
    assert (warning["code"], warning["facts"]["file"]) == ("report_not_written", "late.csv")
    assert warning["facts"]["cause"]["code"] == "file_not_writable"
    assert facts["result"]["statuses"]["accepted"] == 12


# a disk that is full, and folders that cannot be written

# Run in a process of its own: (largest file, arguments) -> exit code and what was said.
_TRIALS = """
import contextlib, io, json, resource, sys
import campaign
from campaign.cli.main import main

campaign.send, campaign.write_report, campaign.write_follow_up  # loaded before the disk is full
for limit, arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
_UNLIMITED = -1


def try_out(trials, prepare=None):
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _TRIALS, json.dumps(trials)],
        preexec_fn=prepare, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_a_full_disk_says_what_has_left(desk):
    """Files can grow to 1,000 bytes, to some pages of the ledger, or to less than a report of 300 rows."""

    def told(trial):
        code, output, _ = trial
        return code, json.loads(output)

    rows = [f"{'Person' * 20} {n},0772 000 {n:03}" for n in range(300)]
    Path("many.csv").write_text("\n".join(["name,phone", *rows]))
    slowly = ["--batch-size", "1", "--concurrency", "2"]
    none, some, no_report, no_follow_up = try_out(
        [
            (limit, [*arguments, "--json"])
            for limit, arguments in [
                (1_000, ["send", "many.csv", *PLAN[1:], "--name", "none"]),
                (150_000, ["send", "many.csv", *PLAN[1:], "--name", "some", *slowly]),
                (33_000, ["report", "campaigns/some.local", "report.csv"]),
                (33_000, ["follow-up", "campaigns/some.local", "rest.csv", "--status", "not_sent"]),
            ]
        ]
    )
    code, facts = told(none)
    assert (code, facts["error"]["code"]) == (2, "ledger_unwritable")
    assert not Path("campaigns/none.local").exists()

    code, facts = told(some)
    assert (code, facts["error"]["code"]) == (4, "ledger_unwritable")
    accepted = totals("campaigns/some.local")["accepted"]
    assert 0 < accepted < 300
    assert facts["result"]["statuses"]["accepted"] == accepted

    code, facts = told(no_report)
    assert (code, [warning["code"] for warning in facts["warnings"]]) == (4, ["report_not_written"])
    assert not Path("report.csv").exists()
    code, facts = told(no_follow_up)
    assert (code, facts["error"]["code"]) == (2, "file_not_writable")
    assert [path for path in desk.iterdir() if path.name.startswith(".report-")] == []


def as_somebody_else():
    """For a child process: root without its powers, so that permissions count for it, too."""
    if os.geteuid() == 0:
        drop_from_bounding_set, libc = 24, ctypes.CDLL(None)
        for power in range(64):
            libc.prctl(drop_from_bounding_set, power, 0, 0, 0)


def test_folders_that_cannot_be_written(desk):
    for folder in ("done", "lost"):
        Path(folder).chmod(0o555)
    desk.chmod(0o555)
    try:
        told = dict(
            zip(
                SUCCEEDING,
                try_out([(_UNLIMITED, arguments) for arguments in SUCCEEDING.values()], as_somebody_else),
                strict=True,
            )
        )
    finally:
        desk.chmod(0o755)
        for folder in ("done", "lost"):
            Path(folder).chmod(0o755)
    codes = {command: code for command, (code, _, _) in told.items()}
    # What only looks works; what writes is refused before anything is sent.
    looking = {"check", "status", "history", "completion", "reconcile"}
    assert {command for command, code in codes.items() if code == 0} == looking, told
    assert {code for command, code in codes.items() if command not in looking} == {2}
    for command, (_, _, said) in told.items():
        assert said.startswith("campaign: ") if command not in looking else said == ""
        assert "Traceback" not in said
    assert not Path("campaigns").exists()
    assert totals("lost") == {"unknown": 2}
