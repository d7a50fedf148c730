"""Contact tables of several files, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from campaign.argument_checks import wrong
from campaign.contacts.columns import fold
from campaign.contacts.continuation import join_continuations
from campaign.contacts.reading_record import Reading
from campaign.contacts.table_version import joined_version
from campaign.errors import ColumnError
from campaign.values import replace
from campaign.words.finding import Finding


def join_tables(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several contact tables as one, with consecutive row numbers; each row names its file.

    Rows to correct do not: they are those of one table, and would not say what they said there. Raises
    ColumnError if the columns differ.
    """
    if not tables:
        raise wrong(tables, subject="read_contacts", needs="a file or more")
    readings = _told_apart([table.attrs["reading"] for table in tables])
    columns = {fold(name): name for name in tables[0].columns}
    names = [] if any(reading.continues for reading in readings) else ["file", "row in file"]
    while any(fold(name) in columns for name in names):
        names = [f"{name} (source)" for name in names]
    parts, moved, offset = list[pd.DataFrame](), list[Reading](), 0
    for table, reading in zip(tables, readings, strict=True):
        _check_columns(tables[0], readings[0], table, reading)
        part = table.rename(columns=lambda name: columns[fold(name)])[[*columns.values()]]
        for place, name in enumerate(names):
            part.insert(place, name, table.index.astype("str") if place else reading.source)
        parts.append(part.astype("str").set_axis(table.index + offset))
        moved.append(_moved(reading, table, offset))
        offset += max(int(table.index.max()) if len(table) else 0, reading.header_row or 0)
    joined = pd.concat(parts)
    joined.attrs["reading"] = _joined(moved)
    return joined


def _told_apart(readings: Sequence[Reading]) -> list[Reading]:
    """The readings, numbered where files have the same name."""
    names = [reading.source for reading in readings]
    return [
        replace(reading, source=f"{reading.source} ({i})") if names.count(reading.source) > 1 else reading
        for i, reading in enumerate(readings, start=1)
    ]


def _check_columns(first: pd.DataFrame, of_first: Reading, table: pd.DataFrame, reading: Reading) -> None:
    names = {fold(name): name for name in (*first.columns, *table.columns)}
    if different := {*map(fold, first.columns)} ^ {*map(fold, table.columns)}:
        columns = [name for folded, name in names.items() if folded in different]
        raise ColumnError("columns_differ", first=of_first.source, file=reading.source, columns=columns)


def _moved(reading: Reading, table: pd.DataFrame, offset: int) -> Reading:
    """The reading with the rows numbered on from `offset`; its findings name the file."""
    joined = []
    if len(table):
        first, last = (int(table.index[place]) + offset for place in (0, -1))
        joined = [Finding("table_joined", {"first": first, "last": last}, "info")]
    return replace(
        reading,
        notices=tuple(_of_file(reading.source, finding) for finding in (*joined, *reading.notices)),
        left_out=tuple(_of_file(reading.source, finding) for finding in reading.all_left_out),
        issues=tuple(replace(issue, row=(issue.row or 0) + offset) for issue in reading.issues),
        continues=reading.continues and reading.continues.moved(offset),
    )


def _of_file(file: str, finding: Finding) -> Finding:
    return replace(finding, facts={**finding.facts, "file": file})


def _joined(readings: Sequence[Reading]) -> Reading:
    """One reading for several files; what may differ between them is left open."""
    return Reading(
        source=" and ".join(dict.fromkeys(reading.source for reading in readings)),
        format=" and ".join(dict.fromkeys(reading.format for reading in readings)),
        header_row=readings[0].header_row,
        rows=sum(reading.rows for reading in readings),
        hidden_rows=sum(reading.hidden_rows for reading in readings),
        blank_rows=sum(reading.blank_rows for reading in readings),
        notices=tuple(notice for reading in readings for notice in reading.notices),
        issues=tuple(issue for reading in readings for issue in reading.issues),
        left_out=tuple(finding for reading in readings for finding in reading.left_out),
        dates=readings[0].dates,
        continues=join_continuations(reading.continues for reading in readings),
        version=joined_version(reading.version for reading in readings),
    )
