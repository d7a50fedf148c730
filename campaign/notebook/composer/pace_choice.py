"""How fast a rehearsal goes: a slow one can be watched, paused and stopped."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from campaign.contract import BATCH_LIMIT
from campaign.notebook.composer.fields import Picker

_MINUTE = 60  # seconds that a rehearsal to watch takes at most
USUAL: dict[str, Any] = {"rate": None, "batch_size": 100}  # as fast as possible, so many texts in one request


class PaceChoice(Picker):
    """A list of two: as fast as possible, or slowly. `chosen` is called when a person chooses."""

    def __init__(self, chosen: Callable[[], None]) -> None:
        super().__init__("How fast", "pace", lambda _: chosen())
        self.offer([("As fast as possible", False), ("Slowly enough to watch: up to a minute", True)], False)

    def refill(self, rate: int | None) -> None:
        """Show what was chosen before the page was loaded again."""
        self.offer(self.options, rate is not None)

    def decisions(self, texts: int) -> dict[str, Any]:
        """What was chosen, as arguments of `send` for so many texts."""
        if not self.value:
            return dict(USUAL)
        rate = max(1, ceil(texts / _MINUTE))  # in small requests, so that something happens every second
        return {"rate": rate, "batch_size": min(rate, BATCH_LIMIT)}
