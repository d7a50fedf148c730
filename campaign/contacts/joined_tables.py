"""Contact tables of several files, one below the other: what is the same in memory and on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.contacts.columns import fold, listed
from campaign.contacts.contact_parts import ContactParts, T, parts_of
from campaign.contacts.continuation import join_continuations
from campaign.contacts.reading_record import Reading
from campaign.contacts.table_version import joined_version
from campaign.errors import ColumnError, UsageError
from campaign.values import replace


class JoinedTables(Struct, frozen=True, eq=False, dict=True):
    """Several contact tables as one, with consecutive row numbers; each row names its file.

    All have a reading, and the same columns.
    """

    tables: Sequence[ContactParts]

    @classmethod
    def of(cls, tables: Sequence[ContactParts]) -> JoinedTables:
        """Raises ColumnError if the columns differ."""
        if not tables:
            raise UsageError("The list of files is empty.")
        joined = cls(tables)
        joined._check_columns()
        return joined

    @cached_property
    def columns(self) -> list[str]:
        return [*self._names, *self.tables[0].columns]

    @cached_property
    def reading(self) -> Reading:
        readings = []
        for table, reading, offset in zip(self.tables, self._readings, self._offsets, strict=True):
            issues = tuple(replace(issue, row=issue.row + offset) for issue in reading.issues)
            span = "no rows"
            if table.rows:
                first, last = table.part(0).index[0], table.part(table.part_count - 1).index[-1]
                span = f"rows {first + offset} to {last + offset}"
            notices = (
                f"{reading.source}: {span}.",
                *(f"{reading.source}: {text}" for text in reading.notices),
            )
            continues = reading.continues and reading.continues.moved(offset)
            readings.append(replace(reading, issues=issues, notices=notices, continues=continues))
        return _combined(readings)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def size(self) -> int:
        return sum(table.size for table in self.tables)

    @property
    def part_count(self) -> int:
        return len(self._places)

    def part(self, number: int) -> pd.DataFrame:
        place, part_number = self._places[number]
        table, first = self.tables[place], self.tables[0]
        places = {fold(name): name for name in first.columns}
        part = table.part(part_number)
        labels = part.index
        part = part.rename(columns=lambda name: places[fold(name)])[list(first.columns)]
        sources = pd.Series(self._readings[place].source, labels, dtype="str")
        numbers = pd.Series(labels.astype(str), labels, dtype="str")
        for name, cells in zip(self._names, (sources, numbers), strict=False):
            part.insert(self._names.index(name), name, cells)
        part.index = labels + self._offsets[place]
        return part

    def map(self, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
        return map(function, parts_of(self))

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Which part of which table each part is."""
        return [
            (place, number) for place, table in enumerate(self.tables) for number in range(table.part_count)
        ]

    @cached_property
    def _names(self) -> list[str]:
        """What the columns in front are called. Follow-up files get none: their rows are those of one table,
        and would not say what they said there."""
        if any(reading.continues for reading in self._readings):
            return []
        taken = {fold(name) for name in self.tables[0].columns}
        names = ["file", "row in file"]
        while any(fold(name) in taken for name in names):
            names = [f"{name} (source)" for name in names]
        return names

    @cached_property
    def _readings(self) -> list[Reading]:
        """The readings, numbered where files have the same name."""
        readings = [table.reading for table in self.tables if table.reading is not None]
        names = [reading.source for reading in readings]
        return [
            replace(reading, source=f"{reading.source} ({i})") if names.count(reading.source) > 1 else reading
            for i, reading in enumerate(readings, start=1)
        ]

    @cached_property
    def _offsets(self) -> list[int]:
        """What is added to the row numbers of each table."""
        offsets, offset = [], 0
        for table, reading in zip(self.tables, self._readings, strict=True):
            offsets.append(offset)
            last = [int(part.index.max()) for part in parts_of(table) if len(part)]
            offset += max([*last, reading.header_row or 0])
        return offsets

    def _check_columns(self) -> None:
        first, sources = self.tables[0].columns, self._readings
        for table, reading in zip(self.tables, sources, strict=True):
            if {fold(name) for name in first} ^ {fold(name) for name in table.columns}:
                raise ColumnError(
                    f"The files have different columns: {sources[0].source} has {listed(first)}, "
                    f"{reading.source} has {listed(table.columns)}. Give them the same columns."
                )


def _combined(readings: Sequence[Reading]) -> Reading:
    """One reading for several files; what differs between them is left open."""

    def common(values: list[Any]) -> Any:
        return values[0] if all(value == values[0] for value in values) else None

    return Reading(
        source=" and ".join(dict.fromkeys(reading.source for reading in readings)),
        format=" and ".join(dict.fromkeys(reading.format for reading in readings)),
        sheet=common([reading.sheet for reading in readings]),
        header_row=readings[0].header_row,
        encoding=common([reading.encoding for reading in readings]),
        delimiter=common([reading.delimiter for reading in readings]),
        rows=sum(reading.rows for reading in readings),
        hidden_rows=sum(reading.hidden_rows for reading in readings),
        blank_rows=sum(reading.blank_rows for reading in readings),
        notices=tuple(notice for reading in readings for notice in reading.notices),
        issues=tuple(issue for reading in readings for issue in reading.issues),
        detected=common([reading.detected for reading in readings]) or (),
        dates=readings[0].dates,
        continues=join_continuations(reading.continues for reading in readings),
        version=joined_version(reading.version for reading in readings),
    )
