"""How long an exchange may take, with one timer for all exchanges.

aiohttp would set two timers for each request and cancel both, which costs 5 microseconds of CPU; this costs
one.
"""

from __future__ import annotations

import asyncio

from campaign.service.gated_body import GatedBody


class Exchange:
    """One request and its answer, under way in the current task."""

    __slots__ = ("_body", "_cancelled_before", "_task", "_timed_out", "began")

    def __init__(self, body: GatedBody) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("an exchange takes place in a task")
        self._body, self._task, self._cancelled_before = body, task, task.cancelling()
        self._timed_out = False
        self.began = asyncio.get_running_loop().time()

    @property
    def is_connected(self) -> bool:
        """Whether there is, or was, a connection that the body could leave through."""
        return self._body.asked

    def time_out(self) -> None:
        """End it: its task is cancelled."""
        self._timed_out = True
        self._task.cancel()

    def take_back(self) -> bool:
        """Whether the task was cancelled because of the time and for no other reason; then it may go on."""
        if not self._timed_out:
            return False
        self._timed_out = False
        return self._task.uncancel() <= self._cancelled_before


class Patience:
    """Ends exchanges that have no connection after `connecting` seconds, or no answer after `whole`.

    There are as many exchanges at a time as connections, so all of them are looked at whenever one is due.
    """

    def __init__(self, connecting: float, whole: float) -> None:
        self.connecting, self.whole = min(connecting, whole), whole
        self._under_way: set[Exchange] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, exchange: Exchange) -> None:
        """See to it that this exchange ends in time."""
        self._under_way.add(exchange)
        if self._timer is None:
            self._look_at(exchange.began + self.connecting)

    def end(self, exchange: Exchange) -> None:
        """It has ended."""
        self._under_way.discard(exchange)
        exchange.take_back()

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_at(self, when: float) -> None:
        self._timer = asyncio.get_running_loop().call_at(when, self._look)

    def _look(self) -> None:
        self._timer, now = None, asyncio.get_running_loop().time()
        next_due = now + self.connecting  # of one that begins now
        for exchange in list(self._under_way):
            due = exchange.began + (self.whole if exchange.is_connected else self.connecting)
            if due > now:
                next_due = min(next_due, due)
            else:
                self._under_way.discard(exchange)
                exchange.time_out()
        if self._under_way:
            self._look_at(next_due)
