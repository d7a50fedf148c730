"""XML inside a workbook, through expat: no document types, no entities, nothing fetched."""

from collections.abc import Callable, Iterable
from typing import Any
from xml.parsers import expat

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.errors import FileError


def parse_xml(
    pieces: Iterable[bytes],
    start: Callable[[str, dict[str, str]], Any],
    *,
    end: Callable[[str], Any] | None = None,
    text: Callable[[str], Any] | None = None,
) -> None:
    """Run handlers over one part of a workbook. Elements come by name without prefix, attributes with their
    namespace in front ("…}id"). Raises FileError for XML that is broken or declares a document type.
    """
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = lambda name, attributes: start(_plain(name), attributes)
    if end is not None:
        parser.EndElementHandler = lambda name: end(_plain(name))
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (
        expat.ExpatError,
        LookupError,
        ValueError,
    ):  # unknown encoding, text for a number
        raise FileError(DAMAGED.format("its XML is broken")) from None


def refuse_document_type(pieces: Iterable[bytes]) -> None:
    """Refuse a part with a document type, in which texts may stand for others; looks at its first piece."""
    if b"<!DOCTYPE" in next(iter(pieces), b""):
        _refuse_doctype()


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


def _refuse_doctype(*_: object) -> None:
    raise FileError(
        "The workbook declares a document type, which no spreadsheet program writes; it was not read."
    )
