"""A plan of which some rows get something else: each part is amended when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from campaign.messages.plan_tables.plan_part import PART_TABLES, PartStore, PlanPart, T

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
