"""DataFrames, tables of other libraries and parquet files: columns with types become columns of text, as a
person would write them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.cell_text import column_text, float_texts, moment_texts
from campaign.contacts.cells.grid import Grid, chunked, refuse_beyond_budget
from campaign.contacts.workbooks.handover import receive_pieces
from campaign.contacts.workbooks.process import Limits, answer_about
from campaign.errors import ColumnError, FileError
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.finding import Finding

# The casts of these, and of integers, to text are what a person writes.
PLAIN = ("string", "large_string", "string_view", "date32[day]", "date64[ms]", "null")
AS_PYTHON = (pa.types.is_boolean, pa.types.is_decimal, pa.types.is_time, pa.types.is_duration)
PACKED = 10  # as much as in a byte of other files is in a byte of parquet
UNPACKED, UNPACKED_PER_BYTE = 300_000_000, 1_000  # bytes that a parquet file may unpack to, if kept on disk
COPIES = 4  # of a table in memory on its way into a DataFrame, at most, with room for the process behind it


def as_frame(source: Any) -> Any:
    """A table of another library that speaks Arrow as a DataFrame, a column as a Series; anything else as it
    is. Raises FileError where Arrow cannot read it."""
    if isinstance(source, pd.DataFrame | pd.Series):
        return source
    if hasattr(source, "__array__") and not hasattr(source, "columns"):
        return pd.Series(cells) if (cells := np.asarray(source)).ndim == 1 else source
    if not hasattr(source, "__arrow_c_stream__"):
        return source
    try:
        table = pa.table(source)
    except Exception as problem:  # of a library that we do not know
        raise FileError("table_unreadable", reason=shorten(clean(problem), 200)) from None
    if not len(table) and not hasattr(source, "__len__"):
        raise FileError("stream_used")
    return table.to_pandas(
        types_mapper=lambda kind: None if pa.types.is_timestamp(kind) else pd.ArrowDtype(kind)
    )


def read_frame(frame: pd.DataFrame, *, max_cells: int) -> Grid:
    """A DataFrame as if it were a sheet, its column names in row 1; an index counts only if it has a name."""
    if any(name is not None for name in frame.index.names) and list(frame.index.names) != ["row"]:
        frame = frame.reset_index(allow_duplicates=True)  # two of one name are refused by this name
    if not frame.shape[1]:
        raise FileError("table_empty")
    refuse_beyond_budget(len(frame) + 1, frame.shape[1], max_cells)
    names = [_name(name) for name in frame.columns]
    columns = [_series_text(frame.iloc[:, i], name) for i, name in enumerate(names)]
    return _grid("DataFrame", names, columns, len(frame))


def parquet_grids(
    source: bytes | str, *, max_bytes: int, max_cells: int, limits: Limits | None = None
) -> Iterator[Grid]:
    """A parquet file, given as its bytes or its path, as grids of some rows each, the first of which has the
    header only. Encrypted and nested columns are refused. With `limits` they are to be held in memory all at
    once."""
    length = len(source) if isinstance(source, bytes) else Path(source).stat().st_size
    most = UNPACKED + UNPACKED_PER_BYTE * length if limits is None else limits.max_memory // COPIES
    wall = limits or Limits.for_size(PACKED * length, None, None)
    half = replace(wall, max_memory=wall.max_memory // 2)  # the other one is for this process
    with answer_about(source, {"kind": "parquet", "max_cells": max_cells}, half) as answer:
        tables = map(_table_of, receive_pieces(answer) if answer else _pieces(source, max_cells))
        names, size, row = next(tables).schema.names, 0, 2
        header = _grid("parquet", list(map(_name, names)), [pa.chunked_array([], TEXT)] * len(names), 0)
        yield header if answer else replace(header, notices=[Finding("no_process", {}, "info")])
        for table in tables:
            columns = [_chunked_text(column, name) for name, column in zip(names, table.columns, strict=True)]
            rows = np.arange(row, row + len(table), dtype=np.int64)
            size += rows.nbytes + sum(column.nbytes for column in columns)
            if size > min(max_bytes, most):
                option = "bytes" if max_bytes < most else "memory"
                raise FileError("file_too_large", most=min(max_bytes, most), unit="bytes", option=option)
            yield Grid("parquet", columns, rows, range(len(names)))
            row += len(table)


def _pieces(source: bytes | str, max_cells: int) -> Iterator[pa.Buffer]:
    from campaign.contacts.workbooks.parquet import read_pieces

    return read_pieces(source, max_cells)


def _table_of(piece: "bytes | pa.Buffer") -> pa.Table:
    return pa.ipc.open_stream(piece).read_all()


def _grid(kind: str, names: list[str], columns: Iterable[TextChunks], rows: int) -> Grid:
    headed = [
        pa.chunked_array([[name], *column.chunks], TEXT) for name, column in zip(names, columns, strict=True)
    ]
    return Grid(kind, headed, np.arange(1, rows + 2), range(len(headed)))


def _name(name: object) -> str:
    """A column's name as one text; names of several levels are joined."""
    if isinstance(name, tuple):
        return " ".join(text for text in map(_name, name) if text)
    return "" if name is None or name is pd.NA or name != name else str(name)


def _series_text(series: Any, name: str) -> TextChunks:
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        series = series.dt.tz_localize(None)  # the time that its own clock showed
    if series.dtype != object:
        # Arrow does not know all: sparse columns, complex numbers, categories of several types.
        with suppress(pa.ArrowException, TypeError, ValueError):
            return _chunked_text(pa.array(series, from_pandas=True), name)
    values = list(np.asarray(series))
    try:
        return chunked(column_text(values))
    except ColumnError as problem:
        raise ColumnError("cell_unfit", **{**problem.finding.facts, "column": name}) from None
    except UnicodeEncodeError:
        row = _first_broken(values) + 2
        raise ColumnError("cell_unfit", column=name, row=row, kind="half a character") from None


def _chunked_text(column: "pa.Array[Any] | pa.ChunkedArray[Any]", name: str) -> TextChunks:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([_arrow_text(chunk, name) for chunk in chunks], TEXT)


def _first_broken(values: list[object]) -> int:
    """The position of the first text with half a character; there is one."""
    return next(place for place, value in enumerate(values) if re.search("[\ud800-\udfff]", str(value)))


def _arrow_text(array: "pa.Array[Any]", name: str) -> TextArray:
    """Any Arrow array of single values as text without nulls."""
    kind = array.type
    if isinstance(array, pa.DictionaryArray):
        return cast(TextArray, _arrow_text(array.dictionary, name).take(array.indices).fill_null(""))
    if pa.types.is_floating(kind):
        return float_texts(array.to_numpy(zero_copy_only=False))  # nulls become NaN, which is blank
    if any(is_kind(kind) for is_kind in AS_PYTHON):
        return column_text(array.to_pylist())
    if isinstance(array, pa.TimestampArray):
        texts = moment_texts(array)
    elif pa.types.is_integer(kind) or str(kind) in PLAIN:
        texts = cast(TextArray, array.cast(TEXT))
        try:
            texts.validate(full=True)  # parquet does not promise that texts are UTF-8
        except pa.ArrowInvalid:
            raise ColumnError("cell_unfit", column=name, kind="text that is not UTF-8") from None
    else:
        raise ColumnError("cell_unfit", column=name, kind=f"values of the kind {kind}")
    return cast(TextArray, texts.fill_null("")) if texts.null_count else texts
