"""A csv or parquet file becomes a contact table on disk: its cells are never in memory all at once."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from campaign.arrow_types import TextArray
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid, join_grids
from campaign.contacts.cells.headers import LOOKED_AT, Header
from campaign.contacts.cells.repairs import LISTED, repaired
from campaign.contacts.continuation import is_follow_up
from campaign.contacts.exports import export_notices, find_export
from campaign.contacts.files.delimited import DelimitedRecords
from campaign.contacts.files.encodings import to_text
from campaign.contacts.files.frames import parquet_grids
from campaign.contacts.files.octets import FileOctets
from campaign.contacts.files.sources import BLANK, Source, find_format, misnamed, open_in_pieces
from campaign.contacts.header_lines import HeaderLines
from campaign.contacts.own_files import about_own_file
from campaign.contacts.partitioned_table import partition_grids
from campaign.contacts.reading_options import MAX_BYTES, MAX_CELLS
from campaign.contacts.reading_record import Reading
from campaign.contacts.spooled_table import SpooledTable, TableSpool
from campaign.contacts.table import (
    CellIssue,
    cell_issues,
    count_unwanted,
    find_header,
    header_notices,
    issue_notices,
    used_columns,
    without_texts,
)
from campaign.contacts.table_version import ColumnDigest, version_of

_TIMES = 10  # as large as what is read whole by default: memory is no reason any more
_CONTAINERS = (b"PK", b"\xd0\xcf\x11\xe0")  # of workbooks


def read_in_parts(source: str | os.PathLike[str], part_rows: int) -> SpooledTable | None:
    """The contact table of a file, on disk; None for a file that has to be read whole.

    These are workbooks, and rows to correct that come back: see `read_contacts`, which gives the same cells
    and notices and raises the same errors.
    """
    file, octets = open_in_pieces(source)
    kind = _kind_of(file)
    if kind == "text":
        return _read_text(file, octets, part_rows)
    return _read_parquet(file, part_rows) if kind == "parquet" else None


def read_partitions(frame: Any, part_rows: int) -> SpooledTable:
    """The contact table of a Dask frame, on disk; its partitions are computed here, one at a time."""
    table = TableInParts(partition_grids(frame), header=1, trim=False, part_rows=part_rows)
    return table.write(Source("a DataFrame", b""), list)


def _kind_of(file: Source) -> str:
    """ "text", "parquet", or "" for anything that is read whole."""
    if file.data.startswith(_CONTAINERS) or not file.data.strip(BLANK):
        return ""
    return find_format(file)


def _read_text(file: Source, octets: FileOctets, part_rows: int) -> SpooledTable | None:
    text = to_text(octets, None)
    records = DelimitedRecords(text, delimiter=None, header=None, max_cells=MAX_CELLS * _TIMES)
    table = TableInParts(records.grids(), header=None, trim=True, part_rows=part_rows)
    return _described(table, file, lambda: records.notices)


def _read_parquet(file: Source, part_rows: int) -> SpooledTable | None:
    limits: dict[str, Any] = {"max_bytes": MAX_BYTES * _TIMES, "max_cells": MAX_CELLS * _TIMES}
    table = TableInParts(parquet_grids(file.path, **limits), header=1, trim=False, part_rows=part_rows)
    return _described(table, file, lambda: list(table.top.notices))


def _described(table: TableInParts, file: Source, notices: Callable[[], list[str]]) -> SpooledTable | None:
    """The table with its reading; `notices` are those of its cells, once all were read."""
    return None if is_follow_up(table.heads) else table.write(file, notices)


class TableInParts:
    """The rows of a file under its header, taken grid by grid; `trim` leaves the blank rows at its end out.

    No row or column is hidden and no cell merged: such files are read whole.
    """

    def __init__(self, grids: Iterable[Grid], *, header: Header, trim: bool, part_rows: int) -> None:
        """Find the header; raises what `make_table` raises."""
        rest = map(repaired, grids)
        self.top = _first_lines(rest)
        seen = np.ones(len(self.top), bool)
        self.header_row, self.heads = find_header(self.top, seen, header)
        self._grids, self._trim = chain([self.top], rest), trim
        self._export = find_export(self.heads)
        self._is_used = [bool(head.strip()) for head in self.heads]
        self._spool = TableSpool(part_rows)
        self._digests = [ColumnDigest() for _ in self.heads]
        self._blank = self._emptied = self._unwanted = 0
        self._lines = HeaderLines(self.heads, self._export)
        self._issues: list[CellIssue] = []

    def write(self, file: Source, of_cells: Callable[[], list[str]]) -> SpooledTable:
        """Write all rows of a file. `of_cells` is what is said of its cells, once all were read."""
        for grid in self._without_end(self._rows()):
            self._keep(grid)
        self._spool.finish(len(self.heads))
        places, columns = used_columns(self.heads, self._is_used, self.top.positions)
        digests = [self._digests[place] for place in places]
        issues = self._named_issues(dict(zip(map(str, places), columns, strict=True)))
        kind = "parquet" if self.top.format == "parquet" else "text"
        of_file = [*([] if kind == "parquet" else about_own_file(self.heads)), *misnamed(file, kind)]
        of_text = {"encoding": self.top.encoding, "delimiter": self.top.delimiter}
        reading = Reading(
            source=file.name,
            path=file.path,
            format=self.top.format,
            header_row=self.header_row,
            encoding=self.top.encoding,
            delimiter=self.top.delimiter,
            rows=sum(self._spool.sizes),
            blank_rows=self._blank,
            notices=(*of_file, *of_cells(), *self._notices(places, columns, issues)),
            issues=issues,
            detected=tuple(name for name, value in of_text.items() if value),
            version=version_of(columns, self._spool.row_numbers(), digests),
        )
        return SpooledTable(self._spool, places, columns, reading)

    def _notices(self, places: list[int], columns: list[str], issues: tuple[CellIssue, ...]) -> Iterator[str]:
        """What is said of the table once it was written."""
        rows, above = sum(self._spool.sizes), 0 if self.header_row is None else self.header_row - 1
        yield from header_notices(self.top, self.header_row, self.heads, places, rows=rows, above=above)
        yield from (*issue_notices(issues), *self._lines.notices)
        yield from export_notices(self._export, columns, emptied=self._emptied, unwanted=self._unwanted)

    def _rows(self) -> Iterator[Grid]:
        """The rows below the header, without lines of it and without what the tool writes for "no value"."""
        for grid in self._grids:
            below = grid.cut(int(np.searchsorted(grid.rows, self.header_row or 0, side="right")), len(grid))
            if len(self._issues) < LISTED:
                self._issues += cell_issues(grid, below, [*map(str, range(len(self.heads)))], ())
            if not len(below):
                continue
            for place, is_used in enumerate(self._is_used):
                self._is_used[place] = is_used or not below.is_empty(place)
            below = self._lines.taken_out(below)
            below, emptied = without_texts(below, self._export.missing)
            self._emptied += emptied
            self._unwanted += count_unwanted(below, self.heads, self._export)
            yield below

    def _named_issues(self, names: dict[str, str]) -> tuple[CellIssue, ...]:
        return tuple(
            dataclasses.replace(issue, column=names[issue.column])
            for issue in self._issues
            if issue.column in names
        )

    def _without_end(self, grids: Iterable[Grid]) -> Iterator[Grid]:
        """The rows but for blank ones at the end of the file, if it is trimmed; blank ones are counted."""
        waiting: list[Grid] = []
        for grid in grids:
            blank = blank_rows(grid.columns, len(grid))
            filled = np.setdiff1d(np.arange(len(grid)), blank, assume_unique=True) if len(blank) else None
            end = len(grid) if filled is None else int(filled[-1]) + 1 if len(filled) else 0
            if not self._trim:
                end = len(grid)
            if end:
                yield from waiting
                self._blank += sum(map(len, waiting)) + int(np.count_nonzero(blank < end))
                waiting = []
                yield grid.cut(0, end)
            if end < len(grid):
                waiting.append(grid.cut(end, len(grid)))

    def _keep(self, grid: Grid) -> None:
        self._spool.add(grid.columns, grid.rows)
        for digest, column in zip(self._digests, grid.columns, strict=True):
            chunks: list[TextArray] = column.chunks  # type: ignore[assignment] # the stubs know no texts
            digest.add(chunks)


def _first_lines(grids: Iterator[Grid]) -> Grid:
    """The first grids as one that has all lines in which a header is looked for."""
    taken = [next(grids)]
    while sum(map(len, taken)) < LOOKED_AT and (grid := next(grids, None)) is not None:
        taken.append(grid)
    return join_grids(taken)
