"""At a terminal: colours, a progress bar, Ctrl-C."""

import os
import re
import sys
from pathlib import Path

import pytest

import campaign
from campaign.cli.main import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pexpect needs a Unix terminal")

PLAN = ["visits.csv", "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG"]
COLOUR = re.compile(r"\x1b\[\d+m")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"Person {n},0772 000 {n:03}\n" for n in range(200))
    Path("visits.csv").write_text(f"name,phone\n{rows}Nobody,12\n")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def terminal(monkeypatch):
    """Standard output and error say that they are a terminal."""

    def pretend():
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda: True)

    return pretend


def test_colours_are_for_terminals_only(terminal, monkeypatch, capsys):
    main(["check", *PLAN])
    assert not COLOUR.search(capsys.readouterr().out)
    terminal()
    main(["check", *PLAN])
    assert "\x1b[31m  invalid               1\x1b[0m" in capsys.readouterr().out
    main(["check", *PLAN, "--json"])
    assert not COLOUR.search(capsys.readouterr().out)
    main(["check", "nowhere.csv", *PLAN[1:]])
    assert COLOUR.match(capsys.readouterr().err)


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colours_for_those_who_want_none(variable, value, terminal, monkeypatch, capsys):
    monkeypatch.setenv(variable, value)
    terminal()
    main(["check", *PLAN])
    main(["check", "nowhere.csv", *PLAN[1:]])
    said = capsys.readouterr()
    assert not COLOUR.search(said.out + said.err)


def test_ctrl_c_stops_cleanly_and_says_what_was_sent():
    import pexpect

    arguments = ["-m", "campaign", "send", *PLAN, "--batch-size", "1", "--rate", "20", "--concurrency", "1"]
    session = pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=60, dimensions=(40, 200))
    session.expect(r" [1-9]\d*/200 ")  # the bar has moved
    session.sendintr()
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 130
    shown = COLOUR.sub("", session.before)
    accepted = campaign.load_result("campaigns/visits.local").totals["accepted"]
    assert 0 < accepted < 200
    assert f"accepted for {accepted} of " in shown
    assert "campaign status campaigns/visits.local" in shown
    assert "Traceback" not in shown
    assert main(["resume", "campaigns/visits.local"]) == 0
    assert campaign.load_result("campaigns/visits.local").totals["accepted"] == 200
