"""The texts of a plan by number, to find recorded texts among them."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, TextArray, equal_texts
from campaign.messages.text.folding import HashedTexts, folded, text_hashes

# 2**64 divided by the golden ratio: neighbouring numbers get keys far apart, and being odd it loses no bit.
_SPREAD = np.int64(-7046029254386353131)
_BLOCK = 50_000  # texts hashed together: limits the memory for their Python strings


class FoundTexts(Struct, frozen=True, eq=False):
    """Where many texts are in a plan.

    - `rows`: the first row with the same number and text, -1 where there is none.
    - `places`: where the number is among those of the plan, ascending and each once; -1 where it is not.
    - `keys`: for each text that is not in the plan, but its number is: 64 bits for the number and the text.
    """

    rows: Ints
    places: Ints
    keys: Ints


class DistinctTexts:
    """Rows of numbers and texts, where a row that repeats number and text counts as the first one.

    `first_rows`: for each row the first one with the same number and text; `is_first`: which rows that is.

    Most numbers are in one row only, and there the texts are compared letter by letter; only texts that are
    not identical are folded. Where a number is in several rows, texts are found by 64-bit hashes, so that a
    number in 10,000 rows costs no more than others.
    """

    def __init__(self, numbers: Ints, texts: TextArray | HashedTexts) -> None:
        self._texts = texts
        self._order = np.argsort(numbers, kind="stable")
        self._distinct, starts = np.unique(numbers[self._order], return_index=True)
        self._starts = np.append(starts, len(numbers))  # where the rows of each number begin in the order
        self.first_rows = np.arange(len(numbers))
        counts = np.diff(self._starts)
        shared_rows = np.sort(self._order[np.repeat(counts > 1, counts)])
        keys = np.empty(len(shared_rows), np.int64)
        for start in range(0, len(shared_rows), _BLOCK):
            rows = shared_rows[start : start + _BLOCK]
            keys[start : start + _BLOCK] = _keys(numbers[rows], texts.take(rows))
        self._keys, first, place = np.unique(keys, return_index=True, return_inverse=True)
        self._key_rows = shared_rows[first]
        self.first_rows[shared_rows] = self._key_rows[place]

    @property
    def is_first(self) -> Bools:
        """Which rows repeat no earlier one."""
        return np.equal(self.first_rows, np.arange(len(self.first_rows)))

    def by_number(self) -> tuple[Ints, Ints]:
        """The rows that repeat no earlier one, by number and then in order, and the place of each number."""
        places = np.repeat(np.arange(len(self._distinct)), np.diff(self._starts))
        is_first = self.is_first[self._order]
        return self._order[is_first], places[is_first]

    def numbers_at(self, places: Ints) -> Ints:
        """The numbers at some of the places of `FoundTexts`."""
        return self._distinct[places]

    def hashes_of(self, places: Ints, keys: Ints) -> Ints:
        """The hashes of texts that were not found, from the places of their numbers and their keys."""
        return keys - self.numbers_at(places) * _SPREAD

    def find(self, numbers: Ints, texts: TextArray) -> FoundTexts:
        """Look for many texts, each with its number."""
        found = FoundTexts(*(np.full(len(numbers), nothing) for nothing in (-1, -1, 0)))
        if not len(self._distinct):
            return found
        nearest = _nearest(self._distinct, numbers)
        named = np.flatnonzero(self._distinct[nearest] == numbers)
        found.places[named] = nearest[named]
        starts = self._starts[nearest[named]]
        is_shared = self._starts[nearest[named] + 1] - starts > 1
        self._find_alone(named[~is_shared], self._order[starts[~is_shared]], numbers, texts, found)
        self._find_shared(named[is_shared], numbers, texts, found)
        return found

    def _find_alone(
        self, sought: Ints, candidates: Ints, numbers: Ints, texts: TextArray, found: FoundTexts
    ) -> None:
        """Look for texts whose number is in one row only, the candidate."""
        if isinstance(self._texts, HashedTexts):
            self._find_hashed(sought, self._texts.take(candidates), candidates, numbers, texts, found)
            return
        identical = equal_texts(texts.take(sought), self._texts.take(candidates))
        found.rows[sought[identical]] = candidates[identical]
        sought, candidates = sought[~identical], candidates[~identical]
        folded_texts = folded(texts.take(sought))
        same = equal_texts(folded_texts, folded(self._texts.take(candidates)))
        found.rows[sought[same]] = candidates[same]
        other = np.flatnonzero(~same)
        hashes = HashedTexts(text_hashes(folded_texts.take(other)))
        found.keys[sought[other]] = _keys(numbers[sought[other]], hashes)

    @staticmethod
    def _find_hashed(
        sought: Ints,
        expected: HashedTexts,
        candidates: Ints,
        numbers: Ints,
        texts: TextArray,
        found: FoundTexts,
    ) -> None:
        """The same where only the hashes of the candidates are known."""
        hashes = text_hashes(folded(texts.take(sought)))
        same = hashes == expected.hashes
        found.rows[sought[same]] = candidates[same]
        others = sought[~same]
        found.keys[others] = _keys(numbers[others], HashedTexts(hashes[~same]))

    def _find_shared(self, sought: Ints, numbers: Ints, texts: TextArray, found: FoundTexts) -> None:
        """Look for texts whose number is in several rows."""
        if not len(sought):
            return
        keys = _keys(numbers[sought], texts.take(sought))
        nearest = _nearest(self._keys, keys)
        same = self._keys[nearest] == keys
        found.rows[sought[same]] = self._key_rows[nearest[same]]
        found.keys[sought[~same]] = keys[~same]


def contains(ascending: Ints, numbers: Ints) -> Bools:
    """Which numbers are in an ascending array."""
    if not len(ascending):
        return np.zeros(len(numbers), dtype=bool)
    return np.equal(ascending[_nearest(ascending, numbers)], numbers)


def _nearest(ascending: Ints, numbers: Ints) -> Ints:
    """Where each number is in an ascending array, if it is there at all."""
    return np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)


def hashes_of_texts(texts: TextArray | HashedTexts) -> Ints:
    """The hash of each text once it is folded."""
    return texts.hashes if isinstance(texts, HashedTexts) else text_hashes(folded(texts))


def _keys(numbers: Ints, texts: TextArray | HashedTexts) -> Ints:
    """A key of 64 bits for each number with its text."""
    return hashes_of_texts(texts) + numbers * _SPREAD
