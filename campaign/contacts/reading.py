"""A spreadsheet becomes a contact table: every cell text, every row under the number it has in the sheet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from campaign.contacts.cells.grid import Grid
from campaign.contacts.cells.headers import Header
from campaign.contacts.columns import fold, listed
from campaign.contacts.files.delimited import read_delimited
from campaign.contacts.files.encodings import to_text
from campaign.contacts.files.frames import read_frame, read_parquet
from campaign.contacts.files.sources import Source, find_format, misnamed, open_source
from campaign.contacts.table import Finding, make_table
from campaign.contacts.workbooks.excel import read_xls, read_xlsx
from campaign.contacts.workbooks.opendocument import read_ods
from campaign.errors import ColumnError, UsageError
from campaign.text import figure

MAX_BYTES = 2_000_000_000  # of the file, and of each of its parts unpacked
MAX_CELLS = 200_000_000  # of the table: ten million rows of twenty columns


@dataclass(frozen=True)
class Reading:
    """What was read and how: shown by plans and reports.

    `rows` counts the contact rows (blank ones included), `hidden_rows` those left out, `blank_rows` those
    in which no cell holds anything; `notices` are sentences about all that was found, repaired or left out,
    `findings` the same for each single cell.
    """

    source: str
    format: str
    sheet: str | None
    header_row: int | None
    encoding: str | None
    delimiter: str | None
    rows: int
    hidden_rows: int
    blank_rows: int
    notices: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        """A reading kept as JSON comes back with its findings as plain records."""
        records = tuple(one if isinstance(one, Finding) else Finding(**one) for one in self.findings)
        object.__setattr__(self, "findings", records)

    @property
    def sentence(self) -> str:
        """What was read, in plain words."""
        sheet = f', sheet "{self.sheet}"' if self.sheet else ""
        header = f"header in row {self.header_row}" if self.header_row else "no header"
        tail = f"; {figure(self.hidden_rows)} hidden" if self.hidden_rows else ""
        tail += f"; {figure(self.blank_rows)} blank" if self.blank_rows else ""
        noun = "row" if self.rows == 1 else "rows"
        return f"{figure(self.rows)} {noun} from {self.source}{sheet} ({self.format}, {header}{tail})."

    def __deepcopy__(self, memo: dict[int, Any]) -> "Reading":
        return self  # pandas copies .attrs with every step; what cannot change need not be copied


def read_contacts(
    source: Any,
    *,
    sheet: str | None = None,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    hidden: Literal["skip", "include"] = "skip",
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> pd.DataFrame:
    """A contact table from a spreadsheet: csv, tsv, txt, xlsx, xlsm, xls, ods, parquet or a DataFrame.

    `source` is a path, bytes, an open file, a DataFrame, or a list of these. All columns are text (dtype
    str), a blank cell is "". The index `row` (int64) is the row number that the sheet shows; a DataFrame and
    a parquet file count as a sheet with the column names in row 1. `.attrs["reading"]` is a `Reading`.

    `sheet`: its name; by default the first visible one. `header`: the row number of the header; by default
    it is found; False if there is none; "if any" where a list of numbers may stand without one. `delimiter`,
    `encoding`: of a text file; by default they are found. `hidden`: "skip" leaves hidden rows and columns
    out. `max_bytes` and `max_cells` stop what is no contact list.

    Several files must have the same columns. Their rows are numbered as if the files had been pasted one
    below the other, headers included; two columns in front name the file and the row in it.

    Raises FileError if a file cannot be read or could be read in two ways, ColumnError for headers that are
    the same, UsageError for arguments that do not fit.
    """
    if hidden not in ("skip", "include"):
        raise UsageError(f'hidden= is "skip" or "include", not {hidden!r}.')
    options = {"sheet": sheet, "delimiter": delimiter, "encoding": encoding}
    if isinstance(source, list | tuple):
        each: dict[str, Any] = {**options, "header": header, "hidden": hidden}
        each |= {"max_bytes": max_bytes, "max_cells": max_cells}
        return _below_each_other([read_contacts(one, **each) for one in source])
    if isinstance(source, pd.DataFrame):
        _refuse_options("a DataFrame", "frame", {**options, "header": header})
        return _from_frame(source, max_cells)
    opened = open_source(source, max_bytes=max_bytes)
    kind = find_format(opened)
    _refuse_options(f'"{opened.name}"', kind, {**options, "header": header})
    if kind == "text":
        text = to_text(opened.give(), encoding)
        grid = read_delimited(text, delimiter=delimiter, header=header, max_cells=max_cells)
    elif kind == "parquet":
        grid, header = read_parquet(opened.data, max_bytes=max_bytes, max_cells=max_cells), 1
    else:
        read = {"xlsx": read_xlsx, "xls": read_xls, "ods": read_ods}[kind]
        grid = read(opened.data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
    return _described(grid, opened, header, hidden == "skip", misnamed(opened, kind))


def _refuse_options(name: str, kind: str, options: dict[str, Any]) -> None:
    """An option that cannot have an effect is a misunderstanding, and better said."""
    fitting = {"text": ("header", "delimiter", "encoding"), "frame": (), "parquet": ()}
    for option, value in options.items():
        if value in (None, "if any") or option in fitting.get(kind, ("sheet", "header")):
            continue
        meant = {"sheet": "workbooks", "header": "sheets and text files"}.get(option, "text files")
        raise UsageError(f"{option}= is for {meant}; {name} is none.")


def _described(
    grid: Grid, source: Source, header: Header, skip_hidden: bool, said: Sequence[str]
) -> pd.DataFrame:
    trim = grid.format not in ("DataFrame", "parquet")  # there, rows at the end are rows on purpose
    table = make_table(grid, header=header, skip_hidden=skip_hidden, trim=trim)
    table.frame.attrs["reading"] = Reading(
        source=source.name,
        format=grid.format,
        sheet=grid.sheet,
        header_row=table.header_row,
        encoding=grid.encoding,
        delimiter=grid.delimiter,
        rows=len(table.frame),
        hidden_rows=table.hidden_rows,
        blank_rows=table.blank_rows,
        notices=(*said, *table.notices),
        findings=table.findings,
    )
    return table.frame


def _from_frame(frame: pd.DataFrame, max_cells: int) -> pd.DataFrame:
    """A DataFrame as text; one that was read before, and filtered or extended, keeps its row numbers."""
    table = _described(read_frame(frame, max_cells=max_cells), Source("a DataFrame", b""), 1, False, ())
    before, index = frame.attrs.get("reading"), frame.index
    numbered = index.name == "row" and index.is_unique and pd.api.types.is_integer_dtype(index)
    if not isinstance(before, Reading) or not numbered:
        return table
    table.index = index.astype("int64")
    notices, reading = before.notices, table.attrs["reading"]
    if len(table) != before.rows:
        said = f"Changed after reading: {figure(len(table))} of {figure(before.rows)} rows are left."
        notices = (*notices, said)
    kept = tuple(one for one in before.findings if one.row in index and one.column in table.columns)
    blank = reading.blank_rows
    table.attrs["reading"] = replace(
        before, rows=len(table), blank_rows=blank, notices=notices, findings=kept
    )
    return table


def _below_each_other(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several contact tables as one, numbered on; each row says where it comes from."""
    if not tables:
        raise UsageError("The list of files is empty.")
    first = tables[0]
    places = {fold(name): name for name in first.columns}
    names = ["file", "row in file"]
    while any(fold(name) in places for name in names):
        names = [f"{name} (source)" for name in names]
    sources = _told_apart([table.attrs["reading"] for table in tables])
    parts: list[pd.DataFrame] = []
    readings: list[Reading] = []
    offset = 0
    for table, reading in zip(tables, sources, strict=True):
        strange = sorted(places.keys() ^ {fold(name) for name in table.columns})
        if strange:
            raise ColumnError(
                f"The files have different columns: {sources[0].source} has "
                f"{listed(list(first.columns))}, {reading.source} has {listed(list(table.columns))}. "
                "Give them the same ones."
            )
        part = table.rename(columns=lambda name: places[fold(name)])[list(first.columns)]
        part.insert(0, names[1], table.index.astype(str).astype("str"))
        part.insert(0, names[0], reading.source)
        part.index = table.index + offset
        parts.append(part)
        moved = tuple(replace(finding, row=finding.row + offset) for finding in reading.findings)
        span = f"rows {part.index[0]} to {part.index[-1]}" if len(part) else "no rows"
        notices = (f"{reading.source}: {span}.", *(f"{reading.source}: {said}" for said in reading.notices))
        readings.append(replace(reading, findings=moved, notices=notices))
        offset += max([*table.index.tolist(), reading.header_row or 0])
    whole = pd.concat(parts)
    whole.attrs["reading"] = _together(readings)
    return whole


def _told_apart(readings: Sequence[Reading]) -> list[Reading]:
    """The readings, numbered where files have the same name."""
    names = [reading.source for reading in readings]
    return [
        replace(one, source=f"{one.source} ({i})") if names.count(one.source) > 1 else one
        for i, one in enumerate(readings, start=1)
    ]


def _together(readings: Sequence[Reading]) -> Reading:
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
        findings=tuple(finding for reading in readings for finding in reading.findings),
    )
