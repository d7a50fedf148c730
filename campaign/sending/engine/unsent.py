"""The batches of a single run that are still to be issued."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator

from campaign.sending.engine.hold import Hold
from campaign.sending.engine.supply import Judge
from campaign.sending.engine.tally import Load


class UnsentBatches:
    """Batches in order; those that were issued and provably did not leave come before new ones."""

    look_again = None

    def __init__(self, batches: Iterator[Load]) -> None:
        self._new = batches
        self._returned: list[Load] = []
        self._next: Load | None = None

    @property
    def is_empty(self) -> bool:
        return self._peek() is None

    def keep_up(self) -> None:
        """Nobody else sends this campaign."""

    def next(self, judge: Judge) -> Load | Hold | None:
        batch = self._peek()
        return None if batch is None else judge(batch, None) or batch

    def remove_next(self) -> None:
        self._next = None

    def give_back(self, batch: Load) -> None:
        insort(self._returned, batch, key=lambda returned: returned.number)

    def hold_all(self, hold: Hold) -> None:
        """Nobody else sends this campaign."""

    def _peek(self) -> Load | None:
        if self._next is None:
            self._next = self._returned.pop(0) if self._returned else next(self._new, None)
        return self._next
