"""A spreadsheet becomes a contact table: every cell is text, every row keeps its number in the sheet."""

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from campaign.cluster import is_dask_frame
from campaign.contacts.cells.headers import Header
from campaign.contacts.continuation import take_continuation
from campaign.contacts.files.delimited import text_grids
from campaign.contacts.files.frames import PACKED, as_frame, parquet_grids, read_frame
from campaign.contacts.files.sources import Source, find_format, open_source
from campaign.contacts.joined_tables import join_tables
from campaign.contacts.own_files import about_own_file
from campaign.contacts.reading_options import (
    MAX_BYTES,
    MAX_CELLS,
    DateOrder,
    check_limits,
    check_words,
    checked_header,
    checked_missing,
    refuse_options,
)
from campaign.contacts.reading_record import Reading, reading_of
from campaign.contacts.table import TableRows, table_of
from campaign.contacts.table_notices import notices_of
from campaign.contacts.table_version import table_version
from campaign.contacts.workbooks.process import Limits, read_workbook
from campaign.errors import UsageError
from campaign.public_calls import public_call
from campaign.text import figure
from campaign.values import replace


@public_call
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

    `source` is a path, bytes, an open file, a DataFrame, a table of another library that has
    `__arrow_c_stream__` (polars, pyarrow, DuckDB), or a list of these. All columns are text (dtype
    str), a blank cell is "". The index `row` (int64) is the row number that the sheet shows; a DataFrame and
    a parquet file count as a sheet with the column names in row 1. `.attrs["reading"]` is a `Reading`.

    `sheet`: its name; by default the first visible one. `header`: the row number of the header; by default
    it is detected; False if there is none; "if any" for a list of numbers that may have none. `delimiter`,
    `encoding`: of a text file; by default they are detected. `hidden`: "skip" leaves hidden rows and columns
    out.

    `missing`: texts that mean "no value", such as "-" or ("NA", "unknown"): cells that hold nothing else are
    blank, also in reports and follow-up files. Capitals count. Exports of CommCare, Ona, KoboToolbox,
    RapidPro, TextIt and Google Contacts are recognised by their headers, and what these tools write for "no
    value" is blank. `dates`: how dates such as 05/01/2026 are read where a message gives them a format:
    "dmy", "mdy" or "ymd". The cells stay as they are. By default a column in which some day is above 12 shows
    its order, and rows to correct keep that of their campaign; otherwise such dates are refused.

    `max_bytes` and `max_cells` refuse files that are no contact lists. Workbooks and parquet files are opened
    in a process of their own; `max_seconds` (of computing) and `max_memory` (bytes) limit it, by default in
    proportion to the size of the file.

    Several files must have the same columns. Their rows are numbered as if the files had been pasted one
    below the other, headers included; two columns in front name the file and the row in it.

    A follow-up file (see `write_follow_up`) gives its rows without the columns that it added; its reading
    names the campaign that they continue.

    Raises FileError if a file cannot be read or could be read in two ways, ColumnError for headers that are
    the same, UsageError for arguments that do not fit.
    """
    check_words(sheet, delimiter, encoding, hidden, dates)
    check_limits(max_bytes=max_bytes, max_cells=max_cells, max_seconds=max_seconds, max_memory=max_memory)
    header, missing = checked_header(header), checked_missing(missing)
    options = {"sheet": sheet, "delimiter": delimiter, "encoding": encoding}
    limits = {"max_bytes": max_bytes, "max_cells": max_cells}
    of_process = {"max_seconds": max_seconds, "max_memory": max_memory}
    source = as_frame(source)
    if isinstance(source, list | tuple):
        arguments: dict[str, Any] = {**options, **limits, **of_process, "header": header, "hidden": hidden}
        arguments |= {"missing": missing, "dates": dates}
        return join_tables([read_contacts(file, **arguments) for file in source])
    if is_dask_frame(source):
        raise UsageError(
            "read_contacts reads a table into memory, and this is a Dask DataFrame. Give it to prepare as it "
            "is, or read it with read_contacts(frame.compute())."
        )
    if isinstance(source, pd.DataFrame):
        refuse_options("a DataFrame", "frame", {**options, "header": header})
        return _from_frame(source, max_cells, missing, dates)
    opened = open_source(source, max_bytes=max_bytes)
    kind = find_format(opened)
    refuse_options(f'"{opened.name}"', kind, {**options, "header": header})
    if kind == "text":
        grids = text_grids(
            opened.data, max_cells=max_cells, delimiter=delimiter, encoding=encoding, header=header
        )
    elif kind == "parquet":
        process = Limits.for_size(PACKED * len(opened.data), max_seconds, max_memory)
        grids, header = parquet_grids(opened.data[:], **limits, limits=process), 1
    else:
        process = Limits.for_size(len(opened.data), max_seconds, max_memory)
        grids = iter([read_workbook(kind, opened.data[:], sheet=sheet, **limits, limits=process)])
    rows = TableRows(
        grids, header=header, trim=kind != "parquet", skip_hidden=hidden == "skip", missing=missing
    )
    return _contacts(rows, opened, [name for name, value in options.items() if value is not None], dates)


FROM_MEMORY = Source("a DataFrame", b"")


def reading_of_rows(
    rows: TableRows, source: Source, version: str, given: Sequence[str] = (), dates: DateOrder | None = None
) -> Reading:
    """How the rows of a source were read, once all were taken; `given` are the options that were given."""
    top, facts = rows.top, rows.facts
    names = dict(zip(*rows.columns(), strict=True))
    issues = tuple(replace(one, column=names[at]) for at, one in facts.issues if at in names)
    is_file = top.format not in ("parquet", "DataFrame")
    own = about_own_file([*names.values()], top.sheets) if is_file else []
    choices = {"encoding": top.encoding, "delimiter": top.delimiter, "sheet": len(top.sheets) > 1}
    return Reading(
        source=source.name,
        path=source.path,
        format=top.format,
        sheet=top.sheet,
        header_row=rows.header_row,
        encoding=top.encoding,
        delimiter=top.delimiter,
        rows=facts.rows,
        hidden_rows=len(facts.hidden),
        blank_rows=facts.blank,
        notices=(*own, *notices_of(rows, issues)),
        issues=issues,
        detected=tuple(name for name, value in choices.items() if value and name not in given),
        dates=dates or "",
        sheets=tuple(top.sheets),
        left_out=tuple(rows.left_out),
        version=version,
    )


def _contacts(
    rows: TableRows,
    source: Source,
    given: Sequence[str],
    dates: DateOrder | None,
    index: "pd.Index[Any] | None" = None,
) -> pd.DataFrame:
    """The contact table, with these row numbers if they are given."""
    grids = [*rows.parts()]
    table = table_of(grids, *rows.columns())
    returned = take_continuation(table if index is None else table.set_axis(index.astype("int64")))
    reading = reading_of_rows(rows, source, table_version(returned.frame), given, dates)
    returned.frame.attrs["reading"] = replace(
        reading,
        notices=(*reading.notices, *returned.notices),
        continues=returned.continues,
    )
    return returned.frame


def _from_frame(
    frame: pd.DataFrame, max_cells: int, missing: Sequence[str], dates: DateOrder | None
) -> pd.DataFrame:
    """A DataFrame as text; one that was read before, and filtered or extended, keeps its row numbers."""
    # Rows at the end of a DataFrame are rows on purpose, blank or not.
    rows = TableRows([read_frame(frame, max_cells=max_cells)], header=1, trim=False, missing=missing)
    before, index = reading_of(frame), frame.index
    is_numbered = index.name == "row" and index.is_unique and pd.api.types.is_integer_dtype(index)
    kept = index if is_numbered and before is not None else None
    contacts = _contacts(rows, FROM_MEMORY, (), dates, kept)
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
    rows, columns = contacts.index, {*contacts.columns}
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
    """The reading of a table whose row numbers were lost in pandas: it still continues its campaign, and
    still lacks what was left out."""
    continues = now.continues or (before.continues and before.continues.without_rows())
    return replace(now, dates=now.dates or before.dates, left_out=before.all_left_out, continues=continues)
