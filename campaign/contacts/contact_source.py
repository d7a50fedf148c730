"""What `prepare` takes as contacts becomes a contact table, in memory or in parts on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.argument_checks import check_switch, wrong
from campaign.cluster import Cluster, empty_frame, is_dask_frame
from campaign.contacts.contact_parts import ContactParts, RowsOfTable, WholeTable
from campaign.contacts.continuation import is_follow_up
from campaign.contacts.files.delimited import text_grids
from campaign.contacts.files.frames import PACKED, parquet_grids
from campaign.contacts.files.sources import KINDS, Source, find_format, open_source
from campaign.contacts.partitioned_table import PartitionedTable
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_options import MAX_BYTES, MAX_CELLS
from campaign.contacts.reading_record import reading_of
from campaign.contacts.spooled_table import spool_frame, spool_rows
from campaign.contacts.table import TableRows
from campaign.errors import UsageError
from campaign.paths import is_file

_TIMES = 10  # as large as what is read whole by default: memory is no reason any more
LARGE = 200_000_000  # bytes of text; in memory, a plan takes five to ten times as much
# Formats that are read in parts, and how much text there is in a byte.
_WEIGHTS = {**{name: 1 for name, kind in KINDS.items() if kind == "text"}, ".parquet": PACKED}


def open_contacts(contacts: Any, part_rows: int, *, stream: bool | None, client: Any = None) -> ContactParts:
    """The contact table in parts of `part_rows` rows: on disk with `stream`, and without it if a file is
    large; in memory otherwise.

    The parts of a Dask frame are on the cluster of a client, or of the current one.
    """
    if isinstance(contacts, RowsOfTable):
        return contacts
    if stream is not None:
        check_switch(stream, subject="stream", write="stream=True")
    cluster = Cluster.of(client) if client is not None or is_dask_frame(contacts) else None
    if is_dask_frame(contacts):
        if cluster is None:
            raise UsageError("dask_frame")
        if is_follow_up(map(str, empty_frame(contacts).columns)):
            raise UsageError("dask_corrections")
        return PartitionedTable.of(contacts, cluster)
    if stream or (stream is None and _is_large(contacts)):
        return _on_disk(contacts, part_rows)
    return WholeTable.in_parts(_contact_table(contacts), part_rows)


def _on_disk(file: Any, part_rows: int) -> ContactParts:
    """The table of a source, on disk; workbooks, and rows to correct that come back, are read whole first."""
    rows = _rows_of(open_source(file, max_bytes=MAX_BYTES * _TIMES)) if _is_path(file) else None
    if rows is None or is_follow_up(rows[0].heads):
        return spool_frame(_contact_table(file), part_rows)
    return spool_rows(*rows, part_rows)


def _rows_of(file: Source) -> tuple[TableRows, Source] | None:
    """The rows of a file that can be read in parts."""
    kind, max_cells = find_format(file), MAX_CELLS * _TIMES
    if kind == "text":
        return TableRows(text_grids(file.data, max_cells=max_cells), header=None, trim=True), file
    if kind == "parquet":
        grids = parquet_grids(file.path, max_bytes=MAX_BYTES * _TIMES, max_cells=max_cells)
        return TableRows(grids, header=1, trim=False), file
    return None


def _is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike)


def _is_large(file: Any) -> bool:
    """Whether this is the path of a large file that can be read in parts."""
    if not _is_path(file) or not is_file(Path(file)):
        return False
    return Path(file).stat().st_size * _WEIGHTS.get(Path(file).suffix.lower(), 0) > LARGE


def _contact_table(contacts: Any) -> pd.DataFrame:
    """A copy of the table if `read_contacts` made it and its cells are still text; otherwise read it now."""
    if isinstance(contacts, pd.DataFrame) and (reading := reading_of(contacts)) is not None:
        index = contacts.index
        numbered = index.name == "row" and index.dtype == np.int64 and index.is_unique
        if numbered and (contacts.dtypes == "str").all() and not is_follow_up(contacts.columns):
            table = contacts.copy(deep=False)  # `keep_instead` reads it again, and the user may change theirs
            table.attrs["reading"] = reading
            return table
    if isinstance(getattr(contacts, "contacts", None), pd.DataFrame):  # a Plan, a Result
        raise wrong(
            contacts, subject="prepare", needs="a contact table or a file",
            write="campaign.prepare(campaign.read_contacts(path), …)",
        )  # fmt: skip
    return read_contacts(contacts)
