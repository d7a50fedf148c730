"""Tables that do not fit into memory, kept in one temporary file without a name."""

from __future__ import annotations

import mmap
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import cast

import pyarrow as pa

from campaign.errors import CampaignError

_ALIGNMENT = mmap.ALLOCATIONGRANULARITY


class Spool:
    """Arrow tables in a temporary file, each under a name and the number of its part.

    Only its owner can read the file. It has no name where the system allows that, so that nothing is left of
    it after a crash, and goes with the last reference to its spool. What is read is mapped into memory: only
    the columns that are looked at are read.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="campaign-", buffering=0)  # noqa: SIM115 - see below
        weakref.finalize(self, self._file.close)
        self._places: dict[tuple[str, int], tuple[int, int]] = {}
        self._end = 0
        self._writing = threading.Lock()

    def write(self, name: str, part: int, table: pa.Table) -> None:
        """Keep a table. Raises `CampaignError` where the disk has no room for it."""
        with self._writing:
            start = -(-self._end // _ALIGNMENT) * _ALIGNMENT
            try:
                self._file.seek(start)
                with pa.ipc.new_stream(self._file, table.schema) as stream:
                    stream.write_table(table)
                self._end = self._file.tell()
            except OSError as error:
                folder, reason = tempfile.gettempdir(), error.strerror or str(error)
                raise CampaignError("temporary_folder_full", folder=folder, reason=reason) from None
            self._places[name, part] = start, self._end - start

    def read(self, name: str, part: int, columns: Sequence[str] | None = None) -> pa.Table:
        """A table as it was kept, or some of its columns."""
        start, length = self._places[name, part]
        mapped = mmap.mmap(self._file.fileno(), length, access=mmap.ACCESS_READ, offset=start)
        table = pa.ipc.open_stream(pa.py_buffer(cast(bytes, mapped))).read_all()
        return table if columns is None else table.select(list(columns))

    def size(self, names: Sequence[str]) -> int:
        """The bytes that all parts of some tables take, in the file and in memory."""
        return sum(length for (name, _), (_, length) in self._places.items() if name in names)
