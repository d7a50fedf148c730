"""A contact table in parts of consecutive rows: one that is in memory, or one that is larger than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import TypeVar

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, series_to_array, text_array, unique_texts
from campaign.contacts.reading_record import Reading, reading_of

T = TypeVar("T")


class ContactParts(Struct, frozen=True, eq=False):
    """A contact table that is looked at part by part. All cells are text; the index of a part is `row`.

    `sizes` has the rows of each part; there is one at least, also where there are no rows.
    """

    columns: list[str]
    reading: Reading | None
    sizes: Sequence[int]

    @property
    def rows(self) -> int:
        """How many rows there are in all parts."""
        return sum(self.sizes)

    @property
    def size(self) -> int:
        """About how many bytes the whole table takes in memory."""
        return sum(self.map(_size_of))

    def part(self, number: int) -> pd.DataFrame:
        """One of the parts, counted from 0."""
        raise NotImplementedError  # each kind of table has its own

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        """What a function makes of each part, in order; it is called where the part is."""
        return map(function, parts_of(self))


class WholeTable(ContactParts, frozen=True, eq=False):
    """A contact table in memory, in parts of the same number of rows. Nothing is copied."""

    frame: pd.DataFrame

    @classmethod
    def in_parts(cls, frame: pd.DataFrame, part_rows: int) -> WholeTable:
        """A table in parts of at most so many rows."""
        starts = range(0, max(len(frame), 1), part_rows)
        sizes = [min(part_rows, len(frame) - start) for start in starts]
        return cls(list(frame.columns), reading_of(frame), sizes, frame)

    def part(self, number: int) -> pd.DataFrame:
        start = number * self.sizes[0]
        return self.frame.iloc[start : start + self.sizes[number]]


class RowsOfTable(WholeTable, frozen=True, eq=False):
    """Some rows of a contact table in memory. What a column shows as a whole is that of the whole table."""

    whole: WholeTable

    @classmethod
    def of(cls, rows: pd.DataFrame, whole: pd.DataFrame) -> RowsOfTable:
        """These rows of that table."""
        table = WholeTable.in_parts(whole, max(len(whole), 1))
        return cls(list(rows.columns), reading_of(rows), [len(rows)], rows, table)


def whole_table(contacts: ContactParts) -> ContactParts:
    """The table that the rows are from: the same, unless they are some of its rows."""
    return contacts.whole if isinstance(contacts, RowsOfTable) else contacts


def parts_of(contacts: ContactParts) -> Iterator[pd.DataFrame]:
    """The parts in order, one at a time."""
    return map(contacts.part, range(len(contacts.sizes)))


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
    parts = map(contacts.part, reversed(range(len(contacts.sizes))))
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


def _size_of(part: pd.DataFrame) -> int:
    return int(part.memory_usage().sum())


def _distinct(column: str, part: pd.DataFrame) -> TextArray:
    return text_array(unique_texts(series_to_array(part[column]))[0])


def _first(columns: list[str], count: int, part: pd.DataFrame) -> pd.DataFrame:
    return part.head(count)[columns]


def row_labels(contacts: ContactParts) -> pd.Index[int]:
    """The row numbers of all parts, in order."""
    labels: list[pd.Index[int]] = [*contacts.map(attrgetter("index"))]
    return labels[0].append(labels[1:])


def rows_at(contacts: ContactParts, positions: Ints) -> pd.DataFrame:
    """The rows at some positions, in the order of the positions."""
    order = np.argsort(positions, kind="stable")
    ascending, start, found = positions[order], 0, []
    for part in parts_of(contacts):
        first, after = np.searchsorted(ascending, [start, start + len(part)])
        found.append(part.iloc[ascending[first:after] - start])
        start += len(part)
    return pd.concat(found).iloc[np.argsort(order)]
