"""A contact table in parts of consecutive rows: one that is in memory, or one that is larger than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, series_to_array, text_array, unique_texts
from campaign.contacts.reading_record import Reading, reading_of

T = TypeVar("T")


class ContactParts(Protocol):
    """A contact table that is looked at part by part. All cells are text; the index of a part is `row`."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    @property
    def reading(self) -> Reading | None:
        """How the table was read, if known."""

    @property
    def rows(self) -> int:
        """How many rows there are in all parts."""

    @property
    def size(self) -> int:
        """About how many bytes the whole table takes in memory."""

    @property
    def part_count(self) -> int:
        """How many parts there are: one at least, also where there are no rows."""

    def part(self, number: int) -> pd.DataFrame:
        """One of the parts, counted from 0."""

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        """What a function makes of each part, in order; it is called where the part is."""


class WholeTable(Struct, frozen=True, eq=False):
    """A contact table in memory, in parts of at most `part_rows` rows. Nothing is copied."""

    frame: pd.DataFrame
    part_rows: int

    @property
    def columns(self) -> list[str]:
        return list(self.frame.columns)

    @property
    def reading(self) -> Reading | None:
        return reading_of(self.frame)

    @property
    def rows(self) -> int:
        return len(self.frame)

    @property
    def size(self) -> int:
        return int(self.frame.memory_usage().sum())

    @property
    def part_count(self) -> int:
        return max(-(-len(self.frame) // self.part_rows), 1)

    def part(self, number: int) -> pd.DataFrame:
        return self.frame.iloc[number * self.part_rows : (number + 1) * self.part_rows]

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        return map(function, parts_of(self))


class RowsOfTable(WholeTable, frozen=True, eq=False):
    """Some rows of a contact table in memory. What a column shows as a whole is that of the whole table."""

    whole: WholeTable

    @classmethod
    def of(cls, rows: pd.DataFrame, whole: pd.DataFrame) -> RowsOfTable:
        """These rows of that table."""
        return cls(rows, max(len(rows), 1), WholeTable(whole, max(len(whole), 1)))


def whole_table(contacts: ContactParts) -> ContactParts:
    """The table that the rows are from: the same, unless they are some of its rows."""
    return contacts.whole if isinstance(contacts, RowsOfTable) else contacts


def parts_of(contacts: ContactParts) -> Iterator[pd.DataFrame]:
    """The parts in order, one at a time."""
    return map(contacts.part, range(contacts.part_count))


def distinct_cells(contacts: ContactParts, column: str) -> Iterator[TextArray]:
    """Each cell of a column once for every part that it occurs in, in order of appearance."""
    return contacts.map(partial(_distinct, column))


def first_cells(contacts: ContactParts, column: str, count: int) -> TextArray:
    """The first cells of a column."""
    return series_to_array(first_rows(contacts, count, [column])[column])


def first_rows(contacts: ContactParts, count: int, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The rows at the beginning, at most that many, whatever parts they are in, with some columns."""
    names = contacts.columns if columns is None else list(columns)
    return pd.concat(_as_many_as(count, contacts.map(partial(_first, names, count)))).head(count)


def last_rows(contacts: ContactParts, count: int) -> pd.DataFrame:
    """The rows at the end, at most that many, whatever parts they are in."""
    parts = map(contacts.part, reversed(range(contacts.part_count)))
    return pd.concat(_as_many_as(count, (part.tail(count) for part in parts))[::-1]).tail(count)


def _as_many_as(count: int, pieces: Iterable[pd.DataFrame]) -> list[pd.DataFrame]:
    """The first pieces that have so many rows together, or all."""
    found, missing = list[pd.DataFrame](), count
    for piece in pieces:
        found.append(piece)
        missing -= len(piece)
        if missing <= 0:
            break
    return found


def _labels(part: pd.DataFrame) -> pd.Index[int]:
    return part.index


def _distinct(column: str, part: pd.DataFrame) -> TextArray:
    return text_array(unique_texts(series_to_array(part[column]))[0])


def _first(columns: list[str], count: int, part: pd.DataFrame) -> pd.DataFrame:
    return part.head(count)[columns]


def row_labels(contacts: ContactParts) -> pd.Index[int]:
    """The row numbers of all parts, in order."""
    first, *others = contacts.map(_labels)
    return first.append(others)


def rows_at(contacts: ContactParts, positions: Ints) -> pd.DataFrame:
    """The rows at some positions, in the order of the positions."""
    order = np.argsort(positions, kind="stable")
    ascending, start, found = positions[order], 0, []
    for part in parts_of(contacts):
        first, after = np.searchsorted(ascending, [start, start + len(part)])
        found.append(part.iloc[ascending[first:after] - start])
        start += len(part)
    return pd.concat(found).iloc[np.argsort(order)]
