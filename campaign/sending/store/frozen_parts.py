"""The plan of a round that was frozen in parts: it is read part by part, too.

Contacts, recipients, issues and alternatives have a row group for each part. Messages are in the files that
they left in, so those of a part are looked for by their positions in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import MESSAGE_TEXTS
from campaign.messages.plan_tables.plan_columns import joined_integers
from campaign.messages.plan_tables.plan_part import PlanPart, T
from campaign.sending.store.frame_files import count_parts, read_frame, size_in_memory
from campaign.sending.store.frozen_messages import NO_MESSAGES, MessageFile


class _Stretch(NamedTuple):
    """A file of messages, and between which positions in the plan its messages are."""

    file: MessageFile
    first: int
    last: int


class FrozenParts(Struct, frozen=True, eq=False, dict=True):
    """The parts of a frozen plan. `files` are those of its messages, the others those of the other tables."""

    @property
    def is_readable_elsewhere(self) -> bool:
        return True

    files: list[MessageFile]
    contacts: Path
    recipients: Path
    issues: Path
    alternatives: Path

    def parts(self) -> Iterator[PlanPart]:
        """The parts in order; there is one at least."""
        for number in range(count_parts(self.contacts)):
            yield PlanPart(
                messages=partial(self._messages, number),
                issues=partial(self._table, self.issues, number),
                contacts=partial(read_frame, self.contacts, part=number),
                status=partial(self._status, number),
                rows_of_messages=partial(self._rows_of_messages, number),
                numbers=partial(self._numbers, number),
                alternatives=partial(self._table, self.alternatives, number),
            )

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        return map(function, self.parts(), *columns)

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory."""
        if table == "messages":
            return sum(file.size for file in self.files)
        path: Path = getattr(self, table)
        return size_in_memory(path)

    def earlier_batches(self, rows: int) -> Ints:
        """For each of so many rows of the contacts the batch that had reached its number, 0 for none."""
        parts = range(count_parts(self.recipients))
        batches = (read_frame(self.recipients, ["batch"], part=part)["batch"] for part in parts)
        return joined_integers((own.to_numpy(dtype=np.int64) for own in batches), rows)

    @property
    def messages(self) -> int:
        """How many messages all parts have, as the recipients say."""
        return int(self._bounds[-1])

    @cached_property
    def _bounds(self) -> Ints:
        """The position of the first message of each part, and behind them how many there are in all."""
        parts = range(count_parts(self.recipients))
        counts = (read_frame(self.recipients, ["messages"], part=part)["messages"].sum() for part in parts)
        return np.cumsum([0, *counts])

    @cached_property
    def _stretches(self) -> list[_Stretch]:
        stretches = []
        for file in self.files:
            places = file.integers("place")
            if len(places):
                stretches.append(_Stretch(file, int(places.min()), int(places.max())))
        return stretches

    def _taken(self, number: int, columns: list[str]) -> pa.Table:
        """Some columns of the messages of a part, in the order of the plan."""
        start, stop = self._bounds[number], self._bounds[number + 1]
        found = []
        for file, first, last in self._stretches:
            if first < stop and last >= start:
                table = file.read([*columns, "place"])
                places = table.column("place").to_numpy()
                found.append(table.take(np.flatnonzero((places >= start) & (places < stop))))
        table = pa.concat_tables([NO_MESSAGES.select([*columns, "place"]), *found])
        order = np.argsort(table.column("place").to_numpy()).astype(np.int64)
        return table.take(order).drop_columns("place")

    def _messages(self, number: int) -> pd.DataFrame:
        columns = ["row", *MESSAGE_TEXTS, "parts"]
        messages: pd.DataFrame = self._taken(number, columns).select(columns).to_pandas()
        return messages.astype(dict.fromkeys(MESSAGE_TEXTS, "str"))

    def _rows_of_messages(self, number: int) -> Ints:
        rows: Ints = self._taken(number, ["row"]).column("row").to_numpy()
        return rows

    def _numbers(self, number: int) -> Ints:
        numbers = read_frame(self.recipients, ["number"], part=number)["number"]
        return numbers.to_numpy(dtype=np.int64)

    def _status(self, number: int) -> pd.Series[str]:
        return read_frame(self.contacts, ["status"], part=number)["status"]

    @staticmethod
    def _table(path: Path, number: int) -> pd.DataFrame:
        return read_frame(path, part=number).reset_index(drop=True)
