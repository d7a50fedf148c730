"""The batches of a campaign in few lines: equal neighbours as a range, unusual ones one by one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.results.plain_words import as_sentences
from campaign.text import counted, figure, money

_COLUMNS = ["Batch", "Messages", "Outcome", "Cost", "Sent", "Code for the provider", "unusual"]
_MOST = 30  # lines of the table; where there are more, the unusual ones are shown


def batch_ranges(batches: pd.DataFrame, times: LocalTimes) -> tuple[pd.DataFrame, int]:
    """The lines of the table, and how many of them there would be in all.

    Neighbours are equal that have the same round, outcome and words, all with a cost or all without. What is
    unknown is never put together, because each such batch has to be settled.
    """
    words = as_sentences(batches["error"])
    shown = batches.assign(words=words, priced=batches["cost"].notna())
    keys = shown[["round", "status", "words", "priced"]]
    begins = (keys != keys.shift()).any(axis=1) | (shown["status"] == "unknown")
    ranges = [_line(group, times, batches) for _, group in shown.groupby(begins.cumsum(), sort=False)]
    frame = pd.DataFrame(ranges, columns=_COLUMNS)
    lines = len(frame)
    if lines > _MOST:
        kept = frame.sort_values("unusual", ascending=False, kind="stable").head(_MOST).index
        frame = frame.loc[kept.sort_values()]
    return frame.drop(columns="unusual"), lines


def _line(group: pd.DataFrame, times: LocalTimes, batches: pd.DataFrame) -> list[Any]:
    first, last = group.iloc[0], group.iloc[-1]
    words = str(first["words"])
    outcome = str(first["status"]).replace("_", " ")
    return [
        _span(first["batch"], last["batch"]),
        _sizes(group["messages"].tolist()),
        f"{outcome}: {words}" if words else outcome,
        _costs(group["cost"].tolist()),
        _when(group["submitted_at"].dropna(), times, batches["submitted_at"].dropna()),
        _codes(group["code"]),
        outcome != "accepted" or bool(words),
    ]


def _span(first: int, last: int) -> str:
    return figure(int(first)) if first == last else f"{first:,}–{last:,}"


def _sizes(sizes: Sequence[int]) -> str:
    return figure(sum(sizes)) + _each([figure(size) for size in sizes], figure(max(sizes)))


def _costs(costs: Sequence[Decimal | None]) -> str:
    known = [cost for cost in costs if cost is not None]
    if not known:
        return "–"
    return money(sum(known, Decimal(0))) + _each([money(cost) for cost in known], money(max(known)))


def _each(amounts: Sequence[str], highest: str) -> str:
    """What each of several batches has: " (35 each)", or " (up to 35 each)" where they differ."""
    if len(amounts) > 1 and len(set(amounts)) == 1:
        return f" ({highest} each)"
    return f" (up to {highest} each)" if len(amounts) > 2 else ""


def _when(moments: pd.Series[pd.Timestamp], times: LocalTimes, every: pd.Series[pd.Timestamp]) -> str:
    if moments.empty:
        return "–"
    days = times.days(every.min(), every.max())
    first, last = (times.time_in(moment, days) for moment in (moments.min(), moments.max()))
    return first if first == last else f"{first} to {last}"


def _codes(codes: pd.Series[str]) -> str:
    known = codes[codes != ""]
    if len(known) > 1:
        return f"{counted(len(known), 'code')}, in the workbook"
    return str(known.iloc[0]) if len(known) else "–"
