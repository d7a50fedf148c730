"""What a command prints: lines for a person on standard output, or with --json one object for a program."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from campaign.cli.shell_words import ShellWords
from campaign.errors import CampaignError, ConfirmationError
from campaign.text import clean, figure

_TONES = {"good": "32", "bad": "31", "doubt": "33", "strong": "1"}  # codes of ANSI terminals
_TONE_OF_STATUS = {"accepted": "good", "refused": "bad", "invalid": "bad", "unknown": "doubt"}


class Page:
    """Where a command says what it found: `line` and `counts` for people, `facts` for programs.

    With --json nothing but the object goes to standard output; whatever else is printed goes to standard
    error. `facts` has the keys of the command from the beginning, so that they are there however it ends.
    """

    def __init__(self, command: str, words: ShellWords, keys: Iterable[str], *, as_json: bool) -> None:
        self.words, self.as_json = words, as_json
        self.facts: dict[str, Any] = {
            "command": command, "exit_code": None, "error": None, "warnings": [], **dict.fromkeys(keys),
        }  # fmt: skip
        self._output: TextIO = sys.stdout
        self._has_lines = False
        if as_json:
            sys.stdout = sys.stderr

    def line(self, text: object = "", tone: str = "") -> None:
        """One line of text, in the words of the shell."""
        self.quote(self.words(clean(text)), tone)

    def quote(self, text: object, tone: str = "") -> None:
        """One line with somebody's own words, such as a message, which are left as they are."""
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

    def warn(self, text: object) -> None:
        """A sentence about something that went wrong, though the command goes on."""
        sentence = self.words(clean(text))
        self.facts["warnings"].append(sentence)
        complain(sentence)

    def refuse(self, error: CampaignError) -> None:
        """The sentence of an error, and the phrase that it asks for."""
        if "confirm" in self.facts:
            self.facts["confirm"] = self.words.argument(str(error), "confirm")
        self.fail(type(error).__name__, self.words(str(error)))
        if isinstance(error, ConfirmationError):
            self.facts["error"]["questions"] = error.questions

    def fail(self, kind: str, sentence: str) -> None:
        self.facts["error"] = {"kind": kind, "message": clean(sentence)}
        complain(sentence)

    def script(self, text: str) -> None:
        """A text for another program, exactly as it is."""
        if not self.as_json:
            print(text, file=self._output)

    def finish(self, exit_code: int) -> None:
        """Print the object, if one was asked for and was not printed yet."""
        if self.as_json and self.facts["exit_code"] is None:
            self.facts["exit_code"] = exit_code
            print(json.dumps(self.facts, ensure_ascii=False), file=self._output)


def complain(sentence: str) -> None:
    """A sentence on standard error, below the name of the program; its line breaks stay."""
    lines = "\n".join(clean(line) for line in sentence.splitlines())
    print(f"{painted('campaign:', 'strong', sys.stderr)} {lines}", file=sys.stderr)


def painted(text: str, tone: str, stream: TextIO) -> str:
    """The text in a colour, on a terminal that has colours and where nobody has said NO_COLOR."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return text if plain or tone not in _TONES else f"\x1b[{_TONES[tone]}m{text}\x1b[0m"
