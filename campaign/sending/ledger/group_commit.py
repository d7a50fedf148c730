"""The ledger as the engine sees it: moves that come close together share one commit.

A commit with a sync costs some 200 microseconds of CPU whatever it holds, a move in it about 7. So a commit
begins six milliseconds after the one before it at the earliest: where little is under way, an intent waits
for nothing, and with 32 batches under way on one machine, 25 moves share a commit.

A body waits for its intent, and nothing waits for an outcome. So an outcome is committed with the next
intent, or six milliseconds later: a commit of its own would keep an intent waiting that comes soon after.

The moves are applied on the event loop's own thread: SQLite releases Python's lock at every statement and
gets it back from a busy loop only slowly, so that a writer thread cost three times the CPU. Only the last
statement runs on a thread, because it waits for the disk (0.3 to 10 milliseconds), and the loop has other
requests to see to meanwhile.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

from campaign.errors import LedgerError
from campaign.sending.ledger.ledger import Answers, Ledger, Move

INTERVAL = 0.006  # seconds from the beginning of a commit to that of the next, unless one is full
MAX_MOVES = 256  # in one commit
LOOK = 1.0  # seconds between two looks at a thread that may have been killed

Listener = Callable[[LedgerError | None], None]


class SharedCommit:
    """Moves that share a commit, and who is told what became of each."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.due = math.inf  # when it should begin, by the clock of the loop
        self._listeners: list[Listener] = []
        self._answers: Answers = []

    def add(self, move: Move, listener: Listener, due: float) -> None:
        self.moves.append(move)
        self._listeners.append(listener)
        self.due = min(self.due, due)

    def end(self, commit: Callable[[], Answers]) -> None:
        """Finish the commit that was started for these moves, on any thread, which goes on after errors."""
        try:
            self._answers = commit()
        except Exception as error:  # an error in this program: nothing leaves on the strength of it
            self._answers = self._refused(LedgerError("program_error", error=type(error).__name__))

    @property
    def is_over(self) -> bool:
        """Whether the commit came to an end."""
        return bool(self._answers)

    def tell(self) -> None:
        """Tell everybody what became of the commit; nobody works on it any more."""
        answers = self._answers or self._refused(
            LedgerError("ledger_unwritable", reason="its thread was killed")
        )
        for listener, answer in zip(self._listeners, answers, strict=True):
            listener(answer)

    def _refused(self, why: LedgerError) -> Answers:
        return [why] * len(self.moves)


class GroupCommit:
    """Collects moves and commits them in groups. Belongs to one event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queued = SharedCommit()
        self._under_way: SharedCommit | None = None  # its commit was started, and has not been told
        self._timer: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None  # at whether the thread is still there
        self._timer_due = 0.0  # a handle of uvloop does not always tell it
        self._earliest = 0.0  # when the next commit may begin, by the clock of the loop
        self._thread = CommitThread()

    def move(self, batch: int, state: str, listener: Listener, **facts: Any) -> None:
        """Queue a move; `listener` is called with None once it is durable, or with the reason why not."""
        now = asyncio.get_running_loop().time()
        self._queued.add(Move(batch, state, facts), listener, now if state == "sending" else now + INTERVAL)
        if len(self._queued.moves) >= MAX_MOVES:
            self.flush()
        else:
            self._schedule()

    def flush(self) -> None:
        """Commit what is queued, now; whatever was queued is durable, and its listeners know, on return."""
        self._thread.end()
        self._tell()
        if group := self._take():
            group.end(self._ledger.start_commit(group.moves))
            group.tell()

    def _schedule(self) -> None:
        """Commit what is queued when it is due, unless a commit is under way: its end comes back here."""
        if self._under_way is not None or not self._queued.moves:
            return
        due = max(self._earliest, self._queued.due)
        if self._timer is not None:
            if self._timer_due <= due:
                return
            self._timer.cancel()
        self._timer_due = due
        self._timer = asyncio.get_running_loop().call_at(due, self._commit)

    def _commit(self) -> None:
        self._earliest = asyncio.get_running_loop().time() + INTERVAL
        if group := self._take():
            self._under_way = group
            rest = self._ledger.start_commit(group.moves)
            try:
                self._thread.do(partial(group.end, rest), partial(self._follow, group))
            except RuntimeError:  # the interpreter is ending, and no thread begins any more
                group.end(rest)
                self._follow(group)
            else:
                self._look_later()

    def _look_later(self) -> None:
        """Look after the thread while a commit is under way: if it is killed, nobody else would tell."""
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK, self._look_at_thread)

    def _look_at_thread(self) -> None:
        self._look = None
        if self._under_way is not None and self._thread.is_alive:
            self._look_later()
        elif self._under_way is not None:
            self._follow(self._under_way)

    def _follow(self, group: SharedCommit) -> None:
        """Go on after the commit of a group, once: a thread may be killed when it has done its job."""
        if self._under_way is group:
            self._tell()
            self._schedule()

    def _tell(self) -> None:
        group, self._under_way = self._under_way, None
        if group is not None:
            if not group.is_over:
                self._ledger.roll_back()
                self._thread = CommitThread()  # the old one may take a moment to die, and a job with it
            group.tell()

    def _take(self) -> SharedCommit | None:
        """What is queued, None if there is nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        group, self._queued = self._queued, SharedCommit()
        return group if group.moves else None


Jobs = SimpleQueue[tuple[Callable[[], None], Callable[[], None]] | None]


class CommitThread:
    """Does what an event loop hands over, in order; started by the first of it.

    An executor would do, but its futures and their locks took 5% of the CPU of a batch.
    """

    def __init__(self) -> None:
        self._jobs: Jobs = SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, job: Callable[[], None], then: Callable[[], None]) -> None:
        """Do a job on the thread, and call `then` on the running event loop.

        Raises `RuntimeError` where no thread can begin any more, because the interpreter is ending.
        """
        if not self.is_alive:
            self._jobs = SimpleQueue()  # of one that was killed, what it had not begun was given up
            loop = asyncio.get_running_loop()
            thread = threading.Thread(
                target=_work, args=(self._jobs, loop), name="campaign commits", daemon=True
            )
            thread.start()
            self._thread = thread
        self._jobs.put((job, then))

    @property
    def is_alive(self) -> bool:
        """Whether there is a thread, and nothing has killed it."""
        return self._thread is not None and self._thread.is_alive()

    def end(self) -> None:
        """Wait until everything is done and the thread is gone; the next job starts another."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None


def _work(jobs: Jobs, loop: asyncio.AbstractEventLoop) -> None:
    while (handed_over := jobs.get()) is not None:
        job, then = handed_over
        try:
            job()
        finally:
            loop.call_soon_threadsafe(then)
