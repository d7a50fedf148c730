"""Zip archives of XML that are not trusted: no part is inflated further than the file says and the caller
allows, none has a document type or entities, and nothing is fetched.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from xml.etree.ElementTree import Element, ParseError, fromstring

from campaign.errors import FileError
from campaign.text import clean

MEMBERS = 10_000  # a workbook of a thousand sheets has some three thousand parts

LOCKED = "The workbook is protected by a password. Save it without one, then read that file."
DAMAGED = (
    "The workbook is damaged: {}. Open it in your spreadsheet program, save it again, then read that file."
)
DOCTYPE = "The workbook declares a document type, which no spreadsheet program writes; it was not read."
# zipfile checks few of the numbers in a file; wrong ones raise any of these.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, ValueError)


class Archive:
    """The parts of a zip file. Their names are compared without case, as readers of workbooks do."""

    def __init__(self, data: bytes, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        if data.count(b"PK\x01\x02") > MEMBERS:
            raise FileError(f"The workbook has more than {MEMBERS:,} parts; it was not read.")
        try:
            self._opened = zipfile.ZipFile(io.BytesIO(data))
        except (*_UNREADABLE, OverflowError):
            raise FileError(DAMAGED.format("its list of parts cannot be read")) from None
        entries = self._opened.infolist()
        self._entries = {entry.filename.replace("\\", "/").lower(): entry for entry in entries}
        if len(self._entries) != len(entries):
            raise FileError(DAMAGED.format("two of its parts have the same name"))

    @property
    def names(self) -> list[str]:
        """The names of the parts in lower case."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The XML of one part. With a document type, its texts may stand for others: it is refused."""
        entry = self._entries.get(name.lower())
        if entry is None:
            raise FileError(DAMAGED.format(f'its part "{clean(name[:80])}" is missing'))
        if entry.flag_bits & 1:
            raise FileError(LOCKED)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(DAMAGED.format("it uses a compression method that workbooks do not use"))
        try:
            with self._opened.open(entry) as part:
                content = part.read(self._max_bytes + 1)
        except (*_UNREADABLE, EOFError):
            raise FileError(DAMAGED.format("a part does not hold what it should")) from None
        if len(content) > self._max_bytes:
            raise FileError(
                f"Unpacked, the workbook has more than {self._max_bytes:,} bytes. "
                "If that is intended, give a larger max_bytes=."
            )
        if len(content) != entry.file_size:
            raise FileError(DAMAGED.format("a part does not hold what it should"))
        if b"<!DOCTYPE" in content.replace(b"\0", b""):  # UTF-16 has a zero beside each letter
            raise FileError(DOCTYPE)
        return content


def parse_tree(xml: bytes) -> Element:
    """The elements of XML that was read here. Raises FileError for damaged XML."""
    try:
        return fromstring(xml)  # noqa: S314 - without a document type there are no entities
    except (ParseError, LookupError, ValueError):  # ValueError, LookupError: of an unknown encoding
        raise FileError(DAMAGED.format("its XML is broken")) from None


def packed_again(parts: Mapping[str, bytes]) -> bytes:
    """A fresh zip file with only these parts.

    Calamine is given this and not the original: it reads the very bytes that were looked at here, even where
    two readers would understand the same file differently.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()
