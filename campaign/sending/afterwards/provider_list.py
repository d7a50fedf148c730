"""The provider's own list of what it took, as a table that can be compared with a campaign."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, TextArray, array_to_series, series_to_array
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.columns import find_column, fold, listed, number_columns
from campaign.contacts.complete_list import check_cells, check_complete
from campaign.contacts.files.frames import as_frame
from campaign.contacts.reading import read_contacts
from campaign.errors import ColumnError, FileError
from campaign.masking import mask_text
from campaign.messages.number_rules import choose_columns
from campaign.messages.text.folding import folded
from campaign.sending.afterwards.times import parse_times
from campaign.text import agreeing, clean, counted, shorten

# Headers in order of preference, compared without case, spaces and punctuation.
TEXT_HEADERS = (
    "message", "message text", "text", "sms", "sms text", "content", "message content", "body", "msg",
)  # fmt: skip
CODE_HEADERS = (
    "MsgFollowUpUniqueCode", "follow-up code", "unique code", "submission code", "batch code", "code",
    "reference", "ref",
)  # fmt: skip
TIME_HEADERS = (
    "submitted at", "submitted", "sent at", "sent", "sent time", "time sent", "date sent", "sent date",
    "timestamp", "date time", "created at", "created", "time", "date",
)  # fmt: skip
COST_HEADERS = ("cost", "price", "charge", "amount", "credits")
_UTC = re.compile(r"[ (\[]+(?:UTC|GMT)[)\]]?$", re.IGNORECASE)  # the end of a header, as in "Time (UTC)"
SHORTEST_LOCAL = 7  # digits of a number without its country code
LONGEST_COUNTRY = 4  # digits of a country code, with one to spare
_SHOWN = 24  # characters of a cell
_NEEDED = "The provider's list needs a column of phone numbers, and one of texts or of follow-up codes"


def read_provider_list(
    source: Any,
    known: pd.Series[str],
    *,
    number: str | None = None,
    text: str | None = None,
    code: str | None = None,
    time: str | None = None,
    cost: str | None = None,
) -> pd.DataFrame:
    """The provider's own list of what it took from this account, one row for each message.

    `source` is anything that `read_contacts` reads. `known` are the numbers of the campaign: one that the
    list has without a country code is the one of these that ends in it. The columns are found by their
    headers, or given by name; `cost` is what each message cost.

    Columns: number, text (white space folded, "" if the list has none), code, time (UTC, NaT if it cannot be
    read), zoned (whether the time names its zone; else it was taken as UTC) and cost (Decimal or None). The
    index is the row in the list. `.attrs["notices"]` says what was taken as what.

    Raises ColumnError where there is no column of numbers, or neither texts nor codes, and FileError where
    the list was not read completely, or has numbers that cannot be read: what it lacks may have been sent.
    """
    source = as_frame(source)
    try:
        table = read_contacts(_with_zones(source) if isinstance(source, pd.DataFrame) else source)
    except FileError as error:
        raise FileError(f"{error} {_NEEDED}, and one of times if it has them.") from None
    check_complete(table, source, "provider_list", partial(_are_of_campaign, known))
    check_cells(table, [*table.columns], source, "provider_list")
    columns = list(table.columns)
    if number is None and not number_columns(columns):
        raise ColumnError(_missing("phone numbers", "number=", columns))
    numbers = table[choose_columns(columns, number)[0]]
    named = {"text": (text, TEXT_HEADERS), "code": (code, CODE_HEADERS), "cost": (cost, COST_HEADERS)}
    places = {name: _column(columns, *wanted) for name, wanted in named.items()}
    if places["text"] is None and places["code"] is None:
        raise ColumnError(_missing("texts or codes", "text= or code=", columns))
    blank = pd.Series("", table.index, dtype="str")
    cells = {name: blank if column is None else table[column] for name, column in places.items()}
    moments, time_notices = parse_times(_time_cells(table, time))
    entries = moments.assign(
        number=_full_numbers(numbers, known),
        text=fold_texts(cells["text"]),
        code=cells["code"].str.strip(),
        cost=_costs(cells["cost"]),
    )
    has_digits = numbers.str.contains("[0-9]")
    if (unread := has_digits & (entries["number"] == "")).any():
        raise FileError(_unread(numbers[unread]))
    others = counted(int((~has_digits).sum()), "row")
    notices = [] if has_digits.all() else [f"{others} of the list without a number did not count."]
    entries = entries[has_digits]
    entries.attrs = {"notices": (*notices, *time_notices)}
    return entries


def _missing(what: str, option: str, columns: Sequence[str]) -> str:
    there = f"The columns are: {listed(columns)}."
    return f"{_NEEDED}; no header looks like {what}. Name the column: {option}. {there}"


def _are_of_campaign(known: pd.Series[str], cells: TextArray) -> Bools:
    """Which cells are numbers of a campaign."""
    return _full_numbers(array_to_series(cells), known).isin(known).to_numpy()


def _unread(cells: pd.Series[str]) -> str:
    """That some numbers of the list cannot be read, and what to do."""
    rows, first = [*map(int, cells.index)], shorten(mask_text(clean(cells.iloc[0])), _SHOWN)
    have = agreeing(len(rows), "has a number", "have numbers")
    return (
        f"{name_rows(rows)} of the provider's list {have} that cannot be read, such as “{first}”, so nobody "
        "can say whom it lacks. Write all digits of each number, or ask for a list that has them."
    )


def fold_texts(texts: pd.Series[Any]) -> pd.Series[str]:
    """Texts as they are compared: in NFC, each stretch of white space as one space, none at the ends."""
    return array_to_series(folded(series_to_array(texts)), texts.index)


def _with_zones(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its zoned times as text in UTC; reading it would keep the time of their own clocks."""
    zoned = [name for name in frame.columns if isinstance(frame[name].dtype, pd.DatetimeTZDtype)]
    texts = {name: frame[name].dt.tz_convert("UTC").dt.strftime("%Y-%m-%d %H:%M:%SZ") for name in zoned}
    return frame.assign(**texts)


def _column(columns: Sequence[str], given: str | None, headers: Sequence[str]) -> str | None:
    """The column that was given, or the first that has one of these headers."""
    if given is not None:
        return find_column(columns, given)
    by_header = {fold(name): name for name in columns}
    return next((by_header[fold(header)] for header in headers if fold(header) in by_header), None)


def _time_cells(table: pd.DataFrame, given: str | None) -> pd.Series[str]:
    """The cells of the time column; a date and a time in two columns are put together."""
    by_header = {fold(name): name for name in table.columns}
    if given is None and {"date", "time"} <= by_header.keys():
        day = table[by_header["date"]].str.strip()
        clock = table[by_header["time"]].str.strip()
        return clock.where(clock.str.contains(r"\d[-/.]\d", regex=True), day + " " + clock)
    columns = list(table.columns)
    column = _column(columns, given, TIME_HEADERS)
    if column is None:
        by_name = {_UTC.sub("", name): name for name in columns if _UTC.search(name)}
        column = by_name.get(_column([*by_name], None, TIME_HEADERS) or "")
    if column is None:
        return pd.Series("", table.index, dtype="str")
    return _in_utc(table[column]) if _UTC.search(column) else table[column]


def _in_utc(cells: pd.Series[str]) -> pd.Series[str]:
    """Times below a header that names UTC, with that zone wherever they have none of their own."""
    has_clock = cells.str.contains(r"(?<![+-]\d{2}):\d{2}(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\.?)?\s*$", regex=True)
    return cells.where(~has_clock, cells.str.strip() + " UTC")


def _full_numbers(cells: pd.Series[str], known: pd.Series[str]) -> pd.Series[str]:
    """Digits with the country code; "" for cells that hold digits and no number."""
    written = cells.str.strip()
    digits = written.str.replace("[^0-9]", "", regex=True).str.replace("^00", "", regex=True)
    is_number = written.str.fullmatch(r"[+0-9\s().\-/']*") & (digits.str.len() >= SHORTEST_LOCAL)
    digits = digits.where(is_number, "")
    ours = known.drop_duplicates()
    local = digits.str.replace("^0+", "", regex=True)
    is_local = (digits != "") & ~digits.isin(ours)
    for length in sorted(set(local[is_local].str.len().tolist())):
        if length < SHORTEST_LOCAL:
            continue
        fitting = ours[(ours.str.len() > length) & (ours.str.len() <= length + LONGEST_COUNTRY)]
        tails = fitting.str[-length:]
        here = is_local & (local.str.len() == length) & local.isin(tails)
        if local[here].isin(tails[tails.duplicated()]).any():
            raise FileError(
                "The provider's list has numbers without a country code, and some of them could be any of "
                "several numbers of the campaign. Ask for a list with the country codes."
            )
        digits = digits.where(~here, local.map(dict(zip(tails, fitting, strict=True))))
    return digits.astype("str")


def _costs(cells: pd.Series[str]) -> pd.Series[Any]:
    """Costs as Decimal, None where a cell holds none; thousands have commas, decimals a point."""
    amounts = cells.str.replace(",", "").str.extract(r"^\D*?(\d+(?:\.\d+)?)\D*$", expand=False)
    known = {amount: Decimal(amount) for amount in amounts.dropna().unique()}
    costs = np.empty(len(cells), dtype=object)
    costs[:] = [known.get(amount) for amount in amounts]
    return pd.Series(costs, cells.index)
