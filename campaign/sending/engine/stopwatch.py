"""How long something has been going on, without the time in which it was stopped."""

from __future__ import annotations

import time


class Stopwatch:
    """Runs from the beginning. To start or stop it again changes nothing."""

    def __init__(self) -> None:
        self._before = 0.0  # seconds until it was stopped last
        self._since: float | None = time.monotonic()  # None while it is stopped

    @property
    def seconds(self) -> float:
        return self._before + (0.0 if self._since is None else time.monotonic() - self._since)

    def start(self) -> None:
        if self._since is None:
            self._since = time.monotonic()

    def stop(self) -> None:
        self._before, self._since = self.seconds, None
