"""The styles of an .ods file as far as they say what is shown: hidden sheets, rows of no height, columns of
no width, and number formats, in the codes that .xlsx has for them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.number_formats import CellFormat, number_format
from campaign.contacts.workbooks.xml_parts import refuse_document_type
from campaign.errors import FileError

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_NUMBER = "{urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0}"
_BY_DEFAULT = re.compile(r"(?:>=?|<|=)0")  # conditions that sections have by their order
_NO_EXTENT = re.compile(r"0(?:\.0*)?[a-z]+")
PIECE = 1 << 16  # bytes parsed at a time: the sheets come after the styles, and are not parsed here


class Styles:
    """What the styles of a file say, by their names."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self.hidden_sheets: set[str] = set()
        self.no_extent: set[str] = set()  # styles of rows without height and of columns without width
        self._cells: dict[str, tuple[str, str]] = {}  # number format and parent
        self._codes: dict[str, str] = {}
        for part in parts:
            refuse_document_type(part)
            for element in _elements(part):
                self._add(element)

    def number_formats(self) -> dict[str, CellFormat]:
        """The formats that show more than a plain number, by the names of cell styles."""
        formats = {name: number_format(self._code_of(name)) for name in self._cells}
        return {name: shows for name, shows in formats.items() if shows is not None}

    def _code_of(self, name: str) -> str:
        for _ in range(20):  # parents; a circle ends here
            code, name = self._cells.get(name, ("", ""))
            if code:
                return self._codes.get(code, "")
        return ""

    def _add(self, element: Element) -> None:
        name, attributes = element.get(_STYLE + "name", ""), element.attrib
        if element.tag == _STYLE + "style":
            code = attributes.get(_STYLE + "data-style-name", "")
            self._cells[name] = (code, attributes.get(_STYLE + "parent-style-name", ""))
            for properties in element:
                self._add_properties(name, properties.attrib)
        elif element.tag.startswith(_NUMBER) and name:
            sections = [_section(part, self._codes) for part in element.iterfind(_STYLE + "map")]
            self._codes[name] = ";".join([*sections, "".join(_piece(part, element.tag) for part in element)])

    def _add_properties(self, style: str, properties: dict[str, str]) -> None:
        if properties.get(_TABLE + "display") == "false":
            self.hidden_sheets.add(style)
        for extent in ("row-height", "column-width"):
            is_fitted = properties.get(_STYLE + "use-optimal-" + extent) == "true"
            if _NO_EXTENT.fullmatch(properties.get(_STYLE + extent, "")) and not is_fitted:
                self.no_extent.add(style)


def _elements(xml: bytes) -> Iterator[Element]:
    """The elements of a part before its first sheet, each when it is complete."""
    parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
    try:
        for at in range(0, len(xml), PIECE):
            parser.feed(xml[at : at + PIECE])
            events: Iterator[Any] = parser.read_events()
            for event, element in events:
                if element.tag == _TABLE + "table":
                    return
                if event == "end":
                    yield element
    except ParseError:
        raise FileError(DAMAGED.format("its XML is broken")) from None


def _section(part: Element, codes: dict[str, str]) -> str:
    """The code of a section that is shown on a condition."""
    condition = part.get(_STYLE + "condition", "").removeprefix("value()")
    code = codes.get(part.get(_STYLE + "apply-style-name", ""), "")
    return code if _BY_DEFAULT.fullmatch(condition) else f"[{condition}]{code}"


def _piece(part: Element, style: str) -> str:
    """The code of one element of a number format."""
    text = (part.text or "").replace('"', "")
    match part.tag.rpartition("}")[2]:
        case "text":
            return f'"{text.replace("%", chr(34) + "%" + chr(34)) if "percentage" in style else text}"'
        case "currency-symbol":
            return f"[${text or '¤'}]"
        case "number":
            return _digits(part)
        case "text-content":
            return "@"
        case "map" | "text-properties" | "fill-character":
            return ""
    return "E"  # an exponent, a fraction, a part of a date


def _digits(number: Element) -> str:
    least = int(number.get(_NUMBER + "min-integer-digits", "0"))
    decimals = number.get(_NUMBER + "decimal-places")
    if decimals is None and least <= 1 and not len(number):
        return "General"
    texts = {int(part.get(_NUMBER + "position", "0")): (part.text or "").replace('"', "") for part in number}
    code = "#,##" if number.get(_NUMBER + "grouping") == "true" else ""
    for place in range(min(max(least - 1, *texts, 0), 99), -1, -1):
        code += ("0" if place < least else "#") + (f'"{texts[place]}"' if place in texts else "")
    fixed = int(number.get(_NUMBER + "min-decimal-places", decimals or "0"))
    scaled = "," if _NUMBER + "display-factor" in number.attrib else ""
    return code + ("." + "0" * fixed).ljust(1 + int(decimals or "0"), "#").rstrip(".") + scaled
