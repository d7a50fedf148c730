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
from campaign.contacts.own_files import OWN_REPORT, is_own_file
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
from campaign.values import replace
from campaign.words.finding import Finding


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
    r"""Read a spreadsheet of contacts into a table: every cell is text, every row keeps its number.

    Parameters
    ----------
    source
        Path, bytes, open file, DataFrame, any table with `__arrow_c_stream__` (polars, pyarrow, DuckDB), or
        a list of these with the same columns. Formats: csv, tsv, txt, xlsx, xlsm, xls, ods, parquet.
    sheet
        Name of the sheet; by default the first visible one.
    header
        Row number of the header; by default it is detected. False: none; "if any": perhaps none.
    delimiter, encoding
        Of a text file; by default they are detected.
    hidden
        "skip" leaves out hidden rows and columns, "include" reads them.
    missing
        Texts that mean "no value", such as "-". The exports of known tools need none.
    dates
        Order of the parts of dates such as 05/01/2026: "dmy", "mdy" or "ymd". Cells stay as they are; the
        order counts where a message gives a date a format.
    max_bytes, max_cells
        Larger files are refused.
    max_seconds, max_memory
        Limits in seconds of computing and in bytes for the process that opens a workbook or a parquet file;
        by default in proportion to the file.

    Returns
    -------
    pandas.DataFrame
        Columns of dtype str, "" for blank cells. The index `row` (int64) has the row numbers of the sheet,
        whose header is row 1. `.attrs["reading"]` is a `Reading`: what was repaired, skipped or guessed.

    Raises
    ------
    FileError
        The file cannot be read, or could be read in two ways.
    ColumnError
        Two headers are the same.
    UsageError
        An argument does not fit.

    Examples
    --------
    >>> contacts = campaign.read_contacts(b"name,phone\nAmina,0772 000 001\n")
    >>> contacts.loc[2, "phone"]
    '0772 000 001'
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
        raise UsageError("dask_frame")
    if isinstance(source, pd.DataFrame):
        refuse_options("a DataFrame", "frame", {**options, "header": header})
        return _from_frame(source, max_cells, missing, dates)
    opened = open_source(source, max_bytes=max_bytes)
    kind = find_format(opened)
    refuse_options(repr(opened.name), kind, {**options, "header": header})
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
    is_own = is_file and is_own_file([*names.values()], top.sheets)
    own = [Finding(OWN_REPORT, {}, "warning")] * is_own
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
        notices.append(Finding("table_changed", {"rows": now.rows, "rows_read": before.rows}, "info"))
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
