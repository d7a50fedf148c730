"""A spreadsheet becomes a contact table: every cell is text, every row keeps its number in the sheet."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from campaign.contacts.cells.grid import Grid
from campaign.contacts.cells.headers import Header
from campaign.contacts.columns import fold, listed
from campaign.contacts.continuation import ROW, Continuation, join_continuations, take_continuation
from campaign.contacts.files.delimited import read_delimited
from campaign.contacts.files.encodings import to_text
from campaign.contacts.files.frames import read_frame, read_parquet
from campaign.contacts.files.sources import Source, find_format, misnamed, open_source
from campaign.contacts.reading_options import (
    MAX_BYTES,
    MAX_CELLS,
    DateOrder,
    check_date_order,
    check_limits,
    check_words,
    checked_header,
    checked_missing,
    refuse_options,
)
from campaign.contacts.reading_record import Reading, reading_of
from campaign.contacts.table import ContactTable, make_table
from campaign.contacts.table_version import joined_version, table_version
from campaign.contacts.workbooks.process import Limits, read_workbook
from campaign.errors import ColumnError, UsageError
from campaign.text import figure


def read_contacts(
    source: Any,
    *,
    sheet: str | None = None,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    hidden: Literal["skip", "include"] = "skip",
    missing: str | Sequence[str] = (),
    dates: DateOrder | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
    max_seconds: float | None = None,
    max_memory: int | None = None,
) -> pd.DataFrame:
    """A contact table from a spreadsheet: csv, tsv, txt, xlsx, xlsm, xls, ods, parquet or a DataFrame.

    `source` is a path, bytes, an open file, a DataFrame, or a list of these. All columns are text (dtype
    str), a blank cell is "". The index `row` (int64) is the row number that the sheet shows; a DataFrame and
    a parquet file count as a sheet with the column names in row 1. `.attrs["reading"]` is a `Reading`.

    `sheet`: its name; by default the first visible one. `header`: the row number of the header; by default
    it is detected; False if there is none; "if any" for a list of numbers that may have none. `delimiter`,
    `encoding`: of a text file; by default they are detected. `hidden`: "skip" leaves hidden rows and columns
    out.

    `missing`: texts that mean "no value", such as "-" or ("NA", "unknown"): cells that hold nothing else are
    blank. Capitals count. Exports of CommCare, Ona, KoboToolbox, RapidPro, TextIt and Google Contacts are
    recognised by their headers, and what these tools write for "no value" is blank. `dates`: how dates such
    as 05/01/2026 are read where a message gives them a format: "dmy", "mdy" or "ymd". The cells stay as they
    are. By default a column in which some day is above 12 shows its order; otherwise such dates are refused.

    `max_bytes` and `max_cells` refuse files that are no contact lists. Workbooks are opened in a process of
    their own; `max_seconds` (of computing) and `max_memory` (bytes) limit it, by default in proportion to
    the size of the file.

    Several files must have the same columns. Their rows are numbered as if the files had been pasted one
    below the other, headers included; two columns in front name the file and the row in it.

    A follow-up file (see `write_follow_up`) gives its rows without the columns that it added; its reading
    names the campaign that they continue.

    Raises FileError if a file cannot be read or could be read in two ways, ColumnError for headers that are
    the same, UsageError for arguments that do not fit.
    """
    check_words(sheet, delimiter, encoding, hidden)
    check_limits(max_bytes=max_bytes, max_cells=max_cells, max_seconds=max_seconds, max_memory=max_memory)
    check_date_order(dates)
    header, missing = checked_header(header), checked_missing(missing)
    options = {"sheet": sheet, "delimiter": delimiter, "encoding": encoding}
    if isinstance(source, list | tuple):
        arguments: dict[str, Any] = {**options, "header": header, "hidden": hidden}
        arguments |= {"max_bytes": max_bytes, "max_cells": max_cells}
        arguments |= {"max_seconds": max_seconds, "max_memory": max_memory}
        arguments |= {"missing": missing, "dates": dates}
        return _below_each_other([read_contacts(file, **arguments) for file in source])
    if isinstance(source, pd.DataFrame):
        refuse_options("a DataFrame", "frame", {**options, "header": header})
        return _from_frame(source, max_cells, missing, dates)
    opened = open_source(source, max_bytes=max_bytes)
    kind, limits = find_format(opened), Limits.for_size(len(opened.data), max_seconds, max_memory)
    refuse_options(f'"{opened.name}"', kind, {**options, "header": header})
    if kind == "text":
        text = to_text(opened.give(), encoding)
        grid = read_delimited(text, delimiter=delimiter, header=header, max_cells=max_cells)
    elif kind == "parquet":
        # Texts are held up to three times on their way into a DataFrame.
        max_text = limits.max_memory // 3
        grid = read_parquet(opened.data, max_bytes=max_bytes, max_cells=max_cells, max_memory=max_text)
        header = 1
    else:
        grid = read_workbook(
            kind, opened.data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells, limits=limits
        )
    table = make_table(
        grid, header=header, skip_hidden=hidden == "skip", trim=kind != "parquet", missing=missing
    )
    given = [name for name, value in options.items() if value is not None]
    return _described(table, grid, opened, misnamed(opened, kind), given, dates)


def _described(
    table: ContactTable,
    grid: Grid,
    source: Source,
    notices: Sequence[str],
    given: Sequence[str],
    dates: DateOrder | None,
) -> pd.DataFrame:
    of_text = {"encoding": grid.encoding, "delimiter": grid.delimiter}
    returned = take_continuation(table.frame)
    returned.frame.attrs["reading"] = Reading(
        source=source.name,
        path=source.path,
        format=grid.format,
        sheet=grid.sheet,
        header_row=table.header_row,
        encoding=grid.encoding,
        delimiter=grid.delimiter,
        rows=len(table.frame),
        hidden_rows=table.hidden_rows,
        blank_rows=table.blank_rows,
        notices=(*notices, *table.notices, *returned.notices),
        issues=(*table.issues, *returned.issues),
        detected=tuple(name for name, value in of_text.items() if value and name not in given),
        continues=returned.continues,
        dates=dates or "",
        sheets=tuple(grid.sheets),
        version=table_version(table.frame),
    )
    return returned.frame


def _from_frame(
    frame: pd.DataFrame, max_cells: int, missing: Sequence[str], dates: DateOrder | None
) -> pd.DataFrame:
    """A DataFrame as text; one that was read before, and filtered or extended, keeps its row numbers."""
    grid = read_frame(frame, max_cells=max_cells)
    # Rows at the end of a DataFrame are rows on purpose, blank or not.
    table = make_table(grid, header=1, skip_hidden=False, trim=False, missing=missing)
    before, index = reading_of(frame), frame.index
    is_numbered = index.name == "row" and index.is_unique and pd.api.types.is_integer_dtype(index)
    if is_numbered and before is not None:
        table.frame.index = index.astype("int64")
    contacts = _described(table, grid, Source("a DataFrame", b""), (), (), dates)
    if before is not None:
        now: Reading = contacts.attrs["reading"]
        contacts.attrs["reading"] = _changed(before, now, contacts) if is_numbered else _carried(before, now)
    return contacts


def _changed(before: Reading, now: Reading, contacts: pd.DataFrame) -> Reading:
    """The reading of a table that was read, changed in pandas, and kept its row numbers."""
    notices = [notice for notice in before.notices if notice not in now.notices]
    if now.rows != before.rows:
        left = f"{figure(now.rows)} of {figure(before.rows)} rows are left"
        notices.append(f"Changed after reading: {left}.")
    rows, columns = contacts.index, {*contacts.columns, ROW}
    return replace(
        before,
        rows=now.rows,
        blank_rows=now.blank_rows,
        notices=(*notices, *now.notices),
        issues=(*(i for i in before.issues if i.row in rows and i.column in columns), *now.issues),
        continues=now.continues or before.continues,
        dates=now.dates or before.dates,
    )


def _carried(before: Reading, now: Reading) -> Reading:
    """The reading of a table whose row numbers were lost in pandas: it still continues its campaign."""
    now = replace(now, dates=now.dates or before.dates)
    if before.continues is None or now.continues is not None:
        return now
    return replace(now, continues=Continuation(before.continues.campaign))


def _below_each_other(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several contact tables as one, with consecutive row numbers; each row names its file."""
    if not tables:
        raise UsageError("The list of files is empty.")
    first = tables[0]
    places = {fold(name): name for name in first.columns}
    names = ["file", "row in file"]
    while any(fold(name) in places for name in names):
        names = [f"{name} (source)" for name in names]
    sources = _numbered_apart([table.attrs["reading"] for table in tables])
    parts: list[pd.DataFrame] = []
    readings: list[Reading] = []
    offset = 0
    for table, reading in zip(tables, sources, strict=True):
        if places.keys() ^ {fold(name) for name in table.columns}:
            raise ColumnError(
                f"The files have different columns: {sources[0].source} has "
                f"{listed(list(first.columns))}, {reading.source} has {listed(list(table.columns))}. "
                "Give them the same columns."
            )
        part = table.rename(columns=lambda name: places[fold(name)])[list(first.columns)]
        part.insert(0, names[1], table.index.astype(str).astype("str"))
        part.insert(0, names[0], reading.source)
        part.index = table.index + offset
        parts.append(part)
        issues = tuple(replace(issue, row=issue.row + offset) for issue in reading.issues)
        span = f"rows {part.index[0]} to {part.index[-1]}" if len(part) else "no rows"
        notices = (f"{reading.source}: {span}.", *(f"{reading.source}: {text}" for text in reading.notices))
        continues = reading.continues and reading.continues.moved(offset)
        readings.append(replace(reading, issues=issues, notices=notices, continues=continues))
        offset += max([*table.index.tolist(), reading.header_row or 0])
    contacts = pd.concat(parts)
    contacts.attrs["reading"] = _combined(readings)
    return contacts


def _numbered_apart(readings: Sequence[Reading]) -> list[Reading]:
    """The readings, numbered where files have the same name."""
    names = [reading.source for reading in readings]
    return [
        replace(reading, source=f"{reading.source} ({i})") if names.count(reading.source) > 1 else reading
        for i, reading in enumerate(readings, start=1)
    ]


def _combined(readings: Sequence[Reading]) -> Reading:
    """One reading for several files; what differs between them is left open."""

    def common(values: list[Any]) -> Any:
        return values[0] if all(value == values[0] for value in values) else None

    return Reading(
        source=" and ".join(dict.fromkeys(reading.source for reading in readings)),
        format=" and ".join(dict.fromkeys(reading.format for reading in readings)),
        sheet=common([reading.sheet for reading in readings]),
        header_row=readings[0].header_row,
        encoding=common([reading.encoding for reading in readings]),
        delimiter=common([reading.delimiter for reading in readings]),
        rows=sum(reading.rows for reading in readings),
        hidden_rows=sum(reading.hidden_rows for reading in readings),
        blank_rows=sum(reading.blank_rows for reading in readings),
        notices=tuple(notice for reading in readings for notice in reading.notices),
        issues=tuple(issue for reading in readings for issue in reading.issues),
        detected=common([reading.detected for reading in readings]) or (),
        dates=readings[0].dates,
        continues=join_continuations({reading.source: reading.continues for reading in readings}),
        version=joined_version(reading.version for reading in readings),
    )
