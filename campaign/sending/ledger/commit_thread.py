"""The thread on which commits wait for the disk, while the event loop sees to other requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue

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
