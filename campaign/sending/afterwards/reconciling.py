"""Unknown batches compared with the provider's own list of what it took. Frames in, frames out.

Two mistakes are possible. A batch that was taken and is said not to be would be sent twice, so "none" needs a
list that shows it would have had the batch: one that begins before it and goes on for more than an hour after
it, that has messages of this campaign, and whose times can be trusted: what is said to be sent tomorrow shows
nothing of when the list was made. A batch that was not taken and is said
to be would never reach its people, so "all" needs every message, after those that explain accepted batches.

A person may have settled a batch as refused, or ordered it again, and entries that explain nothing else show
that it was taken. It can be settled anew, as accepted, while none of it was sent again; never the other way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.typing import NaTType

from campaign.argument_checks import check
from campaign.sending.afterwards.listed_messages import (
    IN_LIST,
    REFUSED,
    UNCLEAR,
    found_in_list,
    paired,
    settled_in_list,
    settled_outcomes,
    with_doubt,
)
from campaign.sending.afterwards.provider_list import fold_texts
from campaign.sending.afterwards.reconciliation import ALL, NONE, NOT_CERTAIN, SOME, Reconciliation
from campaign.sending.afterwards.times import ZONE_EXAMPLE
from campaign.text import agreeing, capitalised, counted

HOUR = pd.Timedelta(hours=1)  # within which a list has what was taken
CLOCKS = pd.Timedelta(minutes=15)  # by which two clocks may differ
FARTHEST_ZONE = pd.Timedelta(hours=14)  # of any place from UTC
_NO_LATER_ENTRY = "The list has no entry that is certainly later than an hour after the batch left"


def match_provider_list(
    entries: pd.DataFrame, messages: pd.DataFrame, batches: pd.DataFrame, now: pd.Timestamp
) -> Reconciliation:
    """What a list (`read_provider_list`) says of the unknown batches of a campaign.

    `messages` and `batches` are those of a `Result`, and `now` is the time (UTC) as the list is read. Entries
    that explain accepted batches are taken away first: by number and code where the list has codes of this
    campaign, else by number and text. Nothing is changed.
    """
    for name, frame in (("entries", entries), ("messages", messages), ("batches", batches)):
        check(frame, pd.DataFrame, subject=name, needs="a DataFrame", write=f"result.{name}")
    settled = settled_outcomes(batches)
    sent = _sent(messages[messages["status"].isin(["accepted", "unknown"])], batches)
    offset = _clock_offset(entries, sent)
    slack = _slack(entries, offset)
    # What came long before the first batch belongs to other campaigns.
    candidates = entries[~(entries["time"] < sent["left_at"].min() - slack - CLOCKS)]
    candidates = candidates.sort_values("time", kind="stable", na_position="last")
    sent = found_in_list(paired(sent, candidates), candidates, slack + CLOCKS)
    counts = _counts(sent, batches)
    counts = counts.assign(cost_in_list=_costs_in_list(counts, sent, candidates))
    in_future = entries["time"] - slack > now + CLOCKS
    is_open = (counts["status"] == "unknown") & ~counts["batch"].isin(settled.index)
    unknown = _verdicts(counts[is_open], entries, sent, slack, in_future)
    accepted = counts[counts["status"] == "accepted"]
    open_batches = unknown.loc[unknown["verdict"].isin([SOME, NOT_CERTAIN]), "batch"]
    to_look_at = sent["batch"].isin(open_batches) & sent["batch"].isin(with_doubt(sent))
    refused = _sent(messages[messages["batch"].isin(settled.index[settled == REFUSED])], batches)
    waiting = _sent(messages[messages["status"] == "not_sent"], batches)
    after_all = settled_in_list(sent, refused, waiting, settled, entries, slack + CLOCKS)
    return Reconciliation(
        batches=unknown,
        people=sent.loc[to_look_at, ["batch", "row", "number", "message", "found"]].reset_index(drop=True),
        accepted_missing=accepted.loc[
            accepted["in_list"] < accepted["messages"], ["batch", "messages", "in_list", "left_at"]
        ].reset_index(drop=True),
        priced_otherwise=_priced_otherwise(accepted),
        settled_in_list=after_all.batches,
        reached_after_all=after_all.people,
        reached_twice=after_all.twice,
        notices=(
            *entries.attrs.get("notices", ()),
            *_clock_notices(offset),
            *_notices_of_future(int(in_future.sum())),
        ),
    )


def _sent(messages: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """Messages as the list is searched for them: those of accepted batches first, in the order they left."""
    sent = messages[["row", "number", "message", "status", "batch", "code"]]
    left_at = pd.to_datetime(batches.set_index("batch")["submitted_at"], utc=True).reindex(sent["batch"])
    left_at = left_at.astype("datetime64[us, UTC]").set_axis(sent.index)
    sent = sent.assign(text=fold_texts(sent["message"]), left_at=left_at)
    return sent.sort_values(["status", "left_at"], kind="stable").reset_index(drop=True)


# --- the clock of the list ----------------------------------------------------------------------------


def _clock_offset(entries: pd.DataFrame, sent: pd.DataFrame) -> pd.Timedelta | None:
    """How far the list's clock is ahead, by accepted messages that it has once; None if it has none."""
    timed = entries[entries["time"].notna()]
    accepted = sent[sent["status"] == "accepted"]
    differences = []
    for key in ("code", "text"):
        by = ["number", key]
        once = [
            frame[frame[key] != ""].drop_duplicates(by, keep=False)[[*by, moment]]
            for frame, moment in ((accepted, "left_at"), (timed, "time"))
        ]
        pairs = once[0].merge(once[1], on=by)
        differences.append(pairs["time"] - pairs["left_at"])
    median = pd.concat(differences).median()
    return None if pd.isna(median) else pd.Timedelta(median)


def _slack(entries: pd.DataFrame, offset: pd.Timedelta | None) -> pd.Timedelta:
    """How far the list's times may be off: nothing if accepted messages confirm them, or they name a zone."""
    timed = entries[entries["time"].notna()]
    is_sure = bool(timed["zoned"].all()) if offset is None else abs(offset) <= CLOCKS
    return pd.Timedelta(0) if is_sure else FARTHEST_ZONE


def _clock_notices(offset: pd.Timedelta | None) -> list[str]:
    if offset is None or abs(offset) <= CLOCKS:
        return []
    hours = abs(offset) / HOUR
    than = f"{'later' if offset > pd.Timedelta(0) else 'earlier'} than the accepted batches left"
    if abs(offset) > FARTHEST_ZONE + CLOCKS:
        return [
            f"The times in the list are {hours:,.0f} hours {than}, which no time zone explains: ask the "
            "provider for a list with the right times."
        ]
    return [
        f"The times in the list are {hours:.1f} hours {than}: give the list with its time zone, written "
        f"behind each time, {ZONE_EXAMPLE}."
    ]


def _notices_of_future(count: int) -> list[str]:
    if not count:
        return []
    have = f"{counted(count, 'row')} of the list {agreeing(count, 'has', 'have')} a time in the future"
    return [f"{capitalised(have)}: that does not show until when the list goes."]


# --- what follows -------------------------------------------------------------------------------------


def _counts(sent: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """The batches with how many of their messages are in the list, and of how many that is unclear."""
    in_list = (sent["found"] == IN_LIST).groupby(sent["batch"]).sum()
    unclear = sent["found"].isin(UNCLEAR).groupby(sent["batch"]).sum()
    counts = batches[["batch", "messages", "status", "cost"]].assign(left_at=batches["submitted_at"])
    for name, column in (("in_list", in_list), ("unclear", unclear)):
        counts[name] = counts["batch"].map(column).fillna(0).astype("int64")
    return counts


def _verdicts(
    unknown: pd.DataFrame,
    entries: pd.DataFrame,
    sent: pd.DataFrame,
    slack: pd.Timedelta,
    in_future: pd.Series[bool],
) -> pd.DataFrame:
    """The unknown batches with verdict and why."""
    nobody = (unknown["in_list"] == 0) & (unknown["unclear"] == 0)
    objections = _objections(unknown, entries, sent, slack, in_future).where(nobody, "")
    conditions = [
        unknown["in_list"] == unknown["messages"],
        unknown["in_list"] > 0,
        ~nobody,
        objections != "",
    ]
    verdict = np.select(conditions, [ALL, SOME, NOT_CERTAIN, NOT_CERTAIN], NONE)
    some = "The list has some of its messages."
    doubt = "The list has some of its people, but not clearly these messages."
    why = np.select(conditions, ["", some, doubt, objections], "")
    costs = unknown["cost_in_list"].where(verdict == ALL, None)
    columns = unknown[["batch", "messages", "in_list"]].assign(
        verdict=verdict, left_at=unknown["left_at"], why=why, cost_in_list=costs
    )
    return columns.astype({"verdict": "str", "why": "str"}).reset_index(drop=True)


def _objections(
    unknown: pd.DataFrame,
    entries: pd.DataFrame,
    sent: pd.DataFrame,
    slack: pd.Timedelta,
    in_future: pd.Series[bool],
) -> pd.Series[str]:
    """Why a batch may have been taken although nobody in it is in the list; "" if it was not taken."""
    accepted = sent[sent["status"] == "accepted"]
    begins, ends = entries["time"].min() + slack, entries["time"][~in_future].max() - slack
    left_at = unknown["left_at"]
    if len(accepted) and not (accepted["found"] == IN_LIST).any():
        other = "The list has no message of the accepted batches: is it the list of this account?"
        return pd.Series(other, unknown.index, dtype="str")
    objections = np.select(
        [~(left_at + HOUR < ends), ~(begins <= left_at)],
        [
            f"{_NO_LATER_ENTRY}{' and is not in the future' if in_future.any() else ''}. "
            f"{_why_no_later(entries['time'][~in_future].max(), slack)}",
            "The list has no entry that is certainly from before the batch left.",
        ],
        "",
    )
    return pd.Series(objections, unknown.index, dtype="str")


def _why_no_later(latest: pd.Timestamp | NaTType, slack: pd.Timedelta) -> str:
    """Why the latest entry that is not in the future may be too early."""
    if pd.isna(latest):
        return "No time in it counts: it has none that can be read."
    if slack:
        hours = (slack + HOUR) / HOUR
        return (
            f"It is not certain which time zone its times are in, so only one that is {hours:.0f} hours "
            f"later would count; give each time its zone, {ZONE_EXAMPLE}."
        )
    return f"Its latest one is of {latest:%d %B %Y, %H:%M} UTC."


def _costs_in_list(batches: pd.DataFrame, sent: pd.DataFrame, entries: pd.DataFrame) -> pd.Series[Any]:
    """What the list says that each batch cost: a Decimal, None where it has no cost for every message."""
    costs = entries["cost"].reindex(sent["entry"]).set_axis(sent.index)
    by_batch = costs[costs.notna()].groupby(sent["batch"])
    counted, sums = by_batch.size(), by_batch.sum()
    is_whole = batches["batch"].map(counted).fillna(0) == batches["messages"]
    return batches["batch"].map(sums).astype(object).where(is_whole, None)


def _priced_otherwise(accepted: pd.DataFrame) -> pd.DataFrame:
    """Accepted batches that are in the list with a cost for every message, and in sum another one."""
    both = accepted["cost"].notna() & accepted["cost_in_list"].notna()
    differs = both & (accepted["cost"] != accepted["cost_in_list"])
    return accepted.loc[differs, ["batch", "messages", "cost", "cost_in_list"]].reset_index(drop=True)
