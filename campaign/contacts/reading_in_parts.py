"""A csv or parquet file becomes a contact table on disk: its cells are never in memory all at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from campaign.contacts.continuation import is_follow_up
from campaign.contacts.files.delimited import DelimitedRecords
from campaign.contacts.files.encodings import to_text
from campaign.contacts.files.frames import parquet_grids
from campaign.contacts.files.octets import FileOctets
from campaign.contacts.files.sources import BLANK, Source, find_format, misnamed, open_in_pieces
from campaign.contacts.own_files import about_own_file
from campaign.contacts.partitioned_table import partition_grids
from campaign.contacts.reading_options import MAX_BYTES, MAX_CELLS
from campaign.contacts.reading_record import Reading
from campaign.contacts.spooled_table import SpooledTable
from campaign.contacts.table_in_parts import TableInParts

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
    read = _described(table, Source("a DataFrame", b""), list)
    if read is None:
        raise AssertionError("rows to correct are read whole")
    return read


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
    if is_follow_up(table.heads):
        return None
    made, top = table.write(), table.top
    of_text = {"encoding": top.encoding, "delimiter": top.delimiter}
    reading = Reading(
        source=file.name,
        path=file.path,
        format=top.format,
        sheet=None,
        header_row=made.header_row,
        encoding=top.encoding,
        delimiter=top.delimiter,
        rows=sum(made.spool.sizes),
        hidden_rows=0,
        blank_rows=made.blank_rows,
        notices=(
            *([] if top.format == "parquet" else about_own_file(table.heads)),
            *misnamed(file, "parquet" if top.format == "parquet" else "text"),
            *notices(),
            *made.notices,
        ),
        issues=made.issues,
        detected=tuple(name for name, value in of_text.items() if value),
        version=made.version,
    )
    return SpooledTable(made.spool, made.places, made.columns, reading)
