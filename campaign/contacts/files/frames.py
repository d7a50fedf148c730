"""DataFrames and parquet files: columns with types become columns of text, as a person would write them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.cell_text import (
    WRITERS,
    column_text,
    float_texts,
    moment_texts,
    truth_texts,
    writer,
)
from campaign.contacts.cells.grid import Grid, chunked, join_grids, refuse_beyond_budget
from campaign.contacts.cells.value_text import moment_text, span_text
from campaign.errors import ColumnError, FileError

DAMAGED = "The parquet file is damaged: {}. Write it again, then read that file."
PLAIN = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_integer,
    pa.types.is_date,
    pa.types.is_null,
)  # their casts to text are what a person writes
FRAME_WRITERS = {
    **WRITERS,
    pd.Timestamp: writer(lambda value: moment_text(value.to_pydatetime(warn=False))),
    pd.Timedelta: writer(lambda value: span_text(value.to_pytimedelta())),
    type(pd.NA): writer(lambda _: ""),
    type(pd.NaT): writer(lambda _: ""),
}
LINES = 65_536  # rows of a parquet file that are decoded at a time


def read_frame(frame: pd.DataFrame, *, max_cells: int) -> Grid:
    """A DataFrame as if it were a sheet, its column names in row 1; an index counts only if it has a name."""
    if any(name is not None for name in frame.index.names) and list(frame.index.names) != ["row"]:
        frame = frame.reset_index(allow_duplicates=True)  # two of one name are refused by this name
    if not frame.shape[1]:
        raise FileError("The DataFrame has no columns, so there is nothing to read.")
    refuse_beyond_budget(len(frame) + 1, frame.shape[1], max_cells)
    names = [_name(name) for name in frame.columns]
    columns = [_series_text(frame.iloc[:, i], name) for i, name in enumerate(names)]
    return _grid("DataFrame", names, columns, len(frame))


def read_parquet(data: bytes, *, max_bytes: int, max_cells: int, max_memory: int) -> Grid:
    """A parquet file, its columns as in the file. Encrypted and nested columns are refused.

    Texts are read as the dictionaries they are kept as: a row costs a few bytes there however long its text
    is, and the texts are counted before they are laid out.
    """
    source = pa.BufferReader(data)
    grids = parquet_grids(source, max_bytes=max_bytes, max_cells=max_cells, max_memory=max_memory)
    return join_grids(list(grids))


def parquet_grids(
    source: pa.NativeFile, *, max_bytes: int, max_cells: int, max_memory: int | None = None
) -> Iterator[Grid]:
    """A parquet file as grids of some rows each, the first of which has the header only."""
    import pyarrow.parquet  # costs a tenth of a second, and few files are parquet

    try:
        schema = pyarrow.parquet.read_schema(source)
        names = [name for name in schema.names if not name.startswith("__index_level_")]
        file = pyarrow.parquet.ParquetFile(source, read_dictionary=names)
        refuse_beyond_budget(file.metadata.num_rows + 1, len(names), max_cells)
        yield _grid("parquet", [_name(name) for name in names], [pa.chunked_array([], TEXT)] * len(names), 0)
        size, row = 0, 2
        for batch in file.iter_batches(LINES, columns=names):
            size += sum(_decoded_size(column) for column in batch.columns)
            refuse_beyond_size(size, max_bytes, "max_bytes")
            if max_memory is not None:
                refuse_beyond_size(size, max_memory, "max_memory")
            columns = [
                chunked(_arrow_text(column, name)) for name, column in zip(names, batch.columns, strict=True)
            ]
            rows = np.arange(row, row + batch.num_rows, dtype=np.int64)
            yield Grid("parquet", columns, rows, range(len(names)))
            row += batch.num_rows
    # For damaged columns Arrow raises Python's own errors, too.
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, NotImplementedError):
        raise FileError(DAMAGED.format("its columns cannot be read")) from None


def refuse_beyond_size(size: int, limit: int, argument: str) -> None:
    """Refuse a file whose texts take more bytes than allowed once each row has its own."""
    if size > limit:
        raise FileError(
            f"Unpacked, the file has more than {limit:,} bytes. "
            f"If that is intended, give a larger {argument}=."
        )


def _decoded_size(array: "pa.Array[Any]") -> int:
    """The bytes that a column takes once each row has its own text."""
    if not isinstance(array, pa.DictionaryArray):
        return int(array.nbytes)
    if not len(array.dictionary):
        return 0
    lengths = pc.binary_length(cast(TextArray, array.dictionary)).take(array.indices)
    return pc.sum(lengths).as_py() or 0


def _grid(kind: str, names: list[str], columns: Iterable[TextChunks], rows: int) -> Grid:
    headed = [
        pa.chunked_array([[name], *column.chunks], TEXT) for name, column in zip(names, columns, strict=True)
    ]
    return Grid(kind, headed, np.arange(1, rows + 2, dtype=np.int64), range(len(headed)))


def _name(name: object) -> str:
    """A column's name as one text; names of several levels are joined."""
    if isinstance(name, tuple):
        return " ".join(text for text in map(_name, name) if text)
    return "" if name is None or name is pd.NA or name != name else str(name)


def _series_text(series: Any, name: str) -> TextChunks:
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        series = series.dt.tz_localize(None)  # the time that its own clock showed
    if series.dtype == object:
        try:
            return chunked(column_text(series.tolist(), FRAME_WRITERS))
        except ColumnError as problem:
            raise ColumnError(f'Column "{name}": {problem}') from None
        except UnicodeEncodeError:
            row = _first_broken(series.tolist()) + 2
            raise ColumnError(
                f'Column "{name}", row {row}: the cell holds half a character. Type it again.'
            ) from None
    values = pa.array(series, from_pandas=True)
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return pa.chunked_array([_arrow_text(chunk, name) for chunk in chunks], TEXT)


def _first_broken(values: list[object]) -> int:
    """The position of the first text with half a character; there is one."""
    return next(place for place, value in enumerate(values) if re.search("[\ud800-\udfff]", str(value)))


def _arrow_text(array: "pa.Array[Any]", name: str) -> TextArray:
    """Any Arrow array of single values as text without nulls."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _arrow_text(array.cast(kind.value_type), name)
    if pa.types.is_floating(kind):
        floats = array.cast(pa.float64()).to_numpy(zero_copy_only=False)  # nulls become NaN, which is blank
        return float_texts(floats.astype(np.float64, copy=False))
    if any(is_kind(kind) for is_kind in (pa.types.is_decimal, pa.types.is_time, pa.types.is_duration)):
        return column_text(array.to_pylist(), FRAME_WRITERS)
    if isinstance(array, pa.TimestampArray):
        texts = moment_texts(array)
    elif isinstance(array, pa.BooleanArray):
        texts = truth_texts(array)
    elif any(is_kind(kind) for is_kind in PLAIN):
        texts = cast(TextArray, array.cast(TEXT))
        texts.validate(full=True)  # parquet does not promise that texts are UTF-8
    else:
        raise ColumnError(f'Column "{name}" holds values of the kind {kind}, which do not fit into one cell.')
    return cast(TextArray, texts.fill_null("")) if texts.null_count else texts
