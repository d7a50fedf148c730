"""OpenDocument sheets (.ods), read in one pass over their XML: styles first, then sheet after sheet."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from campaign.contacts.columns import fold
from campaign.contacts.workbooks.archives import Archive
from campaign.contacts.workbooks.ods_rows import COLUMN, GROUPS, ROW, TABLE, OpenRows
from campaign.contacts.workbooks.sheet_cells import SheetCells, text_columns
from campaign.contacts.workbooks.sheet_choice import SheetOfWorkbook, choose_sheet, sheet_cells
from campaign.errors import FileError
from campaign.words.finding import Finding

PIECE = 1 << 16  # bytes parsed at a time
_SHEET = TABLE + "table"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_READ_HERE = {_SHEET, _STYLE + "style", ROW, COLUMN, *GROUPS}  # cells and texts are read with their row
_NO_EXTENT = re.compile(r"0(?:\.0*)?[a-z]+")


def read_ods(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .ods file, starting at its first row."""
    archive = Archive(data, max_bytes=max_bytes)
    manifest = "meta-inf/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.read(manifest):
        raise FileError("password_protected")
    document = _Document(sheet, max_bytes, max_cells)
    if "styles.xml" in archive.names:
        document.read(archive.read("styles.xml"))
    document.read(archive.read("content.xml"))
    choice = choose_sheet(document.sheets, sheet)
    rows = document.rows[int(choice.sheet.part)]
    rows.refuse_large()
    columns = text_columns(rows.lines(), rows.facts.last_column + 1)[rows.left :]
    choice.notices.extend([Finding("formats_unknown", {}, "info")] * rows.has_unshown)
    return sheet_cells(
        "ods", columns, rows.facts, choice, lambda other: document.rows[int(other.part)].is_filled, rows.left
    )


class _Document:
    """The sheets of a file. Of those that are not asked for, only whether they have cells is kept."""

    def __init__(self, wanted: str | None, max_bytes: int, max_cells: int) -> None:
        self.sheets: list[SheetOfWorkbook] = []
        self.rows: list[OpenRows] = []  # of each table
        self._wanted, self._max_bytes, self._max_cells = wanted, max_bytes, max_cells
        self._hidden_sheets: set[str] = set()
        self._no_extent: set[str] = set()  # styles of rows without height and of columns without width
        self._sheet: Element | None = None  # around this place

    def read(self, xml: bytes) -> None:
        """Read one part."""
        parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
        try:
            for at in range(0, len(xml), PIECE):
                parser.feed(xml[at : at + PIECE])
                events: Iterator[Any] = parser.read_events()
                for event, element in events:
                    if element.tag in _READ_HERE:
                        (self._start if event == "start" else self._end)(element)
            parser.close()
        except (ParseError, ValueError):  # ValueError: a count that is no number
            raise FileError("file_damaged") from None

    def _start(self, element: Element) -> None:
        if element.tag == _SHEET:
            self._start_sheet(element)
        elif self._sheet is not None:
            self.rows[-1].start(element)

    def _end(self, element: Element) -> None:
        if element.tag == _SHEET:
            self._sheet = None
        elif element.tag == _STYLE + "style":
            self._read_style(element)
        elif self._sheet is not None:
            self.rows[-1].end(element)
            element.clear()
            self._sheet.clear()  # of what was read: memory stays flat

    def _start_sheet(self, element: Element) -> None:
        if self._sheet is not None:
            raise FileError("file_damaged")
        self._sheet = element
        name = element.get(TABLE + "name")
        is_visible = element.get(TABLE + "style-name") not in self._hidden_sheets
        if self._wanted is None:
            is_wanted = is_visible and not any(sheet.visible for sheet in self.sheets)
        else:
            is_wanted = name is not None and fold(name) == fold(self._wanted)
        if name is not None:  # tables outside of sheets have no name
            self.sheets.append(SheetOfWorkbook(name, is_visible, str(len(self.rows))))
        self.rows.append(OpenRows(self._no_extent, self._max_bytes, self._max_cells, is_wanted=is_wanted))

    def _read_style(self, element: Element) -> None:
        style = element.get(_STYLE + "name", "")
        for properties in element:
            if properties.get(TABLE + "display") == "false":
                self._hidden_sheets.add(style)
            for extent in ("row-height", "column-width"):
                is_fitted = properties.get(_STYLE + "use-optimal-" + extent) == "true"
                if _NO_EXTENT.fullmatch(properties.get(_STYLE + extent, "")) and not is_fitted:
                    self._no_extent.add(style)
