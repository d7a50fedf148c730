"""The bytes of a file: in memory, or read piece by piece from a file that is larger than that."""

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO, Protocol

from campaign.errors import FileError

PIECE = 1 << 22  # bytes that are looked at together: memory stays flat


class Octets(Protocol):
    """Bytes of which only slices are looked at. `bytes` are such."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: slice, /) -> bytes: ...


class FileOctets:
    """The bytes of an open file, which is closed when nobody refers to them any more."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        weakref.finalize(self, file.close)
        self._opened = os.fstat(file.fileno())

    def __len__(self) -> int:
        return self._opened.st_size

    def __getitem__(self, place: slice, /) -> bytes:
        start, stop, _ = place.indices(len(self))
        self._file.seek(start)
        piece = self._file.read(max(stop - start, 0))
        if os.fstat(self._file.fileno()).st_mtime_ns != self._opened.st_mtime_ns:
            raise FileError("file_changed")
        return piece


def kept_on_disk(pieces: Iterable[bytes]) -> FileOctets:
    """Bytes that are made piece by piece, in a temporary file. Raises FileError if there is no room."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile(prefix="campaign-", buffering=0))
            for piece in pieces:
                file.write(piece)
        except OSError as error:
            raise FileError("temporary_folder_full", reason=error.strerror or str(error)) from None
        stack.pop_all()
    return FileOctets(file)


def pieces_of(data: Octets) -> Iterator[bytes]:
    """All bytes, piece by piece."""
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))
