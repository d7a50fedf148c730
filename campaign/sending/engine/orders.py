"""Orders that any thread may give to a run, and that its event loop carries out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

Order = Callable[[], None]


class Orders:
    """The orders of one run, carried out one after another on its event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._early: list[Order] = []  # given before the loop runs
        self._loop: asyncio.AbstractEventLoop | None = None
        self.open = 0  # given, but not carried out yet

    def give(self, order: Order) -> None:
        """Have an order carried out; it does nothing once the loop is closed."""
        with self._lock:
            self.open += 1  # in the caller's thread, so that it counts as soon as it is given
            if self._loop is None:
                self._early.append(order)
                return
        with suppress(RuntimeError):  # the loop is closed: the run has ended, and ends are final
            self._loop.call_soon_threadsafe(self._carry_out, order)

    def begin(self) -> None:
        """Carry out what was given early; from here on, the loop that runs now carries out each order."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
        for order in self._early:
            self._carry_out(order)

    def _carry_out(self, order: Order) -> None:
        order()
        with self._lock:
            self.open -= 1
