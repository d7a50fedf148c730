"""Rows as they are recorded and compared: each with its number, and hashes of its text and of its cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints

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
