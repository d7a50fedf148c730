"""Compound files, the containers of old workbooks (.xls): read under guard, and written afresh.

Source: [MS-CFB]. Every chain of sectors is followed at most once around, and no length is believed.
"""

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.errors import FileError

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR = 4096  # of the container that is written: with 512 its header would list 7 MB at most


class Compound:
    """The streams of a compound file, by name in small letters."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 512 or not data.startswith(MAGIC):
            raise FileError(DAMAGED.format("it is cut off"))
        self._data = data
        shift, mini_shift = struct.unpack_from("<2H", data, 30)
        if shift not in (9, 12) or mini_shift != 6:
            raise FileError(DAMAGED.format("its sectors have an impossible size"))
        self._size = 1 << shift
        start, _, self._cutoff, mini_start = struct.unpack_from("<4I", data, 48)
        self._fat = self._table(self._fat_sectors())
        entries = b"".join(self._chain(start))
        self._entries: dict[str, tuple[int, int]] = {}
        root = (_END, 0)
        for at in range(0, len(entries) - 127, 128):
            length, kind = struct.unpack_from("<HB", entries, at + 64)
            name = entries[at : at + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            first, size = struct.unpack_from("<2I", entries, at + 116)
            if kind == 5:
                root = (first, size)
            elif kind == 2:
                self._entries.setdefault(name.lower(), (first, size))
        self._mini = b"".join(self._chain(root[0]))
        self._mini_fat = self._table(b"".join(self._chain(mini_start)))

    @property
    def names(self) -> set[str]:
        """All streams."""
        return set(self._entries)

    def stream(self, name: str) -> bytes:
        """The content of one stream."""
        first, size = self._entries[name]
        if size >= self._cutoff:
            whole = b"".join(self._chain(first))
        else:
            whole = b"".join(self._mini[at * 64 : at * 64 + 64] for at in self._follow(first, self._mini_fat))
        if len(whole) < size:
            raise FileError(DAMAGED.format("a stream is cut off"))
        return whole[:size]

    def _fat_sectors(self) -> bytes:
        listed = list(struct.unpack_from("<109I", self._data, 76))
        more, rounds = struct.unpack_from("<I", self._data, 68)[0], 0
        while more < _FAT - 1 and rounds * self._size < len(self._data):
            *part, more = struct.unpack(f"<{self._size // 4}I", self._sector(more))
            listed, rounds = listed + part, rounds + 1
        used = [at for at in listed if at < _FAT - 1]
        if len(used) * self._size > len(self._data):
            raise FileError(DAMAGED.format("its list of sectors is longer than the file"))
        return b"".join(map(self._sector, used))

    def _sector(self, at: int) -> bytes:
        start = (at + 1) * self._size
        if start >= len(self._data):
            raise FileError(DAMAGED.format("a sector lies outside the file"))
        return self._data[start : start + self._size].ljust(self._size, b"\0")

    def _chain(self, first: int) -> Iterator[bytes]:
        return map(self._sector, self._follow(first, self._fat))

    @staticmethod
    def _table(data: bytes) -> NDArray[np.uint32]:
        return np.frombuffer(data[: len(data) // 4 * 4], "<u4")

    @staticmethod
    def _follow(at: int, table: NDArray[np.uint32]) -> Iterator[int]:
        steps = 0
        while at < _FAT - 1:
            steps += 1
            if at >= len(table) or steps > len(table):
                raise FileError(DAMAGED.format("a chain of sectors leads nowhere"))
            yield at
            at = int(table[at])


def written(name: str, stream: bytes) -> bytes:
    """A fresh compound file that holds this one stream."""
    stream = stream.ljust(4096, b"\0")  # smaller ones would live among the mini sectors
    count = -(-len(stream) // _SECTOR)
    tables = -(-(count + 2) // (_SECTOR // 4 - 1))
    if tables > 109:
        raise FileError("The workbook is larger than an .xls file can be; it is not read.")
    first = tables + 2  # behind the tables, the directory and one sector that stands for the mini sectors
    fat = np.full(tables * _SECTOR // 4, _FREE, "<u4")
    fat[:tables] = _FAT
    fat[tables : first + count] = np.arange(tables + 1, first + count + 1)
    fat[[tables, tables + 1, first + count - 1]] = _END
    header = MAGIC + bytes(16) + struct.pack("<5H6x", 0x3E, 4, 0xFFFE, 12, 6)
    header += struct.pack("<9I", 1, tables, tables, 0, 4096, _END, 0, _END, 0)
    header += struct.pack(f"<{tables}I", *range(tables)).ljust(436, b"\xff")
    directory = _entry("Root Entry", 5, 1, tables + 1, 0) + _entry(name, 2, _FREE, first, len(stream))
    parts = (header, fat.tobytes(), directory, b"\0", stream)
    return b"".join(part.ljust(-(-len(part) // _SECTOR) * _SECTOR, b"\0") for part in parts)


def _entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    tree = struct.pack("<2B3I", kind, 1, _FREE, _FREE, child)
    return (
        text.ljust(64, b"\0")
        + struct.pack("<H", len(text))
        + tree
        + bytes(36)
        + struct.pack("<IQ", first, size)
    )
