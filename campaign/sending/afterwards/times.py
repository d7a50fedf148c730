"""Written times, as lists of other programs have them, to UTC."""

from __future__ import annotations

import pandas as pd

from campaign.contacts.columns import listed
from campaign.text import agreeing, counted

# A day without a time of day stays unread: an hour cannot be measured from it.
_CLOCK = (
    r"[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_ZONE = r" ?(?P<zone>Z|(?:UTC|GMT)?(?:[+-]\d{2}:?\d{2}|[+-]\d{1,2})|UTC|GMT)?"
_YEAR_FIRST = rf"^(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_CLOCK}{_ZONE}$"
_YEAR_LAST = rf"^(?P<first>\d{{1,2}})[-/.](?P<other>\d{{1,2}})[-/.](?P<year>\d{{4}}){_CLOCK}{_ZONE}$"
ZONE_EXAMPLE = "such as 14:02 +03:00"
_UNITS = ["year", "month", "day", "hour", "minute", "second"]


def parse_times(cells: pd.Series[str]) -> tuple[pd.DataFrame, list[str]]:
    """Written times as a frame of `time` (UTC, NaT if unread) and `zoned`, and notices about them.

    A time without a zone is taken as UTC; the notice says in which column another zone is to be written,
    which is what the cells are called. Whether the day or the month comes first in 03/04/2026 is decided
    by the whole column; where it does not show that, the times stay unread.
    """
    texts = cells.str.strip()
    unique = texts.drop_duplicates()  # a batch has one time for all of its messages
    times = _parse(unique).set_axis(unique).reindex(texts).set_axis(cells.index)
    return times, _notices(texts, times)


def _parse(texts: pd.Series[str]) -> pd.DataFrame:
    parts = texts.str.extract(_YEAR_FIRST)
    last = _day_and_month(texts.str.extract(_YEAR_LAST))
    parts = parts.where(parts["year"].notna(), last.reindex(columns=parts.columns))
    numbers = pd.DataFrame({name: _numeric(parts[name]) for name in _UNITS}).fillna({"second": 0})
    is_half, is_afternoon = parts["half"].notna(), parts["half"].str.lower() == "p"
    hours = (numbers["hour"] % 12 + 12 * is_afternoon).where(is_half, numbers["hour"])
    moments = pd.to_datetime(numbers.assign(hour=hours).where(numbers["year"].notna()), errors="coerce")
    moments = (moments - _offsets(parts["zone"])).dt.tz_localize("UTC")
    zoned = parts["zone"].notna()
    return pd.DataFrame({"time": moments.astype("datetime64[us, UTC]"), "zoned": zoned})


def _numeric(texts: pd.Series[str]) -> pd.Series[float]:
    """Digits as numbers: of a list without entries, pandas would leave them text."""
    return pd.to_numeric(texts).astype("float64")


def _day_and_month(parts: pd.DataFrame) -> pd.DataFrame:
    """The parts with the columns day and month, empty where it is unclear which of them comes first."""
    first, other = _numeric(parts["first"]), _numeric(parts["other"])
    day_first, month_first = bool((first > 12).any()), bool((other > 12).any())
    if day_first == month_first:
        parts = parts.where((first == other) & (not day_first))
    day, month = ("first", "other") if day_first or not month_first else ("other", "first")
    return parts.assign(day=parts[day], month=parts[month])


def _offsets(zones: pd.Series[str]) -> pd.Series[pd.Timedelta]:
    """How far each zone is ahead of UTC; no zone is UTC."""
    parts = zones.str.extract(r"(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?$")
    minutes = _numeric(parts["hours"]) * 60 + _numeric(parts["minutes"]).fillna(0)
    ahead = minutes.where(parts["sign"] != "-", -minutes).fillna(0)
    return pd.to_timedelta(ahead, unit="m")


def _notices(texts: pd.Series[str], times: pd.DataFrame) -> list[str]:
    read = times["time"].notna()
    taken, unread = int((read & ~times["zoned"]).sum()), int((~read & (texts != "")).sum())
    where = f" in {listed([str(texts.name)])}" if texts.name else ""
    notices = {
        f"{counted(taken, 'time')} in the list without a time zone: taken as UTC. If it is another one, "
        f"write it behind {agreeing(taken, 'the time', 'each time')}{where}, {ZONE_EXAMPLE}.": taken,
        f"{counted(unread, 'time')} in the list could not be read. Write them as year-month-day hour:minute, "
        "such as 2026-11-22 14:02 UTC.": unread,
    }
    return [notice for notice, count in notices.items() if count]
