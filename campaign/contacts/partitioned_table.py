"""A Dask DataFrame becomes a contact table whose rows stay on the workers of its cluster.

    partitions ──> cells as text, and facts ──> blocks of one size, with names and row numbers

What is decided for the whole table, such as which columns are used, is decided here from the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.arrow_types import TEXT
from campaign.cluster import Cluster, computed_partitions, empty_frame
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid
from campaign.contacts.cells.repairs import repaired
from campaign.contacts.contact_parts import T
from campaign.contacts.exports import export_notices, find_export
from campaign.contacts.files.frames import read_frame
from campaign.contacts.header_lines import LOOKED_AT, about_lines, lines_at_top
from campaign.contacts.reading_options import MAX_CELLS
from campaign.contacts.reading_record import Reading
from campaign.contacts.table import count_unwanted, header_notices, used_columns, without_texts
from campaign.contacts.table_version import joined_version, table_version
from campaign.errors import ColumnError

FIRST_ROW = 2  # of a DataFrame, which counts as a sheet with its column names in row 1
REPAIRED = "Cells with an error such as #N/A are taken as blank, and codes of other programs were repaired"
_TIMES = 1_000  # as large as what is read whole by default: the limit is for one partition


class PartitionFacts(Struct, frozen=True, eq=False):
    """What one partition tells about its table.

    `is_used` says which columns hold anything, `top` how many of its first rows belong to the header, and
    what they hold. `blank` rows hold nothing; `emptied` cells held what a tool writes for "no value", and to
    `unwanted` rows nothing is to be sent. `repaired` cells held an error or codes of another program.
    """

    rows: int
    is_used: list[bool]
    top: tuple[int, str]
    blank: int
    emptied: int
    unwanted: int
    repaired: int


class PartitionedTable(Struct, frozen=True, eq=False):
    """A contact table in blocks of one size, each of them a frame on a worker of `cluster`.

    Each has `part_rows` rows but the last. `versions` has the version of each: where a worker is lost, Dask
    makes a block again, of what may have changed meanwhile.
    """

    cluster: Cluster
    part_rows: int
    blocks: Sequence[Any]
    versions: Sequence[str]
    columns: list[str]
    reading: Reading | None
    rows: int
    size: int

    @classmethod
    def of(cls, frame: Any, part_rows: int, cluster: Cluster) -> PartitionedTable:
        """The table of a Dask frame. Raises what reading a DataFrame raises."""
        heads = _heads(frame)
        partitions = cluster.start_with_partitions(frame, _read_partition)
        facts = list(cluster.each(itemgetter(1), partitions))
        filled = [place for place, one in enumerate(facts) if one.rows]
        partitions, facts = [partitions[place] for place in filled], [facts[place] for place in filled]
        is_used = [bool(head.strip()) for head in heads]
        for one in facts:
            is_used = [used or new for used, new in zip(is_used, one.is_used, strict=True)]
        places, columns = used_columns(heads, is_used, range(len(heads)))
        start = facts[0].top[0] if facts else 0
        ends = np.cumsum([0, *(one.rows for one in facts)])
        pieces = zip(*_pieces(partitions, ends, start, part_rows), strict=True)
        blocks = cluster.start(_join_block, *pieces, repeat(places), repeat(columns))
        versions = list(cluster.each(table_version, blocks))
        size = sum(cluster.each(_size_of, blocks))
        rows = int(ends[-1]) - start
        reading = _reading(heads, places, columns, facts, rows, versions)
        return cls(cluster, part_rows, blocks, versions, columns, reading, rows, size)

    @property
    def part_count(self) -> int:
        return len(self.blocks)

    def part(self, number: int) -> pd.DataFrame:
        frame: pd.DataFrame = self.cluster.value(self.blocks[number])
        return frame

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        return self.cluster.each(function, self.blocks)


def _pieces(
    partitions: Sequence[Any], ends: Ints, start: int, size: int
) -> Iterator[tuple[list[Any], list[tuple[int, int]], int]]:
    """For each block of `size` rows the partitions that it is in, from where to where in them, and its first
    row; there is one block at least. The rows of partitions end at `ends`; the first block begins at `start`.
    """
    rows = int(ends[-1])
    for first in range(start, max(rows, start + 1), size):
        after = min(first + size, rows)
        pieces, bounds = [], []
        for number, partition in enumerate(partitions):
            begin, end = ends[number : number + 2].tolist()
            if begin < after and first < end:
                pieces.append(partition)
                bounds.append((max(first, begin) - begin, min(after, end) - begin))
        yield pieces, bounds, FIRST_ROW + first


def partition_grids(frame: Any) -> Iterator[Grid]:
    """A Dask frame as grids of its partitions, each computed on this machine when it is reached; the first
    has the header only."""
    yield read_frame(empty_frame(frame), max_cells=MAX_CELLS)
    row = FIRST_ROW
    for number, partition in enumerate(computed_partitions(frame)):
        grid = _grid_of(partition, number)
        yield Grid(grid.format, grid.columns, np.arange(row, row + len(grid)), grid.positions)
        row += len(grid)


def _heads(frame: Any) -> list[str]:
    return repaired(read_frame(empty_frame(frame), max_cells=MAX_CELLS)).head(1)[0]


def _grid_of(partition: pd.DataFrame, number: int) -> Grid:
    """The cells of a partition as text, without its header."""
    try:
        grid = read_frame(partition, max_cells=MAX_CELLS * _TIMES)
    except ColumnError as problem:
        where = f"This is in partition {number}, counted from 0, where the rows begin anew."
        raise ColumnError(f"{problem} {where}") from None
    return repaired(grid).cut(1, len(grid))


# what workers do


def _read_partition(partition: pd.DataFrame, number: int) -> tuple[pa.Table, PartitionFacts]:
    """The cells of a partition as text, with its columns numbered, and what it tells about the table."""
    below = _grid_of(partition, number)
    heads = repaired(read_frame(partition.iloc[:0], max_cells=MAX_CELLS)).head(1)[0]
    export = find_export(heads)
    is_used = [not below.is_empty(place) for place in range(len(heads))]
    top = lines_at_top(below.head(LOOKED_AT), heads, export)
    below, emptied = without_texts(below, export.missing)
    names = [str(place) for place in range(len(heads))]
    table = pa.Table.from_arrays(list(below.columns), names=names)
    facts = PartitionFacts(
        rows=len(below),
        is_used=is_used,
        top=top,
        blank=len(blank_rows(below.columns, len(below))),
        emptied=emptied,
        unwanted=count_unwanted(below, heads, export),
        repaired=len(below.errors) + len(below.repairs),
    )
    return table.combine_chunks(), facts


def _size_of(block: pd.DataFrame) -> int:
    return int(block.memory_usage().sum())


def _join_block(
    partitions: list[tuple[pa.Table, PartitionFacts]],
    bounds: list[tuple[int, int]],
    first_row: int,
    places: list[int],
    columns: list[str],
) -> pd.DataFrame:
    """Consecutive rows of some partitions as a contact table."""
    numbers = [str(place) for place in places]
    nothing = pa.table({number: pa.array([], TEXT) for number in numbers})
    taken = [
        table.select(numbers).slice(start, stop - start)
        for (table, _), (start, stop) in zip(partitions, bounds, strict=True)
    ]
    table = pa.concat_tables([nothing, *taken]).combine_chunks()
    frame: pd.DataFrame = table.rename_columns(columns).to_pandas()
    index = pd.RangeIndex(first_row, first_row + table.num_rows)
    return frame.astype("str").set_axis(pd.Index(index, dtype="int64", name="row"))


# what the facts tell


def _reading(
    heads: list[str],
    places: list[int],
    columns: list[str],
    facts: Sequence[PartitionFacts],
    rows: int,
    versions: Sequence[str],
) -> Reading:
    export = find_export(heads)
    header = Grid("DataFrame", [], np.array([1]), range(len(heads)))
    count, kind = facts[0].top if facts else (0, "")
    top = [about_lines(kind, range(FIRST_ROW, FIRST_ROW + count))] if count else []
    emptied, unwanted, repaired_cells = (
        sum(getattr(one, name) for one in facts) for name in ("emptied", "unwanted", "repaired")
    )
    odd = [f"{REPAIRED}: {repaired_cells:,} in all."] if repaired_cells else []
    return Reading(
        source="a DataFrame",
        format="DataFrame",
        header_row=1,
        rows=rows,
        blank_rows=sum(one.blank for one in facts),
        notices=(
            *header_notices(header, 1, heads, places, rows=rows, above=0),
            *top,
            *odd,
            *export_notices(export, columns, emptied=emptied, unwanted=unwanted),
        ),
        version=joined_version(versions),
    )
