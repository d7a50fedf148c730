"""A workbook of a summary and of any tables, whose text stays text. `result_workbook` says which tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contract import STATUSES

MOST_ROWS = 1_048_575  # rows of a sheet below its header
LONGEST_CELL = 32_767  # characters; the library silently drops longer texts
_CHUNK = 10_000  # rows turned into Python values at a time
_WIDTHS = (9, 46)
_NAMES, _VALUES = 18, 70  # widths of the columns of facts, in characters
_LINE, _TALLEST = 15, 150  # points: of one line of text, and of a row at most
_AMOUNTS = ("messages", "rows", "people", *STATUSES)
# What a header needs to say is a note on it, not a longer header.
_NOTES = {
    "cost_share": "The cost of the batch, shared out equally to its messages. The service names only the "
    "cost of a batch.",
    "unpriced": "Messages that may have been charged although no cost was named. With any, the cost is a "
    "lower bound.",
    "code": "Quote it when you ask the service about the batch.",
    "submitted_at": "UTC",
    "status": "accepted: by the service, which does not say whether it reached the phone. unknown: it may "
    "have been sent.",
}
MARKED = "#ffe699"  # cells to correct

# Text stays text: nothing that a file or a service sent becomes a formula, a link or a number.
_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "constant_memory": True,
    "default_date_format": "yyyy-mm-dd hh:mm:ss",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Summary:
    """The first sheet: facts in pairs, a table of counts with a bar chart beside it, and lines below these.

    `facts` may repeat a name, so they are pairs; a Decimal is a cost. `counts` are rows in each status,
    `sums` what stands below them: further counts and their sums.
    """

    facts: Sequence[tuple[str, str | int | Decimal]]
    counts: Mapping[str, int]
    sums: Sequence[tuple[str, int]]
    currency: str


def write_workbook(path: Path, summary: Summary, sheets: Mapping[str, pd.DataFrame]) -> None:
    """Write a sheet called Summary and one for each of `sheets` to `path`.

    Costs (columns of Decimal) are numbers with a format, times are UTC. Every sheet is printed in landscape,
    one page wide. No frame may have more rows than `MOST_ROWS`.
    """
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        book.set_properties({"title": "Campaign report"})
        formats = _Formats(book, summary.currency)
        _write_summary(book, formats, summary)
        for name, frame in sheets.items():
            _write_table(book.add_worksheet(name), frame, formats)


class _Formats:
    """How cells look; a format is made once and used by many cells."""

    def __init__(self, book: Any, currency: str) -> None:
        self._book, self._unit = book, f'"{currency}" ' if currency else ""
        self.head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        self.name = book.add_format({"bold": True, "valign": "top"})
        self.text = book.add_format({"text_wrap": True, "valign": "top", "align": "left"})
        self.count = book.add_format({"num_format": "#,##0", "align": "left", "valign": "top"})
        self.figure = book.add_format({"num_format": "#,##0"})
        self.sum = book.add_format({"num_format": "#,##0", "bold": True, "top": 1})
        self.total = book.add_format({"bold": True, "top": 1})
        self.moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"})
        self._costs: dict[str, Any] = {}

    def cost(self, costs: Iterable[object], *, align: str = "right") -> Any:
        """Costs with their currency and as many decimals as they need."""
        decimals = max((_decimals(cost) for cost in costs if isinstance(cost, Decimal)), default=0)
        pattern = f"{self._unit}#,##0{'.' if decimals else ''}{'0' * decimals}"
        key = f"{pattern} {align}"
        if key not in self._costs:
            self._costs[key] = self._book.add_format({"num_format": pattern, "align": align, "valign": "top"})
        return self._costs[key]


def _decimals(cost: Decimal) -> int:
    exponent: Any = cost.as_tuple().exponent
    return 0 if exponent >= 0 else 2 if exponent >= -2 else min(-exponent, 4)


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


def _write_summary(book: Any, formats: _Formats, summary: Summary) -> None:
    """Facts in the first two columns, and beside them the counts with their chart: nothing can overlap."""
    sheet = book.add_worksheet("Summary")
    sheet.set_column(0, 0, _NAMES)
    sheet.set_column(1, 1, _VALUES)
    sheet.set_column(2, 2, 3)
    sheet.set_column(3, 3, 30)
    sheet.set_column(4, 4, 14)
    right = [
        ("Rows by outcome", "Rows"),
        *((name.replace("_", " "), n) for name, n in summary.counts.items()),
    ]
    right += summary.sums
    first_sum = 1 + len(summary.counts)
    for line in range(max(len(summary.facts), len(right))):
        if line < len(summary.facts):
            _write_fact(sheet, line, *summary.facts[line], formats)
        if line < len(right):
            is_sum = line >= first_sum
            name_format = formats.head if line == 0 else formats.total if is_sum else None
            sheet.write_string(line, 3, right[line][0], name_format)
            if line == 0:
                sheet.write_string(line, 4, right[line][1], formats.head)
            else:
                sheet.write_number(line, 4, right[line][1], formats.sum if is_sum else formats.figure)
    chart = _chart(book, 1, len(summary.counts), summary.counts)
    place = {"object_position": 3, "description": _description(summary.counts)}
    sheet.insert_chart(0, 6, chart, place)
    _set_page(sheet, tall=1)


def _write_fact(sheet: Any, line: int, name: str, value: str | int | Decimal, formats: _Formats) -> None:
    sheet.write_string(line, 0, name, formats.name)
    if isinstance(value, str):
        sheet.write_string(line, 1, value[:LONGEST_CELL], formats.text)
        lines = sum(-(-max(len(part), 1) // _VALUES) for part in value[:LONGEST_CELL].splitlines() or [""])
        if lines > 1:
            sheet.set_row(line, min(_LINE * lines, _TALLEST))
    elif isinstance(value, Decimal):
        sheet.write_number(line, 1, value, formats.cost([value], align="left"))
    else:
        sheet.write_number(line, 1, value, formats.count)


def _set_page(sheet: Any, *, tall: int = 0) -> None:
    """Landscape on A4, one page wide, with page numbers; `tall` pages high, 0 for as many as needed."""
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, tall)
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.set_footer("&L&8&A&R&8Page &P of &N")


def _chart(book: Any, first: int, last: int, counts: Mapping[str, int]) -> Any:
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": "Rows",
            "categories": ["Summary", first, 3, last, 3],
            "values": ["Summary", first, 4, last, 4],
            "fill": {"color": "#0b5cad"},
            "data_labels": {"value": True, "num_format": "#,##0"},
        }
    )
    chart.set_title({"name": "Rows by outcome"})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True})
    chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    chart.set_size({"width": 480, "height": 320})
    return chart


def _description(counts: Mapping[str, int]) -> str:
    parts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    return f"Bar chart of the rows by outcome: {parts}."


def _write_table(sheet: Any, frame: pd.DataFrame, formats: _Formats) -> None:
    names = [str(name) for name in frame.columns]
    sheet.freeze_panes(1, 0)
    _set_page(sheet)
    sheet.repeat_rows(0)
    for place, name in enumerate(names):
        sheet.set_column(place, place, _width(frame.iloc[:, place], name))
        sheet.write_string(0, place, name, formats.head)
        if name in _NOTES:
            sheet.write_comment(0, place, _NOTES[name], {"x_scale": 2})
    if names:
        sheet.autofilter(0, 0, max(len(frame), 1), len(names) - 1)
        sheet.print_area(0, 0, max(len(frame), 1), len(names) - 1)
    writers = [_writer(sheet, frame.iloc[:, place], formats) for place in range(len(names))]
    for start in range(0, len(frame), _CHUNK):
        chunk = frame.iloc[start : start + _CHUNK]
        columns = [_values(chunk.iloc[:, place]) for place in range(len(names))]
        for line, values in enumerate(zip(*columns, strict=True), start=start + 1):
            for place, value in enumerate(values):
                if value is not None and value != "":
                    write, cell_format = writers[place]
                    write(line, place, value, cell_format)


def _width(column: "pd.Series[Any]", name: str) -> int:
    """As wide as the first hundred cells need."""
    longest = max((len(str(value)) for value in column.head(100)), default=0)
    return int(np.clip(max(longest, len(name)) + 2, *_WIDTHS))


def _writer(sheet: Any, column: "pd.Series[Any]", formats: _Formats) -> tuple[Callable[..., Any], Any]:
    """What writes the cells of a column, and their format."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return sheet.write_datetime, formats.moment
    if column.dtype == object:  # costs, as Decimal
        return sheet.write_number, formats.cost(column)
    if column.name in _AMOUNTS:
        return sheet.write_number, formats.figure
    if pd.api.types.is_numeric_dtype(column):
        return sheet.write_number, None
    return sheet.write_string, None


def _values(column: "pd.Series[Any]") -> Iterable[str | int | float | Decimal | datetime | None]:
    """The cells as Python values, None where missing; times without their zone, which a sheet cannot hold."""
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.dt.tz_localize(None) if column.dt.tz is not None else column
    elif not pd.api.types.is_numeric_dtype(column) and column.dtype != object:
        column = column.str.slice(0, LONGEST_CELL)
    return column.astype(object).where(column.notna(), None).tolist()
