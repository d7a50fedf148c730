"""The provider's own list of what it took, as a table that can be compared with a campaign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from campaign.arrow_text import array_to_series, series_to_array
from campaign.contacts.columns import find_column, fold, number_columns
from campaign.contacts.complete_list import check_cells, check_complete
from campaign.contacts.files.frames import as_frame
from campaign.contacts.reading import read_contacts
from campaign.errors import ColumnError, FileError
from campaign.masking import mask_text
from campaign.messages.number_rules import choose_columns
from campaign.messages.text.folding import folded
from campaign.text import clean, shorten
from campaign.words.finding import Finding

# Headers in order of preference, compared without case, spaces and punctuation.
TEXT_HEADERS = (
    "message", "message text", "text", "sms", "sms text", "content", "message content", "body", "msg",
)  # fmt: skip
TIME_HEADERS = (
    "submitted at", "submitted", "sent at", "sent", "sent time", "time sent", "date sent", "sent date",
    "timestamp", "date time", "created at", "created", "time", "date",
)  # fmt: skip
_UTC = re.compile(r"[ (\[]+(?:UTC|GMT)[)\]]?$", re.IGNORECASE)  # the end of a header, as in "Time (UTC)"
SHORTEST_LOCAL = 7  # digits of a number without its country code
LONGEST_COUNTRY = 4  # digits of a country code, with one to spare
# A day without a time of day stays unread: an hour cannot be measured from it.
_CLOCK = (
    r"[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_ZONE = r" ?(?P<zone>Z|(?:UTC|GMT)?(?:[+-]\d{2}:?\d{2}|[+-]\d{1,2})|UTC|GMT)?"
_YEAR_FIRST = rf"^(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_CLOCK}{_ZONE}$"
_YEAR_LAST = rf"^(?P<first>\d{{1,2}})[-/.](?P<other>\d{{1,2}})[-/.](?P<year>\d{{4}}){_CLOCK}{_ZONE}$"
_UNITS = ["year", "month", "day", "hour", "minute", "second"]


def read_provider_list(
    source: Any,
    known: pd.Series[str],
    *,
    number: str | None = None,
    text: str | None = None,
    time: str | None = None,
) -> pd.DataFrame:
    """The provider's own list of what it took from this account, one row for each message.

    `source` is anything that `read_contacts` reads. `known` are the numbers of the campaign: one that the
    list has without a country code is the one of these that ends in it. The columns are found by their
    headers, or given by name.

    Columns: number, text (white space folded) and time (UTC, NaT if it cannot be read). The index is the row
    in the list. `.attrs["notices"]` are findings: what was taken as what.

    Raises ColumnError where there is no column of numbers or of texts, and FileError where the list was not
    read completely, or has numbers that cannot be read: what it lacks may have been sent.
    """
    source = as_frame(source)
    try:
        table = read_contacts(_with_zones(source) if isinstance(source, pd.DataFrame) else source)
    except FileError as error:
        raise FileError("list_unreadable", cause=error.finding) from None
    check_complete(table, source, "provider_list")
    check_cells(table, [*table.columns], source, "provider_list")
    columns = [*table.columns]
    texts = _column(columns, text, TEXT_HEADERS)
    if number is None and not number_columns(columns):
        raise ColumnError("list_column_missing", what="number", columns=columns)
    if texts is None:
        raise ColumnError("list_column_missing", what="text", columns=columns)
    numbers = table[choose_columns(columns, number)[0]]
    times, time_notices = parse_times(_time_cells(table, time))
    entries = pd.DataFrame({
        "number": _full_numbers(numbers, known),
        "text": fold_texts(table[texts]),
        "time": times,
    })  # fmt: skip
    has_digits = numbers.str.contains("[0-9]")
    if (unread := has_digits & (entries["number"] == "")).any():
        first = numbers[unread].iloc[[0]]
        shown = shorten(mask_text(clean(first.iloc[0])), 24)
        raise FileError("list_number_unreadable", number=shown, row=int(first.index[0]))
    others = int((~has_digits).sum())
    notices = [Finding("list_rows_unused", {"rows": others}, "warning")] if others else []
    entries = entries[has_digits]
    entries.attrs = {"notices": (*notices, *time_notices)}
    return entries


def fold_texts(texts: pd.Series[Any]) -> pd.Series[str]:
    """Texts as they are compared: in NFC, each stretch of white space as one space, none at the ends."""
    return array_to_series(folded(series_to_array(texts)), texts.index)


def _with_zones(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its zoned times as text in UTC; reading it would keep the time of their own clocks."""
    zoned = [name for name in frame.columns if isinstance(frame[name].dtype, pd.DatetimeTZDtype)]
    texts = {name: frame[name].dt.tz_convert("UTC").dt.strftime("%Y-%m-%d %H:%M:%SZ") for name in zoned}
    return frame.assign(**texts)


def _column(columns: Sequence[str], given: str | None, headers: Sequence[str]) -> str | None:
    """The column that was given, or the first that has one of these headers, as in "Time (UTC)"."""
    if given is not None:
        return find_column(columns, given)
    by_header = {fold(_UTC.sub("", name)): name for name in columns}
    return next((by_header[fold(header)] for header in headers if fold(header) in by_header), None)


def _time_cells(table: pd.DataFrame, given: str | None) -> pd.Series[str]:
    """The cells of the time column; a date and a time in two columns are put together."""
    day, clock = (None if given else _column([*table.columns], None, [name]) for name in ("date", "time"))
    if day and clock:
        has_day = table[clock].str.contains(r"\d[-/.]\d", regex=True)
        return table[clock].where(has_day, table[day].str.strip() + " " + table[clock].str.strip())
    column = _column([*table.columns], given, TIME_HEADERS)
    return pd.Series("", table.index, dtype="str") if column is None else table[column]


def _full_numbers(cells: pd.Series[str], known: pd.Series[str]) -> pd.Series[str]:
    """Digits with the country code; "" for cells that hold digits and no number."""
    written = cells.str.strip()
    digits = written.str.replace("[^0-9]", "", regex=True).str.replace("^00", "", regex=True)
    is_number = written.str.fullmatch(r"[+0-9\s().\-/']*") & (digits.str.len() >= SHORTEST_LOCAL)
    digits = digits.where(is_number, "")
    ours, local = known.drop_duplicates(), digits.str.lstrip("0")
    tails = pd.concat([ours.set_axis(ours.str[code:]) for code in range(1, LONGEST_COUNTRY + 1)])
    tails = tails[tails.index.str.len() >= SHORTEST_LOCAL]
    is_local = (digits != "") & ~digits.isin(ours) & local.isin(tails.index)
    if local[is_local].isin(tails.index[tails.index.duplicated()]).any():
        raise FileError("list_number_ambiguous")
    whole = local.map(tails[~tails.index.duplicated()])
    return digits.where(~is_local, whole).astype("str")


# --- times ----------------------------------------------------------------------------------------------


def parse_times(cells: pd.Series[str]) -> tuple[pd.Series[Any], list[Finding]]:
    """Written times in UTC, NaT where they cannot be read, and notices about them.

    A time without a zone is taken as UTC. Whether the day or the month comes first in 03/04/2026 is decided
    by the whole column; where it does not show that, the times stay unread.
    """
    texts = cells.str.strip()
    unique = texts.drop_duplicates()  # a batch has one time for all of its messages
    times = _parse(unique).set_axis(unique).reindex(texts).set_axis(cells.index)
    return times["time"], _notices(texts, times)


def _parse(texts: pd.Series[str]) -> pd.DataFrame:
    parts = texts.str.extract(_YEAR_FIRST)
    last = _day_and_month(texts.str.extract(_YEAR_LAST))
    parts = parts.where(parts["year"].notna(), last.reindex(columns=parts.columns))
    numbers = pd.DataFrame({name: _numeric(parts[name]) for name in _UNITS}).fillna({"second": 0})
    is_half, is_afternoon = parts["half"].notna(), parts["half"].str.lower() == "p"
    hours = (numbers["hour"] % 12 + 12 * is_afternoon).where(is_half, numbers["hour"])
    # All that can be read: pandas 3.0 warns of rows that are blank.
    moments = pd.to_datetime(numbers.assign(hour=hours).dropna(), errors="coerce").reindex(texts.index)
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


def _notices(texts: pd.Series[str], times: pd.DataFrame) -> list[Finding]:
    read = times["time"].notna()
    counts = {
        "list_times_without_zone": int((read & ~times["zoned"]).sum()),
        "list_times_unread": int((~read & (texts != "")).sum()),
    }
    return [Finding(code, {"times": count}, "warning") for code, count in counts.items() if count]
