"""XML inside a workbook, through expat: no document types, no entities, nothing fetched."""

from collections.abc import Callable, Iterable
from typing import Any
from xml.parsers import expat

from campaign.contacts.archives import DAMAGED
from campaign.errors import FileError


def parse_xml(pieces: Iterable[bytes], start: Callable[[str, dict[str, str]], Any], **handlers: Any) -> None:
    """Expat over a part of a workbook; element names without their prefix. No document type, no entities."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = lambda name, attributes: start(_plain(name), attributes)
    if end := handlers.pop("end", None):
        parser.EndElementHandler = lambda name: end(_plain(name))
    if text := handlers.pop("text", None):
        parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.buffer_text = True
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise FileError(DAMAGED.format("its XML is broken")) from None


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


def _refuse_doctype(*_: object) -> None:
    raise FileError(
        "The workbook declares a document type, which no spreadsheet program writes; it is not read."
    )
