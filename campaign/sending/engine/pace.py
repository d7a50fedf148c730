"""How fast a run may send."""

from __future__ import annotations

from typing import Protocol


class Turns(Protocol):
    """What says when the next batch may go out, at most `rate` messages a second; None for no limit."""

    @property
    def rate(self) -> float | None: ...

    def reserve(self, messages: int, now: float) -> float:
        """Reserve a place for `messages` more, and return in how many seconds they may go out.

        `now` is a reading of the monotonic clock.
        """
        ...


class Pace:
    """At most `rate` messages a second, spread evenly; a pause is never followed by a burst."""

    def __init__(self, rate: float | None) -> None:
        self.rate = rate
        self._free_at = 0.0

    def reserve(self, messages: int, now: float) -> float:
        if self.rate is None:
            return 0.0
        start = max(self._free_at, now)
        self._free_at = start + messages / self.rate
        return start - now
