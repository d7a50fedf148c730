"""The entries of a list of numbers, each of which holds one number: alone, or with words beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    array_to_series,
    concat_arrays,
    is_one_of,
    join_texts,
    matches,
    strip_texts,
    substitute,
)
from campaign.contacts.phone_numbers.cleaning import KINDS, clean_numbers
from campaign.messages.recipients import as_integers

SHORTEST = 7  # digits of what may be a phone number; with fewer it is a count, a short code, an age
A_PHONE = 1_000_000  # the least number that is none of these
_DIGIT = r"[1-9\x{660}-\x{669}\x{6f0}-\x{6f9}\x{ff11}-\x{ff19}]"  # zeros alone stand for no number
_DATE = r"\b(?:\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4})(?:[ T]+\d\d?:\d\d(?::\d\d)?)?\b"
# What stands between the numbers of an entry, as few signs as possible at first: "0772 000 001 (wife)",
# "0772000001 (0772000002)", "0772000001 2".
_BETWEEN = (r"[^\p{Nd}+()\s./-]+", r"[^\p{Nd}+\s.-]+", r"[^\p{Nd}+]+")


class Entries(Struct, frozen=True, eq=False):
    """What was read of some entries: `first` has a number of each, 0 where it has none or several.

    `every` are the numbers of all of them. A local number has one for each of the regions.
    """

    texts: TextArray
    first: Ints
    every: Ints
    have_several: Bools

    @classmethod
    def joined(cls, parts: Sequence[Entries]) -> Entries:
        """The entries of several columns, one below the other."""
        texts = concat_arrays([part.texts for part in parts])
        first, every = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "every")
        )
        return cls(texts, first, every, np.concatenate([part.have_several for part in parts]))

    @property
    def are_unread(self) -> Bools:
        """Which entries are neither blank nor one number."""
        return np.equal(self.first, 0) & ~is_one_of(strip_texts(self.texts), [""])

    @property
    def may_be_numbers(self) -> Bools:
        """Which of these have digits, so that somebody's number may be meant."""
        return self.are_unread & matches(self.texts, _DIGIT)


def read_entries(texts: TextArray, regions: Collection[str | None]) -> Entries:
    """Read entries by the same rules as those of contacts, and by broader rules if those fail.

    Each region is tried for local numbers, then digits as if a plus stood before them. Of an entry with words
    beside its number, the number counts, if everything in it that may be a number is this one.
    """
    first, every = read_numbers(texts, regions)
    have_several = np.zeros(len(texts), dtype=bool)
    for between in _BETWEEN:
        unread = np.flatnonzero((first == 0) & ~have_several)
        if not len(unread):
            break
        beside = substitute(texts.take(unread), _DATE, "|")
        entries, pieces = _pieces(beside, between)
        numbers, more = read_numbers(pieces, regions)
        every = np.concatenate([every, more])
        least, most = np.full(len(unread), np.iinfo(np.int64).max), np.zeros(len(unread), np.int64)
        np.minimum.at(least, entries, numbers)
        np.maximum.at(most, entries, numbers)
        left = _digits(beside) - np.bincount(entries, _digits(pieces), len(unread))
        first[unread] = np.where((least == most) & (left < SHORTEST), most, 0)
        have_several[unread] = (least > 0) & (least < most)
    return Entries(texts, first, every, have_several)


def _pieces(texts: TextArray, between: str) -> tuple[Ints, TextArray]:
    """The pieces of texts that may be numbers, each with the position of its text."""
    split: Any = pc.split_pattern(substitute(texts, between, "|"), "|")
    pieces, entries = split.flatten(), pc.list_parent_indices(split).to_numpy()
    long_enough = np.flatnonzero(_digits(pieces) >= SHORTEST)
    return entries[long_enough], pieces.take(long_enough)


def _digits(texts: TextArray) -> Ints:
    """How many digits each text has."""
    counted: Any = pc.utf8_length(substitute(texts, r"\P{Nd}", ""))
    return np.asarray(counted, dtype=np.int64)


def read_numbers(texts: TextArray, regions: Collection[str | None]) -> tuple[Ints, Ints]:
    """A number of each text that is nothing else, 0 for none, and all numbers."""
    readings = [_clean(texts, region) for region in regions or [None]]
    first = readings[0]
    for reading in readings[1:]:
        first = np.where(first == 0, reading, first)
    unread = np.flatnonzero(first == 0)
    digits = substitute(texts.take(unread), r"[\s()./'+-]", "")
    international = _clean(join_texts("+", digits), None)
    first[unread] = international
    every = np.concatenate([*readings, international])
    return first, every[every > 0]


def _clean(texts: TextArray, region: str | None) -> Ints:
    """Numbers of any kind in the service's form; 0 for texts without a number."""
    numbers = as_integers(clean_numbers(array_to_series(texts), region=region, kinds=KINDS)["number"])
    return numbers.copy()
