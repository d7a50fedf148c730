"""What a command prints: lines for a person on standard output, or with --json one object for a program."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from os import name as system
from typing import Any, TextIO

from campaign.cli.commands import COMMANDS
from campaign.errors import CampaignError, ConfirmationError
from campaign.text import clean, figure
from campaign.words.finding import Finding
from campaign.words.shell import SHELL

_TONES = {"good": "32", "bad": "31", "doubt": "33", "strong": "1"}  # codes of ANSI terminals
_TONE_OF_STATUS = {"accepted": "good", "refused": "bad", "invalid": "bad", "unknown": "doubt"}
_PLAIN = re.compile(r"[\w@%+:,./…=-]+")


class Page:
    """Where a command says what it found: `say`, `line` and `counts` for people, `facts` for programs.

    With --json nothing but the object goes to standard output; whatever else is printed goes to standard
    error. `facts` has the keys of the command from the beginning, so that they are there however it ends.
    """

    folder = ""  # of the campaign, as it is typed, once it is known

    def __init__(self, command: str | None, keys: Iterable[str], *, as_json: bool) -> None:
        self.as_json = as_json
        self.facts: dict[str, Any] = {
            "command": command, "exit_code": None, "error": None, "warnings": [], **dict.fromkeys(keys),
        }  # fmt: skip
        self._output: TextIO = sys.stdout
        self._has_lines = False
        if as_json:
            sys.stdout = sys.stderr

    def say(self, code: str, /, **facts: Any) -> None:
        """A finding: its headline, and its remedy on a line of its own."""
        for text in _lines(Finding(code, facts, "info")):
            self.line(text)

    def line(self, text: object = "", tone: str = "") -> None:
        """One line: a label with figures, or somebody's own words, such as a message."""
        self._has_lines = True
        if not self.as_json:
            print(painted(clean(text), tone, self._output), file=self._output)

    def gap(self) -> None:
        """An empty line below what was said before, if anything was."""
        if self._has_lines:
            self.line()

    def counts(self, rows: int, statuses: Mapping[str, int]) -> None:
        """The number of rows, and how many have each status that occurs."""
        occurring = {status: count for status, count in statuses.items() if count}
        for name, count in {"rows": rows, **occurring}.items():
            self.line(f"  {name.replace('_', ' '):<10} {figure(count):>12}", _TONE_OF_STATUS.get(name, ""))

    def warn(self, finding: Finding) -> None:
        """Something that went wrong, though the command goes on."""
        self.facts["warnings"].append(_as_object(finding) | {"message": _text(finding)})
        complain(finding)

    def refuse(self, error: CampaignError) -> None:
        """What is wrong, and the phrase that it asks for."""
        self.fail(error.finding, type(error).__name__)
        if isinstance(error, ConfirmationError):
            self.facts["error"]["questions"] = error.questions
            if "confirm" in self.facts:
                self.facts["confirm"] = error.phrase or None

    def fail(self, finding: Finding, kind: str) -> None:
        """What is wrong; `kind` is the class of the error."""
        self.facts["error"] = {"kind": kind} | _as_object(finding) | {"message": _text(finding)}
        complain(finding)

    def script(self, text: str) -> None:
        """A text for another program, exactly as it is."""
        if not self.as_json:
            print(text, file=self._output)

    def finish(self, exit_code: int) -> None:
        """Print the object, if one was asked for and was not printed yet."""
        if self.as_json and self.facts["exit_code"] is None:
            self.facts["exit_code"] = exit_code
            print(json.dumps(self.facts, ensure_ascii=False, default=_as_json), file=self._output)


def complain(finding: Finding) -> None:
    """A finding on standard error, below the name of the program."""
    lines = "\n".join(_lines(finding))
    print(f"{painted('campaign:', 'strong', sys.stderr)} {lines}", file=sys.stderr)


def system_error(error: OSError, folder: str = "") -> Finding:
    """What the system could not do; `folder` has what was sent until then."""
    facts = {"reason": error.strerror or type(error).__name__, "file": error.filename, "folder": folder}
    return Finding("system_error", facts)


def _as_json(value: Any) -> Any:
    """What JSON has no form for, as `json.dumps` asks for it."""
    if isinstance(value, Finding):
        return _as_object(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else str(value)


def _as_object(finding: Finding) -> dict[str, Any]:
    return {"code": finding.code, "severity": finding.severity, "facts": dict(finding.facts)}


def _text(finding: Finding) -> str:
    return SHELL.text(_with_option(finding))


def _lines(finding: Finding) -> list[str]:
    finding = _with_option(finding)
    text = f"{SHELL.headline(finding)}\n{SHELL.remedy(finding)}"
    return [clean(line) for line in text.splitlines() if line]


def _with_option(finding: Finding) -> Finding:
    """The finding with the option in place of the argument that it stands for."""
    option = _option_of(finding.facts.get("argument"))
    return Finding(finding.code, {**finding.facts, "argument": option}) if option else finding


def _option_of(argument: object) -> str:
    groups = (group for command in COMMANDS.values() for group in command.groups)
    options = (option for group in groups for option in group.all_options)
    return next((option.names[0] for option in options if option.parameter == argument), "")


def quoted(text: str) -> str:
    """A word as it is typed in a shell, in double quotes if it needs quotes and they are enough."""
    if _PLAIN.fullmatch(text):
        return text
    if system == "nt":
        return subprocess.list2cmdline([text])
    return shlex.quote(text) if re.search(r'["$`\\!]', text) else f'"{text}"'


def painted(text: str, tone: str, stream: TextIO) -> str:
    """The text in a colour, on a terminal that has colours and where nobody has said NO_COLOR."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return text if plain or tone not in _TONES else f"\x1b[{_TONES[tone]}m{text}\x1b[0m"
