"""Columns of the file that are wholly amounts or dates, as values that a sheet can add up and sort."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd
import pyarrow as pa

from campaign.contacts.amount_columns import count_amounts

# A sheet keeps 15 digits. What begins with a 0 is a code, but for 0 and 0.5.
_WHOLE = "(?:-?[1-9][0-9]{0,12}|0)"
_MOST_DECIMALS = 2  # of an amount
_AS_NEEDED = rf"{_WHOLE}(?:\.[0-9]?[1-9])?"  # 3 and 12.5, as workbooks hold amounts
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FIRST_DAY = "1900-03-01"  # before it, the programs do not agree about the days


def with_values(table: pd.DataFrame, places: Collection[int]) -> pd.DataFrame:
    """The table with the columns at some places as amounts or dates, where a sheet then shows every filled
    cell as it is written, to the last digit; the other columns stay text.
    """
    columns = [  # by place: a table may have two of one name
        _as_values(column) if place in places else column for place, (_, column) in enumerate(table.items())
    ]
    return pd.concat(columns, axis=1)


def _as_values(cells: pd.Series[str]) -> pd.Series[Any]:
    """The cells as decimals, as floats where not all have as many decimals, as days, or as they are."""
    filled = cells[cells != ""]
    values = cells.where(cells != "")
    if filled.str.fullmatch(_DATE).all():
        days = pd.to_datetime(values, format="%Y-%m-%d", errors="coerce")
        are_days = len(filled) and days.count() == len(filled) and days.min() >= pd.Timestamp(_FIRST_DAY)
        return days if are_days else cells
    if not count_amounts(filled).are_amounts:
        return cells
    for decimals in range(_MOST_DECIMALS + 1):
        fraction = rf"\.[0-9]{{{decimals}}}" if decimals else ""
        if filled.str.fullmatch(_WHOLE + fraction).all():
            return values.astype(pd.ArrowDtype(pa.decimal128(15, decimals)))
    return values.astype("float64") if filled.str.fullmatch(_AS_NEEDED).all() else cells
