"""The ledger as the engine sees it: moves that come close together share one commit.

A commit with a sync costs some 200 microseconds of CPU whatever it holds, a move in it about 7. Moves wait
up to two milliseconds for company, which nobody notices beside the latency of a service: with 32 batches
under way, 30 moves then share a commit, with one millisecond 16.

The commit runs on the event loop's own thread. A writer thread was measured first: SQLite lets go of
Python's lock at every statement and wins it back from a busy loop only slowly, so that it cost three times
the CPU, and the requests that wait for their intent to be durable cannot do anything better meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from campaign.errors import LedgerError
from campaign.sending.ledger.ledger import Ledger, Move

LINGER = 0.002
GROUP = 256  # moves in one commit at most

Told = Callable[[LedgerError | None], None]


class Recorder:
    """Gathers moves and commits them in groups. Used on one event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._moves: list[Move] = []
        self._listeners: list[Told] = []
        self._timer: asyncio.TimerHandle | None = None

    def move(self, batch: int, state: str, told: Told, **facts: Any) -> None:
        """Queue a move; `told` hears None once it is durable, or why it cannot be."""
        self._moves.append(Move(batch, state, facts))
        self._listeners.append(told)
        if len(self._moves) >= GROUP:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER, self.flush)

    def flush(self) -> None:
        """Commit what is queued, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        moves, listeners = self._moves, self._listeners
        self._moves, self._listeners = [], []
        if moves:
            for told, refused in zip(listeners, self._ledger.commit(moves), strict=True):
                told(refused)
