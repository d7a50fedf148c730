"""Cells as a person writes them: whatever type a reader or a DataFrame delivers, text comes out.

1500.0 is "1500", a date is "2026-01-05", a time of day "14:30", true is "TRUE", nothing is "".
"""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from campaign.errors import ColumnError

TEXT = pa.large_string()  # 64-bit offsets: what pandas' str columns hold, so the hand-over copies nothing
EXACT = 2.0**53  # whole numbers up to here are exact in a spreadsheet's cell; beyond it digits are lost


def number_text(value: float) -> str:
    """One float: whole numbers without a point, at most 15 digits as spreadsheets keep them, no exponent.

    A number too large to be exact keeps its exponent, so that nobody takes its digits for known.
    """
    if value != value:
        return ""
    if value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    if abs(value) > EXACT or abs(value) < 1e-15:
        return format(value, ".15g")
    return format(Decimal(format(value, ".15g")), "f")


def moment_text(value: dt.datetime) -> str:
    """A date, with the time of day where there is one, to the second."""
    rounded = _to_second(value.replace(tzinfo=None))
    day = f"{rounded.year:04d}-{rounded.month:02d}-{rounded.day:02d}"
    return day if rounded.time() == dt.time.min else f"{day} {clock_text(rounded.time())}"


def _to_second(value: dt.datetime) -> dt.datetime:
    """Cells hold days as floats, so that 14:30 can arrive as 14:29:59.999999."""
    half = dt.timedelta(microseconds=500_000)
    return (value + half if value <= dt.datetime.max - half else value).replace(microsecond=0)


def clock_text(value: dt.time) -> str:
    """A time of day: "14:30", with seconds only where there are some."""
    rounded = _to_second(dt.datetime.combine(dt.date(2000, 1, 1), value))
    return f"{rounded:%H:%M:%S}" if rounded.second else f"{rounded:%H:%M}"


def span_text(value: dt.timedelta) -> str:
    """A length of time in hours: "26:30", "0:05:12"."""
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    tail = f":{rest % 60:02d}" if rest % 60 else ""
    return f"{'-' if seconds < 0 else ''}{hours}:{rest // 60:02d}{tail}"


def truth_text(value: bool) -> str:
    """As spreadsheets show it."""
    return "TRUE" if value else "FALSE"


def float_texts(numbers: NDArray[np.float64]) -> pa.Array:
    """Many floats, each as `number_text` writes it."""
    whole = np.isfinite(numbers) & (np.abs(numbers) <= EXACT) & (numbers == np.trunc(numbers))
    if whole.all():
        return pc.cast(pa.array(numbers.astype(np.int64)), TEXT)
    integers = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(TEXT)
    shortest = pa.array(numbers, from_pandas=False).cast(TEXT)  # that reads back as the same number
    texts = pc.if_else(pa.array(whole), integers, shortest)
    longer = pc.greater(pc.binary_length(texts), 16)  # than 15 digits and a point
    odd = pc.or_(longer, pc.match_substring(texts, "e")).to_numpy(zero_copy_only=False) & ~whole
    odd |= ~np.isfinite(numbers)
    exact = pa.array([number_text(number) for number in numbers[odd].tolist()], TEXT)
    return pc.replace_with_mask(texts, pa.array(odd), exact)


def moment_texts(moments: pa.Array) -> pa.Array:
    """Arrow timestamps, each as `moment_text` writes it; nulls stay."""
    if moments.type.tz is not None:
        moments = pc.local_timestamp(moments)
    seconds = pc.round_temporal(moments, unit="second").cast(pa.timestamp("s"))
    texts = pc.replace_substring_regex(seconds.cast(TEXT), "[ T]00:00:00$", "")
    return pc.replace_substring_regex(texts, r"^(.+ \d\d:\d\d):00$", r"\1")


def truth_texts(truths: pa.Array) -> pa.Array:
    """Arrow booleans, each as `truth_text` writes it; nulls stay."""
    return pc.if_else(truths, pa.scalar("TRUE", TEXT), pa.scalar("FALSE", TEXT))


def _moments(values: Sequence[dt.datetime]) -> pa.Array:
    unique = {value: moment_text(value) for value in set(values)}
    return pa.array([unique[value] for value in values], TEXT)


def _integers(values: Sequence[int]) -> pa.Array:
    try:
        return pc.cast(pa.array(values, pa.int64()), TEXT)
    except (pa.ArrowInvalid, OverflowError):
        return pa.array([str(value) for value in values], TEXT)


def _each(write: Callable[[Any], str]) -> Callable[[Sequence[Any]], pa.Array]:
    return lambda values: pa.array([write(value) for value in values], TEXT)


WRITERS: dict[type, Callable[[Sequence[Any]], pa.Array]] = {
    str: lambda values: pa.array(values, TEXT),
    float: lambda values: float_texts(np.asarray(values, dtype=np.float64)),
    int: _integers,
    bool: _each(truth_text),
    dt.datetime: _moments,
    pd.Timestamp: _each(lambda value: moment_text(value.to_pydatetime(warn=False))),
    dt.date: _each(dt.date.isoformat),
    dt.time: _each(clock_text),
    dt.timedelta: _each(span_text),
    pd.Timedelta: _each(lambda value: span_text(value.to_pytimedelta())),
    Decimal: _each(lambda value: format(value, "f")),
    type(None): _each(lambda _: ""),
    type(pd.NA): _each(lambda _: ""),
    type(pd.NaT): _each(lambda _: ""),
}


def column_text(values: Sequence[Any]) -> pa.Array:
    """Python values of any mixture as one Arrow array of text without nulls, one type at a time.

    Raises ColumnError for a value that is no cell: a list, a dict, bytes.
    """
    kinds = set(map(type, values))
    if kinds <= {str}:
        return pa.array(values, TEXT)
    if len(kinds) == 1:
        return _writer(kinds.pop())(values)
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    types = np.fromiter(map(id, map(type, values)), dtype=np.int64, count=len(values))
    for kind in kinds - {str}:
        at = types == id(kind)
        cells[at] = _writer(kind)(cells[at].tolist()).to_numpy(zero_copy_only=False)
    return pa.array(cells, TEXT)


def _writer(kind: type) -> Callable[[Sequence[Any]], pa.Array]:
    if kind in WRITERS:
        return WRITERS[kind]
    if issubclass(kind, np.generic):
        return lambda values: column_text([value.item() for value in values])
    if issubclass(kind, str):
        return _each(str)
    raise ColumnError(
        f"A cell holds a {kind.__name__}, which cannot be written in one cell of a spreadsheet."
    )


def blank_rows(columns: Iterable[pa.ChunkedArray], rows: int) -> NDArray[np.int64]:
    """The positions of the rows in which no cell holds more than spaces.

    Each column is looked at only where the ones before it were blank, so that a table without blank rows
    costs one column.
    """
    at: NDArray[np.int64] | None = None
    for column in columns:
        cells = column if at is None else column.take(pa.array(at))
        empty = pc.or_(pc.equal(pc.binary_length(cells), 0), pc.utf8_is_space(cells))
        here = np.flatnonzero(empty.to_numpy(zero_copy_only=False))
        at = here if at is None else at[here]
        if not len(at):
            break
    return np.arange(rows, dtype=np.int64) if at is None else at
