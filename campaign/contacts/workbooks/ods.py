"""OpenDocument sheets (.ods), read in one pass over the XML of the chosen sheet."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import register_namespace, tostring

from campaign.contacts.workbooks.archives import DAMAGED, LOCKED, Archive, stretches
from campaign.contacts.workbooks.ods_rows import ROW, OpenRows, read_attributes
from campaign.contacts.workbooks.ods_styles import Styles
from campaign.contacts.workbooks.sheet_cells import SheetCells, text_columns
from campaign.contacts.workbooks.sheet_choice import Sheet, choose_sheet, refuse_empty, sheet_cells
from campaign.contacts.workbooks.xml_parts import UnusualError, parse_tree
from campaign.errors import FileError

NESTED = "A table inside a cell of the sheet was left out."
_URN = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_NAMESPACES = {prefix: _URN.format(prefix) for prefix in ("office", "table", "text")}
_PREFIXES = _NAMESPACES | {"calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"}
_OTHER_ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["'](?!(?i:utf-8))""")
_TABLE = re.compile(rb"<table:table([\s/][^<>]*)?>|</table:table>")


class _TablePlace(NamedTuple):
    """A sheet, and where the XML of its rows starts and ends."""

    name: str
    style: str
    start: int
    end: int


def read_ods(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .ods file, starting at its first row."""
    archive = Archive(data, max_bytes=max_bytes)
    manifest = "meta-inf/manifest.xml"
    if manifest in archive.names and b"encryption-data" in archive.read(manifest):
        raise FileError(LOCKED)
    xml = archive.read("content.xml")
    parts = [xml] if "styles.xml" not in archive.names else [archive.read("styles.xml"), xml]
    styles = Styles(parts)
    try:
        return _read(xml, styles, sheet, max_bytes, max_cells)
    except UnusualError:
        xml, has_nested = _written_as_usual(xml)
    try:
        cells = _read(xml, styles, sheet, max_bytes, max_cells)
    except UnusualError:
        raise FileError(DAMAGED.format("its XML makes no sense")) from None
    return cells._replace(notices=[*cells.notices, *[NESTED] * has_nested])


def _read(xml: bytes, styles: Styles, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    tables = list(_tables(xml))
    sheets = [
        Sheet(table.name, table.style not in styles.hidden_sheets, str(i)) for i, table in enumerate(tables)
    ]
    chosen, notices = choose_sheet(sheets, sheet)
    table = tables[int(chosen.part)]
    pieces = stretches(xml, ROW.encode(), table.start, table.end)
    rows = OpenRows(pieces, styles, max_bytes, max_cells)
    columns = text_columns(rows.lines(), rows.facts.last_column + 1)[rows.left :]
    if sheet is None:
        filled = (
            one
            for one, its in zip(sheets, tables, strict=True)
            if xml.find(b" office:value", its.start, its.end) > 0
        )
        refuse_empty(chosen, columns, rows.facts, filled)
    return sheet_cells("ods", columns, rows.facts, chosen, sheets, left=rows.left, notices=notices)


def _tables(xml: bytes) -> Iterator[_TablePlace]:
    """The sheets of the file. Tables outside of them have no name."""
    start = xml.find(b"<office:spreadsheet")
    spaces = [f'xmlns:{prefix}="{name}"'.encode() for prefix, name in _NAMESPACES.items()]
    if start < 0 or _OTHER_ENCODING.match(xml) or b"<!" in xml or not all(s in xml[:start] for s in spaces):
        raise UnusualError
    attributes: dict[str, str] | None = None
    for tag in _TABLE.finditer(xml, start):
        if tag[0].startswith(b"</") == (attributes is None):
            raise UnusualError  # a table in a cell
        if attributes is None:
            attributes, start = read_attributes((tag[1] or b"").decode()), tag.end()
        if tag[0].startswith(b"</") or tag[0].endswith(b"/>"):
            if "table:name" in attributes:
                style = attributes.get("table:style-name", "")
                yield _TablePlace(attributes["table:name"], style, start, tag.start())
            attributes = None


def _written_as_usual(xml: bytes) -> tuple[bytes, bool]:
    """XML that is written in another way, as programs write it: with the usual prefixes, without comments and
    without tables in cells; and whether there were such tables.
    """
    for prefix, name in _PREFIXES.items():
        register_namespace(prefix, name)
    root, nested = parse_tree(xml), []
    table = f"{{{_NAMESPACES['table']}}}"
    for cell in root.iter(table + "table-cell"):
        nested += [(parent, one) for parent in cell.iter() for one in parent if one.tag.startswith(table)]
    for parent, one in nested:
        if one in parent:  # it may be in another that was left out
            parent.remove(one)
    return bytes(tostring(root, "utf-8")), any(one.tag == table + "table" for _, one in nested)
