"""The ledger as the engine sees it: moves that come close together share one commit.

A commit with a sync costs some 200 microseconds of CPU whatever it holds, a move in it about 7. So a move
waits up to two milliseconds for others, which nobody notices beside the latency of a service: with 32 batches
under way, 30 moves share a commit (16 if they wait one millisecond).

The commit runs on the event loop's own thread. A writer thread was measured first: SQLite releases Python's
lock at every statement and gets it back from a busy loop only slowly, so that it cost three times the CPU,
and the requests that wait for their intent to be durable have nothing better to do meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from campaign.errors import LedgerError
from campaign.sending.ledger.ledger import Ledger, Move

WAIT = 0.002  # seconds that a move waits for others at most
MAX_MOVES = 256  # in one commit

Listener = Callable[[LedgerError | None], None]


class GroupCommit:
    """Collects moves and commits them in groups. Belongs to one event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._moves: list[Move] = []
        self._listeners: list[Listener] = []
        self._timer: asyncio.TimerHandle | None = None

    def move(self, batch: int, state: str, listener: Listener, **facts: Any) -> None:
        """Queue a move; `listener` is called with None once it is durable, or with the reason why not."""
        self._moves.append(Move(batch, state, facts))
        self._listeners.append(listener)
        if len(self._moves) >= MAX_MOVES:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WAIT, self.flush)

    def flush(self) -> None:
        """Commit what is queued, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        moves, listeners = self._moves, self._listeners
        self._moves, self._listeners = [], []
        if moves:
            for listener, refusal in zip(listeners, self._ledger.commit(moves), strict=True):
                listener(refusal)
