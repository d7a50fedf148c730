"""The bytes of a file: in memory, or read piece by piece from a file that is larger than that."""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Protocol

PIECE = 1 << 22  # bytes that are looked at together: memory stays flat


class Octets(Protocol):
    """Bytes of which only slices are looked at. `bytes` are such."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: slice, /) -> bytes: ...


class FileOctets:
    """The bytes of an open file, from `start` on. The file is closed when nobody refers to it any more."""

    def __init__(self, file: IO[bytes], start: int = 0) -> None:
        self._file, self._start = file, start
        self._size = os.fstat(file.fileno()).st_size - start
        self._reading = threading.Lock()

    @classmethod
    def of_path(cls, path: Path) -> FileOctets:
        """The bytes of a file with a name."""
        return _closed_at_the_end(path.open("rb", buffering=0))

    @classmethod
    def of_pieces(cls, pieces: Iterable[bytes]) -> FileOctets:
        """Bytes that were made piece by piece, in a temporary file."""
        file = tempfile.TemporaryFile(prefix="campaign-", buffering=0)  # noqa: SIM115 - see the next function
        try:
            for piece in pieces:
                file.write(piece)
        except BaseException:
            file.close()
            raise
        return _closed_at_the_end(file)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: slice, /) -> bytes:
        start, stop, _ = place.indices(self._size)
        with self._reading:
            self._file.seek(self._start + start)
            return self._file.read(max(stop - start, 0))

    def without(self, count: int) -> FileOctets:
        """The same without the first bytes."""
        rest = FileOctets(self._file, self._start + count)
        weakref.finalize(rest, lambda _: None, self)  # which closes the file
        return rest


def _closed_at_the_end(file: IO[bytes]) -> FileOctets:
    octets = FileOctets(file)
    weakref.finalize(octets, file.close)
    return octets


def without_start(data: Octets, count: int) -> Octets:
    """The bytes without the first ones."""
    return data.without(count) if isinstance(data, FileOctets) else data[count:]


def pieces_of(data: Octets) -> Iterator[bytes]:
    """All bytes, piece by piece."""
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def find_byte(data: Octets, byte: bytes) -> int:
    """Where a byte first occurs; -1 if it does not."""
    if isinstance(data, bytes):
        return data.find(byte)
    at = 0
    for piece in pieces_of(data):
        if (place := piece.find(byte)) >= 0:
            return at + place
        at += len(piece)
    return -1
