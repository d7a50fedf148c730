"""The parts of a frozen plan, read when they are needed.

Contacts, issues and alternatives have a file for each part. Messages are in the files that they left in, or
in those of what earlier batches hold, so those of a part are looked for by their positions in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints, array_to_series
from campaign.errors import FolderError
from campaign.messages.plan_tables.plan_part import PlanPart, T
from campaign.sending.store.part_files import (
    CONTACTS,
    ISSUES,
    MESSAGES,
    SETTLED,
    as_frame,
    besides_contacts,
    read_contacts,
    read_frame,
    read_part,
    size_in_memory,
)

# What the files of messages that go out have, and those of messages that earlier batches hold, too.
_PLACED = MESSAGES.append(SETTLED.field("place"))
_NONE: Ints = np.empty(0, np.int64)


class _Stretch(NamedTuple):
    """A file of messages, and between which positions in the plan its messages are."""

    file: Path
    first: int
    last: int


class FrozenParts(Struct, frozen=True, eq=False, dict=True):
    """The parts of a frozen plan; `files` has the part files of each of its tables."""

    files: Mapping[str, Sequence[Path]]

    @property
    def is_readable_elsewhere(self) -> bool:
        return True

    def parts(self) -> Iterator[PlanPart]:
        """The parts in order; there is one at least."""
        contacts, issues, alternatives = (self.files[name] for name in ("contacts", "issues", "alternatives"))
        for number, file in enumerate(contacts):
            yield PlanPart(
                messages=partial(self._messages, number),
                issues=partial(read_frame, issues[number], ISSUES),
                contacts=partial(read_contacts, file),
                status=partial(_status, file),
                rows_of_messages=partial(self._rows_of_messages, number),
                numbers=partial(_integers, file, CONTACTS, "number"),
                alternatives=partial(read_frame, alternatives[number], MESSAGES),
            )

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        return map(function, self.parts(), *columns)

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory."""
        files = self._message_files if table == "messages" else self.files[table]
        return sum(map(size_in_memory, files))

    def batch_of_message(self, batches: Ints) -> Ints:
        """The batch that holds each message, in the order of the plan.

        `batches` has the batch of each message in the part files, in order. Raises `FolderError` unless each
        position in the plan has one message.
        """
        of_place = np.concatenate([_NONE, *map(_places, self._message_files)])
        settled = (_integers(file, SETTLED, "batch") for file in self.files["settled"])
        of_batch = np.concatenate([_NONE, batches, *settled])
        by_place = np.zeros(self._bounds[-1], np.int64)
        if len(of_place) == len(of_batch) == len(by_place):
            of_place = of_place[(of_place >= 0) & (of_place < len(by_place))]
            by_place[of_place] = of_batch[: len(of_place)]
        if not by_place.all():
            raise FolderError("campaign_file_damaged", file=self.files["contacts"][0].parent.parent)
        return by_place

    def earlier_batches(self) -> Ints:
        """For each row of the contacts the batch that had reached its number, 0 for none."""
        return np.concatenate([_integers(file, CONTACTS, "batch") for file in self.files["contacts"]])

    @property
    def _message_files(self) -> list[Path]:
        return [*self.files["plan"], *self.files["settled"]]

    @cached_property
    def _bounds(self) -> Ints:
        """The position of the first message of each part, and behind them how many there are in all."""
        return np.cumsum([0, *(besides_contacts(file)[1] for file in self.files["contacts"])])

    @cached_property
    def _stretches(self) -> list[_Stretch]:
        stretches = []
        for file in self._message_files:
            places = _places(file)
            if len(places):
                stretches.append(_Stretch(file, int(places.min()), int(places.max())))
        return stretches

    def _taken(self, number: int, columns: list[str]) -> pa.Table:
        """Some columns of the messages of a part, in the order of the plan."""
        start, stop = self._bounds[number], self._bounds[number + 1]
        tables = [_PLACED.empty_table().select(["place", *columns])]
        for file, first, last in self._stretches:
            if first < stop and last >= start:
                table = read_part(file, _PLACED, ["place", *columns])
                places = table.column("place").to_numpy()
                tables.append(table.take(np.flatnonzero((places >= start) & (places < stop))))
        table = pa.concat_tables(tables)
        order = np.argsort(table.column("place").to_numpy()).astype(np.int64)
        return table.take(order).drop_columns("place")

    def _messages(self, number: int) -> pd.DataFrame:
        return as_frame(self._taken(number, MESSAGES.names))

    def _rows_of_messages(self, number: int) -> Ints:
        rows: Ints = self._taken(number, ["row"]).column("row").to_numpy()
        return rows


def _integers(file: Path, schema: pa.Schema, column: str) -> Ints:
    integers: Ints = read_part(file, schema, [column]).column(column).to_numpy()
    return integers


def _places(file: Path) -> Ints:
    return _integers(file, _PLACED, "place")


def _status(file: Path) -> pd.Series[str]:
    table = read_part(file, CONTACTS, ["row", "status"])
    index = pd.Index(table.column("row").to_numpy(), name="row")
    return array_to_series(table.column("status"), index).rename("status")
