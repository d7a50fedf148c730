"""Rows as they are recorded and compared: each with its number, and hashes of its text and of its cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, join_texts, series_to_array, series_to_chunks
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.messages.text.folding import plain_hashes, text_hashes

_BETWEEN_CELLS = "\x1f"

# 2**64 divided by the golden ratio: neighbouring numbers get keys far apart, and being odd it loses no bit.
_SPREAD = np.int64(-7046029254386353131)


class HashedRows(Struct, frozen=True, eq=False):
    """The number of each row, and the hashes of its whole text and of the cell of its number (int64)."""

    numbers: Ints
    texts: Ints
    cells: Ints

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def keys(self) -> Ints:
        """64 bits for the number and the text of each row."""
        return self.texts + self.numbers * _SPREAD

    def take(self, rows: Ints | Bools) -> HashedRows:
        """Some of the rows."""
        return HashedRows(self.numbers[rows], self.texts[rows], self.cells[rows])

    @classmethod
    def joined(cls, parts: Sequence[HashedRows]) -> HashedRows:
        """The rows of several parts."""
        if len(parts) == 1:
            return parts[0]
        columns = ((part.numbers, part.texts, part.cells) for part in parts)
        return cls(*map(np.concatenate, zip(*columns, strict=True)))


def first_pieces(rows: Ints) -> Ints:
    """The position of the first message of each row; `rows` has the row of each message."""
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = rows[1:] != rows[:-1]
    return np.flatnonzero(is_first)


def hashes_of_texts(messages: pd.Series[str], pieces: Ints) -> Ints:
    """The hash of each whole text; `pieces` says how many messages each was split into."""
    if len(pieces) < len(messages):
        return text_hashes(series_to_array(messages), pieces)
    return _joined([text_hashes(chunk) for chunk in series_to_chunks(messages)])


def hashes_of_cells(contacts: pd.DataFrame, columns: Sequence[str], places: Ints) -> Ints:
    """The hash of what the columns of the numbers say in some rows."""
    is_all = len(places) == len(contacts)
    cells = [contacts[name] if is_all else contacts[name].iloc[places] for name in columns]
    if len(cells) == 1:
        return _joined([plain_hashes(chunk) for chunk in series_to_chunks(cells[0])])
    first, *others = map(series_to_array, cells)
    for other in others:
        first = join_texts(first, _BETWEEN_CELLS, other)
    return plain_hashes(first)


def _joined(hashes: list[Ints]) -> Ints:
    return hashes[0] if len(hashes) == 1 else np.concatenate([np.empty(0, np.int64), *hashes])


def with_hashes(columns: Sequence[str], part: PlanPart, messages: pd.DataFrame) -> pd.DataFrame:
    """Some messages of a part, whole texts only, with what later rounds are compared with: text_hash and
    cell_hash. `columns` are those of the numbers."""
    rows = messages["row"].to_numpy(dtype=np.int64)
    starts = first_pieces(rows)
    pieces = np.diff(np.append(starts, len(rows)))
    places = part.status.index.get_indexer(pd.Index(rows[starts]))
    return messages.assign(
        text_hash=np.repeat(hashes_of_texts(messages["message"], pieces), pieces),
        cell_hash=np.repeat(hashes_of_cells(part.contacts, columns, places), pieces),
    )
