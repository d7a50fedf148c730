"""Text columns as Arrow arrays: conversion from and to pandas, joining, replacing, and the bytes inside.

Everything here is `large_string`, the type that pandas keeps its `str` columns in, so the conversions copy
nothing. This is the only module that reads or makes Arrow buffers.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign import arrow_types

# Repeated here for modules that need both the functions and the types.
TEXT = arrow_types.TEXT
TextArray: TypeAlias = arrow_types.TextArray
TextChunks: TypeAlias = arrow_types.TextChunks
TextScalar: TypeAlias = arrow_types.TextScalar


_STR = pd.StringDtype(na_value=np.nan)  # "str", which pandas takes as long to look up as to make a column

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]


def series_to_array(series: "pd.Series[Any]") -> TextArray:
    """The column as one array; missing values become ""."""
    return concat_arrays(series_to_chunks(series))


def series_to_chunks(series: "pd.Series[Any]", missing: str | None = "") -> list[TextArray]:
    """The column as its arrays, in order; missing values become `missing`, or stay missing with None."""
    converted = _as_array(series)
    chunks = converted.chunks if isinstance(converted, pa.ChunkedArray) else [converted]
    arrays = cast("list[TextArray]", chunks)
    return arrays if missing is None else [fill_missing(array, missing) for array in arrays]


def array_to_series(
    texts: "TextArray | TextChunks", index: "pd.Index[Any] | None" = None
) -> "pd.Series[str]":
    """The array as a column of dtype str; nothing is copied."""
    return pd.Series(texts, index=index, dtype=_STR)


def text_array(strings: Iterable[str | None]) -> TextArray:
    """A few strings as an array."""
    return pa.array(list(strings), type=TEXT)


def text_scalar(string: str) -> TextScalar:
    """One string, to be combined with arrays."""
    return pa.scalar(string, type=TEXT)


def constant_array(string: str, rows: int) -> TextArray:
    """One string in every row."""
    repeat = cast(Callable[..., TextArray], pa.repeat)
    return repeat(text_scalar(string), rows)


def integers_to_array(integers: npt.NDArray[np.integer[Any]]) -> TextArray:
    """Integers as text."""
    return as_text(pa.array(integers))


def as_text(values: "pa.Array[Any]") -> TextArray:
    """An array of any type as text; one that is text already comes back as it is."""
    return cast(TextArray, values.cast(TEXT))


def fill_missing(texts: TextArray, replacement: str = "") -> TextArray:
    """The array with `replacement` in place of missing values."""
    return cast(TextArray, texts.fill_null(replacement)) if texts.null_count else texts


def concat_arrays(arrays: Sequence[TextArray]) -> TextArray:
    """Arrays one after the other, as one array."""
    if len(arrays) == 1:
        return arrays[0]
    return pa.concat_arrays(arrays) if arrays else text_array([])


def combine_chunks(chunks: TextChunks) -> TextArray:
    """A chunked array as one array, copied only if it has more than one chunk."""
    return concat_arrays(cast("list[TextArray]", chunks.chunks))


def join_texts(*pieces: TextArray | TextScalar | str) -> TextArray:
    """Pieces of text joined row by row; at least one of them is an array."""
    operands = [text_scalar(piece) if isinstance(piece, str) else piece for piece in pieces]
    join = cast(Callable[..., TextArray], pc.binary_join_element_wise)  # stubs: arrays or scalars, never both
    return join(*operands, text_scalar(""))


def join_column(texts: TextArray, separator: str) -> bytes:
    """All texts of an array in one UTF-8 string, with a separator between them."""
    offsets = pa.array([0, len(texts)], pa.int64())
    join = cast(Callable[..., TextArray], pc.binary_join)  # the stubs mix up arrays and scalars
    return (
        join(pa.LargeListArray.from_arrays(offsets, texts), text_scalar(separator))[0]
        .as_buffer()
        .to_pybytes()
    )


def unique_texts(texts: TextArray) -> tuple[list[str], Ints]:
    """Each distinct text once, in order of appearance, and for each row the position of its text there."""
    encoded = texts.dictionary_encode()
    return cast("list[str]", encoded.dictionary.to_pylist()), encoded.indices.to_numpy().astype(np.int64)


def map_unique(texts: TextArray, function: Callable[[str], str]) -> TextArray:
    """The result of `function` for each text; it is called once for each distinct text."""
    strings, positions = unique_texts(texts)
    return text_array([function(string) for string in strings]).take(positions)


def replace_rows(texts: TextArray, rows: Ints, replacements: TextArray) -> TextArray:
    """The array with new texts in the given rows; `rows` are ascending."""
    if not len(rows):
        return texts
    mask = np.zeros(len(texts), dtype=bool)
    mask[rows] = True
    return replace_where(texts, mask, replacements)


def replace_where(texts: TextArray, mask: Bools, replacements: TextArray) -> TextArray:
    """The array with new texts where `mask` is true; `replacements` holds only those, in order."""
    replaced: TextArray = pc.replace_with_mask(texts, pa.array(mask), replacements)
    return replaced


def mask_to_numpy(mask: pa.BooleanArray) -> Bools:
    """An Arrow mask without missing values as a numpy array."""
    return cast(Bools, mask.to_numpy(zero_copy_only=False))


def take_from_chunks(chunks: Sequence[TextArray], rows: Ints) -> TextArray:
    """The texts in some rows of several consecutive arrays.

    `ChunkedArray.take` would copy all of them into one array first.
    """
    ends = np.cumsum([len(chunk) for chunk in chunks])
    order = np.argsort(rows, kind="stable")
    ascending = rows[order]
    cuts = np.searchsorted(ascending, ends)
    pieces = [
        chunk.take(ascending[first:last] - (end - len(chunk)))
        for chunk, end, first, last in zip(chunks, ends, [0, *cuts], cuts, strict=False)
    ]
    original_order = np.empty(len(rows), dtype=np.int64)
    original_order[order] = np.arange(len(rows))
    return concat_arrays(pieces).take(original_order)


def byte_lengths(texts: TextArray) -> Ints:
    """The length of each text in UTF-8 bytes."""
    lengths = cast("pa.Int64Array", cast(Callable[..., Any], pc.binary_length)(texts))
    return np.asarray(lengths)


def equal_texts(texts: TextArray, other: TextArray | str) -> Bools:
    """Which texts are equal to one string, or to the text of the other array in the same row."""
    equal = cast(Callable[..., "pa.BooleanArray"], pc.equal)
    return equal(texts, other).to_numpy(zero_copy_only=False)


def is_one_of(texts: TextArray, strings: Iterable[str]) -> Bools:
    """Which texts are equal to one of the strings."""
    return pc.is_in(texts, value_set=text_array(strings)).to_numpy(zero_copy_only=False)


def matches(texts: TextArray, pattern: str) -> Bools:
    """Which texts contain a match of an RE2 pattern."""
    match = cast(Callable[..., "pa.BooleanArray"], pc.match_substring_regex)
    return match(texts, pattern).to_numpy(zero_copy_only=False)


def are_ascii(texts: TextArray) -> bool:
    """Whether no text has any other character."""
    return bool(pc.all(pc.string_is_ascii(texts), min_count=0).as_py())


def strip_texts(texts: TextArray) -> TextArray:
    """The texts without white space at both ends."""
    strip = cast(Callable[..., TextArray], pc.utf8_trim_whitespace)
    return strip(texts)


def substitute(texts: TextArray, pattern: str, replacement: str) -> TextArray:
    """The texts with each match of an RE2 pattern replaced."""
    return pc.replace_substring_regex(texts, pattern, replacement)


def last_characters(texts: TextArray, count: int) -> TextArray:
    """The end of each text."""
    cut = cast(Callable[..., TextArray], pc.utf8_slice_codeunits)
    return cut(texts, start=-count)


def normalize_texts(texts: TextArray) -> TextArray:
    """The texts in the Unicode form NFC."""
    normalized = pc.call_function("utf8_normalize", [texts], pc.Utf8NormalizeOptions("NFC"))
    return cast(TextArray, normalized)


# What NFC may change, alone or after another: marks and what is newer than the tables of RE2 (together all
# that is in none of its other classes), letters without case that have two forms, Greek letters with two
# accents, and symbols that stand for others. Normalizing costs 3 us a text, and few texts contain any of
# these; the usual letters with an accent are not among them.
COMPOSABLE = (
    r"[^\p{L}\p{N}\p{P}\p{S}\p{Z}\p{C}]|[\x{340}-\x{387}\x{958}-\x{95f}\x{9dc}-\x{9df}\x{a33}-\x{a5e}"
    r"\x{b5c}\x{b5d}\x{f43}-\x{f69}\x{1100}-\x{11ff}\x{1f00}-\x{1fff}\x{2000}\x{2001}\x{2126}\x{212a}\x{212b}"
    r"\x{2329}\x{232a}\x{2adc}\x{f900}-\x{faff}\x{fb1d}-\x{fb4e}\x{1d15e}-\x{1d1c0}\x{2f800}-\x{2fa1d}]"
)


def composed(texts: TextArray) -> TextArray:
    """The texts in the Unicode form NFC; few of them are touched."""
    rows = np.flatnonzero(matches(texts, COMPOSABLE))
    return replace_rows(texts, rows, normalize_texts(texts.take(rows))) if len(rows) else texts


def choose_texts(mask: Bools, chosen: TextArray | str, otherwise: TextArray) -> TextArray:
    """The text of one array where `mask` is true, and of the other elsewhere."""
    choose = cast(Callable[..., TextArray], pc.if_else)
    return choose(pa.array(mask), text_scalar(chosen) if isinstance(chosen, str) else chosen, otherwise)


def join_runs(texts: TextArray, counts: Ints, separator: str) -> TextArray:
    """Runs of consecutive texts, as long as `counts` says, each joined into one text."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int64())
    join = cast(Callable[..., TextArray], pc.binary_join)
    return join(pa.LargeListArray.from_arrays(offsets, texts), text_scalar(separator))


def spread_texts(texts: TextArray, rows: Ints, total: int) -> TextArray:
    """The texts in their rows, which are ascending, and "" in all others; only the offsets are new."""
    lengths = np.zeros(total + 1, dtype=np.int64)
    lengths[rows + 1] = byte_lengths(texts)
    offsets = np.cumsum(lengths, out=lengths) if len(rows) else lengths  # zeros take no memory until written
    return array_from_buffers(offsets, text_buffers(texts)[1])


def text_buffers(texts: TextArray) -> tuple[Ints, Bytes]:
    """The offsets of the texts and their UTF-8 bytes, as views where possible.

    Text i is `data[offsets[i] : offsets[i + 1]]`; the first offset is 0.
    """
    _, offset_buffer, data_buffer = texts.buffers()
    if offset_buffer is None or data_buffer is None or not len(texts):
        return np.zeros(len(texts) + 1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    all_offsets = np.frombuffer(memoryview(offset_buffer), dtype=np.int64)
    offsets = all_offsets[texts.offset : texts.offset + len(texts) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.frombuffer(memoryview(data_buffer), dtype=np.uint8)[first:last]
    return offsets - first if first else offsets, data


def array_from_buffers(offsets: Ints, data: bytes | Bytes) -> TextArray:
    """The texts with these offsets in UTF-8 bytes: the inverse of `text_buffers`."""
    offset_buffer = pa.py_buffer(np.ascontiguousarray(offsets, np.int64).data)
    array = pa.Array.from_buffers(
        TEXT,
        len(offsets) - 1,
        [None, offset_buffer, pa.py_buffer(data if isinstance(data, bytes) else data.data)],
    )
    return cast(TextArray, array)


def _as_array(series: "pd.Series[Any]") -> "TextArray | TextChunks":
    convert = cast("Callable[..., TextArray | TextChunks]", pa.array)  # the stubs know only the first of them
    return convert(series.array, type=TEXT, from_pandas=True)  # of a Series it would ask ten times as long
