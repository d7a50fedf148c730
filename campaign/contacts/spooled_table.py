"""A contact table on disk: written once, part by part, and then read by parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, TextChunks, series_to_chunks
from campaign.contacts.contact_parts import T, parts_of
from campaign.contacts.files.sources import Source
from campaign.contacts.reading import reading_of_rows
from campaign.contacts.reading_record import Reading, reading_of
from campaign.contacts.table import TableRows
from campaign.contacts.table_version import ColumnDigest, version_of
from campaign.spool import Spool

_TABLE, _ROW = "contacts", "row"


class TableSpool:
    """Writes rows of any number as parts of one size."""

    def __init__(self, part_rows: int) -> None:
        self.sizes: list[int] = []  # the rows of each part
        self._spool = Spool()
        self._part_rows = part_rows
        self._waiting: list[pa.Table] = []
        self._waiting_rows = 0

    def add(self, columns: Sequence[TextChunks], rows: Ints) -> None:
        """Take rows with their row numbers."""
        names = [_ROW, *map(str, range(len(columns)))]
        self._waiting.append(pa.table([pa.array(rows), *columns], names=names))
        self._waiting_rows += len(rows)
        while self._waiting_rows >= self._part_rows:
            self._write(self._part_rows)

    def finish(self) -> None:
        """Write what is left; a table without rows has one empty part."""
        if self._waiting_rows or not self.sizes:
            self._write(self._waiting_rows)

    def read(self, number: int, columns: Sequence[int]) -> tuple[Ints, pa.Table]:
        """The row numbers of a part, and some of its columns."""
        table = self._spool.read(_TABLE, number, [_ROW, *map(str, columns)])
        return table.column(0).to_numpy(), table.drop_columns(_ROW)

    def row_numbers(self) -> Iterator[Ints]:
        """The row numbers of each part."""
        return (self.read(number, [])[0] for number in range(len(self.sizes)))

    @property
    def size(self) -> int:
        """The bytes of all cells."""
        return self._spool.size([_TABLE])

    def _write(self, rows: int) -> None:
        waiting = pa.concat_tables(self._waiting)
        self._spool.write(_TABLE, len(self.sizes), waiting.slice(0, rows).combine_chunks())
        self.sizes.append(rows)
        self._waiting_rows -= rows
        self._waiting = [waiting.slice(rows)] if self._waiting_rows else []


class SpooledTable(Struct, frozen=True, eq=False):
    """A contact table whose parts are in a `TableSpool`.

    `places` are the columns of the spool that the table has, `columns` their names.
    """

    spool: TableSpool
    places: Sequence[int]
    columns: list[str]
    reading: Reading | None

    @property
    def rows(self) -> int:
        return sum(self.spool.sizes)

    @property
    def size(self) -> int:
        return self.spool.size

    @property
    def part_count(self) -> int:
        return len(self.spool.sizes)

    def part(self, number: int) -> pd.DataFrame:
        rows, table = self.spool.read(number, self.places)
        frame: pd.DataFrame = table.rename_columns(self.columns).to_pandas()
        return frame.astype("str").set_axis(pd.Index(rows, dtype="int64", name="row"))

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        return map(function, parts_of(self))


def spool_rows(rows: TableRows, source: Source, part_rows: int) -> SpooledTable:
    """The rows of a source as a contact table on disk: they are never in memory all at once."""
    spool, digests = TableSpool(part_rows), [ColumnDigest() for _ in rows.heads]
    for grid in rows.parts():
        spool.add(grid.columns, grid.rows)
        for digest, column in zip(digests, grid.columns, strict=True):
            digest.add(cast("list[TextArray]", column.chunks))
    spool.finish()
    places, names = rows.columns()
    version = version_of(names, spool.row_numbers(), [digests[place] for place in places])
    return SpooledTable(spool, places, names, reading_of_rows(rows, source, version))


def spool_frame(frame: pd.DataFrame, part_rows: int) -> SpooledTable:
    """A contact table in memory as one on disk."""
    spool = TableSpool(part_rows)
    columns = [pa.chunked_array(series_to_chunks(frame[name])) for name in frame.columns]
    spool.add(columns, frame.index.to_numpy(dtype="int64"))
    spool.finish()
    return SpooledTable(spool, range(len(columns)), list(frame.columns), reading_of(frame))
