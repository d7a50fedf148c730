"""OpenDocument sheets (.ods), read from their XML in one pass.

A row or a cell may be repeated a million times; nothing is laid out before it is counted.
"""

import datetime as dt
import re
from collections.abc import Sequence
from itertools import repeat

from campaign.contacts.cells.merge import Merge
from campaign.contacts.cells.value_text import clock_text, moment_text, number_text, span_text
from campaign.contacts.workbooks.archives import DAMAGED, LOCKED, Archive
from campaign.contacts.workbooks.sheet_cells import SheetCells, text_columns
from campaign.contacts.workbooks.sheet_choice import (
    LAST_COLUMN,
    LAST_ROW,
    Sheet,
    choose_sheet,
    refuse_beyond_rectangle,
)
from campaign.contacts.workbooks.xml_parts import parse_xml
from campaign.errors import FileError
from campaign.text import clean

_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_SPAN = re.compile(r"(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,]\d+)?S)?")
_HIDDEN = ("collapse", "filter")
_SPACING = {"s": " ", "tab": "\t", "line-break": "\n"}
LONGEST_CELL = 32_767  # characters, in Excel and LibreOffice alike
DEEPEST = 200  # nested elements; spreadsheet programs write about twenty


NESTED = "A table inside a cell of the sheet was left out."


def read_ods(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .ods file, starting at its first row and column."""
    archive = Archive(data, max_bytes=max_bytes)
    manifest = "meta-inf/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.read(manifest):
        raise FileError(LOCKED)
    sheets = _sheets(archive)
    chosen, notices = choose_sheet(sheets, sheet)
    table = _TableParser(chosen.part, max_bytes)
    parse_xml(archive.pieces("content.xml"), table.start, end=table.end, text=table.characters)
    refuse_beyond_rectangle(len(table.lines), table.width - 1, table.filled, max_cells)
    lines = ([*line, *repeat("", table.width - len(line))] for line in table.lines)
    return SheetCells(
        "ods",
        text_columns(lines),
        sheet=clean(chosen.name),
        sheets=[clean(one.name) for one in sheets],
        hidden_rows=frozenset(table.hidden_rows),
        hidden_columns=frozenset(at for at in table.hidden_columns if at < table.width),
        merges=table.merges,
        uncalculated=table.uncalculated,
        errors=table.errors,
        notices=[*notices, NESTED] if table.has_nested else notices,
    )


def _sheets(archive: Archive) -> list[Sheet]:
    """The sheets in their order; the part of a sheet is its number."""
    sheets: list[Sheet] = []
    hidden: set[str] = set()
    style = ""
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal style, depth
        depth += name == "table"
        if name == "style":
            style = attributes.get(_STYLE + "name", "")
        elif name == "table-properties" and attributes.get(_TABLE + "display") == "false":
            hidden.add(style)
        elif name == "table" and depth == 1 and _TABLE + "name" in attributes:
            visible = attributes.get(_TABLE + "style-name") not in hidden
            sheets.append(Sheet(attributes[_TABLE + "name"], visible, str(len(sheets))))

    def end(name: str) -> None:
        nonlocal depth
        depth -= name == "table"

    parse_xml(archive.pieces("content.xml"), start, end=end)
    return sheets


class _TableParser:
    """Collects the cells of one sheet, chosen by its number in the file; tables nested in it are left out."""

    def __init__(self, number: str, max_bytes: int) -> None:
        self.lines: list[Sequence[str]] = []
        self.width = self.filled = 0
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.merges: list[Merge] = []
        self.uncalculated: list[tuple[int, int]] = []
        self.errors: list[tuple[int, int, str]] = []
        self.has_nested = False
        self._number, self._sheets, self._bytes_left = int(number), -1, max_bytes
        self._skipped = 0  # depth inside another sheet or a nested table
        self._open: list[str] = []  # elements inside the sheet
        self._row = self._column = 0  # rows and columns before this one, blank ones included
        self._cells: list[str] = []
        self._cell: dict[str, str] = {}
        self._row_attributes: dict[str, str] = {}
        self._texts: list[str] = []
        self._has_paragraph = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self._start_table(attributes)
        if self._skipped or not (self._open or name == "table"):
            return
        self._open.append(name)
        if len(self._open) > DEEPEST:
            raise FileError(DAMAGED.format("its elements are nested too deeply"))
        if name == "table-column":
            self._hide_columns(attributes)
        elif name == "table-row":
            self._cells, self._column, self._row_attributes = [], 0, attributes
        elif name in ("table-cell", "covered-table-cell"):
            self._cell, self._texts, self._has_paragraph = attributes, [], False
        elif name == "p" and self._open[-2] == "table-cell":
            if self._has_paragraph:
                self._texts.append("\n")
            self._has_paragraph = True
        elif name in _SPACING and self._in_paragraph():
            count = int(attributes.get(_TEXT + "c", "1")) if name == "s" else 1
            self._texts.append(_SPACING[name] * min(count, LONGEST_CELL))

    def _start_table(self, attributes: dict[str, str]) -> None:
        if self._skipped or self._open:
            self.has_nested |= not self._skipped
            self._skipped += 1
            return
        self._sheets += _TABLE + "name" in attributes
        if self._sheets != self._number or _TABLE + "name" not in attributes:
            self._skipped = 1

    def characters(self, text: str) -> None:
        if self._open and not self._skipped and self._in_paragraph():
            self._texts.append(re.sub(r"[\t\r\n]", " ", text))

    def _in_paragraph(self) -> bool:
        """Inside the text of a cell itself, not of a comment or a drawing in it."""
        outwards = self._open[::-1]
        return "p" in outwards and outwards[outwards.index("p") + 1] == "table-cell"

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= name == "table"
            return
        if not self._open:
            return
        self._open.pop()
        if name in ("table-cell", "covered-table-cell"):
            self._end_cell(covered=name != "table-cell")
        elif name == "table-row":
            self._end_row()

    def _hide_columns(self, attributes: dict[str, str]) -> None:
        count = _count(attributes, "number-columns-repeated")
        if attributes.get(_TABLE + "visibility") in _HIDDEN:
            last = min(self._column + count, LAST_COLUMN)
            self.hidden_columns.update(range(self._column, last))
        self._column += count

    def _end_cell(self, *, covered: bool) -> None:
        attributes, shown = self._cell, "".join(self._texts)
        count = _count(attributes, "number-columns-repeated")
        text = "" if covered else _value(attributes, shown)
        here = (self._row + 1, self._column)
        if attributes.get(_CALC + "value-type") == "error":
            self.errors.append((*here, shown[:20]))
            text = ""
        elif _TABLE + "formula" in attributes and _OFFICE + "value-type" not in attributes:
            self.uncalculated.append(here)
        down, right = _count(attributes, "number-rows-spanned"), _count(attributes, "number-columns-spanned")
        if down > 1 or right > 1:
            self.merges.append(Merge(here[0], here[1], here[0] + down - 1, here[1] + right - 1))
        if text:
            if self._column + count > LAST_COLUMN:
                raise FileError(DAMAGED.format("it has a cell beyond the end of any sheet"))
            self._cells += [""] * (self._column - len(self._cells)) + [text] * count
            self._bytes_left -= len(text) * count
        self._column += count

    def _end_row(self) -> None:
        count = _count(self._row_attributes, "number-rows-repeated")
        if self._row_attributes.get(_TABLE + "visibility") in _HIDDEN:
            self.hidden_rows.update(range(self._row + 1, min(self._row + count, LAST_ROW) + 1))
        if self._cells:
            if self._row + count > LAST_ROW:
                raise FileError(DAMAGED.format("it has a cell beyond the end of any sheet"))
            self._bytes_left -= sum(map(len, self._cells)) * (count - 1)
            if self._bytes_left < 0:
                raise FileError("The sheet repeats more text than max_bytes= allows; it was not read.")
            self.lines += [()] * (self._row - len(self.lines)) + [self._cells] * count
            self.width = max(self.width, len(self._cells))
            self.filled += count * len(self._cells)
        self._row += count


def _count(attributes: dict[str, str], name: str) -> int:
    return max(int(attributes.get(_TABLE + name, "1")), 1)


def _value(attributes: dict[str, str], shown: str) -> str:
    """A cell's value as a person writes it; what is shown may be cut or rounded."""
    kind = attributes.get(_OFFICE + "value-type")
    if kind in ("float", "percentage", "currency"):
        return number_text(float(attributes.get(_OFFICE + "value", "nan")))
    if kind == "boolean":
        return attributes.get(_OFFICE + "boolean-value", "").upper()
    if kind == "date":
        return _moment(attributes.get(_OFFICE + "date-value", ""), shown)
    if kind == "time":
        return _clock(attributes.get(_OFFICE + "time-value", ""), shown)
    return attributes.get(_OFFICE + "string-value", shown)


def _moment(value: str, shown: str) -> str:
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError:
        return shown
    if moment.date() == dt.date(1899, 12, 30):  # day 0: only a time of day was meant
        return clock_text(moment.time())
    return moment_text(moment)


def _clock(value: str, shown: str) -> str:
    match = _SPAN.fullmatch(value)
    if match is None:
        return shown
    sign, hours, minutes, seconds = match.groups(default="0")
    span = dt.timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    if sign != "-" and span < dt.timedelta(days=1):
        return clock_text((dt.datetime.min + span).time())
    return span_text(-span if sign == "-" else span)
