"""Rows that were reached with their text before a person gave them another number.

Where the old number has left the table, that says it. Where another row still has it, as in a family with
one phone, only the rows themselves tell: their text and their other cells are those of a row that was
reached.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, TextArray
from campaign.contacts.table_version import row_digests
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.sending.rounds.comparison import EarlierTexts
from campaign.sending.rounds.distinct_texts import hashes_of_texts
from campaign.sending.rounds.folding import HashedTexts
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.rounds import CONTACTS

_NO_ROWS = np.empty(0, np.int64)


def corrected_numbers(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    texts: TextArray | HashedTexts,
    replaced: EarlierTexts,
) -> Ints:
    """Which of some rows of a plan, to numbers that were never reached, were reached with their text before.

    `texts` are those of the rows. A table that has nothing but numbers does not tell one row from another,
    and what a row said that was erased is not known any more.
    """
    columns = [
        name
        for name in columns_of_contacts(plan)
        if name not in ("status", "reason", *plan.addressing.columns)
    ]
    if not len(rows) or not len(replaced.hashes) or not columns:
        return _NO_ROWS
    hashes = hashes_of_texts(texts)
    is_sought = np.isin(replaced.hashes, hashes)
    reached = _recorded_rows(record, columns, replaced, np.flatnonzero(is_sought))
    if reached.empty:
        return _NO_ROWS
    wanted = pd.Series(hashes, index=rows)[np.isin(hashes, reached["text"])]
    digests = pd.concat(
        [
            row_digests(part.contacts.loc[part.status.index.isin(wanted.index), columns])
            for part in plan.parts()
        ]
    )
    own = pd.DataFrame({"row": digests.index, "digest": digests.array})
    own["text"] = wanted.reindex(own["row"]).to_numpy()
    return np.sort(own.merge(reached.drop_duplicates())["row"].to_numpy(dtype=np.int64))


def _recorded_rows(
    record: CampaignRecord, columns: Sequence[str], replaced: EarlierTexts, chosen: Ints
) -> pd.DataFrame:
    """What the rows of some recorded texts said in these columns: columns digest and text, its hash."""
    batches, labels, hashes = (
        column[chosen] for column in (replaced.batches, replaced.labels, replaced.hashes)
    )
    round_of_batch = np.array([0, *(batch.round for batch in record.ledger.batches)], np.int64)
    found = [pd.DataFrame({"digest": np.empty(0, np.uint64), "text": _NO_ROWS})]
    for one_round in record.rounds:
        own = round_of_batch[batches] == one_round.number
        if not own.any() or one_round.is_erased:
            continue
        contacts = read_frame(one_round.path / CONTACTS, columns)
        contacts = contacts[contacts.index.isin(labels[own])].reindex(
            columns=pd.Index(columns), fill_value=""
        )
        digests = row_digests(contacts).reindex(labels[own])
        found.append(pd.DataFrame({"digest": digests.array, "text": hashes[own]}))
    return pd.concat(found, ignore_index=True)
