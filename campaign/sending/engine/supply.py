"""Where the engine gets its batches from: those of a single run, or what one of several workers has
claimed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from campaign.sending.engine.hold import Hold
from campaign.sending.engine.tally import Load, Size, Tally

# Why a batch must not be issued, by a tally that is to come or by that of now; None if it may be.
Judge = Callable[[Size, Tally | None], Hold | None]


class Supply(Protocol):
    """Batches that are to be issued, in order."""

    @property
    def look_again(self) -> float | None:
        """In how many seconds something may have changed although nothing was heard; None for never."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left, now and later. Raises what `next` raises."""
        ...

    def keep_up(self) -> None:
        """Hear what others have done meanwhile. Called at every turn of the engine's loop."""
        ...

    def next(self, judge: Judge) -> Load | Hold | None:
        """The next batch, which stays here; or why it must not be issued; or None if there is none now."""
        ...

    def remove_next(self) -> None:
        """Remove the batch that `next` returned: it is being issued."""
        ...

    def give_back(self, batch: Load) -> None:
        """Put back a batch that did not leave."""
        ...

    def hold_all(self, hold: Hold) -> None:
        """A valve holds this run: whoever sends the same campaign holds, too."""
        ...
