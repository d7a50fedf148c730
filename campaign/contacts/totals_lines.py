"""Lines of totals below or between people, and footers: "Total", alone or with figures, "Page 1 of 3"."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Bools, Ints, concat_arrays, matches, series_to_array
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.headers import is_number
from campaign.contacts.columns import number_columns
from campaign.contacts.contact_parts import ContactParts, last_rows, whole_table
from campaign.contacts.vocabulary import VOCABULARY

_WORD, _FIGURE, _FOOTER = (
    rf"(?i)^(?:{'|'.join(VOCABULARY['lines'][name])})" for name in ("total", "figure", "footer")
)
_BLANK = r"^\s*$"
_LIKE_A_NUMBER = r"^\s*[+0][\d ()/.-]{6,}"  # an amount begins with neither; "0.50" is shorter
_DIGIT = r"\p{Nd}"
_COUNT = r"^\s*\d{1,4}\s*$"  # of people, below their numbers: no number is so short
_LOOKED_AT = 20  # rows at the end of a table
_LONG_NUMBER = r"\d[\d ]{7,}\d|\d{3,4}-\d{3}-\d{3}"  # no date


def looks_like_totals(contacts: pd.DataFrame, rows: Ints) -> Bools:
    """Which of some rows have one word for a total, and nothing else but figures: a person has a name beside.

    `rows` are positions; rows with a number are not asked about.
    """
    return _stand_beside_figures(contacts.iloc[rows], _WORD)


def closing_totals(contacts: ContactParts, columns: Collection[str]) -> tuple[int, ...]:
    """The rows of the lines of totals and of the footers that close a table: these are no people.

    They have no digit in `columns`, where the numbers are looked for, nor in any other column whose header
    means a number, but for a count of a few digits, and only such lines and blank rows come after them. So a
    line between people, which may be somebody with an odd name, is none of them. A footer is a single cell
    that reads like no name: "Page 1 of 3", "Note: without arrears".
    """
    return _closing_lines(last_rows(whole_table(contacts), _LOOKED_AT), columns)


def without_lines_of_nobody(contacts: pd.DataFrame, columns: Collection[str]) -> pd.DataFrame:
    """The rows of a table that may be people: without blank ones and the lines that close it."""
    blank = blank_labels(contacts)
    closing = _closing_lines(contacts.tail(_LOOKED_AT), columns) if len(contacts) else ()
    return contacts.drop(index=blank.union([*closing])) if len(blank) or closing else contacts


def blank_labels(contacts: pd.DataFrame) -> pd.Index[Any]:
    """The labels of the rows in which no cell holds anything."""
    cells = (pa.chunked_array([series_to_array(contacts[name])]) for name in contacts.columns)
    blank: pd.Index[Any] = contacts.index[blank_rows(cells, len(contacts))]
    return blank


def _closing_lines(last: pd.DataFrame, columns: Collection[str]) -> tuple[int, ...]:
    """Which of the last rows of a table are lines of totals that close it, remarks below them, or footers."""
    others = [name for name in number_columns(last.columns) if name not in columns]
    numbers = [*columns, *others]
    if all(any(map(is_number, row)) for row in last[numbers].itertuples(index=False)):
        return ()  # as in most tables, without a pattern that takes longer to build
    is_figure = _cells(last, numbers, _COUNT) | _cells(last, numbers, _WORD)
    has_number = (_cells(last, numbers, _DIGIT) & ~is_figure).any(axis=1)
    is_total = _stand_beside_figures(last, _WORD) & ~has_number
    filled = (~_cells(last, last.columns, _BLANK)).sum(axis=1)
    is_footer = (filled == 1) & _have(last, last.columns, _FOOTER) & ~_have(last, last.columns, _LONG_NUMBER)
    is_person = (filled > 0) & ~is_total & ~is_footer
    after_people = np.arange(len(last)) > np.flatnonzero(is_person).max(initial=-1)
    return tuple(last.index[(is_total | is_footer) & after_people].tolist())


def _stand_beside_figures(rows: pd.DataFrame, pattern: str) -> Bools:
    """Which rows have one cell with the pattern, and nothing else but figures."""
    is_word = _cells(rows, rows.columns, pattern)
    found: Bools = np.equal(is_word.sum(axis=1), 1)
    if found.any():
        theirs = rows[found]
        blank, figure, number = (
            _cells(theirs, rows.columns, one) for one in (_BLANK, _FIGURE, _LIKE_A_NUMBER)
        )
        found[found] = (is_word[found] | blank | (figure & ~number)).all(axis=1)
    return found


def _have(rows: pd.DataFrame, columns: Collection[str], pattern: str) -> Bools:
    """Which rows have a cell with the pattern in one of the columns."""
    found: Bools = np.logical_or.reduce(_cells(rows, columns, pattern), axis=1)
    return found


def _cells(rows: pd.DataFrame, columns: Collection[str], pattern: str) -> Bools:
    """Which cells have the pattern: rows by columns."""
    # All at once: to build a pattern takes longer than to look at many cells.
    texts = concat_arrays([series_to_array(rows[name]) for name in columns])
    found: Bools = matches(texts, pattern).reshape(len(columns), len(rows)).T
    return found
