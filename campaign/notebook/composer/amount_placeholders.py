"""Placeholders that write amounts as spreadsheets show them: 170,000 for a cell that holds 170000."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd

from campaign.contacts.amount_columns import count_amounts
from campaign.contacts.columns import number_columns

_PLAIN = r"-?[0-9]{1,15}(?:\.[0-9]{1,2})?"  # as workbooks hold amounts, whatever they show
_LEAST = 1000  # an amount that is written with a comma
_YEARS = (1900, 2100)  # which nobody writes with a comma


def amount_placeholders(contacts: pd.DataFrame) -> dict[str, str]:
    """For each column of amounts how one looks, "balance, as 170,000", and the placeholder that writes it so.

    Only columns are offered whose amounts are all written without separators, and not those of years.
    """
    numbers = {*number_columns(contacts.columns)}
    columns = [name for name in contacts.columns if name not in numbers and not {*"{}:|"} & set(name)]
    ways = {name: _placeholder(contacts[name].str.strip()) for name in columns}
    return {f"{name}, as {way[0]}": f"{name}:{way[1]}" for name, way in ways.items() if way is not None}


def _placeholder(cells: pd.Series[str]) -> tuple[str, str] | None:
    """The first large amount with its comma, and the format of the column; None where it has no amounts."""
    cells = cells[cells != ""]
    if not cells.str.fullmatch(_PLAIN).all() or not count_amounts(cells).are_amounts:
        return None
    amounts = cells.astype("float64")
    large = cells[amounts.abs() >= _LEAST]
    if large.empty or amounts.between(*_YEARS).all():
        return None
    has_decimals = cells.str.contains(".", regex=False).any()
    pattern = ",.2f" if has_decimals else ",.0f"  # a workbook holds 12.50 as 12.5
    return format(Decimal(large.iloc[0]), pattern), pattern
