"""Cells of an .ods file whose content is more than a plain value: their texts, exactly, through expat."""

import datetime as dt
import re
from collections.abc import Sequence

from campaign.contacts.cells.value_text import clock_text, moment_text, number_text, span_text
from campaign.contacts.workbooks.number_formats import NumberFormat
from campaign.contacts.workbooks.xml_parts import parse_xml

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_SPAN = re.compile(r"(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,]\d+)?S)?")
_SPACING = {"s": " ", "tab": "\t", "line-break": "\n"}
_CELLS = ("table-cell", "covered-table-cell")
LONGEST_CELL = 32_767  # characters, in Excel and LibreOffice alike


def exact_texts(root: bytes, cells: Sequence[tuple[bytes, NumberFormat | None]]) -> list[tuple[str, str]]:
    """The value of each cell as a person writes it, and what it shows; `root` are the namespaces in use."""
    parser = _CellParser([number_format for _, number_format in cells])
    xml = [b"<cells ", root, b">", *(cell for cell, _ in cells), b"</cells>"]
    parse_xml(xml, parser.start, end=parser.end, text=parser.characters)
    return parser.texts


class _CellParser:
    """Collects the texts of cells, without those of comments and drawings in them."""

    def __init__(self, formats: Sequence[NumberFormat | None]) -> None:
        self.texts: list[tuple[str, str]] = []
        self._formats = formats
        self._open: list[str] = []
        self._is_own: list[bool] = []  # paragraphs: of the cell itself, or of something in it
        self._cell: dict[str, str] = {}
        self._shown: list[str] = []
        self._has_paragraph = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(name)
        if name in _CELLS:
            self._cell, self._shown, self._has_paragraph = attributes, [], False
        elif name == "p":
            self._is_own.append(parent == "table-cell")
            self._shown += "\n" if parent == "table-cell" and self._has_paragraph else ""
            self._has_paragraph |= parent == "table-cell"
        elif name in _SPACING and self._is_own and self._is_own[-1]:
            count = int(attributes.get(TEXT + "c", "1")) if name == "s" else 1
            self._shown.append(_SPACING[name] * min(count, LONGEST_CELL))

    def characters(self, text: str) -> None:
        if self._is_own and self._is_own[-1]:
            self._shown.append(re.sub(r"[\t\r\n]", " ", text))

    def end(self, name: str) -> None:
        self._open.pop()
        if name == "p":
            self._is_own.pop()
        elif name in _CELLS:
            shown = "".join(self._shown)
            is_blank = name != "table-cell" or self._cell.get(CALC + "value-type") == "error"
            value = "" if is_blank else _value(self._cell, shown, self._formats[len(self.texts)])
            self.texts.append((value, shown))


def _value(attributes: dict[str, str], shown: str, number_format: NumberFormat | None) -> str:
    """A cell's value as a person writes it; what is shown may be cut or rounded."""
    kind = attributes.get(OFFICE + "value-type")
    if kind in ("float", "percentage", "currency"):
        number = float(attributes.get(OFFICE + "value", "nan"))
        text = number_format.shown(number) if number_format else shown if kind == "percentage" else ""
        return text if isinstance(text, str) and text else number_text(number)
    if kind == "boolean":
        return attributes.get(OFFICE + "boolean-value", "").upper()
    if kind == "date":
        return _moment(attributes.get(OFFICE + "date-value", ""), shown)
    if kind == "time":
        return _clock(attributes.get(OFFICE + "time-value", ""), shown)
    text = attributes.get(OFFICE + "string-value", shown)
    return str(number_format.shown(text)) if number_format else text


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
