"""Cells that say the same in two spellings: 12/12/2026 and 12 Dec 2026, 1500 and 1,500.00."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from decimal import Decimal

import pandas as pd
from msgspec import Struct

from campaign.arrow_text import series_to_array
from campaign.messages.templates.date_orders import shown_order
from campaign.messages.templates.moments import read_moment

# A leading zero belongs to a code, such as 007, and more than 15 digits to no amount.
_AMOUNT = re.compile(r"-?(?:[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4}|0)(?:\.[0-9]+)?", re.ASCII)
_PHONE_NUMBER = re.compile(r"[0-9 +()./-]+", re.ASCII)
_LEAST = 7  # digits of a phone number


class CellReader(Struct, frozen=True):
    """Says whether two cells of a column say the same.

    `order` is that of day, month and year in dates such as 05/01/2026, "" if it is not known. `is_number`
    says that the column holds phone numbers.
    """

    order: str
    is_number: bool

    @classmethod
    def of(cls, column: pd.Series[str], given_order: str, *, is_number: bool) -> CellReader:
        """The reader of a column, whose dates are read as it shows where no order was given."""
        return cls(given_order or shown_order([series_to_array(column)])[0], is_number)

    def says_same(self, one: str, other: str, number: int) -> bool:
        """Whether two cells of a row say the same; `number` is the phone number of the row, 0 for none."""
        one, other = (" ".join(cell.split()) for cell in (one, other))
        if one == other:
            return True
        if self.is_number:
            return number > 0 and all(_is_written(number, cell) for cell in (one, other))
        value = self._value(one)
        return value is not None and value == self._value(other)

    def _value(self, cell: str) -> object:
        """The date and the time of day, or the amount; None for anything else."""
        if _AMOUNT.fullmatch(cell):
            return Decimal(cell.replace(",", ""))
        day, clock = read_moment(cell, self.order)
        return None if day is None else (day, clock or time())  # programs add midnight to dates


def rows_that_say_same(
    table: pd.DataFrame,
    own: pd.DataFrame,
    origins: Mapping[int, int],
    numbers: pd.Series[int],
    readers: Mapping[str, CellReader],
) -> list[int]:
    """The rows of a table that say what their rows in the own table say, though other cells are in them.

    `origins` has the row in the own table for a row, `numbers` the phone number of each row there.
    """
    if {*table.columns} != {*own.columns}:
        return []
    return [
        row
        for row, origin in origins.items()
        if row in table.index
        and origin in own.index
        and all(
            reader.says_same(str(table.at[row, name]), str(own.at[origin, name]), int(numbers[origin]))
            for name, reader in readers.items()
        )
    ]


def _is_written(number: int, cell: str) -> bool:
    """Whether a cell holds this number and nothing else, with or without the country code."""
    digits = re.sub("[^0-9]", "", cell).lstrip("0")
    return bool(_PHONE_NUMBER.fullmatch(cell)) and len(digits) >= _LEAST and str(number).endswith(digits)
