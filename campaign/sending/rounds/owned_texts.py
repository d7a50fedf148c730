"""Whose earlier texts those of a number are, where several rows have or had it: what is known of each row.

A phone that Esther and Hope share got two texts for Esther. If the second one is in the plan, the first one
says nothing about Hope, who got none yet. If both had a text, and only Esther's row is to get another one,
it is hers that speaks against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contacts.rows_alike import pairs_of_rows
from campaign.messages.plan import Plan
from campaign.sending.rounds.comparison import CHANGED, NEW, Comparison
from campaign.sending.rounds.corrected_numbers import other_columns
from campaign.sending.rounds.reached_people import candidates_of, reached_rows, rows_of_then
from campaign.sending.rounds.record import CampaignRecord
from campaign.values import replace

_TEXT = ["number", "round", "row then"]  # what tells a recorded text from all others


def with_owned_texts(
    plan: Plan, record: CampaignRecord, rows: Ints, numbers: Ints, comparison: Comparison
) -> Comparison:
    """The comparison in which rows are CHANGED because of their own earlier texts, as far as those are known.

    `rows` and `numbers` are those of the entries. A recorded text is that of a row if the two are more alike,
    in the cells beside the number, than either is to any other row with the number in the plan or in the
    table of then. Of texts that are known to be nobody's, each still speaks against one row.
    """
    changed = np.unique(numbers[comparison.knowledge == CHANGED])
    if not len(changed):  # as mostly: all numbers need not be counted for that
        return comparison
    replaced = comparison.replaced
    rows_then = pd.DataFrame({"number": replaced.numbers, "row": replaced.labels}).drop_duplicates()
    of_then = rows_then["number"].to_numpy(dtype=np.int64)
    sought = changed[_are_several(numbers, changed) | _are_several(of_then, changed)]
    columns = other_columns(plan) if len(sought) else []
    owners = _owners(plan, record, columns, sought) if columns else pd.DataFrame()
    if owners.empty:
        return comparison
    texts = pd.DataFrame(
        {
            "number": replaced.numbers,
            "round": record.round_of_batch[replaced.batches],
            "row then": replaced.labels,
            "batch": replaced.batches,
            "text": replaced.hashes,
        }
    )
    texts = texts[texts["number"].isin(sought)].merge(owners, on=_TEXT, how="left").sort_values("batch")
    entries = pd.DataFrame({"row": rows, "number": numbers, "knowledge": comparison.knowledge})
    is_open = entries["knowledge"].isin((NEW, CHANGED)) & entries["number"].isin(sought)
    return _with_texts(comparison, _texts_of_entries(entries[is_open], texts))


def _are_several(numbers: Ints, sought: Ints) -> Bools:
    """Which of some numbers, which are in order, are there several times."""
    found, counts = np.unique(numbers[np.isin(numbers, sought)], return_counts=True)
    return np.isin(sought, found[counts > 1])


def _texts_of_entries(entries: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """For each entry, whose places are the index, the text that speaks against it: columns batch and
    `row then`, missing for none, and is_own.

    That is the last one of its own, certainly so if the two rows are alike. One that is nobody's is taken by
    an entry that was CHANGED without one.
    """
    own = texts.dropna(subset="row").drop_duplicates("row", keep="last").set_index("row")
    found = own[["batch", "row then", "is_alike"]].reindex(entries["row"]).set_axis(entries.index)
    found["is_own"] = found["is_alike"].eq(True)
    nobodys = texts[texts["row"].isna()].drop_duplicates(["number", "text"], keep="last")
    nobodys = nobodys.assign(turn=nobodys.groupby("number").cumcount(ascending=False))  # the last one first
    without = entries[found["batch"].isna() & (entries["knowledge"] == CHANGED)]
    without = without.assign(turn=without.groupby("number").cumcount(), place=without.index)
    taken = without.merge(nobodys, on=["number", "turn"]).set_index("place")
    found.loc[taken.index, ["batch", "row then"]] = taken[["batch", "row then"]]
    return found


def _with_texts(comparison: Comparison, found: pd.DataFrame) -> Comparison:
    """The comparison in which entries are CHANGED for which a text was found, and NEW without one."""
    knowledge, batches = comparison.knowledge.copy(), comparison.batches.copy()
    recorded_rows = comparison.recorded_rows.copy()
    places = found.index.to_numpy()
    knowledge[places] = np.where(found["batch"].notna(), CHANGED, NEW)
    batches[places] = found["batch"].fillna(0)
    recorded_rows[places] = found["row then"].fillna(0)
    of_own = places[found["is_own"]]
    return replace(
        comparison, knowledge=knowledge, batches=batches, recorded_rows=recorded_rows, of_own=of_own
    )


def _owners(plan: Plan, record: CampaignRecord, columns: Sequence[str], numbers: Ints) -> pd.DataFrame:
    """The recorded texts that reached these numbers whose row in the plan is known: columns row, is_alike,
    and those that tell the text."""
    reached = reached_rows(record, numbers)
    then = pd.concat([rows_of_then(one_round, columns, reached) for one_round in record.rounds])
    if then.empty:
        return then
    now = pd.concat([*plan.map_parts(partial(candidates_of, columns, numbers))])
    pairs = pairs_of_rows(now[now["is_kept"]], then)
    is_owner = pairs["is_reached"] & (pairs["equal"] > 0)
    for group in (_TEXT, ["row", "round"]):  # of each text its best row, and of each row its best text
        is_best = pairs["equal"] == pairs.groupby(group)["equal"].transform("max")
        is_owner &= is_best & (is_best.groupby([pairs[name] for name in group]).transform("sum") == 1)
    return pairs.loc[is_owner, ["row", "is_alike", *_TEXT]]
