"""The ledger as the engine sees it: moves that come close together share one commit.

A commit with a sync costs some 200 microseconds whatever it holds. Moves wait up to a millisecond for
company, which nobody notices beside the latency of a service.

The commit runs on the event loop's own thread. A writer thread was measured first: SQLite lets go of
Python's lock at every statement and wins it back from a busy loop only slowly, so that it cost three times
the CPU, and the requests that wait for their intent to be durable cannot do anything better meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import Any

from campaign.sending.ledger import Ledger, Move

LINGER = 0.001  # seconds that a move waits for company
GROUP = 256  # moves in one commit at most


class Recorder:
    """Gathers moves and commits them in groups. Used on one event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._moves: list[Move] = []
        self._kept: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def move(self, batch: int, state: str, **facts: Any) -> asyncio.Future[None]:
        """Queue a move; the future is done when it is durable, or fails with `LedgerError`."""
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[None] = loop.create_future()
        self._moves.append(Move(batch, state, facts))
        self._kept.append(kept)
        if len(self._moves) >= GROUP:
            self.flush()
        elif self._timer is None:
            self._timer = loop.call_later(LINGER, self.flush)
        return kept

    def flush(self) -> None:
        """Commit what is queued, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        moves, kept = self._moves, self._kept
        self._moves, self._kept = [], []
        if not moves:
            return
        for future, refused in zip(kept, self._ledger.commit(moves), strict=True):
            if future.done():  # cancelled: nobody waits for it, the move is kept all the same
                continue
            if refused is None:
                future.set_result(None)
            else:
                future.set_exception(refused)
