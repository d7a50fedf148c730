"""Unknown batches compared with the provider's own list of what it took. Frames in, frames out.

Two mistakes are possible. A batch that was taken and is said not to be would be sent twice, so "none" needs a
list that covers the time of the batch (`_are_covered`). A batch that was not taken and is said to be would
never reach its people, so "all" needs every message, after those that explain accepted batches.

A batch that a person has settled as refused or ordered again is asked about too while none of it was cut
again: it can be found to be accepted, never the other way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from campaign.sending.afterwards.provider_list import fold_texts

ALL, NONE, SOME, NOT_KNOWN = "all", "none", "some", "not known"
IN_LIST, NOT_IN_LIST, NOT_CLEAR = "in the list", "not in the list", "not clear"
HOUR = pd.Timedelta(hours=1)  # within which a list has what was taken
CLOCKS = pd.Timedelta(minutes=15)  # by which two clocks may differ
FARTHEST_ZONE = pd.Timedelta(hours=14)  # of any place from UTC
NETWORK = 6  # digits of a number that name its country and, in most, its network
_TEXT = ["number", "text"]  # what is compared
SETTLED = ["refused", "again"]  # by a person
_LATEST = pd.Timestamp.max.tz_localize("UTC").floor("us")


def match_provider_list(
    entries: pd.DataFrame, messages: pd.DataFrame, batches: pd.DataFrame, now: pd.Timestamp
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What a list (`read_provider_list`) says of batches, and of people, as `Reconciliation` has them.

    `messages` are those of all batches that may have left: row, number, message and batch. `batches` have
    messages, left_at (UTC) and `was`, by batch: "accepted"; "unknown", "refused" or "again" for those that
    are asked about; "" for others. `now` is the time (UTC) as the list is read. Entries that explain accepted
    batches are taken away first.
    """
    sent = _as_searched(messages, batches)
    slack = _slack(entries, sent)
    # What came long before the first batch belongs to other campaigns.
    candidates = entries[~(entries["time"] < sent["left_at"].min() - slack - CLOCKS)]
    candidates = candidates.sort_values("time", kind="stable", na_position="last")
    sent = _found(sent, candidates, slack + CLOCKS)
    facts = {"in_list": sent["found"] == IN_LIST, "unclear": sent["found"] == NOT_CLEAR}
    counts = batches.join(pd.DataFrame(facts).groupby(sent["batch"]).sum().astype("int64"), how="inner")
    past = entries[~(entries["time"] - slack > now + CLOCKS)]
    told = _with_verdicts(counts, _are_covered(counts, sent, past, slack))
    return told, _people(sent, told)


def _as_searched(messages: pd.DataFrame, batches: pd.DataFrame) -> pd.DataFrame:
    """The messages as the list is searched for them: accepted ones first, in the order they left.

    Of settled batches with one message, the list cannot tell which it shows: it counts for the last.
    """
    sent = messages.join(batches[["was", "left_at"]], on="batch")
    sent = sent.assign(text=fold_texts(sent["message"]), is_open=sent["was"] != "accepted")
    settled = sent[sent["was"].isin(SETTLED)]
    is_last = settled["batch"] == settled.groupby(_TEXT)["batch"].transform("max")
    sent = sent.drop(index=settled.index[~is_last])
    return sent.sort_values(["is_open", "left_at"], kind="stable", ignore_index=True)


def _slack(entries: pd.DataFrame, sent: pd.DataFrame) -> pd.Timedelta:
    """How far the list's times may be off: nothing where accepted messages that it has once confirm them."""
    accepted, timed = (
        frame[[*_TEXT, moment]].drop_duplicates(_TEXT, keep=False)
        for frame, moment in ((sent[~sent["is_open"]], "left_at"), (entries.dropna(subset="time"), "time"))
    )
    pairs = accepted.merge(timed, on=_TEXT)
    offset: Any = (pairs["time"] - pairs["left_at"]).median()  # NaT where there are none
    return pd.Timedelta(0) if -CLOCKS <= offset <= CLOCKS else FARTHEST_ZONE


# --- which messages are in the list ---------------------------------------------------------------------


def _found(sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta) -> pd.DataFrame:
    """The messages with `entry`, the row of the list that is theirs (Int64), and `found`, what the list says
    of each.

    It is not clear where the entry is from before the batch left, where only the number is there, or where
    several batches may have brought the message and the list has it fewer times.
    """
    entry = _pairs(sent, entries).reindex(sent.index)
    is_paired, earliest = entry.notna(), sent["left_at"] - slack
    is_early = entries["time"].reindex(entry).set_axis(sent.index) < earliest
    unused = entries[~entries.index.isin(entry.dropna())]
    last_seen = unused["time"].fillna(_LATEST).groupby(unused["number"]).max().reindex(sent["number"])
    is_seen = last_seen.set_axis(sent.index) >= earliest
    in_doubt = _are_shared(sent, is_paired) | np.where(is_paired, is_early, is_seen)
    found = np.where(is_paired, IN_LIST, NOT_IN_LIST)
    found = np.where(sent["is_open"] & in_doubt, NOT_CLEAR, found)
    return sent.assign(found=pd.Series(found, sent.index, dtype="str"))


def _pairs(sent: pd.DataFrame, entries: pd.DataFrame) -> pd.Series[Any]:
    """The entry of each message, as far as it has one: of one text to one number the first entry is that of
    the first message, and so on."""
    left, right = (
        frame[_TEXT].assign(rank=frame.groupby(_TEXT).cumcount(), **{name: frame.index})
        for frame, name in ((sent, "message"), (entries, "entry"))
    )
    pairs = left.merge(right, on=[*_TEXT, "rank"])
    return pd.Series(pairs["entry"].to_numpy(), index=pairs["message"].to_numpy(), dtype="Int64")


def _are_shared(sent: pd.DataFrame, is_paired: pd.Series[bool]) -> pd.Series[bool]:
    """Which messages may have left in several batches, and are in the list for some of these only."""
    open_ones = sent[sent["is_open"]].assign(paired=is_paired)
    groups = open_ones.groupby(_TEXT)
    in_several = groups["batch"].transform("nunique") > 1
    paired, all_of_them = groups["paired"].transform("sum"), groups["batch"].transform("size")
    return (in_several & (paired > 0) & (paired < all_of_them)).reindex(sent.index, fill_value=False)


# --- what follows ---------------------------------------------------------------------------------------


def _are_covered(
    counts: pd.DataFrame, sent: pd.DataFrame, entries: pd.DataFrame, slack: pd.Timedelta
) -> pd.Series[bool]:
    """For which batches the list would certainly have their messages, had they been taken.

    It has entries from before the batch left and from later than an hour after that, one of a network that
    the batch writes to, and every message of the accepted batches that left next to it, at least of one.
    """
    left_at, times = counts["left_at"], entries["time"]
    is_in_time = (times.min() + slack <= left_at) & (left_at + HOUR < times.max() - slack)
    before, after = (_next_to(left_at, counts, direction) for direction in ("backward", "forward"))
    is_beside = (before != 0) & (after != 0) & (before.notna() | after.notna())
    networks = sent["number"].str[:NETWORK].isin(entries["number"].str[:NETWORK].unique())
    are_covered: pd.Series[bool] = is_in_time & is_beside & networks.groupby(sent["batch"]).any()
    return are_covered.reindex(counts.index)


def _next_to(left_at: pd.Series[Any], counts: pd.DataFrame, direction: Any) -> pd.Series[Any]:
    """Whether the list has all of the accepted batch that left next to each, 1 or 0; NaN without one."""
    accepted = counts[counts["was"] == "accepted"].sort_values("left_at", kind="stable")
    is_whole = (accepted["in_list"] == accepted["messages"]).astype("float64").rename("is_whole")
    pairs = pd.merge_asof(
        left_at.dropna().sort_values(kind="stable").reset_index(),
        pd.concat([accepted["left_at"], is_whole], axis=1),
        on="left_at",
        direction=direction,
        allow_exact_matches=direction == "backward",
    )
    return pairs.set_index("batch")["is_whole"].reindex(left_at.index)


def _with_verdicts(counts: pd.DataFrame, are_covered: pd.Series[bool]) -> pd.DataFrame:
    """The batches that are to be told of with their verdicts, as `Reconciliation` has them."""
    in_list, is_unknown = counts["in_list"], counts["was"] == "unknown"
    verdicts = {
        ALL: in_list == counts["messages"],
        SOME: in_list > 0,
        NONE: (counts["unclear"] == 0) & are_covered,
    }
    verdict = np.select([*verdicts.values()], [*verdicts], NOT_KNOWN)
    is_told = is_unknown | counts["was"].isin(SETTLED) & (in_list > 0)
    told = counts.assign(verdict=pd.Series(verdict, counts.index, dtype="str"))[is_told]
    columns = ["batch", "was", "messages", "in_list", "verdict", "left_at"]
    return told.rename_axis("batch").reset_index()[columns]


def _people(sent: pd.DataFrame, told: pd.DataFrame) -> pd.DataFrame:
    """The messages of batches that stay unknown where the list has some or is not clear, and those of settled
    batches that the list has."""
    asked = told.set_index("batch")
    was, verdict = (sent["batch"].map(asked[name]) for name in ("was", "verdict"))
    in_doubt = sent["batch"].isin(sent.loc[sent["found"] != NOT_IN_LIST, "batch"])
    is_looked_at = (was == "unknown") & verdict.isin([SOME, NOT_KNOWN]) & in_doubt
    has_it = was.isin(SETTLED) & (sent["found"] == IN_LIST)
    columns = ["batch", "row", "number", "message", "found"]
    people = sent.loc[is_looked_at | has_it, columns]
    return people.sort_values(["batch", "row"], kind="stable", ignore_index=True)
