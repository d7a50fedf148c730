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

MEMBERS = 10_000  # a workbook of a thousand sheets has some three thousand parts

# zipfile checks few of the numbers in a file; wrong ones raise any of these.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, ValueError)


class Archive:
    """The parts of a zip file. Their names are compared without case, as readers of workbooks do."""

    def __init__(self, data: bytes, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        if data.count(b"PK\x01\x02") > MEMBERS:
            raise FileError("file_too_large", most=MEMBERS, unit="parts")
        try:
            self._opened = zipfile.ZipFile(io.BytesIO(data))
        except (*_UNREADABLE, OverflowError):
            raise FileError("file_damaged") from None
        entries = self._opened.infolist()
        self._entries = {entry.filename.replace("\\", "/").lower(): entry for entry in entries}
        if len(self._entries) != len(entries):
            raise FileError("file_damaged")

    @property
    def names(self) -> list[str]:
        """The names of the parts in lower case."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The XML of one part. With a document type, its texts may stand for others: it is refused."""
        entry = self._entries.get(name.lower())
        if entry is None:
            raise FileError("file_damaged", reason=name[:80])
        if entry.flag_bits & 1:
            raise FileError("password_protected")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError("file_damaged", reason=name[:80])
        try:
            with self._opened.open(entry) as part:
                content = part.read(self._max_bytes + 1)
        except (*_UNREADABLE, EOFError):
            raise FileError("file_damaged", reason=name[:80]) from None
        if len(content) > self._max_bytes:
            raise FileError("file_too_large", most=self._max_bytes, unit="bytes unpacked", option="bytes")
        if len(content) != entry.file_size:
            raise FileError("file_damaged", reason=name[:80])
        if b"<!DOCTYPE" in content.replace(b"\0", b""):  # UTF-16 has a zero beside each letter
            raise FileError("file_damaged", reason=name[:80])
        return content


def parse_tree(xml: bytes) -> Element:
    """The elements of XML that was read here. Raises FileError for damaged XML."""
    try:
        return fromstring(xml)  # noqa: S314 - without a document type there are no entities
    except (ParseError, LookupError, ValueError):  # ValueError, LookupError: of an unknown encoding
        raise FileError("file_damaged") from None


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
