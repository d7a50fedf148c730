"""Columns of amounts, such as balances: no cell is a phone number, though one may be as long."""

from __future__ import annotations

from operator import add

import pandas as pd
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import astuple

from campaign.arrow_text import equal_texts, matches, series_to_array, strip_texts

# 1250000, -75000, 0, 12.50, 1,250,000.00, 1 250 000: what begins with a 0 is no amount, but for 0 and 0.5.
_GROUPED = "[1-9][0-9]{0,2}(?:[ ,.'\u00a0\u202f][0-9]{3})+"
_AMOUNT = rf"^ *-? ?(?:0|[1-9][0-9]*|{_GROUPED})(?:[.,][0-9]{{1,2}})? *$"
_LONG = r"(?:[0-9][^0-9]*){7}"  # as long as the shortest phone number
_FEWEST = 0.5  # of the filled cells that have to be amounts
_SHORT = 0.1  # of the amounts that have to be too short for a phone number: a column of those has hardly any


class AmountCounts(Struct, frozen=True):
    """How many cells of a column are filled, have digits, are amounts, and are amounts of few digits."""

    filled: int = 0
    with_digits: int = 0
    amounts: int = 0
    short: int = 0

    def __add__(self, other: AmountCounts) -> AmountCounts:
        return AmountCounts(*map(add, astuple(self), astuple(other)))

    @property
    def are_amounts(self) -> bool:
        """Whether it is a column of amounts: nothing else in it has digits, and some amounts are short."""
        is_only = self.amounts == self.with_digits
        return is_only and self.amounts > _FEWEST * self.filled and self.short >= _SHORT * self.amounts > 0


def count_amounts(cells: pd.Series[str]) -> AmountCounts:
    """Count the amounts in a column, or in a part of one."""
    texts = strip_texts(series_to_array(cells))
    filled = len(texts) - int(equal_texts(texts, "").sum())
    texts = texts.filter(pa.array(matches(texts, "[0-9]")))
    if not len(texts):
        return AmountCounts(filled)
    amounts = texts.filter(pa.array(matches(texts, _AMOUNT)))
    return AmountCounts(filled, len(texts), len(amounts), int((~matches(amounts, _LONG)).sum()))
