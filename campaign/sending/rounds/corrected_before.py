"""Rows to correct that were reached already, as a person has corrected them in a follow-up file.

Their own spreadsheet may lack the correction, so they are known by what they say: by all of their cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.table_version import row_digests
from campaign.contract import CORRECTED
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts, labels_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.shared_phones import rows_that_share
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.rounds import CONTACTS, Round

_NO_ORIGINS = pd.Series([], index=pd.Index([], dtype="int64"), dtype="int64").astype("uint64")


@dataclass(frozen=True, eq=False)
class CorrectedBefore:
    """What went out to rows of a plan that get nothing, as they were corrected in a follow-up file.

    `batches` has for each row of the contacts the batch that its correction was reached with, or perhaps
    reached, 0 for none. `numbers` are those that these batches had for them.
    """

    batches: Ints
    numbers: Ints


def corrected_before(plan: Plan, record: CampaignRecord) -> CorrectedBefore:
    """Find the rows to correct of a plan that say what a row said before it was corrected and reached.

    A row that was changed since says something else, and is to be corrected. Of rows with equal cells as many
    are found as were reached, those at their old place first.
    """
    batches = np.zeros(plan.totals.rows, np.int64)
    columns = [name for name in columns_of_contacts(plan) if name not in ("status", "reason")]
    reached = _reached_corrections(record, columns)
    if reached.empty:
        return CorrectedBefore(batches, np.empty(0, np.int64))
    wanted = np.unique(reached["digest"].to_numpy())
    digests = partial(_rows_to_correct, columns, rows_that_share(plan), wanted)
    found = _same_rows(pd.concat([*plan.map_parts(digests)], ignore_index=True), reached)
    places = pd.Index(labels_of_contacts(plan)).get_indexer(pd.Index(found["row"]))
    batches[places] = found["batch"].to_numpy()
    return CorrectedBefore(batches, np.unique(found["number"].to_numpy(dtype=np.int64)))


def _rows_to_correct(columns: Sequence[str], sharing: Ints, wanted: Ints, part: PlanPart) -> pd.DataFrame:
    """The rows to correct of a part of a plan whose digest is wanted: columns row and digest."""
    is_chosen = (part.status == "invalid").to_numpy() | part.status.index.isin(sharing)
    if not is_chosen.any():
        return pd.DataFrame({"row": np.empty(0, np.int64), "digest": np.empty(0, np.uint64)})
    digests = _digests(part.contacts[is_chosen], columns)
    digests = digests[digests.isin(wanted)]
    return pd.DataFrame({"row": digests.index.to_numpy(np.int64), "digest": digests.to_numpy()})


def _digests(contacts: pd.DataFrame, columns: Sequence[str]) -> pd.Series[int]:
    """A number for each row, by what it says in some columns; one that it does not have says nothing."""
    return row_digests(contacts.reindex(columns=pd.Index(columns), fill_value=""))


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
    """The rows that were reached, or perhaps reached, as corrected: columns digest, row, number and batch.

    `digest` is that of what the row said before, in some columns, and `row` its number in that table.
    """
    found = [pd.DataFrame({"row": [], "number": [], "batch": [], "digest": []})]
    for one_round, origins in _corrected_rounds(record, columns):
        sent = record.messages_for(one_round, origins.index.to_numpy())
        found.append(sent.assign(digest=origins.reindex(sent["row"]).to_numpy()))
    types = {"row": "int64", "number": "int64", "batch": "int64", "digest": "uint64"}
    sent = pd.concat([frame.astype(types) for frame in found], ignore_index=True)
    states = record.knowledge[sent["batch"].to_numpy()]
    order = np.lexsort((sent["batch"].to_numpy(), states))  # the best come last
    best = sent.take(order[states[order] >= AGAIN])
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
        if len(fresh) and before is not None and not before.is_erased:
            contacts = read_frame(before.path / CONTACTS, columns)
            origins = pd.concat([origins, _digests(contacts[contacts.index.isin(fresh)], columns)])
        if len(origins):
            yield one_round, origins
        before = one_round
