"""Old Excel workbooks (.xls, Excel 5 to 2003) through xlrd. The only module that imports it."""

import datetime as dt
import struct
from collections.abc import Iterator
from io import StringIO
from typing import Any, Literal

import xlrd
from xlrd.biffh import XLRDError

from campaign.contacts.cells.value_text import AFTER_LAST_DAY
from campaign.contacts.workbooks.number_formats import ELAPSED, number_format
from campaign.contacts.workbooks.sheet_cells import SheetCells, text_columns
from campaign.contacts.workbooks.sheet_choice import (
    SheetFacts,
    SheetOfWorkbook,
    choose_sheet,
    refuse_beyond_rectangle,
    sheet_cells,
)
from campaign.errors import FileError

ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the stream of an .xlsx that is saved with a password
EOF = 0x0A
NUMBERS = (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE)
FORMULAS = (0x06, 0x206, 0x406)


def read_xls(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .xls file."""
    if ENCRYPTED in data:
        raise FileError("password_protected")
    try:
        return _read_xls(data, sheet, max_cells)
    except XLRDError as problem:
        raise _error(str(problem)) from None


def _error(problem: str) -> FileError:
    if "encrypted" in problem:
        return FileError("password_protected")
    if "Can't find workbook" in problem:
        return FileError("no_spreadsheet", kind="an old Office document")
    return FileError("file_damaged")


def _read_xls(data: bytes, sheet: str | None, max_cells: int) -> SheetCells:
    # xlrd reports merged areas, hidden rows and columns, and formats only with formatting_info.
    book: Any = xlrd.open_workbook(
        file_contents=data, logfile=StringIO(), formatting_info=True, on_demand=True, ragged_rows=True
    )
    visibility = book._sheet_visibility  # public only on sheets that are loaded, and loading them takes time
    sheets = [SheetOfWorkbook(name, not visibility[i], str(i)) for i, name in enumerate(book.sheet_names())]
    choice = choose_sheet(sheets, sheet)
    number = int(choice.sheet.part)
    loaded = book.sheet_by_index(number)
    facts = _facts(loaded)
    facts.uncalculated.extend(_uncalculated(book, number))
    refuse_beyond_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    width = facts.last_column + 1
    lines = _lines(book, loaded, facts.last_row, width, set(facts.uncalculated))
    columns = text_columns(lines, width)
    return sheet_cells(
        "xls", columns, facts, choice, lambda other: bool(_facts(book.sheet_by_index(int(other.part))).cells)
    )


def _facts(sheet: Any) -> SheetFacts:
    facts = SheetFacts()
    for row in range(sheet.nrows):
        kinds = sheet.row_types(row)
        used = [i for i, kind in enumerate(kinds) if kind not in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK)]
        if used:
            facts.cells += len(used)
            facts.reach(row + 1, used[-1])
        for i in used:
            if kinds[i] == xlrd.XL_CELL_ERROR:
                error = xlrd.error_text_from_code.get(sheet.cell_value(row, i), "#ERROR")
                facts.errors.append((row + 1, i, error))
    facts.has_collapsed = any(info.outline_group_starts_ends for info in sheet.rowinfo_map.values())
    for row, info in sheet.rowinfo_map.items():
        if info.hidden or (not info.height and not info.has_default_height):
            facts.hidden_rows.add(row + 1)
    facts.hidden_columns = {i for i, info in sheet.colinfo_map.items() if info.hidden or not info.width}
    for top, after_bottom, left, after_right in sheet.merged_cells:
        facts.merges.append((top + 1, left, after_bottom, after_right - 1))
    return facts


def _uncalculated(book: Any, number: int) -> Iterator[tuple[int, int]]:
    """Formulas that hold 0 until a spreadsheet program opens the file: xlrd reports them as plain numbers.

    Cells come before everything that may be nested in a sheet, so the first EOF record is far enough.
    """
    book._position = book._sh_abs_posn[number]
    kind = None
    while kind != EOF:
        kind, length, body = book.get_record_parts()
        if kind in FORMULAS and length > 14 and not any(body[6:14]) and body[14] & 2:
            row, column = struct.unpack_from("<2H", body)
            yield row + 1, column


def _lines(
    book: Any, sheet: Any, rows: int, width: int, uncalculated: set[tuple[int, int]]
) -> Iterator[list[object]]:
    """The cells as Python values, row by row, each row `width` cells long."""
    codes = ["" if xf.is_style else _format(book, xf) for xf in book.xf_list]  # no cell has a style's own
    elapsed = {i for i, code in enumerate(codes) if ELAPSED.search(code)}
    formats = {i: shows for i, code in enumerate(codes) if (shows := number_format(code)) is not None}
    for row in range(rows):
        kinds, values = sheet.row_types(row), sheet.row_values(row)
        cells: list[object] = [""] * width
        for i, (kind, value) in enumerate(zip(kinds[:width], values[:width], strict=True)):
            if kind == xlrd.XL_CELL_TEXT:
                cells[i] = value
            elif kind == xlrd.XL_CELL_BOOLEAN:
                cells[i] = bool(value)
            elif kind in NUMBERS and (row + 1, i) not in uncalculated:
                is_elapsed = bool(elapsed) and sheet.cell_xf_index(row, i) in elapsed
                is_moment = kind == xlrd.XL_CELL_DATE or is_elapsed
                cells[i] = _moment(value, book.datemode, is_elapsed) if is_moment else value
            if formats and (shows := formats.get(sheet.cell_xf_index(row, i))) is not None:
                cells[i] = shows.shown(cells[i])
        yield cells


def _format(book: Any, xf: Any) -> str:
    style = book.format_map.get(xf.format_key)
    return style.format_str if style is not None else ""


def _moment(days: float, datemode: Literal[0, 1], is_elapsed: bool) -> object:
    """The date or time that a number stands for under its format, or the number if it stands for none."""
    if is_elapsed and abs(days) < AFTER_LAST_DAY:
        return dt.timedelta(days=days)
    if not 0 <= days < AFTER_LAST_DAY:
        return days
    try:
        moment = xlrd.xldate_as_datetime(days, datemode)
    except OverflowError:
        return days
    return moment.time() if days < 1 else moment
