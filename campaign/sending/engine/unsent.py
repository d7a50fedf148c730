"""The batches of a run that are still to be issued."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator

from campaign.sending.engine.tally import Load


class UnsentBatches:
    """Batches in order; those that were issued and provably did not leave come before new ones."""

    def __init__(self, batches: Iterator[Load]) -> None:
        self._new = batches
        self._returned: list[Load] = []
        self._next: Load | None = None

    def peek(self) -> Load | None:
        """The next batch, which stays here; None if there is none. Raises what the iterator raises."""
        if self._next is None:
            self._next = self._returned.pop(0) if self._returned else next(self._new, None)
        return self._next

    def remove_next(self) -> None:
        """Remove the batch that `peek` returned."""
        self._next = None

    def give_back(self, batch: Load) -> None:
        """Put back a batch that did not leave."""
        insort(self._returned, batch, key=lambda returned: returned.number)
