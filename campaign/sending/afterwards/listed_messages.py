"""Which messages of a campaign are in the provider's list: each entry of it explains one of them.

A person may have settled a batch as refused, or ordered it again, and the list has it after all. Where it has
all of such a batch, and nothing of it was sent again or waits in another batch, the batch can be settled
anew: it was accepted. What the list has of others can only be used by leaving people out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN, SETTLED_BY
from campaign.sending.afterwards.reconciliation import ALL, NOT_CERTAIN

_LATEST = pd.Timestamp.max.tz_localize("UTC").floor("us")

IN_LIST, NOT_IN_LIST = "in the list", "not in the list"
NUMBER_ONLY = "only the number is in the list"
TOO_EARLY = "in the list, but before the batch left"
SHARED = "in the list, but fewer times than it may have been sent"
UNCLEAR = (NUMBER_ONLY, TOO_EARLY, SHARED)


def paired(sent: pd.DataFrame, entries: pd.DataFrame) -> pd.DataFrame:
    """The messages with `entry`, the row of the list that is theirs (Int64), each row used once."""
    has_code = sent["code"] != ""
    codes = sent.loc[has_code, "code"].unique()
    is_ours = entries["code"].isin(codes)
    by_code = _pairs(sent[has_code], entries[is_ours], "code")
    # An entry with the code of one batch belongs to no other batch.
    rest = sent[~sent.index.isin(by_code.index) & (sent["text"] != "")]
    by_text = _pairs(rest, entries[~is_ours & (entries["text"] != "")], "text")
    entry = pd.concat([by_code, by_text]).reindex(sent.index).astype("Int64")
    return sent.assign(entry=entry, ours=sent["code"].isin(codes))


def _pairs(sent: pd.DataFrame, entries: pd.DataFrame, key: str) -> pd.Series[Any]:
    """Messages and entries of one number and one text (or code): the first with the first, and so on."""
    by = ["number", key]
    left = sent[by].assign(rank=sent.groupby(by).cumcount(), message=sent.index)
    right = entries[by].assign(rank=entries.groupby(by).cumcount(), entry=entries.index)
    pairs = left.merge(right, on=[*by, "rank"])
    return pd.Series(pairs["entry"].to_numpy(), index=pairs["message"].to_numpy(), dtype="Int64")


def found_in_list(sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta) -> pd.DataFrame:
    """The messages with `found`: what the list says of each, in words."""
    is_unknown = (sent["status"] == "unknown").to_numpy()
    is_paired = sent["entry"].notna().to_numpy()
    too_early = is_unknown & is_paired & are_too_early(sent, entries, slack).to_numpy()
    groups = sent[is_unknown].assign(paired=is_paired[is_unknown]).groupby(["number", "text"])
    shared = np.zeros(len(sent), dtype=bool)
    shared[is_unknown] = (
        (groups["batch"].transform("nunique") > 1)
        & groups["paired"].transform("any")
        & ~groups["paired"].transform("all")
    ).to_numpy()
    unused = entries[~entries.index.isin(sent["entry"].dropna())]
    unused = unused[~unused["code"].isin(sent.loc[sent["code"] != "", "code"].unique())]
    latest = unused["time"].fillna(_LATEST).groupby(unused["number"]).max()
    last_seen = latest.reindex(sent["number"]).set_axis(sent.index)
    number_only = is_unknown & ~is_paired & (last_seen >= sent["left_at"] - slack).to_numpy()
    found = np.select(
        [shared, too_early, is_paired, number_only], [SHARED, TOO_EARLY, IN_LIST, NUMBER_ONLY], NOT_IN_LIST
    )
    return sent.assign(found=pd.Series(found, sent.index, dtype="str"))


def are_too_early(sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta) -> pd.Series[bool]:
    """Which messages have an entry from before they left, so that it belongs to another one."""
    times = entries["time"].reindex(sent["entry"]).set_axis(sent.index)
    early: pd.Series[bool] = times < sent["left_at"] - slack
    return early


def with_doubt(sent: pd.DataFrame) -> pd.Series[int]:
    """The batches of which the list has something, but not clearly all or none."""
    return sent.loc[sent["found"] != NOT_IN_LIST, "batch"]


AGAIN, REFUSED = "again", "refused"


class SettledInList(Struct, frozen=True, eq=False):
    """What the list has of such batches, as `Reconciliation` gives it."""

    batches: pd.DataFrame
    people: pd.DataFrame
    twice: pd.DataFrame


def settled_outcomes(batches: pd.DataFrame) -> pd.Series[str]:
    """How a person has settled these batches, "again" or "refused", by batch; the others are left out."""
    outcomes = pd.Series("", index=batches["batch"], dtype="str")
    errors, statuses = (batches[name].to_numpy() for name in ("error", "status"))
    by_hand = batches["error"].str.startswith(SETTLED_BY).to_numpy()
    outcomes[(statuses == "refused") & by_hand] = REFUSED
    outcomes[(statuses == "unknown") & (errors == ORDERED_AGAIN)] = AGAIN
    return outcomes[outcomes != ""]


def settled_in_list(
    sent: pd.DataFrame,
    refused: pd.DataFrame,
    waiting: pd.DataFrame,
    outcomes: pd.Series[str],
    entries: pd.DataFrame,
    clocks: pd.Timedelta,
) -> SettledInList:
    """Those settled batches of which the list has messages that are still to be sent again.

    `sent` are the messages that may have left, as they were found in the list, `refused` those of batches
    that a person has settled so, and `waiting` those of batches that wait, with the same columns. An entry
    that explains one of the first explains none of the others. `outcomes` is what `settled_outcomes` gives.
    """
    is_again = sent["batch"].isin(outcomes.index[outcomes == AGAIN])
    unused = entries[~entries.index.isin(sent.loc[sent["found"] != TOO_EARLY, "entry"].dropna())]
    unused = unused[~unused["code"].isin(sent.loc[sent["code"] != "", "code"].unique())]
    unused = unused.sort_values("time", kind="stable", na_position="last")
    pairs = paired(refused, unused)
    settled = pd.concat([sent[is_again], pairs], ignore_index=True)
    in_list = settled[settled["entry"].notna() & ~are_too_early(settled, entries, clocks)]
    left_again = _sent_again_since(in_list, sent[~is_again])
    open_ones = in_list[~left_again]
    is_certain = ~_have_text_of(open_ones, waiting) & open_ones["found"].fillna(IN_LIST).eq(IN_LIST)
    costs = entries["cost"].reindex(open_ones["entry"]).set_axis(open_ones.index)
    facts = settled.groupby("batch").agg(messages=("row", "size"), left_at=("left_at", "first"))
    facts.insert(1, "in_list", _counted(in_list, facts.index))
    facts.insert(2, "settled", outcomes.reindex(facts.index).astype("str"))
    is_whole = _counted(open_ones[is_certain], facts.index) == facts["messages"]
    has_costs = _counted(open_ones[costs.notna()], facts.index) == facts["messages"]
    sums = costs[costs.notna()].groupby(open_ones["batch"]).sum().reindex(facts.index).astype(object)
    facts["verdict"] = pd.Series(ALL, facts.index, dtype="str").where(is_whole, NOT_CERTAIN)
    facts["cost_in_list"] = sums.where(is_whole & has_costs, None)
    found = facts[facts.index.isin(open_ones["batch"])].reset_index()
    return SettledInList(found, _people(open_ones), _people(in_list[left_again]))


def _people(messages: pd.DataFrame) -> pd.DataFrame:
    people = messages[["batch", "row", "number", "message"]]
    return people.sort_values(["batch", "row"], kind="stable", ignore_index=True)


def _counted(messages: pd.DataFrame, batches: pd.Index[int]) -> pd.Series[int]:
    """How many of these messages each of the batches has."""
    return messages.groupby("batch").size().reindex(batches, fill_value=0)


def _have_text_of(messages: pd.DataFrame, others: pd.DataFrame) -> pd.Series[bool]:
    """Which messages say to their numbers what one of the others says."""
    keys = [pd.MultiIndex.from_frame(frame[["number", "text"]]) for frame in (messages, others)]
    return pd.Series(keys[0].isin(keys[1]), messages.index)


def _sent_again_since(settled: pd.DataFrame, sent: pd.DataFrame) -> pd.Series[bool]:
    """Which of these messages have left once more since: nothing can hold those back."""
    last = sent.groupby(["number", "text"])["left_at"].max()
    left = settled[["number", "text", "left_at"]].join(last.rename("last_left"), on=["number", "text"])
    since: pd.Series[bool] = left["last_left"] > left["left_at"]
    return since
