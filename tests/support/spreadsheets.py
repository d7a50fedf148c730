"""Small spreadsheets for tests, and contact tables as they are compared."""

import io
from collections.abc import Sequence
from typing import Any

import openpyxl
import pandas as pd

from campaign.contacts.reading_record import Reading


def as_rows(table: pd.DataFrame) -> dict[int, list[str]]:
    """A whole contact table: the header under 0, then row number -> cells; its form is checked on the way."""
    assert all(dtype == "str" for dtype in table.dtypes)
    assert not table.isna().any(axis=None)
    assert (table.index.name, table.index.dtype) == ("row", "int64")
    cells = {int(row): list(line) for row, line in zip(table.index, table.to_numpy().tolist(), strict=True)}
    return {0: list(table.columns)} | cells


def reading(table: pd.DataFrame) -> Reading:
    """What is said of a contact table."""
    return table.attrs["reading"]


def workbook(*rows: Sequence[Any]) -> openpyxl.Workbook:
    """A workbook of one sheet."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    """The workbook as a file."""
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()
