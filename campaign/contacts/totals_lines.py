"""Lines of totals below or between people: "Total", alone or with figures, and no number to send to."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, TextArray, matches, series_to_array
from campaign.contacts.columns import number_columns
from campaign.contacts.contact_parts import ContactParts, last_rows, whole_table

# What such a line is called in the languages whose spreadsheets are seen most; "Total paid:", "GRAND TOTAL".
# Sum alone, suma and soma are left out: people have these names.
_WORD = (
    r"(?i)^\s*(?:(?:grand|sub|over)[ -]?sums?|sums?(?: (?:due|paid)|\s*[:=])|"
    r"(?:(?:grand|sub|over)[ -]?)?(?:totals?|totaux|somme|summe|gesamt|gesamtsumme|"
    r"jumla|jumla kuu|total g[eé]n[eé]ral|total general|total geral|итого|всего|المجموع|कुल|ድምር))"
    r"(?: (?:amount|due|paid|people|persons|cost|balance))?\s*[:=.]*\s*$"
)
# An amount: digits, perhaps grouped, perhaps with a currency or a unit of a few letters: "UGX 66,000", "12%".
# Or a count of something: "116 people". Seven digits at most: a number with a name behind has more. The word
# may be of any length, because RE2 takes a hundred times as long to compile a bounded run of letters.
_FIGURE = (
    r"^\s*(?:[^\d]{0,5}\d[\d.,'’ \x{a0}\x{202f}]*[^\d]{0,5}|"
    r"\d(?:[.,'’ \x{a0}\x{202f}]?\d){0,6}[ \x{a0}]?\p{L}+)\s*$"
)
_BLANK = r"^\s*$"
_LIKE_A_NUMBER = r"^\s*[+0][\d ()/.-]{6,}"  # an amount begins with neither; "0.50" is shorter
_DIGIT = r"\p{Nd}"
_LOOKED_AT = 20  # rows at the end of a table
# A remark below it: "Note: as of 20 November", "* without arrears", or seven words, which are no name.
_REMARK = (
    r"(?i)^\s*(?:\*|(?:notes?|n\.?b|remarks?|sources?|legend|prepared|printed|exported|page \d+)\b)|"
    r"^\s*\S+(?:\s+\S+){6,}\s*$"
)
_MOST_LINES = 3  # sub-total, tax and total; more of them are a table of something else, as are more remarks


def looks_like_totals(contacts: pd.DataFrame, rows: Ints) -> Bools:
    """Which of some rows have one word for a total, and nothing else but figures: a person has a name beside.

    `rows` are positions; rows with a number are not asked about.
    """
    found: Bools = _count_matches(contacts, rows, _WORD) == 1
    found[found] = _have_figures_only(contacts, rows[found])
    return found


def _have_figures_only(contacts: pd.DataFrame, rows: Ints) -> Bools:
    """Which rows have nothing but figures beside the word for a total."""
    found: Bools = np.ones(len(rows), dtype=bool)
    for cells in _columns_of(contacts, rows):
        is_figure = matches(cells, _FIGURE) & ~matches(cells, _LIKE_A_NUMBER)
        found &= is_figure | matches(cells, _WORD) | matches(cells, _BLANK)
    return found


def _count_matches(contacts: pd.DataFrame, rows: Ints, pattern: str) -> Ints:
    """How many cells of each row match the pattern."""
    count = np.zeros(len(rows), np.int64)
    for cells in _columns_of(contacts, rows):
        count += matches(cells, pattern)
    return count


def _columns_of(contacts: pd.DataFrame, rows: Ints) -> Iterator[TextArray]:
    """The cells of the rows, column by column; none where there are no rows."""
    return (series_to_array(contacts[name].iloc[rows]) for name in contacts.columns if len(rows))


def closing_totals(contacts: ContactParts, columns: Collection[str]) -> tuple[int, ...]:
    """The rows of the lines of totals that close a table, and of remarks below them: these are no people.

    They have no digit in `columns`, where the numbers are looked for, nor in any other column whose header
    means a number, and only blank rows and a few rows of a single cell come after them. So a
    line between people, which may be somebody with an odd name, is none of them, and neither is any line of a
    whole list of totals. A single cell below them is a remark where it reads like one: a name may be that of
    somebody whose number is missing.
    """
    last = last_rows(whole_table(contacts), _LOOKED_AT)
    every = np.arange(len(last))
    filled = len(last.columns) - _count_matches(last, every, _BLANK)
    has_no_digit = ~_has_digits(last, columns)
    is_total = looks_like_totals(last, every) & has_no_digit
    is_single = (filled == 1) & ~is_total & has_no_digit
    after_people = np.flatnonzero((filled > 0) & ~is_total & ~is_single).max(initial=-1) + 1
    found = np.flatnonzero(is_total[after_people:]) + after_people
    if not len(found) or max(len(found), is_single[found[0] :].sum()) > _MOST_LINES:
        return ()
    remarks = np.flatnonzero(is_single & (_count_matches(last, every, _REMARK) > 0))
    return tuple(last.index[np.union1d(found, remarks[remarks > found[0]])].tolist())


def _has_digits(rows: pd.DataFrame, columns: Collection[str]) -> Bools:
    """Which rows have a digit in one of the columns, or in another one for numbers."""
    found: Bools = np.zeros(len(rows), dtype=bool)
    for name in {*columns, *number_columns(rows.columns)}:
        found |= matches(series_to_array(rows[name]), _DIGIT)
    return found
