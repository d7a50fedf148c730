"""Rows that were reached already, as a person has corrected them in a follow-up file.

Their own spreadsheet may lack the correction, so they are known by what they say: by all of their cells under
the columns that all tables of the campaign have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.table_version import row_digests
from campaign.contract import CORRECTED
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.shared_phones import rows_that_share
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.rounds import CONTACTS, Round

_NUMBERS = ("row", "number", "batch", "recorded", "first_round", "last_round")
_NOBODY = pd.DataFrame(
    {**{name: np.empty(0, np.int64) for name in _NUMBERS}, "digest": np.empty(0, np.uint64)}
)
_NO_ORIGINS = pd.Series([], index=pd.Index([], dtype="int64"), dtype="int64").astype("uint64")


def corrected_before(
    plan: Plan,
    record: CampaignRecord,
    *,
    going_out: Callable[[], Ints],
    in_table: Callable[[], pd.DataFrame],
) -> pd.DataFrame:
    """The rows of a plan that say what a row said before it was corrected in a follow-up file and reached.

    Columns: row; batch, that its correction was reached with, or perhaps reached; recorded, the row number
    that it had in the round of that batch, 0 where this is not known; number, that of the correction; and
    first_round and last_round, from when to when the campaign's table had it.

    Looked at are the rows to correct and those that `going_out` gives. A row that was changed since says
    something else, and is not found. Of rows with equal cells as many are found as were reached and are not
    in the table as corrected, those at their old place first; none of them where the table has a column that
    an earlier one lacks, which tells them apart. `in_table` gives number and batch of the rows
    that were reached as they are; it and `going_out` are called only where rows were corrected.
    """
    own = [name for name in columns_of_contacts(plan) if name not in ("status", "why", "reason")]
    columns = record.columns_of_all(own)
    if not set(columns) - {*plan.addressing.columns}:  # a number alone does not say whose row it is
        columns = []
    reached = _reached_corrections(record, columns)
    if len(reached):
        numbers = reached["number"].to_numpy()
        pairs = pd.MultiIndex.from_arrays([numbers, reached["batch"]])
        reached = reached[~pairs.isin(pd.MultiIndex.from_frame(in_table()[["number", "batch"]]))]
    if reached.empty:
        return reached.drop(columns="digest")
    wanted = np.unique(reached["digest"].to_numpy())
    chosen = np.union1d(rows_that_share(plan), going_out())
    digests = partial(_rows_with_digests, columns, chosen, wanted)
    rows = pd.concat([*plan.map_parts(digests)], ignore_index=True)
    if len(columns) < len(own):
        rows = rows[~rows["digest"].duplicated(keep=False)]
    found = _same_rows(rows, reached)
    return found.drop(columns="digest")


def _rows_with_digests(columns: Sequence[str], chosen: Ints, wanted: Ints, part: PlanPart) -> pd.DataFrame:
    """The invalid and the chosen rows of a part of a plan whose digest is wanted: columns row and digest."""
    is_chosen = (part.status == "invalid").to_numpy() | part.status.index.isin(chosen)
    if not is_chosen.any():
        return pd.DataFrame({"row": np.empty(0, np.int64), "digest": np.empty(0, np.uint64)})
    digests = row_digests(part.contacts.loc[is_chosen, [*columns]])
    digests = digests[digests.isin(wanted)]
    return pd.DataFrame({"row": digests.index.to_numpy(np.int64), "digest": digests.to_numpy()})


def _same_rows(rows: pd.DataFrame, reached: pd.DataFrame) -> pd.DataFrame:
    """The rows with the batch and number of a reached one of their digest, each of which counts once."""
    at_place = rows.merge(reached, on=["digest", "row"])
    rows = rows[~rows["row"].isin(at_place["row"])]
    reached = reached.merge(at_place[["digest", "row"]], how="left", indicator=True)
    reached = reached[reached["_merge"] == "left_only"].drop(columns=["row", "_merge"])
    moved = _numbered(rows).merge(_numbered(reached), on=["digest", "which"])
    return pd.concat([at_place, moved.drop(columns="which")], ignore_index=True)


def _numbered(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(which=rows.groupby("digest").cumcount())


def _reached_corrections(record: CampaignRecord, columns: Sequence[str]) -> pd.DataFrame:
    """The rows that were reached, or perhaps reached, as corrected: the columns of `corrected_before`, and
    digest, that of what the row said before, in some columns. `row` is its number in that table.
    """
    found = []
    for one_round, origins in _corrected_rounds(record, columns) if columns else ():
        sent = record.messages_for(one_round, origins.index.to_numpy())
        digests = origins.reindex(sent["row"]).to_numpy()
        found.append(sent.assign(digest=digests, round=one_round.number))
    if not found:  # as mostly
        return _NOBODY
    types = dict.fromkeys(("row", "number", "batch", "recorded", "round"), "int64") | {"digest": "uint64"}
    sent = pd.concat([frame.astype(types) for frame in found], ignore_index=True)
    rounds = sent.groupby(["digest", "row"])["round"]
    sent = sent.assign(first_round=rounds.transform("min"), last_round=rounds.transform("max"))
    states = record.knowledge[sent["batch"].to_numpy()]
    order = np.lexsort((sent["recorded"], sent["batch"], states))  # the best come last
    best = sent.take(order[states[order] >= AGAIN]).drop(columns="round")
    return best.drop_duplicates(["digest", "row"], keep="last")


def _corrected_rounds(
    record: CampaignRecord, columns: Sequence[str]
) -> Iterator[tuple[Round, pd.Series[int]]]:
    """The rounds with rows that were corrected in a follow-up file, and the digest of each before that.

    What a row said before is in the last round in which it was not corrected yet.
    """
    before: Round | None = None
    origins: pd.Series[int] = _NO_ORIGINS
    for one_round in record.rounds:
        corrected = record.rows_with_issue(one_round, CORRECTED)
        origins = origins[origins.index.isin(corrected)]
        fresh = np.setdiff1d(corrected, origins.index)
        if len(fresh) and before is not None:
            contacts = read_frame(before.path / CONTACTS, columns)
            origins = pd.concat([origins, row_digests(contacts[contacts.index.isin(fresh)])])
        if len(origins):
            yield one_round, origins
        before = one_round
