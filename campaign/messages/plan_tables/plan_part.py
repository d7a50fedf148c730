"""A part of a plan: some consecutive rows of the contact table, and everything that was made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.copied_field import CopiedField
from campaign.memory import check_fits

T = TypeVar("T")


def copy_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy that shares the cells: pandas copies on write."""
    return frame.copy(deep=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlanPart:
    """Some consecutive rows of a plan. Its tables have the columns of those of `Plan`.

    Each table is read when it is first needed, and kept as long as the part.

    - `messages`, `issues`, `contacts`: what `Plan` has for these rows. Issues about the whole table are in
      the first part.
    - `status`: that column of `contacts`.
    - `rows_of_messages`: the column `row` of `messages`.
    - `numbers`: for each row of `contacts` its number as an integer, 0 where it has none.
    - `alternatives`: what rows would get that repeat another row's number.
    """

    messages: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    issues: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    contacts: CopiedField[pd.DataFrame] = CopiedField(copy_frame)
    status: CopiedField[pd.Series[str]] = CopiedField()
    rows_of_messages: CopiedField[Ints] = CopiedField()
    numbers: CopiedField[Ints] = CopiedField()
    alternatives: CopiedField[pd.DataFrame] = CopiedField(copy_frame)


PART_TABLES = tuple(field.name for field in fields(PlanPart))


class PartStore(Protocol):
    """Where the parts of a plan are that is not in memory."""

    @property
    def is_readable_elsewhere(self) -> bool:
        """Whether another process can read what `parts` gives."""

    def parts(self) -> Iterator[PlanPart]:
        """The parts in order; there is one at least."""

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        """What a function makes of each part and of an entry of each column, in order; it is called where
        the part is."""

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory."""


def whole_frame(store: PartStore, table: str) -> Callable[[], pd.DataFrame]:
    """Makes one frame of a table of all parts. It raises `CampaignError` where the memory is too small."""

    def join() -> pd.DataFrame:
        check_fits(store.size(table), table)
        frames: list[pd.DataFrame] = [getattr(part, table) for part in store.parts()]
        return pd.concat(frames, ignore_index=table != "contacts")

    return join


# What becomes of a part, given with its number, from 0.
Amend: TypeAlias = Callable[[PlanPart, int], PlanPart]


class AmendedParts(Struct, frozen=True, eq=False):
    """The parts of another store as a function makes them, on this machine."""

    store: PartStore
    amend: Amend

    @property
    def is_readable_elsewhere(self) -> bool:
        return False

    def parts(self) -> Iterator[PlanPart]:
        return (self.amend(part, number) for number, part in enumerate(self.store.parts()))

    def map_parts(self, function: Callable[..., T], *columns: Iterable[Any]) -> Iterator[T]:
        return map(function, self.parts(), *columns)

    def size(self, table: str) -> int:
        """About how many bytes all parts of a table take in memory: as many as before."""
        return self.store.size(table)


def amended_part(part: PlanPart, **tables: Any) -> PlanPart:
    """The part with other tables, or functions that make them when they are needed."""
    kept = {name: partial(getattr, part, name) for name in PART_TABLES if name not in tables}
    return PlanPart(**kept, **tables)
