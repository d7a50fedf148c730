"""Waiting for the thread of a run: until it ends or a person has to decide, or Ctrl-C stops it."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from campaign.log import log
from campaign.sending.engine.engine_thread import EngineThread
from campaign.sending.waiting.terminal import noted_signals

Bar = Callable[[], AbstractContextManager[Callable[[], None]]]  # yields what draws it anew


_STOPPING = "Stopping: requests under way finish first. Press Ctrl-C again to end at once."
_TICK = 0.1  # seconds between two looks at a run, so that signals are noticed on every system


class Waiting:
    """How somebody waits for a run, whose thread this is, and ends it when the program is asked to end."""

    def __init__(self, thread: EngineThread) -> None:
        self._thread = thread
        self._blocked = 0

    @property
    def blocks_main_thread(self) -> bool:
        """Whether somebody waits on the main thread, so that it can do nothing else."""
        return self._blocked > 0

    @property
    def is_held_by_valve(self) -> bool:
        """Whether the run is paused, but not by a person, and nothing is under way."""
        engine = self._thread.engine
        return (
            not self._thread.ended and engine.at_rest and engine.hold is not None and not engine.hold.by_hand
        )

    def until_settled(self, timeout: float | None, bar: Bar) -> int:
        """Wait until nothing more comes by itself, or for so many seconds; a person's own pause counts.

        A signal that asks the program to end stops the run cleanly. The result is its number, 0 for none.
        """
        until = None if timeout is None else time.monotonic() + timeout
        with noted_signals() as noted, self._counted():
            try:
                with bar() as draw:
                    while not (
                        noted or self._is_settled or (until is not None and time.monotonic() >= until)
                    ):
                        self._thread.await_end(_TICK)
                        draw()
            except KeyboardInterrupt:  # from a handler that the program set for itself
                noted.append(signal.SIGINT)
            if noted:
                self._see_to_the_end(noted, heard=1)
        return noted[0] if noted else 0

    async def until_ended(self, bar: Bar) -> int:
        """The same on an event loop, without a timeout: a person's own pause is waited out.

        A cancellation stops the run cleanly, and a second one ends it at once.
        """
        with noted_signals() as noted, bar() as draw:
            try:
                while not (noted or self._thread.ended or self.is_held_by_valve):
                    await asyncio.sleep(_TICK)
                    draw()
            except asyncio.CancelledError:
                await self._stopped(noted)
                raise
            if noted:
                await self._stopped(noted)
        return noted[0] if noted else 0

    def until_gone(self) -> None:
        """Stop the run cleanly, and wait until its thread is gone: the interpreter ends."""
        with noted_signals() as noted:
            self._see_to_the_end(noted, heard=0)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        blocks = threading.current_thread() is threading.main_thread()
        self._blocked += blocks
        try:
            yield
        finally:
            self._blocked -= blocks

    @property
    def _is_settled(self) -> bool:
        """Whether nothing more comes by itself."""
        return self._thread.ended or self._thread.engine.at_rest

    def _see_to_the_end(self, noted: list[int], heard: int) -> None:
        """Stop cleanly and wait for the end; at once when a signal is noted beyond those `heard` before."""
        log.warning(_STOPPING)
        self._thread.engine.stop()
        while not self._thread.ended:
            try:
                if len(noted) > heard:
                    heard = len(noted)
                    self._thread.engine.cancel()
                self._thread.await_end(_TICK)
            except KeyboardInterrupt:
                noted.append(signal.SIGINT)
        self._thread.join()

    async def _stopped(self, noted: list[int]) -> None:
        """The same on an event loop; at once also when this is cancelled again."""
        log.warning(_STOPPING)
        self._thread.engine.stop()
        while not self._thread.ended:
            try:
                if len(noted) > 1:
                    self._thread.engine.cancel()
                await asyncio.sleep(_TICK)
            except asyncio.CancelledError:
                self._thread.engine.cancel()
        self._thread.join()
