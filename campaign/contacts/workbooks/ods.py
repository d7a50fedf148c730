"""OpenDocument sheets (.ods): cells through calamine, and one light pass for what it does not report.

Calamine is given the XML of the chosen sheet alone, in which its text stands for each cell that it does not
read exactly.
"""

import re
from contextlib import suppress
from html import escape
from xml.etree.ElementTree import register_namespace, tostring

from campaign.contacts.workbooks.archives import LOCKED, Archive, Member, packed_again, stored_member
from campaign.contacts.workbooks.ods_cells import CALC, OFFICE, TABLE, TEXT, exact_texts, parse_tree
from campaign.contacts.workbooks.ods_scan import Table, UnusualError, scan_tables
from campaign.contacts.workbooks.ods_styles import Styles
from campaign.contacts.workbooks.sheet_cells import SheetCells, TextColumn
from campaign.contacts.workbooks.sheet_choice import (
    LAST_COLUMN,
    LAST_ROW,
    Sheet,
    choose_sheet,
    refuse_beyond_rectangle,
    refuse_empty,
    sheet_cells,
)
from campaign.contacts.workbooks.xlsx import by_calamine
from campaign.errors import FileError

NESTED = "A table inside a cell of the sheet was left out."
_AROUND = [
    stored_member("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
    stored_member("META-INF/manifest.xml", b""),
]
_SPACE = re.compile(rb">\s+(?=</?table:)")  # calamine reads no cells with space between them
_NAMESPACE = re.compile(rb'xmlns:([\w.-]+)="[^"]*"')


def read_ods(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .ods file, starting at its first row."""
    archive = Archive(data, max_bytes=max_bytes)
    manifest = "meta-inf/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.read(manifest):
        raise FileError(LOCKED)
    styles, packed, has_nested = Styles(archive), archive.member("content.xml"), False
    try:
        tables = scan_tables(archive.pieces("content.xml"), styles)
    except UnusualError:
        xml, has_nested = _written_as_usual(b"".join(archive.pieces("content.xml")))
        packed = stored_member("content.xml", xml)
        archive = Archive(packed_again([packed]), max_bytes=max_bytes)
        tables = scan_tables(archive.pieces("content.xml"), styles)
    named = [table for table in tables if table.name is not None]
    sheets = [
        Sheet(table.name or "", table.style not in styles.hidden_sheets, str(i))
        for i, table in enumerate(named)
    ]
    chosen, notices = choose_sheet(sheets, sheet)
    table = named[int(chosen.part)]
    _refuse_repetitions(table, max_bytes, max_cells)
    columns, left = _cells(archive, packed, table, is_alone=len(tables) == 1)
    facts = table.facts
    if sheet is None:
        filled = [one for one, its in zip(sheets, named, strict=True) if its.facts.last_row]
        refuse_empty(chosen, columns, facts, filled)
    facts.last_column = left + len(columns) - 1
    notices += [NESTED] * has_nested
    return sheet_cells("ods", columns, facts, chosen, sheets, left=left, notices=notices)


def _refuse_repetitions(table: Table, max_bytes: int, max_cells: int) -> None:
    """Refuse a sheet that would be too large once its rows and cells are repeated."""
    facts = table.facts
    on_average = -(-facts.cells // facts.last_row) if facts.last_row else 0
    width = max(facts.last_column + 1, on_average)
    if table.repeated > max_bytes and facts.last_row <= LAST_ROW and width <= LAST_COLUMN:
        raise FileError("The sheet repeats more text than max_bytes= allows; it was not read.")
    refuse_beyond_rectangle(facts.last_row, width - 1, facts.cells, max_cells)


def _cells(archive: Archive, packed: Member, table: Table, *, is_alone: bool) -> tuple[list[TextColumn], int]:
    """The cells of a sheet, and the position of its first column."""
    if is_alone and not table.inexact:
        with suppress(FileError):  # there is space between its cells, as a rule
            return by_calamine(packed_again([*_AROUND, packed]), None, {})
    xml = _SPACE.sub(b">", _exact_xml(b"".join(archive.pieces("content.xml")), table))
    return by_calamine(packed_again([*_AROUND, stored_member("content.xml", xml)]), None, {})


def _exact_xml(xml: bytes, table: Table) -> bytes:
    """The XML of one sheet, in which calamine reads every cell exactly."""
    head = xml[: xml.find(b"<office:spreadsheet")]
    root = b" ".join({match[1]: match[0] for match in _NAMESPACE.finditer(head)}.values())
    cells = [(xml[cell.start : cell.end], cell.number_format) for cell in table.inexact]
    pieces, at = [b"<office:document-content " + root + b"><office:body><office:spreadsheet>"], table.start
    for cell, (value, shown) in zip(table.inexact, exact_texts(root, cells), strict=True):
        pieces += [xml[at : cell.start], _string_cell(value, cell.repeated)]
        at = cell.end
        if cell.error is not None:
            table.facts.errors.append((*cell.error, shown[:20]))
    ending = b"</office:spreadsheet></office:body></office:document-content>"
    return b"".join([*pieces, xml[at : table.end], ending])


def _string_cell(text: str, count: int) -> bytes:
    text = escape(text).translate({9: "&#9;", 10: "&#10;", 13: "&#13;"})
    value = f'office:value-type="string" office:string-value="{text}"' if text else ""
    return f'<table:table-cell table:number-columns-repeated="{count}" {value}/>'.encode()


def _written_as_usual(xml: bytes) -> tuple[bytes, bool]:
    """XML that is written in another way, as programs write it: with the usual prefixes, without comments and
    without tables in cells; and whether there were such tables.
    """
    for space, prefix in ((OFFICE, "office"), (TABLE, "table"), (TEXT, "text"), (CALC, "calcext")):
        register_namespace(prefix, space.strip("{}"))
    root, nested = parse_tree(xml), []
    for cell in root.iter(TABLE + "table-cell"):
        nested += [
            (parent, child) for parent in cell.iter() for child in parent if child.tag == TABLE + "table"
        ]
    for parent, table in nested:
        if table in parent:  # a cell may be in another that was left out
            parent.remove(table)
    return bytes(tostring(root, "utf-8")), bool(nested)
