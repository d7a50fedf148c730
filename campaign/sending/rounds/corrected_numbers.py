"""Rows that were reached with their text before a person gave them another number.

Where the old number has left the table, that says it. Where another row still has it, as in a family with
one phone, only the rows themselves tell: their text and their other cells are those of a row that was
reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, TextArray
from campaign.contacts.table_version import row_digests
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.messages.text.folding import HashedTexts
from campaign.sending.rounds.comparison import EarlierTexts
from campaign.sending.rounds.distinct_texts import hashes_of_texts
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.rounds import CONTACTS

_NO_ROWS = np.empty(0, np.int64)
_NOBODY = pd.DataFrame({"row": _NO_ROWS, "place": _NO_ROWS, "digest": np.empty(0, np.uint64)})


def corrected_numbers(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    texts: TextArray | HashedTexts,
    replaced: EarlierTexts,
) -> pd.DataFrame:
    """Which of some rows of a plan were reached with their text under another number, which is in the plan.

    `texts` are those of the rows. Columns: row; place, that of the text in `replaced`; and digest, of the
    cells that say it is the same row. A table that has nothing but numbers does not tell one row from
    another, and what a row said that was erased is not known any more.
    """
    columns = record.columns_of_all(other_columns(plan))
    if not len(rows) or not len(replaced.hashes) or not columns:
        return _NOBODY
    hashes = hashes_of_texts(texts)
    is_sought = np.isin(replaced.hashes, hashes)
    reached = _recorded_rows(record, columns, replaced, np.flatnonzero(is_sought))
    if reached.empty:
        return _NOBODY
    wanted = pd.Series(hashes, index=rows)[np.isin(hashes, reached["text"])]
    digests = pd.concat([*plan.map_parts(partial(_digests_of, columns, wanted.index))])
    own = pd.DataFrame({"row": digests.index.to_numpy(np.int64), "digest": digests.array})
    own["text"] = wanted.reindex(own["row"]).to_numpy()
    return own.merge(reached, on=["digest", "text"])[["row", "place", "digest"]]


def only_ones(
    plan: Plan, record: CampaignRecord, found: pd.DataFrame, replaced: EarlierTexts
) -> pd.DataFrame:
    """Those of the rows of `corrected_numbers` that no other row can be: of one number once, and the only
    ones in the plan with these cells."""
    if found.empty:
        return found
    numbers = found.assign(number=replaced.numbers[found["place"]]).groupby("digest")["number"].nunique()
    columns = record.columns_of_all(other_columns(plan))
    digests = pd.concat([*plan.map_parts(partial(_digests_of, columns, None))])
    counts = digests[digests.isin(found["digest"])].value_counts()
    is_only = (found["digest"].map(numbers) == 1) & (found["digest"].map(counts) == 1)
    return found[is_only]


def other_columns(plan: Plan) -> list[str]:
    """The columns of the contacts beside those of the numbers."""
    known = ("status", "why", "reason", *plan.addressing.columns)
    return [name for name in columns_of_contacts(plan) if name not in known]


def _digests_of(columns: Sequence[str], rows: pd.Index[int] | None, part: PlanPart) -> pd.Series[int]:
    """The digests of some rows of a part, or of all."""
    contacts = part.contacts[columns]
    return row_digests(contacts if rows is None else contacts[contacts.index.isin(rows)])


def _recorded_rows(
    record: CampaignRecord, columns: Sequence[str], replaced: EarlierTexts, chosen: Ints
) -> pd.DataFrame:
    """What the rows of the recorded texts at some places said in these columns: columns digest, text, which
    is its hash, and place."""
    rounds = record.round_of_batch[replaced.batches[chosen]]
    found = [pd.DataFrame({"digest": np.empty(0, np.uint64), "text": _NO_ROWS, "place": _NO_ROWS})]
    for one_round in record.rounds:
        own = chosen[rounds == one_round.number]
        if not len(own):
            continue
        labels = replaced.labels[own]
        contacts = read_frame(one_round.path / CONTACTS, columns)
        digests = row_digests(contacts[contacts.index.isin(labels)]).reindex(labels)
        found.append(pd.DataFrame({"digest": digests.array, "text": replaced.hashes[own], "place": own}))
    return pd.concat(found, ignore_index=True)
