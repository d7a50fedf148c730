"""A workbook of a summary and of any tables, whose text stays text. `report` says which tables."""

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.errors import ReportError

MOST_ROWS = 1_048_575  # rows of a sheet below its header
LONGEST_CELL = 32_767  # characters; the library silently drops longer texts
_CHUNK = 10_000  # rows turned into Python values at a time
_WIDTHS = (9, 60)
MARKED = "#ffe699"  # cells to correct

# Text stays text: nothing that a file or a service sent becomes a formula, a link or a number.
_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "constant_memory": True,
    "default_date_format": "yyyy-mm-dd hh:mm:ss",
}


def write_workbook(
    path: Path, summary: dict[str, Any], counts: dict[str, int], sheets: dict[str, pd.DataFrame]
) -> None:
    """Write a sheet called Summary and one for each of `sheets` to `path`.

    `summary` becomes a list of names and values, `counts` (rows in each status) a table with a chart. Costs
    are written as numbers, times as UTC. Raises `ReportError` for a table with more rows than a sheet holds.
    """
    import xlsxwriter

    for name, frame in sheets.items():
        if len(frame) > MOST_ROWS:
            raise ReportError(
                f"{name} has {len(frame):,} rows, and a sheet holds {MOST_ROWS:,}. "
                "Write a .csv report instead."
            )
    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        book.set_properties({"title": "Campaign report", "comments": summary.get("Outcome", "")})
        bold = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        _write_summary(book, bold, summary, counts)
        for name, frame in sheets.items():
            _write_table(book.add_worksheet(name), frame, bold)


def write_rows(path: Path, sheet_name: str, frame: pd.DataFrame, marked: Bools) -> None:
    """Write a table of text as one sheet whose cells stay text when a person edits them.

    The marked cells stand out, and the sheet opens at the first of them.
    """
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        text = {"num_format": "@"}  # or a program takes 0772 for a number once the cell is edited
        bold = book.add_format({**text, "bold": True, "bottom": 1})
        formats = book.add_format(text), book.add_format({**text, "bg_color": MARKED, "border": 1})
        sheet = book.add_worksheet(sheet_name)
        _open_at(sheet, *(np.argwhere(marked)[0].tolist() if marked.any() else (0, 0)))
        for place, name in enumerate(frame.columns):
            sheet.set_column(place, place, _width(frame.iloc[:, place], name), formats[0])
            sheet.write_string(0, place, name, bold)
        sheet.autofilter(0, 0, max(len(frame), 1), len(frame.columns) - 1)
        for start in range(0, len(frame), _CHUNK):
            chunk = frame.iloc[start : start + _CHUNK].to_numpy(dtype=object).tolist()
            marks = marked[start : start + _CHUNK].tolist()
            for line, (texts, is_marked) in enumerate(zip(chunk, marks, strict=True), start=start + 1):
                for place, cell in enumerate(texts):
                    write = sheet.write_string if cell else sheet.write_blank
                    write(line, place, cell, formats[is_marked[place]])


def _open_at(sheet: Any, line: int, place: int) -> None:
    """Freeze the header, scroll to a row below it with a few above, and select the cell."""
    sheet.freeze_panes(1, 0, 1 + max(line - 3, 0), max(place - 3, 0))
    sheet.set_selection(line + 1, place, line + 1, place)


def _write_summary(book: Any, bold: Any, summary: dict[str, Any], counts: dict[str, int]) -> None:
    sheet = book.add_worksheet("Summary")
    wrapped = book.add_format({"text_wrap": True, "valign": "top", "align": "left"})
    count_format = book.add_format({"num_format": "#,##0"})
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 60)
    line = 0
    for name, value in summary.items():
        sheet.write_string(line, 0, name, bold)
        if isinstance(value, str):
            sheet.write_string(line, 1, value, wrapped)
        else:
            sheet.write_number(line, 1, value, wrapped)
        line += 1
    first = line + 2
    sheet.write_string(first - 1, 0, "Rows by outcome", bold)
    sheet.write_string(first - 1, 1, "Rows", bold)
    for line, (name, count) in enumerate(counts.items(), start=first):
        sheet.write_string(line, 0, name.replace("_", " "))
        sheet.write_number(line, 1, count, count_format)
    sheet.write_string(line + 1, 0, "all rows of the file", bold)
    sheet.write_number(line + 1, 1, sum(counts.values()), count_format)
    sheet.insert_chart(line + 3, 0, _chart(book, first, line, counts), {"description": _description(counts)})


def _chart(book: Any, first: int, last: int, counts: dict[str, int]) -> Any:
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": "Rows",
            "categories": ["Summary", first, 0, last, 0],
            "values": ["Summary", first, 1, last, 1],
            "fill": {"color": "#0b5cad"},
            "data_labels": {"value": True, "num_format": "#,##0"},
        }
    )
    chart.set_title({"name": "Rows by outcome"})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True})
    chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    chart.set_size({"width": 620, "height": 320})
    return chart


def _description(counts: dict[str, int]) -> str:
    parts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    return f"Bar chart of the rows by outcome: {parts}."


def _write_table(sheet: Any, frame: pd.DataFrame, bold: Any) -> None:
    names = [str(name) for name in frame.columns]
    sheet.freeze_panes(1, 0)
    for place, name in enumerate(names):
        sheet.set_column(place, place, _width(frame.iloc[:, place], name))
        sheet.write_string(0, place, name, bold)
    if names:
        sheet.autofilter(0, 0, max(len(frame), 1), len(names) - 1)
    writers = [_writer(sheet, frame.iloc[:, place]) for place in range(len(names))]
    for start in range(0, len(frame), _CHUNK):
        chunk = frame.iloc[start : start + _CHUNK]
        columns = [_values(chunk.iloc[:, place]) for place in range(len(names))]
        for line, values in enumerate(zip(*columns, strict=True), start=start + 1):
            for place, value in enumerate(values):
                if value is not None and value != "":
                    writers[place](line, place, value)


def _width(column: "pd.Series[Any]", name: str) -> int:
    """As wide as the first hundred cells need."""
    longest = max((len(str(value)) for value in column.head(100)), default=0)
    return int(np.clip(max(longest, len(name)) + 2, *_WIDTHS))


def _writer(sheet: Any, column: "pd.Series[Any]") -> Callable[..., Any]:
    write: Callable[..., Any] = sheet.write_string  # xlsxwriter has no types
    if pd.api.types.is_datetime64_any_dtype(column):
        write = sheet.write_datetime
    elif pd.api.types.is_numeric_dtype(column) or column.dtype == object:  # object: costs, as Decimal
        write = sheet.write_number
    return write


def _values(column: "pd.Series[Any]") -> Iterable[str | int | float | Decimal | datetime | None]:
    """The cells as Python values, None where missing; times without their zone, which a sheet cannot hold."""
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.dt.tz_localize(None) if column.dt.tz is not None else column
    elif not pd.api.types.is_numeric_dtype(column) and column.dtype != object:
        column = column.str.slice(0, LONGEST_CELL)
    return column.astype(object).where(column.notna(), None).tolist()
