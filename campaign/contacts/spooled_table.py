"""A contact table on disk: written once, part by part, and then read by parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Ints, TextArray, TextChunks, series_to_chunks
from campaign.contacts.contact_parts import ContactParts
from campaign.contacts.files.sources import Source
from campaign.contacts.reading import reading_of_rows
from campaign.contacts.reading_record import reading_of
from campaign.contacts.table import TableRows
from campaign.contacts.table_version import ColumnDigest, version_of
from campaign.spool import Spool

_TABLE, _ROW = "contacts", "row"


class SpooledTable(ContactParts, frozen=True, eq=False):
    """A contact table whose parts are in a spool, where `places` name the columns that it has."""

    spool: Spool
    places: Sequence[int]

    def part(self, number: int) -> pd.DataFrame:
        table = self.spool.read(_TABLE, number, [_ROW, *map(str, self.places)])
        frame: pd.DataFrame = table.drop_columns(_ROW).rename_columns(self.columns).to_pandas()
        rows = table.column(_ROW).to_numpy()
        return frame.astype("str").set_axis(pd.Index(rows, dtype="int64", name="row"))


def spool_rows(rows: TableRows, source: Source, part_rows: int) -> SpooledTable:
    """The rows of a source as a contact table on disk: they are never in memory all at once."""
    digests = [ColumnDigest() for _ in rows.heads]

    def tables() -> Iterator[pa.Table]:
        for grid in rows.parts():
            for digest, column in zip(digests, grid.columns, strict=True):
                digest.add(cast("list[TextArray]", column.chunks))
            yield _table(grid.columns, grid.rows)

    spool, sizes = _spooled(tables(), part_rows)
    places, names = rows.columns()
    numbers = (spool.read(_TABLE, part, [_ROW]).column(0).to_numpy() for part in range(len(sizes)))
    version = version_of(names, numbers, [digests[place] for place in places])
    return SpooledTable(names, reading_of_rows(rows, source, version), sizes, spool, places)


def spool_frame(frame: pd.DataFrame, part_rows: int) -> SpooledTable:
    """A contact table in memory as one on disk."""
    columns = [pa.chunked_array(series_to_chunks(frame[name])) for name in frame.columns]
    table = _table(columns, frame.index.to_numpy(dtype="int64"))
    spool, sizes = _spooled(iter([table.slice(0, 0), table]), part_rows)
    return SpooledTable(list(frame.columns), reading_of(frame), sizes, spool, range(len(columns)))


def _table(columns: Sequence[TextChunks], rows: Ints) -> pa.Table:
    return pa.table([pa.array(rows), *columns], names=[_ROW, *map(str, range(len(columns)))])


def _spooled(tables: Iterator[pa.Table], part_rows: int) -> tuple[Spool, list[int]]:
    """Tables of any number of rows as parts on disk, and the rows of each part."""
    spool, sizes = Spool(), list[int]()
    for number, part in enumerate(_in_parts(tables, part_rows)):
        spool.write(_TABLE, number, part.combine_chunks())
        sizes.append(len(part))
    return spool, sizes


def _in_parts(tables: Iterator[pa.Table], part_rows: int) -> Iterator[pa.Table]:
    """Tables below each other, cut into parts; one part at least, also where there are no rows."""
    waiting = next(tables)
    for table in tables:
        waiting = pa.concat_tables([waiting, table])
        while len(waiting) > part_rows:
            yield waiting.slice(0, part_rows)
            waiting = waiting.slice(part_rows)
    yield waiting
