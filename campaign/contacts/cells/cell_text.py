"""Whole columns of cells as a person writes them: whatever type a DataFrame delivers, text comes out.

`value_text` says how each kind of value is written; nothing is "".

pyarrow.compute is imported where it is used: most tables do not need it here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.value_text import EXACT, VALUE_WRITERS, moment_text, number_text, span_text
from campaign.errors import ColumnError


def float_texts(numbers: "NDArray[np.floating[Any]]") -> TextArray:
    """Many floats, each as `number_text` writes it. Those of 16 and 32 bits, too: with the digits that they
    hold, and with an exponent where they are too large to hold all."""
    if numbers.dtype in (np.float16, np.float32):
        return _short_texts(numbers)
    doubles = numbers.astype(np.float64, copy=False)
    is_whole = np.isfinite(doubles) & (np.abs(doubles) <= EXACT) & (doubles == np.trunc(doubles))
    if is_whole.all():
        return cast(TextArray, pa.array(doubles.astype(np.int64)).cast(TEXT))
    return _mixed_texts(doubles, is_whole)


def _mixed_texts(numbers: NDArray[np.float64], is_whole: NDArray[np.bool_]) -> TextArray:
    import pyarrow.compute as pc

    integers = pa.array(np.where(is_whole, numbers, 0).astype(np.int64)).cast(TEXT)
    shortest = pa.array(numbers, from_pandas=False).cast(TEXT)  # that reads back as the same number
    texts = cast(TextArray, pc.if_else(pa.array(is_whole), integers, shortest))
    longer = pc.binary_length(texts).to_numpy() > 16  # than 15 digits and a point
    has_exponent = pc.match_substring(texts, "e").to_numpy(zero_copy_only=False)
    inexact = (longer | has_exponent) & ~is_whole | ~np.isfinite(numbers)
    exact = pa.array([number_text(number) for number in numbers[inexact].tolist()], TEXT)
    replaced: TextArray = pc.replace_with_mask(texts, pa.array(inexact), exact)
    return replaced


def _short_texts(numbers: "NDArray[np.floating[Any]]") -> TextArray:
    import pyarrow.compute as pc

    is_half = numbers.dtype == np.float16  # which Arrow writes with digits that it does not hold
    texts = pa.array(numbers.astype(str).astype(object) if is_half else numbers).cast(TEXT)
    doubles = texts.cast(pa.float64()).to_numpy()
    # From here on there are whole numbers that the type rounds to its own.
    is_inexact = np.isfinite(doubles) & (np.abs(doubles) >= 2.0 ** (np.finfo(numbers.dtype).nmant + 1))
    exponents = [np.format_float_scientific(number, trim="-") for number in doubles[is_inexact]]
    inexact = pa.array(exponents, TEXT)
    replaced: TextArray = pc.replace_with_mask(float_texts(doubles), pa.array(is_inexact), inexact)
    return replaced


def moment_texts(moments: "pa.TimestampArray[Any, Any]") -> TextArray:
    """Arrow timestamps, each as `moment_text` writes it; nulls stay."""
    import pyarrow.compute as pc

    if moments.type.tz is not None:
        moments = pc.local_timestamp(moments)
    seconds = pc.round_temporal(moments, unit="second").cast(pa.timestamp("s"))
    texts = pc.replace_substring_regex(cast(TextArray, seconds.cast(TEXT)), "[ T]00:00:00$", "")
    return pc.replace_substring_regex(texts, r"^(.+ \d\d:\d\d):00$", r"\1")


Writer: TypeAlias = Callable[[Sequence[Any]], TextArray]


def writer(write: Callable[[Any], str]) -> Writer:
    """Writes many values of one type, one after the other."""
    return lambda values: pa.array([write(value) for value in values], TEXT)


WRITERS: Mapping[type, Writer] = {
    **{kind: writer(write) for kind, write in VALUE_WRITERS.items()},
    str: lambda values: pa.array(values, TEXT),
    pd.Timestamp: writer(lambda value: moment_text(value.to_pydatetime(warn=False))),
    pd.Timedelta: writer(lambda value: span_text(value.to_pytimedelta())),
    type(pd.NA): writer(lambda _: ""),
    type(pd.NaT): writer(lambda _: ""),
}


def column_text(values: Sequence[Any]) -> TextArray:
    """Python values of any mixture as one Arrow array of text without nulls, one type at a time.

    Raises ColumnError for a value that does not fit into a cell: a list, a dict, bytes.
    """
    kinds = set(map(type, values))
    if kinds <= {str}:
        return pa.array(values, TEXT)
    if len(kinds) == 1:
        return _writer_for(kinds.pop())(values)
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    types = np.fromiter(map(id, map(type, values)), dtype=np.int64, count=len(values))
    for kind in kinds - {str}:
        places = types == id(kind)
        texts = _writer_for(kind)(cells[places].tolist())
        cells[places] = texts.to_numpy(zero_copy_only=False)
    return pa.array(cells, TEXT)


def _writer_for(kind: type) -> Writer:
    if kind in WRITERS:
        return WRITERS[kind]
    if issubclass(kind, np.floating):
        return lambda values: float_texts(np.asarray(values, dtype=kind))
    if issubclass(kind, np.generic):
        return lambda values: column_text([value.item() for value in values])
    if issubclass(kind, str):
        return writer(str)
    raise ColumnError("cell_unfit", column="", kind=f"a {kind.__name__}")


def blank_rows(columns: Iterable[TextChunks], rows: int) -> NDArray[np.int64]:
    """The positions of the rows in which no cell holds more than spaces.

    Each column is looked at only where the ones before it were blank, so that a table without blank rows
    costs one column.
    """
    import pyarrow.compute as pc

    blank: NDArray[np.int64] | None = None
    for column in columns:
        cells = column if blank is None else column.take(blank)
        is_empty = pc.binary_length(cells).to_numpy() == 0
        is_blank = is_empty | pc.utf8_is_space(cells).to_numpy()
        places = np.flatnonzero(is_blank)
        blank = places if blank is None else blank[places]
        if not len(blank):
            break
    return np.arange(rows, dtype=np.int64) if blank is None else blank
