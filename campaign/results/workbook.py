"""A workbook of a summary and of any tables, whose text stays text. `result_workbook` says which tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools
from campaign.contract import STATUSES
from campaign.results.own_report import AUTHOR

MOST_ROWS = 1_048_575  # rows of a sheet below its header
LONGEST_CELL = 32_767  # characters; the library silently drops longer texts
_CHUNK = 10_000  # rows turned into Python values at a time
_WIDTHS = (8, 40)
_WIDTHS_OF_SENTENCES = (20, 64)
_SENTENCES = ("reason", "last reason", "detail", "error")
_NAMES, _VALUES = 32, 84  # characters that fit beside each other in the columns of facts
_LAST = 6  # the last column that the values of facts take
_CHART_LINES = 13  # lines of a sheet that the chart is high
_LINE, _TALLEST = 15, 150  # points: of one line of text, and of a row at most
_AMOUNTS = ("messages", "rows", "people", *STATUSES, "needing_attention")
_NOTES = {  # on a header
    "cost_share": "the cost of the batch, by messages",
    "unpriced": "messages whose cost is not known",
    "needing_attention": "unknown, refused, to correct, sharing a phone",
    "code": "for the provider",
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


class SummarySheet(Struct, frozen=True, eq=False, kw_only=True):
    """The first sheet: facts in pairs, and after some of them a table of counts with a bar chart beside it.

    `facts` may repeat a name, so they are pairs; a Decimal is a cost. The first `before_counts` come first.
    `counts` are rows in each status, `sums` what stands below them: further counts and their sums.
    """

    facts: Sequence[tuple[str, str | int | Decimal]]
    counts: Mapping[str, int]
    sums: Sequence[tuple[str, int]]
    currency: str
    title: str = "Rows by outcome"
    before_counts: int = 2


def write_workbook(
    path: Path,
    summary: SummarySheet,
    sheets: Mapping[str, pd.DataFrame],
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write a sheet called Summary and one for each of `sheets` to `path`.

    `notes` has a sentence for some of the sheets, which stands above their header. Costs (columns of Decimal)
    and Arrow decimals are numbers with a format, times are UTC, and times without a zone are days. Every
    sheet is printed in landscape, one page wide. No frame may have more rows than `MOST_ROWS`.
    """
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        book.set_properties({"title": "Campaign report", "author": AUTHOR})
        formats = _Formats(book, summary.currency)
        _write_summary(book, formats, summary)
        for name, frame in sheets.items():
            _write_table(book.add_worksheet(name), frame, formats, (notes or {}).get(name, ""))


class _Formats:
    """How cells look; a format is made once and used by many cells."""

    def __init__(self, book: Any, currency: str) -> None:
        self._book, self._unit = book, f'"{currency}" ' if currency else ""
        self.head = book.add_format({"bold": True, "bottom": 1, "valign": "top"})
        self.right_head = book.add_format({"bold": True, "bottom": 1, "align": "right"})
        self.cell = book.add_format({"indent": 1})  # away from the figures to its left
        self.sentence = book.add_format({"indent": 1, "align": "left", "text_wrap": True, "valign": "top"})
        self.cell_head = book.add_format({"bold": True, "bottom": 1, "indent": 1})
        self.note = book.add_format({"bold": True, "font_color": "#a3260f"})
        self.name = book.add_format({"bold": True, "valign": "top"})
        self.text = book.add_format({"text_wrap": True, "valign": "top", "align": "left"})
        self.count = book.add_format({"num_format": "#,##0", "align": "left", "valign": "top"})
        self.figure = book.add_format({"num_format": "#,##0"})
        self.sum = book.add_format({"num_format": "#,##0", "bold": True, "top": 1})
        self.total = book.add_format({"bold": True, "top": 1})
        self.moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left", "indent": 1})
        self.day = book.add_format({"num_format": "yyyy-mm-dd", "align": "left", "indent": 1})
        self.amounts = [book.add_format({"num_format": pattern}) for pattern in ("0", "0.0", "0.00")]
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


def write_rows(path: Path, sheet_name: str, frame: pd.DataFrame, marked: Bools, *, author: str = "") -> None:
    """Write a table of text as one sheet whose cells stay text when a person edits them.

    The marked cells stand out, and the sheet opens at the first of them. `author` is for the properties of
    the file.
    """
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        book.set_properties({"author": author})
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


def _write_summary(book: Any, formats: _Formats, summary: SummarySheet) -> None:
    """The outcome, then the counts with their chart beside them, then the facts: nothing can overlap."""
    sheet = book.add_worksheet("Summary")
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, _NAMES)
    sheet.set_column(1, _LAST, _VALUES / _LAST)
    line = 0
    for name, value in summary.facts[: summary.before_counts]:
        _write_fact(sheet, line, name, value, formats)
        line += 1
    first = line + 2
    below = _write_counts(sheet, first - 1, summary, formats) + 1
    place = {"object_position": 3, "x_offset": 12, "description": _description(summary)}
    sheet.insert_chart(first - 1, 2, _chart(book, first, first + len(summary.counts) - 1, summary), place)
    for line, (name, value) in enumerate(summary.facts[summary.before_counts :], start=below):
        _write_fact(sheet, line, name, value, formats)
    _set_page(sheet, tall=1)


def _write_counts(sheet: Any, line: int, summary: SummarySheet, formats: _Formats) -> int:
    """The rows in each status and their sums; returns the line below the chart beside them."""
    sheet.write_string(line, 0, summary.title, formats.head)
    sheet.write_string(line, 1, summary.title.split()[0], formats.right_head)
    for name, count in summary.counts.items():
        line += 1
        sheet.write_string(line, 0, name.replace("_", " "))
        sheet.write_number(line, 1, count, formats.figure)
    for name, count in summary.sums:
        line += 1
        sheet.write_string(line, 0, name, formats.total)
        sheet.write_number(line, 1, count, formats.sum)
    return line + max(0, _CHART_LINES - 1 - len(summary.counts) - len(summary.sums))


def _write_fact(sheet: Any, line: int, name: str, value: str | int | Decimal, formats: _Formats) -> None:
    sheet.write_string(line, 0, name, formats.name)
    if isinstance(value, str):
        text = value[:LONGEST_CELL]
        sheet.merge_range(line, 1, line, _LAST, "", formats.text)
        sheet.write_string(line, 1, text, formats.text)
        lines = sum(-(-max(len(part), 1) // _VALUES) for part in text.splitlines() or [""])
        if lines > 1:  # the program that opens it does not make merged cells higher
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


def _chart(book: Any, first: int, last: int, summary: SummarySheet) -> Any:
    chart = book.add_chart({"type": "bar"})
    chart.add_series(
        {
            "name": summary.title,
            "categories": ["Summary", first, 0, last, 0],
            "values": ["Summary", first, 1, last, 1],
            "fill": {"color": "#0b5cad"},
            "gap": 60,
            "data_labels": {"value": True, "num_format": "#,##0"},
        }
    )
    chart.set_title({"none": True})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True, "line": {"none": True}})
    chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    chart.set_chartarea({"border": {"none": True}})
    chart.set_size({"width": 460, "height": 20 * _CHART_LINES})
    return chart


def _description(summary: SummarySheet) -> str:
    counts = {name.replace("_", " "): count for name, count in summary.counts.items() if count}
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"Bar chart of the {summary.title.lower()}: {parts or 'none'}."


def _write_table(sheet: Any, frame: pd.DataFrame, formats: _Formats, note: str) -> None:
    """The table, its header in the first line or below the note."""
    names = [str(name) for name in frame.columns]
    head, last = bool(note), max(len(frame), 1) + bool(note)
    if note:
        sheet.write_string(0, 0, note, formats.note)
    sheet.freeze_panes(head + 1, 0)
    _set_page(sheet)
    sheet.repeat_rows(head)
    for place, name in enumerate(names):
        sheet.set_column(place, place, _width(frame.iloc[:, place], name))
        kind = frame.iloc[:, place].dtype
        is_left = kind == "str" or pd.api.types.is_datetime64_any_dtype(kind)
        sheet.write_string(head, place, name, formats.cell_head if is_left else formats.right_head)
        if name in _NOTES and not (
            name == "code" and "severity" in names
        ):  # those of issues are of another kind
            sheet.write_comment(head, place, _NOTES[name], {"x_scale": 2})
    if names:
        sheet.autofilter(head, 0, last, len(names) - 1)
        sheet.print_area(0, 0, last, len(names) - 1)
    writers = [_writer(sheet, frame.iloc[:, place], formats) for place in range(len(names))]
    for start in range(0, len(frame), _CHUNK):
        chunk = frame.iloc[start : start + _CHUNK]
        columns = [_values(chunk.iloc[:, place]) for place in range(len(names))]
        for line, values in enumerate(zip(*columns, strict=True), start=start + head + 1):
            for place, value in enumerate(values):
                if value is not None and value != "":
                    write, cell_format = writers[place]
                    write(line, place, value, cell_format)


def _width(column: "pd.Series[Any]", name: str) -> int:
    """As wide as nine in ten of the first thousand cells need: one long name must not make all cells wide."""
    lengths = [len(text) for text in map(_shown, column.head(1_000)) if text]
    usual = int(np.quantile(lengths, 0.9)) if lengths else 0
    narrowest, widest = _WIDTHS if name not in _SENTENCES else _WIDTHS_OF_SENTENCES
    return int(np.clip(max(usual, len(name)) + 3, narrowest, widest))


def _shown(value: object) -> str:
    if value is None or value is pd.NaT or value is pd.NA:
        return ""
    if isinstance(value, Decimal):
        return f"{value:,f} EUR"  # any currency: most have three letters
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return str(value)


def _writer(sheet: Any, column: "pd.Series[Any]", formats: _Formats) -> tuple[Callable[..., Any], Any]:
    """What writes the cells of a column, and their format."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return sheet.write_datetime, formats.day if column.dt.tz is None else formats.moment
    if isinstance(column.dtype, pd.ArrowDtype):
        decimals: Any = column.dtype.pyarrow_dtype
        return sheet.write_number, formats.amounts[decimals.scale]
    if column.dtype == object:  # costs, as Decimal
        return sheet.write_number, formats.cost(column)
    if pd.api.types.is_numeric_dtype(column):
        return sheet.write_number, formats.figure if column.name in _AMOUNTS else None
    # Whatever it is called: a file may have a column "rows" or "accepted", whose cells are text.
    return sheet.write_string, formats.sentence if column.name in _SENTENCES else formats.cell


def _values(column: "pd.Series[Any]") -> Iterable[str | int | float | Decimal | datetime | None]:
    """The cells as Python values, None where missing; times without their zone, which a sheet cannot hold."""
    if pd.api.types.is_datetime64_any_dtype(column):
        column = column.dt.tz_localize(None) if column.dt.tz is not None else column
    elif not pd.api.types.is_numeric_dtype(column) and column.dtype != object:
        column = column.str.slice(0, LONGEST_CELL)
    return column.astype(object).where(column.notna(), None).tolist()
