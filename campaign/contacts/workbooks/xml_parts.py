"""XML inside a workbook: no document types, no entities, nothing fetched."""

from xml.etree.ElementTree import Element, ParseError, fromstring

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.errors import FileError


def parse_tree(xml: bytes) -> Element:
    """The elements of XML in which texts stand for themselves. Raises FileError for any other."""
    refuse_document_type(xml)
    try:
        return fromstring(xml)  # noqa: S314 - without a document type there are no entities
    except (ParseError, LookupError, ValueError):  # ValueError, LookupError: of an unknown encoding
        raise FileError(DAMAGED.format("its XML is broken")) from None


def local_name(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def refuse_document_type(xml: bytes) -> None:
    """Refuse XML with a document type, in which texts may stand for others."""
    if b"<!DOCTYPE" in xml.replace(b"\0", b""):  # UTF-16 has a zero beside each letter
        raise FileError(
            "The workbook declares a document type, which no spreadsheet program writes; it was not read."
        )
