"""Zip archives that are not trusted: the bytes of each part are counted while it is decompressed."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from campaign.errors import FileError
from campaign.text import clean

MEMBERS = 10_000  # a workbook of a thousand sheets has some three thousand parts
PIECE = 1 << 21  # bytes inflated at a time
LONGEST_ROW = 1 << 27  # bytes; 16,384 cells with 32,767 characters each would be more, but do not occur
SMALL_PART = 64_000_000  # bytes of a part that is read all at once (the list of sheets)

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")

LOCKED = "The workbook is protected by a password. Save it without one, then read that file."
DAMAGED = (
    "The workbook is damaged: {}. Open it in your spreadsheet program, save it again, then read that file."
)


class Member(NamedTuple):
    """One compressed part: its bytes as they are in the file, and what its directory entry states."""

    name: str
    method: int
    crc: int
    size: int
    packed: memoryview


class Archive:
    """The parts of a zip file. No size that the file states is trusted: every inflated byte is counted."""

    def __init__(self, data: bytes, *, max_bytes: int) -> None:
        self._data, self._max_bytes = memoryview(data), max_bytes
        if data.count(b"PK\x01\x02") > MEMBERS:
            raise FileError(f"The workbook has more than {MEMBERS:,} parts; it was not read.")
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as opened:
                entries = opened.infolist()
        # zipfile checks few of the numbers in a list of parts; wrong ones raise any of these.
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, OverflowError, struct.error):
            raise FileError(DAMAGED.format("its list of parts cannot be read")) from None
        self._entries = {entry.filename.replace("\\", "/").lower(): entry for entry in entries}
        if len(self._entries) != len(entries):
            raise FileError(DAMAGED.format("two of its parts have the same name"))

    @property
    def names(self) -> list[str]:
        """The names of the parts in lower case: readers of workbooks ignore case."""
        return list(self._entries)

    def member(self, name: str) -> Member:
        """One part, still compressed."""
        entry = self._entries.get(name.lower())
        if entry is None:
            raise FileError(DAMAGED.format(f'its part "{clean(name[:80])}" is missing'))
        if entry.flag_bits & 1:
            raise FileError(LOCKED)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(DAMAGED.format("it uses a compression method that workbooks do not use"))
        at = entry.header_offset
        if not 0 <= at <= len(self._data) - _LOCAL.size:
            raise FileError(DAMAGED.format("a part lies outside the file"))
        local = _LOCAL.unpack_from(self._data, at)
        start = at + _LOCAL.size + local[9] + local[10]
        if local[0] != b"PK\x03\x04" or start + entry.compress_size > len(self._data):
            raise FileError(DAMAGED.format("it is cut off or overwritten"))
        packed = self._data[start : start + entry.compress_size]
        return Member(entry.filename, entry.compress_type, entry.CRC, entry.file_size, packed)

    def pieces(self, name: str) -> Iterator[bytes]:
        """The part inflated, two megabytes at a time. Raises FileError if its checksum is wrong."""
        part = self.member(name)
        total, crc = 0, 0
        for piece in _inflate(part):
            total, crc = total + len(piece), zlib.crc32(piece, crc)
            if total > self._max_bytes:
                raise FileError(
                    f"Unpacked, the workbook has more than {self._max_bytes:,} bytes. "
                    "If that is intended, give a larger max_bytes=."
                )
            if total > part.size:
                break
            yield piece
        if total != part.size or crc != part.crc:
            raise FileError(DAMAGED.format("a part does not hold what it should"))

    def read(self, name: str) -> bytes:
        """All bytes of a small part."""
        content = bytearray()
        for piece in self.pieces(name):
            content += piece
            if len(content) > SMALL_PART:
                raise FileError(
                    "The workbook has an unusually large list of sheets or styles; it was not read."
                )
        return bytes(content)


def _inflate(part: Member) -> Iterator[bytes]:
    if part.method == zipfile.ZIP_STORED:
        for at in range(0, len(part.packed), PIECE):
            yield bytes(part.packed[at : at + PIECE])
        return
    inflater, rest = zlib.decompressobj(-15), bytes(part.packed)
    try:
        while not inflater.eof:
            piece = inflater.decompress(rest, PIECE)
            rest = inflater.unconsumed_tail
            if not piece and not rest and not inflater.eof:
                raise FileError(DAMAGED.format("a part is cut off"))
            yield piece
    except zlib.error:
        raise FileError(DAMAGED.format("a part cannot be unpacked")) from None
    if inflater.unused_data or rest:
        raise FileError(DAMAGED.format("a part is longer than it says"))


def stored_member(name: str, data: bytes) -> Member:
    """A part with new content, not compressed."""
    return Member(name, zipfile.ZIP_STORED, zlib.crc32(data), len(data), memoryview(data))


def packed_again(members: Iterable[Member]) -> bytes:
    """A fresh zip file with only these parts, as they are compressed already.

    Calamine is given this and not the original: it reads the very parts that were scanned here, even where
    two readers would understand the same file differently.
    """
    body, directory, count = io.BytesIO(), io.BytesIO(), 0
    for part in members:
        name, at = part.name.encode(), body.tell()
        shared = (0x800, part.method, 0, 0x21, part.crc, len(part.packed), part.size, len(name), 0)
        body.write(_LOCAL.pack(b"PK\x03\x04", 20, *shared) + name)
        body.write(part.packed)
        directory.write(_CENTRAL.pack(b"PK\x01\x02", 20, 20, *shared, 0, 0, 0, 0, at) + name)
        count += 1
    start, entries = body.tell(), directory.getvalue()
    body.write(entries + _END.pack(b"PK\x05\x06", 0, 0, count, count, len(entries), start, 0))
    return body.getvalue()


def complete_rows(pieces: Iterable[bytes], *starts: bytes) -> Iterator[bytes]:
    """The pieces, cut again so that each but the first begins with one of these."""
    rest = b""
    for piece in pieces:
        rest += piece
        cut = max(map(rest.rfind, starts))
        if cut > 0:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > LONGEST_ROW:
            raise FileError("One row of the sheet is longer than any real row; the file was not read.")
    yield rest
