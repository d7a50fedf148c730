"""A Dask DataFrame becomes a contact table whose rows stay on the workers of its cluster, partition by
partition. What is decided for the whole table, such as which columns are used, is decided from the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any

import pandas as pd

from campaign.cluster import Cluster, empty_frame
from campaign.contacts.cells.grid import Grid, join_grids
from campaign.contacts.contact_parts import ContactParts, T
from campaign.contacts.files.frames import read_frame
from campaign.contacts.reading import FROM_MEMORY, reading_of_rows
from campaign.contacts.reading_options import MAX_CELLS
from campaign.contacts.table import TableFacts, TableRows, table_of
from campaign.contacts.table_version import joined_version, table_version
from campaign.errors import ColumnError
from campaign.values import replace

_TIMES = 1_000  # as large as what is read whole by default: the limit is for one partition


class PartitionedTable(ContactParts, frozen=True, eq=False):
    """A contact table whose parts are frames on workers of `cluster`.

    `versions` has the version of each: where a worker is lost, Dask makes a part again, of what may have
    changed meanwhile.
    """

    cluster: Cluster
    blocks: Sequence[Any]
    versions: Sequence[str]

    @classmethod
    def of(cls, frame: Any, cluster: Cluster) -> PartitionedTable:
        """The table of a Dask frame. Raises what reading a DataFrame raises."""
        rows = _rows_of([read_frame(empty_frame(frame), max_cells=MAX_CELLS)], is_top=True)
        partitions = cluster.start_with_partitions(frame, _read_partition)
        list(rows.parts())  # none; the rows are those of the partitions
        starts, sizes = list[int](), list[int]()
        for facts in cluster.each(itemgetter(1), partitions):
            starts.append(rows.facts.height)
            sizes.append(facts.rows)
            rows.facts.add(facts)
        places, columns = rows.columns()
        kept = [place for place, size in enumerate(sizes) if size] or [0]
        blocks = cluster.start(
            _make_block,
            [partitions[i] for i in kept],
            [starts[i] for i in kept],
            repeat(places),
            repeat(columns),
        )
        versions = list(cluster.each(table_version, blocks))
        reading = reading_of_rows(rows, FROM_MEMORY, joined_version(versions))
        return cls(columns, reading, [sizes[i] for i in kept], cluster, blocks, versions)

    def part(self, number: int) -> pd.DataFrame:
        frame: pd.DataFrame = self.cluster.value(self.blocks[number])
        return frame

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        return self.cluster.each(function, self.blocks)


def _grid_of(partition: pd.DataFrame, number: int) -> Grid:
    """The cells of a partition as text, under its header."""
    try:
        return read_frame(partition, max_cells=MAX_CELLS * _TIMES)
    except ColumnError as problem:
        raise ColumnError("cell_unfit", **problem.finding.facts, partition=str(number)) from None


def _rows_of(grids: Sequence[Grid], *, is_top: bool) -> TableRows:
    return TableRows(grids, header=1, trim=False, is_top=is_top)


# what workers do


def _read_partition(partition: pd.DataFrame, number: int) -> tuple[Grid, TableFacts]:
    """The cells of a partition as text, and what it tells about the table."""
    rows = _rows_of([_grid_of(partition, number)], is_top=number == 0)
    below = join_grids([*rows.parts()])
    return replace(below, errors=(), repairs=()), replace(rows.facts, notices=[])


def _make_block(
    partition: tuple[Grid, TableFacts], start: int, places: list[int], columns: list[str]
) -> pd.DataFrame:
    """The rows of a partition as a contact table; `start` rows are above it."""
    table = table_of([partition[0]], places, columns)
    return table.set_axis(pd.Index(table.index + start, dtype="int64", name="row"))
