"""Which messages of a campaign are in the provider's list: each entry of it explains one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

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
