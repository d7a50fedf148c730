"""Rows that got nothing yet, though their phone was reached: with the text of another row.

Numbers and texts alone do not tell them from rows whose own text has changed. The record does, where a row
was left out as sharing the phone, or where the text that reached it is now that of a row with another number.
Of what was erased neither is known any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, series_to_array
from campaign.contacts.table_version import row_digests
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts, has_status, labels_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.messages.text.folding import HashedTexts
from campaign.sending.rounds.comparison import CHANGED, Comparison, HashedRowTexts, RowTexts
from campaign.sending.rounds.corrected_numbers import only_ones
from campaign.sending.rounds.distinct_texts import DistinctTexts
from campaign.sending.rounds.record import CampaignRecord, first_pieces, whole_texts
from campaign.sending.store.frame_files import count_parts, read_frame
from campaign.sending.store.rounds import ALTERNATIVES, CONTACTS, RECIPIENTS, Round

_NO_ROWS = np.empty(0, np.int64)
_NO_CELLS = ("status", "why", "reason")


class _ChangedRows(Struct, frozen=True, eq=False):
    """Rows of a plan whose number was reached with another text: row numbers, numbers and texts, None for
    rows that have a mistake, and no text."""

    rows: Ints
    numbers: Ints
    texts: TextArray | HashedTexts | None


def places_that_share(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    planned: RowTexts | HashedRowTexts,
    comparison: Comparison,
    renumbered: pd.DataFrame,
    corrected: pd.DataFrame,
) -> Ints:
    """The positions of those rows that are CHANGED only because of texts of other rows.

    `rows` are the row numbers of those that get something, `planned` what they get, `renumbered` is what
    `corrected_numbers` found among them, and `corrected` what `corrected_before` did. A row that a round left
    out as sharing its phone shares it until a later round has a text for the number. While the table had
    another number for a row, as a follow-up file did, no text was for it. A row whose own text is recorded
    shares its phone with nobody, whatever later rounds left out.
    """
    places = np.setdiff1d(np.flatnonzero(comparison.knowledge == CHANGED), comparison.of_own)
    if not len(places):
        return places
    changed = _ChangedRows(rows[places], planned.numbers[places], planned.texts.take(places))
    changed_rows = _when_renumbered(changed, corrected).assign(
        number=changed.numbers, left_out_in=_left_out_in(plan, record, changed)
    )
    replaced = comparison.replaced
    is_moved = np.zeros(len(replaced.numbers), dtype=bool)
    is_moved[only_ones(plan, record, renumbered, replaced)["place"]] = True
    is_known = changed_rows[["left_out_in", "last_round"]].any(axis=1).to_numpy()
    shared = np.union1d(replaced.numbers[is_moved], changed.numbers[is_known])
    near = np.flatnonzero(np.isin(replaced.numbers, shared))
    texts = pd.DataFrame(
        {
            "number": replaced.numbers[near],
            "round": record.round_of_batch[replaced.batches[near]],
            "is_moved": is_moved[near],
        }
    )
    return places[np.isin(changed.rows, _rows_without_text(changed_rows, texts))]


def _when_renumbered(changed: _ChangedRows, corrected: pd.DataFrame) -> pd.DataFrame:
    """From which round to which the table had another number for each row, 0 for rows of which none is known.

    Most corrections are of other cells than the number: whatever reached that number was for its row.
    """
    rounds = corrected.set_index("row").reindex(changed.rows, fill_value=0)
    numbers = rounds["number"].to_numpy(dtype=np.int64)
    rounds.loc[numbers == changed.numbers, ["first_round", "last_round"]] = 0
    return rounds[["first_round", "last_round"]]


def _rows_without_text(changed_rows: pd.DataFrame, texts: pd.DataFrame) -> Ints:
    """The rows for which none of the texts of their numbers was.

    `changed_rows` has by row its number, the last round that left it out, and from when to when the table had
    another number for it; `texts` the number and round of each text, and whether it is that of a row which
    has another number now.
    """
    pairs = texts.merge(changed_rows.reset_index(), on="number")
    is_of_another = (
        pairs["is_moved"]
        | (pairs["round"] <= pairs["left_out_in"])
        | pairs["round"].between(pairs["first_round"], pairs["last_round"])
    )
    are_all = is_of_another.groupby(pairs["row"]).all()
    return are_all.index[are_all].to_numpy(dtype=np.int64)


def mistaken_that_share(plan: Plan, record: CampaignRecord, numbers: Ints, reached_before: Ints) -> Ints:
    """The positions of rows with a mistake that got nothing, though their numbers were reached.

    `numbers` has the number of each row of the contacts that gets nothing, and `reached_before` the batch
    that reached it, or 0.
    """
    places = np.flatnonzero((reached_before > 0) & has_status(plan, "invalid"))
    if not len(places):
        return places
    mistaken = _ChangedRows(labels_of_contacts(plan)[places], numbers[places], None)
    left_out_in = _left_out_in(plan, record, mistaken)
    return places[record.round_of_batch[reached_before[places]] <= left_out_in]


def _left_out_in(plan: Plan, record: CampaignRecord, changed: _ChangedRows) -> Ints:
    """The last round that left each row out as sharing its phone, 0 for none.

    A row is known by its number and its text, or by all cells under the columns that both tables have.
    """
    last = np.zeros(len(changed.rows), np.int64)
    for one_round in record.rounds:
        left_out = _LeftOut.of(one_round, record, changed.numbers)
        if left_out is not None:
            if changed.texts is not None:
                last[left_out.with_texts_of(changed.numbers, changed.texts)] = one_round.number
            last[left_out.with_cells_of(plan, changed)] = one_round.number
    return last


class _LeftOut(Struct, frozen=True, eq=False):
    """Rows that a round has left out as sharing their phones: the row number of each, number and text."""

    one_round: Round
    rows: Ints
    numbers: Ints
    texts: TextArray
    table: pd.Series[int]  # the number of each row of the round that has one of theirs; the index is row

    @classmethod
    def of(cls, one_round: Round, record: CampaignRecord, numbers: Ints) -> _LeftOut | None:
        """Those with one of these numbers; None where there are none."""
        frame = read_frame(one_round.path / ALTERNATIVES, ["row", "number", "message"])
        frame = frame[np.isin(frame["number"].to_numpy(dtype=np.int64), numbers)]
        if frame.empty:
            return None
        rows = frame["row"].to_numpy(dtype=np.int64)
        starts = first_pieces(rows)
        own = frame["number"].to_numpy(dtype=np.int64)[starts]
        texts = whole_texts(series_to_array(frame["message"]), starts)
        recipients = read_frame(one_round.path / RECIPIENTS, ["number"])["number"]
        table = pd.Series(recipients.to_numpy(dtype=np.int64), index=recipients.index)
        return cls(one_round, rows[starts], own, texts, table[table.isin(own)])

    def with_texts_of(self, numbers: Ints, texts: TextArray | HashedTexts) -> Ints:
        """The positions of rows with number and text of one that was left out."""
        found = DistinctTexts(numbers, texts).find(self.numbers, self.texts).rows
        return found[found >= 0]

    def with_cells_of(self, plan: Plan, changed: _ChangedRows) -> Ints:
        """The positions of rows that say what one says that was left out, and no other row of the round."""
        path = self.one_round.path / CONTACTS
        cells = pd.concat([self._cells(path, part) for part in range(count_parts(path))])
        columns = [name for name in columns_of_contacts(plan) if name in cells and name not in _NO_CELLS]
        if not columns:
            return _NO_ROWS
        digests = row_digests(cells[columns])
        is_left_out = digests.index.isin(self.rows)
        wanted = np.setdiff1d(digests[is_left_out], digests[~is_left_out])
        rows = changed.rows[np.isin(changed.numbers, self.numbers)]
        own = pd.concat([*plan.map_parts(partial(_digests_of, columns, rows))])
        return np.flatnonzero(np.isin(changed.rows, own.index[own.isin(wanted)]))

    def _cells(self, path: Path, part: int) -> pd.DataFrame:
        contacts = read_frame(path, part=part)
        return contacts[contacts.index.isin(self.table.index)]


def _digests_of(columns: Sequence[str], rows: Ints, part: PlanPart) -> pd.Series[int]:
    """The digests of some rows of a part, by what they say under these columns."""
    contacts = part.contacts[columns]
    return row_digests(contacts[contacts.index.isin(rows)])
