"""Rows that got nothing yet, though their phone was reached: with the text of another row.

Numbers and texts alone do not tell them from rows whose own text has changed. The record does, where a row
was left out beside that very text as sharing the phone, or where that text is now that of a row with another
number. Of what was erased neither is known any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, TextArray, series_to_array
from campaign.contacts.table_version import row_digests
from campaign.contract import KEPT_TEXT
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.sending.rounds.comparison import CHANGED, Comparison, HashedRowTexts, RowTexts
from campaign.sending.rounds.corrected_numbers import only_ones
from campaign.sending.rounds.distinct_texts import DistinctTexts
from campaign.sending.rounds.folding import HashedTexts
from campaign.sending.rounds.record import CampaignRecord, first_pieces, whole_texts
from campaign.sending.store.frame_files import count_parts, read_frame
from campaign.sending.store.rounds import ALTERNATIVES, CONTACTS, RECIPIENTS, Round

_NO_ROWS = np.empty(0, np.int64)
_NO_CELLS = ("status", "reason")


@dataclass(frozen=True, eq=False)
class _ChangedRows:
    """Rows of a plan whose number was reached with another text: row numbers, numbers and texts."""

    rows: Ints
    numbers: Ints
    texts: TextArray | HashedTexts


def places_that_share(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    planned: RowTexts | HashedRowTexts,
    comparison: Comparison,
    renumbered: pd.DataFrame,
) -> Ints:
    """The positions of those rows that are CHANGED only because of texts of other rows.

    `rows` are the row numbers of those that get something, `planned` what they get, and `renumbered` is what
    `corrected_numbers` found among them.
    """
    places = np.flatnonzero(comparison.knowledge == CHANGED)
    if not len(places):
        return places
    changed = _ChangedRows(rows[places], planned.numbers[places], planned.texts.take(places))
    beside, replaced = _left_out_beside(plan, record, changed), comparison.replaced
    is_moved = np.zeros(len(replaced.numbers), dtype=bool)
    is_moved[only_ones(plan, renumbered, replaced)["place"]] = True
    shared = np.union1d(replaced.numbers[is_moved], beside["number"])
    is_near = np.isin(replaced.numbers, shared)
    texts = pd.DataFrame({"number": replaced.numbers, "batch": replaced.batches, "is_moved": is_moved})[
        is_near
    ]
    texts = texts.merge(pd.DataFrame({"row": changed.rows, "number": changed.numbers}), on="number")
    texts = texts.merge(beside, on=["row", "number", "batch"], how="left", indicator="beside")
    is_of_another = texts["is_moved"] | (texts["beside"] == "both")
    are_all = is_of_another.groupby(texts["row"]).all()
    return places[np.isin(changed.rows, are_all.index[are_all])]


def _left_out_beside(plan: Plan, record: CampaignRecord, changed: _ChangedRows) -> pd.DataFrame:
    """Beside which texts a round has left rows out as sharing a phone: columns row, number and batch.

    A row is known by its number and its text, or by all cells under the columns that both tables have.
    """
    found = [pd.DataFrame({"row": _NO_ROWS, "number": _NO_ROWS, "batch": _NO_ROWS})]
    for one_round in record.rounds:
        left_out = _LeftOut.of(one_round, record, changed.numbers)
        if left_out is not None:
            rows = pd.concat([left_out.with_texts_of(changed), left_out.with_cells_of(plan, changed)])
            found.append(rows.drop_duplicates().merge(left_out.beside(record), on="number"))
    return pd.concat(found, ignore_index=True).drop_duplicates()


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Rows that a round has left out as sharing their phones: the row number of each, number and text."""

    one_round: Round
    rows: Ints
    numbers: Ints
    texts: TextArray
    table: pd.Series[int]  # the number of each row of the round that has one of theirs; the index is row

    @classmethod
    def of(cls, one_round: Round, record: CampaignRecord, numbers: Ints) -> _LeftOut | None:
        """Those with one of these numbers; None where there are none."""
        if one_round.is_erased:
            return None
        frame = read_frame(one_round.path / ALTERNATIVES, ["row", "number", "message"])
        frame = frame[np.isin(_comparable_numbers(frame["number"], record), numbers)]
        if frame.empty:
            return None
        rows = frame["row"].to_numpy(dtype=np.int64)
        starts = first_pieces(rows)
        own = _comparable_numbers(frame["number"], record)[starts]
        texts = record.comparable_texts(whole_texts(series_to_array(frame["message"]), starts))
        recipients = read_frame(one_round.path / RECIPIENTS, ["number"])["number"]
        table = pd.Series(_comparable_numbers(recipients, record), index=recipients.index)
        return cls(one_round, rows[starts], own, texts, table[table.isin(own)])

    def with_texts_of(self, changed: _ChangedRows) -> pd.DataFrame:
        """Rows of a plan with number and text of one that was left out: columns row and number."""
        found = DistinctTexts(changed.numbers, changed.texts).find(self.numbers, self.texts).rows
        places = np.unique(found[found >= 0])
        return pd.DataFrame({"row": changed.rows[places], "number": changed.numbers[places]})

    def with_cells_of(self, plan: Plan, changed: _ChangedRows) -> pd.DataFrame:
        """The same for rows that say what one says that was left out, and no other row of the round."""
        path = self.one_round.path / CONTACTS
        cells = pd.concat([self._cells(path, part) for part in range(count_parts(path))])
        columns = [name for name in columns_of_contacts(plan) if name in cells and name not in _NO_CELLS]
        digests = row_digests(cells[columns])
        is_left_out = digests.index.isin(self.rows)
        wanted = np.setdiff1d(digests[is_left_out], digests[~is_left_out])
        rows = changed.rows[np.isin(changed.numbers, self.numbers)]
        own = pd.concat([*plan.map_parts(partial(_digests_of, columns, rows))])
        places = np.flatnonzero(np.isin(changed.rows, own.index[own.isin(wanted)]))
        return pd.DataFrame({"row": changed.rows[places], "number": changed.numbers[places]})

    def _cells(self, path: Path, part: int) -> pd.DataFrame:
        contacts = read_frame(path, part=part)
        return contacts[contacts.index.isin(self.table.index)]

    def beside(self, record: CampaignRecord) -> pd.DataFrame:
        """Which batches their numbers had texts in, of other rows: columns number and batch.

        Where a row keeps what its number got before, that may be the text of any row.
        """
        sent = record.messages_for(self.one_round, self.table.index.to_numpy())
        sent = sent[~sent["row"].isin(record.rows_with_issue(self.one_round, KEPT_TEXT))]
        numbers = self.table.reindex(sent["row"]).to_numpy()
        return pd.DataFrame({"number": numbers, "batch": sent["batch"].to_numpy()}).drop_duplicates()


def _comparable_numbers(numbers: pd.Series[Any], record: CampaignRecord) -> Ints:
    return record.comparable_numbers(numbers.to_numpy(dtype=np.int64))


def _digests_of(columns: Sequence[str], rows: Ints, part: PlanPart) -> pd.Series[int]:
    """The digests of some rows of a part, by what they say under these columns."""
    contacts = part.contacts[columns]
    return row_digests(contacts[contacts.index.isin(rows)])
