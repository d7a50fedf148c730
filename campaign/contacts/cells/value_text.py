"""One value as a person writes it: 1500.0 is "1500", a date "2026-01-05", a time of day "14:30", true "TRUE".

Apart from `cell_text`, which writes whole columns with Arrow: the process that opens a workbook needs neither
Arrow nor numpy, which take three times as long to load as all that it does need.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

EXACT = 2.0**53  # whole numbers up to here are exact in a spreadsheet's cell; beyond it digits are lost
DAY = dt.timedelta(days=1)
LONGEST_CELL = 32_767  # characters, in Excel and LibreOffice alike
AFTER_LAST_DAY = 2_958_466  # days: spreadsheets count them from 1900 to 9999


def number_text(value: float) -> str:
    """One float: whole numbers without a point, at most 15 digits as spreadsheets keep them, no exponent.

    A number too large to be exact keeps its exponent, so that its digits are not taken for exact.
    """
    text = format(value, ".15g")
    if "e" not in text and "n" not in text and text != "-0":  # nearly all; "n" is in nan and inf
        return text
    if value != value:
        return ""
    if value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    if abs(value) > EXACT or abs(value) < 1e-15:
        return text
    return format(Decimal(text), "f")


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


VALUE_WRITERS: Mapping[type, Callable[[Any], str]] = {
    float: number_text,
    int: str,
    bool: truth_text,
    dt.datetime: moment_text,
    dt.date: dt.date.isoformat,
    dt.time: clock_text,
    dt.timedelta: span_text,
    Decimal: lambda value: format(value, "f") if value.is_finite() else number_text(float(value)),
    type(None): lambda _: "",
}
