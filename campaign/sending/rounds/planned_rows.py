"""The rows of a plan that have a text, as they are compared and kept: numbers and hashes in whole columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contract import KEEPING
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import has_status, numbers_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.sending.store.hashed_rows import (
    HashedRows,
    first_pieces,
    hashes_of_cells,
    hashes_of_texts,
)
from campaign.values import replace

_COLUMNS = ("places", "labels", "pieces", "is_planned", "was_skipped")


class PlannedRows(Struct, frozen=True, eq=False):
    """The rows of a plan that have a text, in the order of the table.

    `places`: the position of each in the contacts; `labels`: its row number; `pieces`: how many messages its
    text has. `is_planned` says which are to get it: the others share the number of a row that is kept, or
    `was_skipped`: their number, or cell, keeps what it got before, as a person has decided for this plan.
    """

    places: Ints
    labels: Ints
    pieces: Ints
    is_planned: Bools
    was_skipped: Bools
    hashes: HashedRows

    @property
    def starts(self) -> Ints:
        """The position of the first message of each row."""
        return np.cumsum(self.pieces) - self.pieces

    def take(self, rows: Ints | Bools) -> PlannedRows:
        """Some of the rows."""
        columns = {name: getattr(self, name)[rows] for name in _COLUMNS}
        return PlannedRows(**columns, hashes=self.hashes.take(rows))

    @classmethod
    def of(cls, plan: Plan) -> PlannedRows:
        """Those of a plan; its parts are read where they are."""
        parts: list[PlannedRows] = []
        starts = 0
        for rows, count in plan.map_parts(partial(_rows_of_part, plan.addressing.columns)):
            parts.append(replace(rows, places=rows.places + starts))
            starts += count
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
        return cls(**columns, hashes=HashedRows.joined([part.hashes for part in parts]))

    def excluded_numbers(self, plan: Plan) -> Ints:
        """The number of each row of the contacts that has no text, 0 for the others and where there is none.

        A duplicate counts as having none if a row with a text has its number.
        """
        numbers = numbers_of_contacts(plan).copy()
        numbers[self.places] = 0
        duplicates = np.flatnonzero(has_status(plan, "duplicate") & (numbers > 0))
        if len(duplicates):
            is_answered = np.isin(numbers[duplicates], self.hashes.numbers)
            numbers[duplicates[is_answered]] = 0
        return numbers


def _rows_of_part(columns: Sequence[str], part: PlanPart) -> tuple[PlannedRows, int]:
    """The rows of a part with a text, and how many rows it has in all."""
    messages, index = part.messages[["row", "number", "message"]], part.status.index
    planned = messages["row"].to_numpy(dtype=np.int64)
    alternatives = part.alternatives
    if len(alternatives):
        joined = pd.concat([messages, alternatives[messages.columns]], ignore_index=True)
        order = np.argsort(index.get_indexer(pd.Index(joined["row"])), kind="stable")
        messages = joined.iloc[order]
    rows = messages["row"].to_numpy(dtype=np.int64)
    starts = first_pieces(rows)
    labels, pieces = rows[starts], np.diff(np.append(starts, len(rows)))
    places = np.arange(len(labels)) if np.array_equal(labels, index) else index.get_indexer(pd.Index(labels))
    hashes = HashedRows(
        part.numbers[places],
        hashes_of_texts(messages["message"], pieces),
        hashes_of_cells(part.contacts, columns, places),
    )
    is_planned, was_skipped = np.ones(len(labels), dtype=bool), np.zeros(len(labels), dtype=bool)
    if len(alternatives):
        is_planned = np.isin(labels, planned)
        was_skipped = part.contacts["why"].isin(KEEPING).to_numpy(dtype=bool)[places]
    places = places.astype(np.int64)
    return PlannedRows(places, labels, pieces, is_planned, was_skipped, hashes), len(index)
