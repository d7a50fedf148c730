"""Spreadsheets in, contact tables out."""

import io
from pathlib import Path

import openpyxl
import pandas as pd

from campaign.contacts.reading import Reading, read_contacts


def as_rows(table: pd.DataFrame) -> dict[int, list[str]]:
    """The whole table as it is compared: row number -> cells, the header under 0."""
    assert all(dtype == "str" for dtype in table.dtypes)
    assert not table.isna().any(axis=None)
    assert table.index.name == "row"
    assert table.index.dtype == "int64"
    return {0: list(table.columns)} | {
        int(row): list(cells) for row, cells in zip(table.index, table.to_numpy().tolist(), strict=True)
    }


def reading(table: pd.DataFrame) -> Reading:
    return table.attrs["reading"]


def workbook(*rows: list[object]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def test_a_csv_is_read_as_text_under_its_own_row_numbers() -> None:
    table = read_contacts(b"name,phone\nAmina,0772000001\nNA,+256772000002\n")
    assert as_rows(table) == {0: ["name", "phone"], 2: ["Amina", "0772000001"], 3: ["NA", "+256772000002"]}
    assert reading(table) == Reading("the given bytes", "csv", None, 1, "utf-8", ",", 2, 0, 0, ())


def test_a_workbook_is_read_as_text_under_its_own_row_numbers(tmp_path: Path) -> None:
    path = tmp_path / "visits.xlsx"
    workbook(["name", "phone"], ["Amina", 256772000001], ["Ben", "0772000002"]).save(path)
    table = read_contacts(path)
    assert as_rows(table) == {0: ["name", "phone"], 2: ["Amina", "256772000001"], 3: ["Ben", "0772000002"]}
    assert reading(table) == Reading("visits.xlsx", "xlsx", "Sheet", 1, None, None, 2, 0, 0, ())


def test_the_reading_survives_what_notebooks_do() -> None:
    table = read_contacts(b"name,phone\nAmina,0772000001\n")
    assert reading(table.copy().pipe(lambda frame: frame[["phone"]])) == reading(table)
