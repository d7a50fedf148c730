"""Columns of a plan, whether it is in memory or in parts: whole ones of numbers, texts a part at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.cluster import packed
from campaign.messages.plan_tables.plan_part import PlanPart, T
from campaign.messages.totals import Totals


class InParts(Protocol):
    """A plan."""

    @property
    def totals(self) -> Totals: ...

    def parts(self) -> Iterator[PlanPart]: ...

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]: ...


def columns_of_contacts(plan: InParts) -> list[str]:
    """The names of the columns of the contacts."""
    return list(next(plan.parts()).contacts.columns)


def rows_of_messages(plan: InParts) -> Ints:
    """The row number of each message."""
    return joined_integers((part.rows_of_messages for part in plan.parts()), plan.totals.messages)


def labels_of_contacts(plan: InParts) -> Ints:
    """The row number of each row of the contacts."""
    labels = (part.status.index.to_numpy(dtype=np.int64) for part in plan.parts())
    return joined_integers(labels, plan.totals.rows)


def numbers_of_contacts(plan: InParts) -> Ints:
    """The number of each row of the contacts, 0 where it has none."""
    return joined_integers((part.numbers for part in plan.parts()), plan.totals.rows)


def has_status(plan: InParts, *statuses: str) -> Bools:
    """Which rows of the contacts have one of these statuses."""
    found = [*plan.map_parts(partial(_has_status, statuses))]
    return found[0] if len(found) == 1 else np.concatenate(found)


def rows_with_why(plan: InParts, *codes: str) -> Ints:
    """The row numbers of the duplicates with one of these codes in the column `why` of the contacts."""
    if not plan.totals["duplicate"]:  # as mostly: the contacts need not be read for that
        return np.empty(0, np.int64)
    return np.concatenate([*plan.map_parts(partial(_rows_with_why, codes))])


def numbers_at(plan: InParts, positions: Ints) -> Ints:
    """The numbers of the messages at some positions, as integers."""
    numbers = joined_integers(plan.map_parts(_numbers_of_messages), plan.totals.messages)
    at_positions: Ints = numbers[positions]
    return at_positions


Extend: TypeAlias = Callable[[PlanPart, pd.DataFrame], pd.DataFrame]  # adds columns to messages of a part


def messages_at(plan: InParts, positions: Ints, extend: Extend | None = None) -> Iterator[pd.DataFrame]:
    """The messages at some positions, in the order of the positions, a part at a time.

    Ascending stretches are read in one pass over the parts, so a few stretches cost a few passes.
    """
    for stretch in np.split(positions, np.flatnonzero(positions[1:] <= positions[:-1]) + 1):
        start = 0
        for part in plan.parts():
            after = start + len(part.rows_of_messages)
            first, last = np.searchsorted(stretch, [start, after])
            if last > first:
                messages = part.messages
                if last - first < len(messages):
                    messages = messages.iloc[stretch[first:last] - start]
                yield messages if extend is None else extend(part, messages)
            start = after


def map_messages_at(plan: InParts, positions: Ints, function: Callable[[pd.DataFrame], T]) -> Iterator[T]:
    """What a function makes of the messages at ascending positions, part by part, where each part is."""
    starts = np.cumsum([0, *plan.map_parts(count_messages)])
    cuts = np.searchsorted(positions, starts)
    within = (
        packed(positions[first:after] - start)
        for start, first, after in zip(starts, cuts, cuts[1:], strict=False)
    )
    return plan.map_parts(partial(_of_messages_at, function), within)


def count_messages(part: PlanPart) -> int:
    """How many messages a part has."""
    return len(part.rows_of_messages)


def same_contacts(plan: InParts, other: InParts) -> bool:
    """Whether the contacts of two plans are equal, with their statuses and reasons."""
    sizes, others = ([len(part.status) for part in one.parts()] for one in (plan, other))
    if sizes != others:
        return sum(sizes) == sum(others) and _whole_contacts(plan).equals(_whole_contacts(other))
    return all(
        part.contacts.equals(twin.contacts) for part, twin in zip(plan.parts(), other.parts(), strict=True)
    )


def _whole_contacts(plan: InParts) -> pd.DataFrame:
    return pd.concat([part.contacts for part in plan.parts()])


class MessageStream:
    """Messages that are taken in order, some at a time."""

    def __init__(self, frames: Iterator[pd.DataFrame]) -> None:
        self._frames = frames
        self._frame, self._start = pd.DataFrame(), 0

    def take(self, count: int) -> pd.DataFrame:
        """The next messages; there are as many."""
        pieces: list[pd.DataFrame] = []
        while count:
            if self._start == len(self._frame):
                self._frame, self._start = next(self._frames), 0
            piece = self._frame.iloc[self._start : self._start + count]
            self._start, count = self._start + len(piece), count - len(piece)
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else pd.concat(pieces)


def joined_integers(arrays: Iterator[Ints], count: int) -> Ints:
    """The arrays as one of `count` entries; each is let go before the next is read."""
    first = next(arrays)
    if len(first) == count:
        return first
    joined, start = np.empty(count, np.int64), 0
    for array in chain([first], arrays):
        joined[start : start + len(array)] = array
        start += len(array)
    return joined[:start]


def _rows_with_why(codes: tuple[str, ...], part: PlanPart) -> Ints:
    contacts = part.contacts
    return contacts.index[contacts["why"].isin(codes)].to_numpy(dtype=np.int64)


def _has_status(statuses: tuple[str, ...], part: PlanPart) -> Bools:
    return part.status.isin(statuses).to_numpy(dtype=bool)


def _of_messages_at(function: Callable[[pd.DataFrame], T], part: PlanPart, positions: Sequence[int]) -> T:
    return function(part.messages.iloc[np.asarray(positions, dtype=np.int64)])


def _numbers_of_messages(part: PlanPart) -> Ints:
    return np.asarray(part.messages["number"].astype("int64"), dtype=np.int64)
