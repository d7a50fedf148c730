"""Which messages of a campaign are in the provider's list: each entry of it explains one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from campaign.sending.afterwards.provider_list import fold_texts

_LATEST = pd.Timestamp.max.tz_localize("UTC").floor("us")

IN_LIST, NOT_IN_LIST = "in the list", "not in the list"
NUMBER_ONLY = "only the number is in the list"
TOO_EARLY = "in the list, but before the batch left"
SHARED = "in the list, but fewer times than it may have been sent"


def as_searched(messages: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """The messages as the list is searched for them: accepted ones first, in the order they left."""
    left_at = pd.to_datetime(batches.set_index("batch")["submitted_at"], utc=True).reindex(messages["batch"])
    sent = messages.assign(
        text=fold_texts(messages["message"]),
        left_at=left_at.astype("datetime64[us, UTC]").set_axis(messages.index),
        is_open=messages["status"] != "accepted",
    )
    return sent.sort_values(["is_open", "left_at"], kind="stable", ignore_index=True)


def found_in_list(sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta) -> pd.DataFrame:
    """The messages with `entry`, the row of the list that is theirs (Int64), and `found`, what the list says
    of each; `slack` is how far its times may be off."""
    is_ours = entries["code"].isin(sent.loc[sent["code"] != "", "code"].unique())
    entry = _pairs(sent[sent["code"] != ""], entries[is_ours], "code")
    # An entry with the code of one batch belongs to no other batch.
    others = entries[~is_ours]
    rest = sent[~sent.index.isin(entry.index) & (sent["text"] != "")]
    entry = pd.concat([entry, _pairs(rest, others[others["text"] != ""], "text")]).reindex(sent.index)
    sent = sent.assign(entry=entry.astype("Int64"))
    is_paired, earliest = sent["entry"].notna(), sent["left_at"] - slack
    is_early = entries["time"].reindex(sent["entry"]).set_axis(sent.index) < earliest
    unused = others[~others.index.isin(entry.dropna())]
    last_seen = unused["time"].fillna(_LATEST).groupby(unused["number"]).max().reindex(sent["number"])
    is_seen = last_seen.set_axis(sent.index) >= earliest
    cases = {
        SHARED: _are_shared(sent, is_paired),
        TOO_EARLY: sent["is_open"] & is_paired & is_early,
        IN_LIST: is_paired,
        NUMBER_ONLY: sent["is_open"] & is_seen,
    }
    found = np.select([*cases.values()], [*cases], NOT_IN_LIST)
    return sent.assign(found=pd.Series(found, sent.index, dtype="str"))


def _pairs(sent: pd.DataFrame, entries: pd.DataFrame, key: str) -> pd.Series[Any]:
    """Messages and entries of one number and one text (or code): the first with the first, and so on."""
    by = ["number", key]
    left = sent[by].assign(rank=sent.groupby(by).cumcount(), message=sent.index)
    right = entries[by].assign(rank=entries.groupby(by).cumcount(), entry=entries.index)
    pairs = left.merge(right, on=[*by, "rank"])
    return pd.Series(pairs["entry"].to_numpy(), index=pairs["message"].to_numpy(), dtype="Int64")


def _are_shared(sent: pd.DataFrame, is_paired: pd.Series[bool]) -> pd.Series[bool]:
    """Which messages may have left in several batches, and are in the list for some of these only."""
    open_ones = sent[sent["is_open"]].assign(paired=is_paired)
    groups = open_ones.groupby(["number", "text"])
    in_several = groups["batch"].transform("nunique") > 1
    paired, all_of_them = groups["paired"].transform("sum"), groups["batch"].transform("size")
    return (in_several & (paired > 0) & (paired < all_of_them)).reindex(sent.index, fill_value=False)
