"""Rows that belong to the header: HXL tags below it, texts of questions, the header again on each page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Bools
from campaign.arrow_types import TEXT
from campaign.contacts.cells.grid import Grid
from campaign.contacts.cells.headers import names_number
from campaign.contacts.columns import may_hold_numbers, words
from campaign.contacts.exports import Export

LOOKED_AT = 3  # rows right below the header
_DIGITS = 7  # of a number, or of a date
_HASHTAG = re.compile(r"\s*#[a-z]\w*(?:\s*\+\s*[a-z]\w*)*\s*", re.I | re.ASCII)
_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:.*\}\s*')  # the third line of Qualtrics
_ANSWER = re.compile(r"\s*(?:Open-Ended )?Response\s*")  # the second line of SurveyMonkey
_PAGE = re.compile(r"\W*page \d+(?: ?(?:of|/) ?\d+)?\W*", re.I)


class HeaderLines:
    """Takes these rows out of the rows below a header, grid by grid, and keeps their numbers.

    None of them has a number: nobody is left out who could get a message.
    """

    def __init__(self, heads: Sequence[str], export: Export, *, is_top: bool) -> None:
        """With `is_top`, the first rows come right below the header."""
        self.rows: dict[str, list[int]] = {}  # that were taken out, by what they hold
        self._heads, self._export, self._is_top = heads, export, is_top

    def taken_out(self, below: Grid) -> Grid:
        """The rows of the next grid without these."""
        if self._is_top and len(below):
            count, kind = _lines_at_top(below.head(LOOKED_AT), self._heads, self._export)
            self._note(kind, below.rows[:count])
            below, self._is_top = below.cut(count, len(below)), False
        repeated = _repeated(below, self._heads)
        self._note("the header again", below.rows[repeated])
        return below.only(~repeated)

    def _note(self, kind: str, rows: Iterable[int]) -> None:
        if numbers := [int(row) for row in rows]:
            self.rows.setdefault(kind, []).extend(numbers)


def _lines_at_top(lines: Sequence[Sequence[str]], heads: Sequence[str], export: Export) -> tuple[int, str]:
    """How many of the first lines below a header belong to it, and what they hold; none has a number."""
    for count, line in enumerate(lines, start=1):
        filled = _filled(line)
        if filled and all(map(_IMPORT_ID.fullmatch, filled)):
            return count, "questions and ids of Qualtrics"
        if max((sum(map(str.isdigit, cell)) for cell in filled), default=0) >= _DIGITS:
            break
    else:
        count = len(lines) + 1
    if count < 2:
        return 0, ""
    first = _filled(lines[0])
    least = 1 if export.hashtags else 2
    if len(first) >= least and all(map(_HASHTAG.fullmatch, first)):
        return 1, "HXL tags"
    answers = [cell for cell in first if _ANSWER.fullmatch(cell)]
    if answers and (len(answers) == len(first) or not lines[0][0].strip()):
        return 1, "kinds of answers"
    return (1, "labels of the columns") if _are_labels(lines[0], heads) else (0, "")


def _filled(line: Iterable[str]) -> list[str]:
    return [cell for cell in line if cell.strip()]


def _are_labels(line: Sequence[str], heads: Sequence[str]) -> bool:
    """Whether a line says the same as the header in other words, below a number, too."""
    pairs = [(cell, head) for cell, head in zip(line, heads, strict=True) if cell.strip()]
    alike = [cell for cell, head in pairs if {*words(cell)} & {*words(head)}]
    of_number = any(may_hold_numbers(cell) and may_hold_numbers(head) for cell, head in pairs)
    return of_number and len(pairs) > 1 and len(alike) * 2 > len(pairs)


def _repeated(below: Grid, heads: Sequence[str]) -> Bools:
    """Which rows repeat the whole header, or count the pages right above it."""
    import pyarrow.compute as pc  # see cell_text

    found: Bools = np.zeros(len(below), dtype=bool)
    named = [(column, head) for column, head in zip(below.columns, heads, strict=True) if head.strip()]
    if len(named) < 2 and not names_number(heads):
        return found
    for place, (column, head) in enumerate(named):
        is_same = pc.equal(column, pa.scalar(head, TEXT)).to_numpy()
        found = is_same if not place else found & is_same
        if not found.any():
            return found
    for row in np.flatnonzero(found[1:]).tolist():
        above = _filled(below.cut(row, row + 1).head(1)[0])
        found[row] |= len(above) == 1 and bool(_PAGE.fullmatch(above[0]))
    return found
