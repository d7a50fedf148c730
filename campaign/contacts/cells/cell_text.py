"""Cells as a person writes them: whatever type a reader or a DataFrame delivers, text comes out.

1500.0 is "1500", a date is "2026-01-05", a time of day "14:30", true is "TRUE", nothing is "".

pyarrow.compute is imported where it is used: it would take a quarter of the start-up time of the process that
opens a workbook, and most workbooks do not need it.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.errors import ColumnError

EXACT = 2.0**53  # whole numbers up to here are exact in a spreadsheet's cell; beyond it digits are lost
DAY = dt.timedelta(days=1)
AFTER_LAST_DAY = 2_958_466  # days: spreadsheets count them from 1900 to 9999


def number_text(value: float) -> str:
    """One float: whole numbers without a point, at most 15 digits as spreadsheets keep them, no exponent.

    A number too large to be exact keeps its exponent, so that its digits are not taken for exact.
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
    """A length of time in hours: "26:30", "0:05:12".

    One that is longer than the calendar of spreadsheets is a number under the wrong format, a phone number
    as a rule: its digits come out.
    """
    if abs(value) >= AFTER_LAST_DAY * DAY:
        return number_text(value / DAY)
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    tail = f":{rest % 60:02d}" if rest % 60 else ""
    return f"{'-' if seconds < 0 else ''}{hours}:{rest // 60:02d}{tail}"


def truth_text(value: bool) -> str:
    """As spreadsheets show it."""
    return "TRUE" if value else "FALSE"


def float_texts(numbers: NDArray[np.float64]) -> TextArray:
    """Many floats, each as `number_text` writes it."""
    is_whole = np.isfinite(numbers) & (np.abs(numbers) <= EXACT) & (numbers == np.trunc(numbers))
    if is_whole.all():
        return cast(TextArray, pa.array(numbers.astype(np.int64)).cast(TEXT))
    return _mixed_texts(numbers, is_whole)


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


def moment_texts(moments: "pa.TimestampArray[Any, Any]") -> TextArray:
    """Arrow timestamps, each as `moment_text` writes it; nulls stay."""
    import pyarrow.compute as pc

    if moments.type.tz is not None:
        moments = pc.local_timestamp(moments)
    seconds = pc.round_temporal(moments, unit="second").cast(pa.timestamp("s"))
    texts = pc.replace_substring_regex(cast(TextArray, seconds.cast(TEXT)), "[ T]00:00:00$", "")
    return pc.replace_substring_regex(texts, r"^(.+ \d\d:\d\d):00$", r"\1")


def truth_texts(truths: pa.BooleanArray) -> TextArray:
    """Arrow booleans, each as `truth_text` writes it; nulls stay."""
    import pyarrow.compute as pc

    return cast(TextArray, pc.if_else(truths, pa.scalar("TRUE", TEXT), pa.scalar("FALSE", TEXT)))


Writer: TypeAlias = Callable[[Sequence[Any]], TextArray]


def writer(write: Callable[[Any], str]) -> Writer:
    """Writes many values of one type, one after the other."""
    return lambda values: pa.array([write(value) for value in values], TEXT)


def _write_moments(moments: Sequence[dt.datetime]) -> TextArray:
    unique = {moment: moment_text(moment) for moment in set(moments)}
    return pa.array([unique[moment] for moment in moments], TEXT)


def _write_integers(integers: Sequence[int]) -> TextArray:
    try:
        return cast(TextArray, pa.array(integers, pa.int64()).cast(TEXT))
    except (pa.ArrowInvalid, OverflowError):
        return pa.array([str(integer) for integer in integers], TEXT)


WRITERS: Mapping[type, Writer] = {
    str: lambda values: pa.array(values, TEXT),
    float: lambda values: float_texts(np.asarray(values, dtype=np.float64)),
    int: _write_integers,
    bool: writer(truth_text),
    dt.datetime: _write_moments,
    dt.date: writer(dt.date.isoformat),
    dt.time: writer(clock_text),
    dt.timedelta: writer(span_text),
    Decimal: writer(lambda value: format(value, "f")),
    type(None): writer(lambda _: ""),
}


def column_text(values: Sequence[Any], writers: Mapping[type, Writer] = WRITERS) -> TextArray:
    """Python values of any mixture as one Arrow array of text without nulls, one type at a time.

    Raises ColumnError for a value that does not fit into a cell: a list, a dict, bytes.
    """
    kinds = set(map(type, values))
    if kinds <= {str}:
        return pa.array(values, TEXT)
    if len(kinds) == 1:
        return _writer_for(kinds.pop(), writers)(values)
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    types = np.fromiter(map(id, map(type, values)), dtype=np.int64, count=len(values))
    for kind in kinds - {str}:
        places = types == id(kind)
        texts = _writer_for(kind, writers)(cells[places].tolist())
        cells[places] = texts.to_numpy(zero_copy_only=False)
    return pa.array(cells, TEXT)


def _writer_for(kind: type, writers: Mapping[type, Writer]) -> Writer:
    if kind in writers:
        return writers[kind]
    if issubclass(kind, np.generic):
        return lambda values: column_text([value.item() for value in values], writers)
    if issubclass(kind, str):
        return writer(str)
    raise ColumnError(
        f"A cell holds a {kind.__name__}, which cannot be written in one cell of a spreadsheet."
    )


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
