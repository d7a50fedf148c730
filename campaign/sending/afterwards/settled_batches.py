"""Batches that a person has settled as refused or ordered again, and that the provider's list has after all.

Where the list has all of such a batch, and nothing of it was sent again or waits in another batch, the batch
can be settled anew: it was accepted. What the list has of others can only be used by leaving people out.
"""

from __future__ import annotations

import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN, SETTLED_BY
from campaign.sending.afterwards.listed_messages import IN_LIST, TOO_EARLY, are_too_early, paired
from campaign.sending.afterwards.reconciliation import ALL, NOT_CERTAIN

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
