"""What calamine does not report about an .xlsx sheet, from one pass over its XML: hidden rows and columns,
merged areas, formulas without a value, errors, formatted numbers, and how far the cells really reach.

Calamine allocates memory for the rectangle around all cells before it reads them, and aborts the process if
there is not enough, so the pass comes first. It knows XML as programs write it; any other is written anew.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, tostring

from campaign.contacts.columns import column_letter
from campaign.contacts.workbooks.archives import parse_tree
from campaign.contacts.workbooks.sheet_choice import SheetFacts
from campaign.contacts.workbooks.xlsx_outline import Outline
from campaign.errors import FileError

STRETCH = 1 << 21  # bytes of a sheet that are looked at together
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ROW = re.compile(rb'<row r="(\d{1,8})"([^<>]*)>')
_CELL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,8})"([^<>]*)>')
_CELL_TAG = re.compile(rb"<c[\s/>]")
_PREFIXED = re.compile(rb":(?:c|row)[\s/>]")
_COLUMN = re.compile(rb"<col(\s[^<>]*)>")
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,8})")
_USUAL = re.compile(rb'(?:\s+[\w.:-]+="[^"]*")*\s*/?')
_ATTRIBUTE = re.compile(rb'([\w.:-]+)="([^"]*)"')
_ZERO = re.compile(rb"0(?:\.0*)?")  # rows and columns of no height and no width are not seen
FORMULA = rb"(?:<f(?:\s[^<>]*)?>(?:(?<=/>)|[^<]*</f>)\s*)"
_EMPTY_FORMULA = re.compile(FORMULA + rb"(<v\s*/>|<v>\s*</v>|<v>0</v>)?\s*</c>")
_ERROR = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,8})"(?=[^<>]*? t="e")[^<>]*>' + FORMULA + rb"?(?:<v>([^<]*))?")


class UnusualError(Exception):
    """XML that spreadsheet programs do not write: it is written anew, then read as any other."""


def scan_sheet(xml: bytes, outline: Outline) -> tuple[bytes, SheetFacts]:
    """The XML of a sheet as calamine shall read it, and the facts of the sheet."""
    try:
        if b"<!" in xml or _PREFIXED.search(xml):
            raise UnusualError
        return xml, _Scan(xml, outline).facts
    except UnusualError:
        xml = _written_as_usual(xml)
    try:
        return xml, _Scan(xml, outline).facts
    except UnusualError:
        raise FileError("file_damaged") from None


def column_position(letters: bytes) -> int:
    """AA is 26: columns are counted from 0."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column - 1


class _Scan:
    def __init__(self, xml: bytes, outline: Outline) -> None:
        self.facts, self._outline = SheetFacts(), outline
        styles = rb'<c r="([A-Z]{1,3})(\d{1,8})"[^<>]*? s="(%s)"' % b"|".join(outline.formats)
        self._formatted = re.compile(styles) if outline.formats else None
        start = xml.find(b"<sheetData")
        if start < 0:
            raise UnusualError
        self._scan_head(xml[:start])
        for stretch in _stretches(xml):
            self._scan_rows(stretch)
            self._scan_cells(stretch)
        self.facts.has_collapsed = b' collapsed="1"' in xml

    def _scan_head(self, xml: bytes) -> None:
        for text in _COLUMN.findall(xml):
            column = _attributes(text)
            first, last = (column.get(name, b"") for name in (b"min", b"max"))
            if _is_hidden(column, b"width") and first.isdigit() and last.isdigit():
                self.facts.hide_columns(int(first) - 1, int(last) - 1)

    def _scan_rows(self, xml: bytes) -> None:
        facts, rows = self.facts, _ROW.findall(xml)
        if len(rows) != xml.count(b"<row") - xml.count(b"<rowBreaks"):
            raise UnusualError
        facts.reach(max((int(number) for number, _ in rows), default=0), -1)
        kinds = {text: _is_hidden(_attributes(text), b"ht") for text in {text for _, text in rows}}
        if any(kinds.values()):
            facts.hidden_rows.update(int(number) for number, text in rows if kinds[text])

    def _scan_cells(self, xml: bytes) -> None:
        """Cells in far rows are not counted, so that there are fewer than there should be."""
        facts, formats = self.facts, self._outline.formats
        letters = re.findall(rb'<c r="([A-Z]{1,3})\d{1,%d}"' % len(str(facts.last_row)), xml)
        if len(letters) != xml.count(b"<c") and len(letters) != len(_CELL_TAG.findall(xml)):
            raise UnusualError
        facts.cells += len(letters)
        facts.reach(0, max(map(column_position, set(letters)), default=-1))
        if self._formatted is not None:
            for column, row, style in self._formatted.findall(xml):
                facts.show(int(row), column_position(column), formats[style].shown)
        if b' t="e"' in xml:
            for column, row, error in _ERROR.findall(xml):
                facts.errors.append((int(row), column_position(column), error.decode()[:20]))
        if b"<f" in xml:
            self._scan_formulas(xml)

    def _scan_formulas(self, xml: bytes) -> None:
        for formula in _EMPTY_FORMULA.finditer(xml):
            cell, value = _CELL.match(xml, xml.rfind(b"<c ", 0, formula.start())), formula[1]
            if cell is None:
                raise UnusualError
            place = int(cell[2]), column_position(cell[1])
            if value == b"<v>0</v>":
                if self._outline.never_calculated:
                    self.facts.show(*place, lambda _: "")
                    self.facts.uncalculated.append(place)
            elif not value or b't="str"' not in cell[3]:  # a text formula may well come to an empty text
                self.facts.uncalculated.append(place)


def _stretches(xml: bytes) -> Iterator[bytes]:
    """The sheet in pieces, each cut before a row."""
    at = 0
    while at < len(xml):
        cut = xml.find(b"<row ", at + STRETCH)
        yield xml[at : cut if cut > 0 else len(xml)]
        at = cut if cut > 0 else len(xml)


def _is_hidden(attributes: dict[bytes, bytes], extent: bytes) -> bool:
    is_flat = _ZERO.fullmatch(attributes.get(extent, b"")) is not None
    return is_flat or attributes.get(b"hidden") in (b"1", b"true")


def _attributes(text: bytes) -> dict[bytes, bytes]:
    if _USUAL.fullmatch(text) is None:
        raise UnusualError
    return dict(_ATTRIBUTE.findall(text))


def _written_as_usual(xml: bytes) -> bytes:
    """The same sheet as Excel writes it: every row and cell says where it is, and no name has a prefix."""
    root = parse_tree(xml)
    row, column = 0, -1
    try:
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
            if element.tag == "row":
                cell = next((cell.get("r") for cell in element if cell.get("r")), None)
                beside = _position(cell)[0] if cell else row + 1
                row, column = int(element.get("r", beside)), -1
                _place(element, str(row))
            elif element.tag == "c":
                reference = element.get("r") or f"{column_letter(column + 1)}{row}"
                of_row, column = _position(reference)
                if of_row != row:
                    raise FileError("file_damaged", reason=reference[:20])
                _place(element, reference)
    except ValueError:
        raise FileError("file_damaged") from None
    root.set("xmlns", MAIN)
    return bytes(tostring(root, "utf-8"))


def _place(element: Element, reference: str) -> None:
    element.attrib = {"r": reference} | {name: text for name, text in element.items() if name != "r"}


def _position(reference: str) -> tuple[int, int]:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise FileError("file_damaged", reason=reference[:20])
    return int(match[2]), column_position(match[1].encode())
