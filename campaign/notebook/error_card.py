"""Errors as IPython shows them: what is wrong, what to do and where, instead of our own frames."""

from __future__ import annotations

import re
from itertools import takewhile
from linecache import getline
from pathlib import Path
from traceback import walk_tb
from typing import Any

from campaign import markup
from campaign.errors import ConfirmationError
from campaign.local_times import LocalTimes
from campaign.text import shorten, without_controls
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_PACKAGE = str(Path(__file__).parents[1])
_LONGEST_LINE = 90  # characters of the line of code that is shown
# JupyterLab breaks a line of an error wherever it ends, also inside a word. This fits beside its file browser
# on a screen of 1,280 pixels. What can be copied stays whole: quoted names, paths and phrases, and calls.
_WIDTH = 104
_CALL = r"(?:\w+ = )?[\w.]+\((?:[^()\n]|\([^()\n]*\))*\)"
_QUOTED = r"""\"[^"\n]*"|(?<!\w)'[^'\n]*'(?!\w)"""
_WORD = re.compile(rf"(?:{_CALL}|{_QUOTED}|\S)+")
_DECISION = Finding("question_open")
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_FIRST_SENTENCE = re.compile(r"(.+?[.?!])(?:\s+(?=[^a-z])|$)(.*)", re.DOTALL)

STYLE = """
.campaign.campaign pre.phrase{font:600 1em/1.5 ui-monospace,Consolas,Menlo,monospace;color:inherit;
background:rgba(128,128,128,.14);border-radius:3px;padding:.4em .7em;margin:.4em 0;white-space:pre-wrap;
user-select:all}
.campaign.campaign .question{white-space:pre-wrap}
.campaign .campaign-form .problem p{color:var(--bad);font-weight:600}
"""
# Programs that run notebooks find the error. A person at JupyterLab gets a card, and not an alarm above it.
INSTEAD_OF_ERROR = (
    "<style>.jp-OutputArea-child:has(+.jp-OutputArea-child .campaign-asked){display:none}</style>"
    '<span class="campaign-asked"></span>'
)


def error_lines(error: BaseException, shell: Any) -> list[str]:
    """The lines that stand for a traceback: the first sentence in bold, the others, and the user's own call.

    `shell` is IPython's; without colours it gets no escapes. In a notebook a question of ours is one line,
    because its card is shown below.
    """
    in_notebook = getattr(shell, "kernel", None) is not None
    if in_notebook and isinstance(error, ConfirmationError):
        return [PYTHON.headline(_DECISION)]
    text = without_controls(str(error))
    match = _FIRST_SENTENCE.fullmatch(text)
    what, remedy = match.groups() if match else (text, "")
    if in_notebook:
        what, remedy = _in_lines(what), _in_lines(remedy)
    plain = str(getattr(shell, "colors", "")).lower() == "nocolor"
    head = what if plain else f"{_BOLD}{what}{_PLAIN}"
    return [line for line in (head, remedy, _where(error, shell)) if line]


def _in_lines(text: str) -> str:
    """The text with long lines broken between words."""
    return "\n".join(_filled(line) if len(line) > _WIDTH else line for line in text.split("\n"))


def _filled(line: str) -> str:
    """A line as several, none longer than a screen shows unless one piece is."""
    lines = [""]
    for word in _WORD.findall(line):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return "\n".join(lines)


def question_card(question: ConfirmationError) -> str:
    """The card of a question to a person: what would happen, and the phrase to give, ready to be copied."""
    style = f"<style>{STYLE}</style>"
    complaint = markup.paragraph(question.complaint) if question.complaint else ""
    findings = question.finding.facts["findings"]
    asked = PYTHON.headline(Finding("confirmation_needed", {"findings": findings}))
    pieces = [style, complaint, f'<p class="question">{markup.escape(asked)}</p>']
    if question.phrase:
        what = "run this:" if question.call else "run the cell again with:"
        pieces.append(markup.paragraph(f"To go on, {what}"))
        line = question.call or f'confirm="{question.phrase}"'
        pieces.append(f'<pre class="phrase">{markup.escape(line)}</pre>')
    pieces += [
        markup.paragraph(words, note=True) for words in (PYTHON.remedy(_DECISION), LocalTimes().written_now())
    ]
    return markup.card(PYTHON.headline(_DECISION), pieces)


def _where(error: BaseException, shell: Any) -> str:
    """The kind of the error, and the line of the user's own code that led to it."""
    frames = list(walk_tb(error.__traceback__))
    # What is run in a cell has the names of the person, whatever IPython calls its file.
    cells = [place for place in frames if place[0].f_globals is shell.user_ns]
    outside = list(takewhile(lambda place: not place[0].f_code.co_filename.startswith(_PACKAGE), frames))
    kind = type(error).__name__
    if not (cells or outside):
        return kind
    frame, line = (cells or outside)[-1]
    filename = frame.f_code.co_filename
    name = _name_of_cell(filename, shell) if cells else filename
    code = shorten(without_controls(getline(filename, line)).strip(), _LONGEST_LINE)
    return f"{kind} in {name}, line {line}: {code}"


def _name_of_cell(filename: str, shell: Any) -> str:
    """The name of a cell as IPython writes it, "Cell In[3]"; before version 8 it had none for it."""
    name_of = getattr(shell.compile, "format_code_name", None)
    return " ".join(name_of(filename) or ["the cell"]) if name_of else "the cell"
