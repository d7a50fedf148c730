"""Which column tells the people of a table apart: most often that of their names."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from campaign.arrow_text import matches, series_to_array
from campaign.contacts.columns import fold
from campaign.contacts.exports import row_counter
from campaign.contacts.vocabulary import phrases

LOOKED_AT = 100  # rows at the beginning of a table that show what a column has
_COUNTERS = {"", *phrases("numbers", "row_counters")}  # folded headers
_FIGURES = r"^[0-9 .,:/()+-]*$"  # numbers, dates, or nothing
_NUMBER = r"(?:[0-9][^0-9]*){7}"  # as long as the shortest phone number


def naming_column(contacts: pd.DataFrame, of_numbers: Collection[str]) -> str:
    """The first column that says whose row it is, most often by a name; "" if there is none.

    `of_numbers` are the columns of the phone numbers. Columns of figures, such as one that counts the rows,
    are taken only where no other column has text, whatever stands in them beside people: "TOTAL", a remark.
    """
    first = contacts.head(LOOKED_AT)
    left_out = {*of_numbers, row_counter(first.columns)}
    others = [name for name in first.columns if name not in left_out]
    people = _with_numbers(first, [name for name in of_numbers if name in first.columns])
    with_text = [name for name in others if not matches(series_to_array(people[name]), _FIGURES).all()]
    named = [name for name in with_text or others if fold(name) not in _COUNTERS]
    return next(iter(named or with_text or others), "")


def _with_numbers(rows: pd.DataFrame, of_numbers: Collection[str]) -> pd.DataFrame:
    """The rows that have a phone number; all where none has one."""
    has_number = pd.Series(False, index=rows.index)
    for name in of_numbers:
        has_number |= matches(series_to_array(rows[name]), _NUMBER)
    return rows[has_number] if has_number.any() else rows
