"""A column of text as one Arrow array, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Series = pd.Series  # a column of text of dtype str


def column(values: "pd.Series[Any]") -> pa.Array:
    """The column as one large_string array without missing values: those become ""."""
    return concat(chunked(values))


def chunked(values: "pd.Series[Any]", missing: str | None = "") -> list[pa.Array]:
    """The column as its large_string arrays, one after the other; `missing` stands for missing values."""
    array = pa.array(values, type=pa.large_string(), from_pandas=True)
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return [
        chunk if missing is None or not chunk.null_count else pc.fill_null(chunk, missing) for chunk in chunks
    ]


def series(texts: pa.Array | pa.ChunkedArray, index: pd.Index | None = None) -> "pd.Series[str]":
    """The array as a column of dtype str; nothing is copied."""
    return pd.Series(texts, index=index, dtype="str")


def texts(values: list[str]) -> pa.Array:
    """A short list of texts as an array."""
    return pa.array(values, type=pa.large_string())


def scalar(text: str) -> pa.Scalar:
    """One text, to be joined with columns."""
    return pa.scalar(text, type=pa.large_string())


def concat(arrays: list[pa.Array]) -> pa.Array:
    """Arrays one after the other, as one array."""
    if len(arrays) == 1:
        return arrays[0]
    return pa.concat_arrays(arrays) if arrays else texts([])


def each_unique(values: pa.Array, make: Callable[[str], str]) -> pa.Array:
    """What becomes of each text; a text that stands in many rows is looked at once."""
    unique = values.dictionary_encode()
    return texts([make(text) for text in unique.dictionary.to_pylist()]).take(unique.indices)


def join(*pieces: pa.Array | pa.Scalar | str) -> pa.Array:
    """Pieces of text put together row by row; at least one of them is a column."""
    parts = [scalar(piece) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*parts, scalar(""))


def written(numbers: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """Whole numbers as texts."""
    return pc.cast(pa.array(numbers), pa.large_string())


def buffers(values: pa.Array) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Where each text begins and ends, and the UTF-8 bytes of all; both are views."""
    _, ends, data = values.buffers()
    offsets = np.frombuffer(ends, dtype=np.int64)[values.offset : values.offset + len(values) + 1]
    if data is None or not len(values):
        return np.zeros(len(values) + 1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    first, last = int(offsets[0]), int(offsets[-1])
    return offsets - first if first else offsets, np.frombuffer(data, dtype=np.uint8)[first:last]


def replace(values: pa.Array, rows: Ints, others: pa.Array) -> pa.Array:
    """The array with the given rows replaced; `rows` ascend."""
    if not len(rows):
        return values
    mask = np.zeros(len(values), dtype=bool)
    mask[rows] = True
    return pc.replace_with_mask(values, pa.array(mask), others)


def take_among(chunks: list[pa.Array], rows: Ints) -> pa.Array:
    """The texts of some rows of several arrays that stand one after the other.

    `ChunkedArray.take` would copy all of them into one array first.
    """
    ends = np.cumsum([len(chunk) for chunk in chunks])
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    cuts = np.searchsorted(ascending, ends)
    found = [
        chunk.take(pa.array(ascending[first:last] - (end - len(chunk))))
        for chunk, end, first, last in zip(chunks, ends, [0, *cuts], cuts, strict=False)
    ]
    back = np.empty(len(rows), dtype=np.int64)
    back[order] = np.arange(len(rows))
    return concat(found).take(pa.array(back))
