"""Cells of an .ods file whose content is more than a plain value: their texts, exactly."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, ParseError, fromstring

from campaign.contacts.cells.value_text import LONGEST_CELL, clock_text, moment_text, number_text, span_text
from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.number_formats import CellFormat
from campaign.contacts.workbooks.xml_parts import refuse_document_type
from campaign.errors import FileError

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_SPAN = re.compile(r"(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,]\d+)?S)?")
_SPACING = {TEXT + "s": " ", TEXT + "tab": "\t", TEXT + "line-break": "\n"}
_SPACE = re.compile(r"[\t\r\n]")


def exact_texts(namespaces: bytes, cells: Sequence[tuple[bytes, CellFormat | None]]) -> list[tuple[str, str]]:
    """The value of each cell as a person writes it, and what it shows."""
    tree = parse_tree(b"".join([b"<cells ", namespaces, b">", *(xml for xml, _ in cells), b"</cells>"]))
    texts = []
    for cell, (_, number_format) in zip(tree, cells, strict=True):
        shown = "\n".join(_text(part) for part in cell if part.tag == TEXT + "p")
        is_blank = cell.tag != TABLE + "table-cell" or cell.get(CALC + "value-type") == "error"
        texts.append(("" if is_blank else _value(cell.attrib, shown, number_format), shown))
    return texts


def parse_tree(xml: bytes) -> Element:
    """The elements of XML in which texts stand for themselves. Raises FileError for any other."""
    refuse_document_type([xml])
    try:
        return fromstring(xml)  # noqa: S314 - without a document type there are no entities
    except (ParseError, LookupError, ValueError):
        raise FileError(DAMAGED.format("its XML is broken")) from None


def _text(element: Element) -> str:
    """The text of a paragraph, without that of comments and drawings in it."""
    text = _SPACE.sub(" ", element.text or "")
    for part in element:
        if part.tag in _SPACING:
            count = int(part.get(TEXT + "c", "1")) if part.tag == TEXT + "s" else 1
            text += _SPACING[part.tag] * min(count, LONGEST_CELL)
        elif part.tag != TEXT + "p":
            text += _text(part)
        text += _SPACE.sub(" ", part.tail or "")
    return text


def _value(attributes: Mapping[str, str], shown: str, number_format: CellFormat | None) -> str:
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
