"""The numbers in the columns of a list, and which of these columns count: in a log of messages, one side is
our own.

Headers alone do not tell: in "From, To, Body" the people who wrote STOP are in the column that no list of
words for phones has. So the cells decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
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
    series_to_array,
    strip_texts,
    substitute,
)
from campaign.contacts.cells.headers import SEVEN_DIGITS
from campaign.contacts.columns import fold, is_of_others, words
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.phone_numbers.cleaning import KINDS, clean_numbers
from campaign.contacts.reading_record import Reading, reading_of
from campaign.contacts.vocabulary import phrases
from campaign.errors import UsageError
from campaign.messages.recipients import are_among, as_integers, distinct
from campaign.words.finding import Finding

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


# The two sides of a message, in headers of logs and exports, and words that may stand beside these.
_SIDES, _BESIDE = (frozenset(map(fold, phrases("lists", name))) for name in ("sides", "beside"))
_SAMPLE = 300  # cells that show whether a column holds numbers
_MANY = 4  # times as many different numbers as another column has: that one holds a few of our own


class Audience(Struct, frozen=True):
    """Whom a list is about: the numbers of a contact table, 0 for rows without one, once somebody asks for
    them, and the reading of that table."""

    numbers: Callable[[], Ints] = lambda: np.empty(0, dtype=np.int64)
    reading: Reading | None = None

    def is_of(self, table: pd.DataFrame) -> bool:
        """Whether a list was taken from that table."""
        own, other = self.reading, reading_of(table)
        return own is not None and other is not None and own.version == other.version


class ListColumns:
    """The columns of a list, each of which is read once, when somebody asks for it."""

    def __init__(self, table: pd.DataFrame, regions: Collection[str | None], called: str) -> None:
        self._table, self._regions, self._called = table, regions, called
        self._read: dict[str, Entries] = {}
        self.likely = likely_number_columns(table.columns)
        self.finding: Finding | None = None  # which of several was chosen

    def entries(self, name: str) -> Entries:
        """What the cells of a column were read as."""
        if name not in self._read:
            self._read[name] = read_entries(series_to_array(self._table[name]), self._regions)
        return self._read[name]

    def of_people(self, audience: Audience) -> list[str]:
        """The columns whose numbers count; [] if none holds numbers.

        Of the sides of a log, that one counts whose numbers differ from row to row and are some of those of
        the audience. Raises UsageError where two do.
        """
        names = [*self._table.columns]
        if len(names) == 1:
            return names
        likely = [name for name in self.likely if self._has_numbers(name)] or self.likely
        others = [name for name in names if name not in self.likely and self._holds_numbers(name)]
        candidates = [*likely, *others]
        is_log = any(map(self._is_side, candidates)) or (others and not self._varied(likely, candidates))
        if len(candidates) < 2 or not is_log:
            return likely or others
        return self._side_of_people(candidates, audience.numbers())

    def _is_side(self, name: str) -> bool:
        said = {*words(name)} - _BESIDE
        return bool(said) and said <= _SIDES

    def _has_numbers(self, name: str) -> bool:
        """Whether a column that is called one of numbers has any."""
        return len(self.likely) == 1 or bool((self.entries(name).every >= A_PHONE).any())

    def _holds_numbers(self, name: str) -> bool:
        """Whether another column holds numbers: that of a side has some, any other in half of its cells."""
        if self._is_side(name):
            return bool((self.entries(name).every >= A_PHONE).any())
        if is_of_others(name):
            return False
        cells = series_to_array(self._table[name])
        filled = np.flatnonzero(~is_one_of(strip_texts(cells), [""]))
        sample = cells.take(filled[:: max(len(filled) // _SAMPLE, 1)])
        may_be = sample.filter(matches(sample, SEVEN_DIGITS))
        if not len(may_be) or len(may_be) * 2 < len(sample):
            return False
        entries = read_entries(may_be, self._regions)
        return bool(((entries.first >= A_PHONE) | entries.have_several).sum() * 2 >= len(sample))

    def _different(self, name: str) -> Ints:
        first = self.entries(name).first
        return distinct(first[first > 0])

    def _varied(self, names: Sequence[str], among: Sequence[str]) -> list[str]:
        """Those of some columns that hold more than a few numbers of our own."""
        counts = {name: len(self._different(name)) for name in among}
        most = max(counts.values())
        few = max(1, most // _MANY)
        return [name for name in names if counts[name] > few or counts[name] == most]

    def _side_of_people(self, candidates: Sequence[str], audience: Ints) -> list[str]:
        numbers = {self._different(name).tobytes(): name for name in reversed(candidates)}
        sides = [name for name in candidates if name in numbers.values()]  # each side once
        varied = self._varied(sides, sides)
        meeting = [name for name in sides if are_among(audience, self._different(name)).any()]
        people = [name for name in meeting if name in varied]
        if not meeting:
            self.finding = Finding("list_of_others", {"list": self._called}, "info")
            return varied
        if len(people) == 1:
            others = [name for name in candidates if name not in people]
            facts = {"list": self._called, "columns": people, "others": others}
            self.finding = Finding("list_column", facts, "info")
            return people
        raise UsageError("list_unclear", list=self._called, columns=people or [*meeting, *varied])
