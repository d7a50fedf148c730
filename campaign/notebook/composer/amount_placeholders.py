"""Placeholders that write amounts as spreadsheets show them: 170,000 for a cell that holds 170000."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd

from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.columns import number_columns

_PLAIN = r"-?[0-9]{1,15}(?:\.[0-9]{1,2})?"  # as workbooks hold amounts, whatever they show
_LEAST = 1000  # an amount that is written with a comma
_UNITS, _HUNDREDTHS = ",.0f", ",.2f"
_YEARS = (1900, 2100)  # which nobody writes with a comma


def amount_placeholders(contacts: pd.DataFrame) -> dict[str, str]:
    """For each column of amounts how one looks, "balance, as 170,000", and the placeholder that writes it so.

    Only columns are offered whose amounts are all written without separators, and not those of years. Beside
    them a column may have words, "nil": section 3 says which rows do not fit. Of amounts with decimals, two
    ways are offered.
    """
    numbers = {*number_columns(contacts.columns)}
    columns = [name for name in contacts.columns if name not in numbers and not {*"{}:|"} & set(name)]
    return {
        f"{name}, as {example}": f"{name}:{pattern}"
        for name in columns
        for example, pattern in _written(contacts[name].str.strip()).items()
    }


def _written(cells: pd.Series[str]) -> dict[str, str]:
    """The first large amount as each format of the column writes it; {} where it has no amounts."""
    counts = count_amounts(cells)
    cells = cells[cells.str.contains(r"[0-9]")]
    if not counts.are_amounts or not cells.str.fullmatch(_PLAIN).all():
        return {}
    amounts = cells.astype("float64")
    large = cells[amounts.abs() >= _LEAST]
    if large.empty or amounts.between(*_YEARS).all():
        return {}
    first = Decimal(large.iloc[0])
    if not cells.str.contains(".", regex=False).any():
        return {format(first, _UNITS): _UNITS}
    # A workbook holds 12.50 as 12.5.
    return {format(first, _HUNDREDTHS): _HUNDREDTHS, f"{format(first, _UNITS)}, rounded": _UNITS}
