"""Unknown batches compared with the provider's own list of what it took. Frames in, frames out.

Two mistakes are possible. A batch that was taken and is said not to be would be sent twice, so "none" needs a
list that covers the time of the batch, as `_objections` says. A batch that was not taken and is said to be
would never reach its people, so "all" needs every message, after those that explain accepted batches.

A person may have settled a batch as refused, or ordered it again, and entries that explain nothing else show
that it was taken. It becomes accepted while none of it was cut into another batch; never the other way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from campaign.sending.afterwards.listed_messages import (
    IN_LIST,
    NOT_IN_LIST,
    as_searched,
    found_in_list,
)
from campaign.sending.afterwards.reconciliation import (
    ALL,
    HAS_IT,
    HAS_IT_TWICE,
    NONE,
    NOT_KNOWN,
    SOME,
    Reconciliation,
)
from campaign.sending.afterwards.settled_batches import LEFT, settled_outcomes
from campaign.sending.afterwards.times import ZONE_EXAMPLE

HOUR = pd.Timedelta(hours=1)  # within which a list has what was taken
CLOCKS = pd.Timedelta(minutes=15)  # by which two clocks may differ
FARTHEST_ZONE = pd.Timedelta(hours=14)  # of any place from UTC
_NO_LATER = (
    "The list has no time that is certainly later than an hour after the batch left and not in the future."
)
_BEFORE = "The list has no time that is certainly from before the batch left."
_ALONE = "Nothing was accepted beside it, so nothing shows that the list covers its time."
_OTHER_NETWORKS = "The list has no number of a network that the batch writes to."
_UNCLEAR = "The list has some of its people, but not clearly these messages."
_LACKS = "Ask the provider about the others: nobody gets these messages again from this campaign."
_PRICED = "They have another cost there."
_UNTIL = "Until that is settled anew, the next send or resume would send them once more."
_LEAVE_OUT = (
    "The next send or resume would send them once more to people who have them already: to leave these out, "
    "give the numbers as not_again= whenever you prepare this table."
)
_TWICE = "They were sent again since, so these people have them twice."
_PART = (
    "The list lacks messages of an accepted batch that left next to it: it may be a part of a list, or that "
    "of another account."
)
NETWORK = 6  # digits of a number that name its country and, in most, its network


def match_provider_list(
    entries: pd.DataFrame, messages: pd.DataFrame, batches: pd.DataFrame, now: pd.Timestamp
) -> Reconciliation:
    """What a list (`read_provider_list`) says of the unknown batches of a campaign.

    `batches` is that of a `Result`, and `messages` those of all batches that may have left or were settled by
    a person: row, number, message, batch, status, code, and `again` (`rows_cut_again`). `now` is the time
    (UTC) as the list is read. Entries that explain accepted batches are taken away first: by number and code
    where the list has codes of this campaign, else by number and text.
    """
    sent = as_searched(messages, batches)
    offset = _clock_offset(entries, sent)
    slack = _slack(entries, offset)
    # What came long before the first batch belongs to other campaigns.
    candidates = entries[~(entries["time"] < sent["left_at"].min() - slack - CLOCKS)]
    candidates = candidates.sort_values("time", kind="stable", na_position="last")
    sent = found_in_list(sent, candidates, slack + CLOCKS)
    in_future = entries["time"] - slack > now + CLOCKS
    counts = _counts(sent, candidates, batches)
    told = _with_verdicts(counts, _objections(counts, sent, entries[~in_future], slack))
    notices = (*entries.attrs["notices"], *_clock_notices(offset))
    return Reconciliation(batches=told, people=_people(sent, told), notices=notices)


# --- the clock of the list ----------------------------------------------------------------------------


def _clock_offset(entries: pd.DataFrame, sent: pd.DataFrame) -> pd.Timedelta | None:
    """How far the list's clock is ahead, by accepted messages that it has once; None if it has none."""
    timed, accepted = entries[entries["time"].notna()], sent[~sent["is_open"]]
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
    than = f"{'later' if offset > pd.Timedelta(0) else 'earlier'} than the accepted batches left"
    remedy = f"give the list with its time zone, written behind each time, {ZONE_EXAMPLE}"
    if abs(offset) > FARTHEST_ZONE + CLOCKS:
        remedy = "no time zone explains that, so ask the provider for a list with the right times"
    return [f"The times in the list are {abs(offset) / HOUR:,.1f} hours {than}: {remedy}."]


# --- what follows -------------------------------------------------------------------------------------


def _counts(sent: pd.DataFrame, entries: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """The batches that may have left or were settled by a person, by number, with what is in the list.

    `unclear` counts the messages of which the list has something, `cut_again` those that are in a later
    batch, `left_again` those in the list that left once more, and `costs` those with a cost there.
    """
    found, costs = sent["found"], entries["cost"].reindex(sent["entry"]).set_axis(sent.index)
    facts = pd.DataFrame({
        "in_list": found == IN_LIST,
        "unclear": ~found.isin([IN_LIST, NOT_IN_LIST]),
        "cut_again": sent["again"] != "",
        "left_again": (sent["again"] == LEFT) & (found == IN_LIST),
        "costs": costs.notna(),
    })  # fmt: skip
    table = batches.set_index("batch")
    was = table["status"].where(table["status"] == "accepted", "unknown")
    was.update(settled_outcomes(batches))
    counts = table[["messages", "cost"]].assign(was=was, left_at=table["submitted_at"])
    counts = counts.join(facts.groupby(sent["batch"]).sum().astype("int64"), how="inner")
    sums = costs[costs.notna()].groupby(sent["batch"]).sum().reindex(counts.index).astype(object)
    return counts.assign(cost_in_list=sums.where(counts["costs"] == counts["messages"], None))


def _objections(
    counts: pd.DataFrame, sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta
) -> pd.Series[str]:
    """Why batches may have been taken although the list has none of them; "" if it covers their time.

    It has entries from before a batch left and from later than an hour after that, at least one of a network
    that the batch writes to, too, and every message of the accepted batches that left next to it.
    """
    begins, ends = entries["time"].min() + slack, entries["time"].max() - slack
    left_at = counts["left_at"]
    accepted = counts[counts["was"] == "accepted"].sort_values("left_at", kind="stable")
    is_whole = accepted["in_list"] == accepted["messages"]
    before = _beside(is_whole, accepted["left_at"], left_at, "backward")
    after = _beside(is_whole, accepted["left_at"], left_at, "forward")
    networks = sent["number"].str[:NETWORK].isin(entries["number"].str[:NETWORK].unique())
    has_network = networks.groupby(sent["batch"]).any().reindex(counts.index)
    objections = {
        _NO_LATER: ~(left_at + HOUR < ends),
        _BEFORE: ~(begins <= left_at),
        _ALONE: before.isna() & after.isna(),
        _PART: (before == 0) | (after == 0),
        _OTHER_NETWORKS: ~has_network,
    }
    why = np.select([*objections.values()], [*objections], "")
    return pd.Series(why, counts.index, dtype="str")


def _beside(
    is_whole: pd.Series[bool], accepted_at: pd.Series[Any], left_at: pd.Series[Any], direction: Any
) -> pd.Series[Any]:
    """Whether the list has all of the accepted batch that left next to each, 1 or 0; NaN without one."""
    accepted = pd.DataFrame({"left_at": accepted_at, "is_whole": is_whole.astype("float64")})
    batches = left_at.sort_values(kind="stable").dropna()
    pairs = pd.merge_asof(
        batches.to_frame("left_at"), accepted, on="left_at", direction=direction,
        allow_exact_matches=direction == "backward",
    )  # fmt: skip
    return pairs["is_whole"].set_axis(batches.index).reindex(left_at.index)


def _with_verdicts(counts: pd.DataFrame, objections: pd.Series[str]) -> pd.DataFrame:
    """The batches that are to be told of, with verdict and why, as `Reconciliation` has them."""
    in_list, was = counts["in_list"], counts["was"]
    is_accepted, is_settled = was == "accepted", was.isin(["refused", "again"])
    lacks = in_list < counts["messages"]
    is_open = is_settled & (lacks | (counts["cut_again"] > 0))
    cases = [
        (is_accepted & lacks, "", _LACKS),
        (is_accepted, "", _PRICED),
        (is_open & (counts["left_again"] < in_list), NOT_KNOWN, _LEAVE_OUT),
        (is_open, NOT_KNOWN, _TWICE),
        (is_settled, ALL, _UNTIL),
        (~lacks, ALL, ""),
        (in_list > 0, SOME, ""),
        (counts["unclear"] > 0, NOT_KNOWN, _UNCLEAR),
        (objections == "", NONE, ""),
    ]
    conditions, verdicts, reasons = zip(*cases, strict=True)
    verdict, why = np.select(conditions, verdicts, NOT_KNOWN), np.select(conditions, reasons, objections)
    told = counts.assign(verdict=verdict, why=why).astype({"verdict": "str", "why": "str", "was": "str"})
    costs = told["cost_in_list"]
    differs = told["cost"].notna() & costs.notna() & (told["cost"] != costs)
    is_told = (was == "unknown") | is_accepted & (lacks | differs) | is_settled & (in_list > 0)
    columns = ["batch", "was", "messages", "in_list", "verdict", "why", "left_at", "cost", "cost_in_list"]
    return told[is_told].rename_axis("batch").reset_index()[columns]


def _people(sent: pd.DataFrame, told: pd.DataFrame) -> pd.DataFrame:
    """The messages of unknown batches to be looked at, and those of settled ones that the list has."""
    asked = told.set_index("batch")
    was, verdict = (sent["batch"].map(asked[name]) for name in ("was", "verdict"))
    in_doubt = sent.loc[sent["found"] != NOT_IN_LIST, "batch"]
    is_looked_at = (was == "unknown") & verdict.isin([SOME, NOT_KNOWN]) & sent["batch"].isin(in_doubt)
    has_it = was.isin(["refused", "again"]) & (sent["found"] == IN_LIST)
    found = sent["found"].mask(has_it, HAS_IT).mask(has_it & (sent["again"] == LEFT), HAS_IT_TWICE)
    people = sent.assign(found=found)[is_looked_at | has_it]
    columns = ["batch", "row", "number", "message", "found"]
    return people[columns].sort_values(["batch", "row"], kind="stable", ignore_index=True)
