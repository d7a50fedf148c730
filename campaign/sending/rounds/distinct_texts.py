"""The texts of a plan by number, to find recorded texts among them."""

from __future__ import annotations

import numpy as np

from campaign.arrow_text import Bools, Ints, TextArray
from campaign.sending.rounds.folding import HashedTexts, same_texts, text_hashes

# 2**64 divided by the golden ratio: neighbouring numbers get keys far apart, and being odd it loses no bit.
_SPREAD = np.int64(-7046029254386353131)


class DistinctTexts:
    """Rows of numbers and texts, where a row that repeats number and text counts as the first one.

    `first_rows`: for each row the first one with the same number and text; `is_first`: which rows that is.

    Most numbers are in one row only, and there the texts are compared letter by letter. Where a number is in
    several rows, texts are found by 64-bit hashes, so that a number in 10,000 rows costs no more than others.
    """

    def __init__(self, numbers: Ints, texts: TextArray | HashedTexts) -> None:
        self.numbers, self._texts = numbers, texts
        order = np.argsort(numbers, kind="stable")
        self._distinct, starts, counts = np.unique(numbers[order], return_index=True, return_counts=True)
        self._rows = order[starts]
        self._is_shared = counts > 1
        self.first_rows = np.arange(len(numbers))
        shared_rows = np.sort(order[np.repeat(self._is_shared, counts)])
        keys = _keys(numbers[shared_rows], texts.take(shared_rows))
        self._keys, first, place = np.unique(keys, return_index=True, return_inverse=True)
        self._key_rows = shared_rows[first]
        self.first_rows[shared_rows] = self._key_rows[place]

    @property
    def is_first(self) -> Bools:
        """Which rows repeat no earlier one."""
        return np.equal(self.first_rows, np.arange(len(self.numbers)))

    def holds(self, numbers: Ints) -> Bools:
        """Which numbers the plan has."""
        return contains(self._distinct, numbers)

    def find(self, numbers: Ints, texts: TextArray) -> Ints:
        """The first row with the same number and text, for each of many; -1 where there is none."""
        rows = np.full(len(numbers), -1)
        if not len(self._distinct):
            return rows
        places = _places(self._distinct, numbers)
        is_named, is_shared = self._distinct[places] == numbers, self._is_shared[places]
        alone = np.flatnonzero(is_named & ~is_shared)
        candidates = self._rows[places[alone]]
        same = same_texts(texts.take(alone), self._texts.take(candidates))
        rows[alone[same]] = candidates[same]
        shared = np.flatnonzero(is_named & is_shared)
        keys = _keys(numbers[shared], texts.take(shared))
        places = _places(self._keys, keys)
        same = self._keys[places] == keys
        rows[shared[same]] = self._key_rows[places[same]]
        return rows


def contains(ascending: Ints, numbers: Ints) -> Bools:
    """Which numbers are in an ascending array."""
    if not len(ascending):
        return np.zeros(len(numbers), dtype=bool)
    return np.equal(ascending[_places(ascending, numbers)], numbers)


def _places(ascending: Ints, numbers: Ints) -> Ints:
    """Where each number is in an ascending array, if it is there at all."""
    return np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)


def _keys(numbers: Ints, texts: TextArray | HashedTexts) -> Ints:
    """A key of 64 bits for each number with its text."""
    return text_hashes(texts) + numbers * _SPREAD
