"""The thread that an engine works on, with an event loop and connections of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from campaign.errors import CampaignError
from campaign.sending.engine.delivery import Post
from campaign.sending.engine.engine import Engine, Listener
from campaign.sending.engine.garbage_collection import fewer_collections
from campaign.sending.engine.tally import Snapshot
from campaign.service.account import Account
from campaign.service.gate import Gate
from campaign.service.outcome import Outcome
from campaign.values import replace

if TYPE_CHECKING:  # it brings the network client, which only a run that sends something needs
    from campaign.service.transport import Transport

_COUNT_INTERVAL = 0.1  # seconds between two looks at the engine
_MANY = 100_000  # messages: for fewer, loading the fast loop (25 ms) takes more than it saves (15 us a batch)


def new_event_loop(messages: int) -> asyncio.AbstractEventLoop:
    """The event loop of a run that is to send so many messages: the fast one if they are many."""
    if messages < _MANY:
        return asyncio.new_event_loop()
    try:
        from campaign.service.fast_loop import FastLoop
    except ImportError:  # it is an extra
        return asyncio.new_event_loop()
    return FastLoop()


class EngineThread:
    """Sends with an engine until its end, and then lets go of what the run holds.

    `make_engine` gets what posts a batch and what listens to snapshots. `counts` is the latest snapshot; once
    it has `ended`, nothing changes any more.
    """

    def __init__(self, make_engine: Callable[[Post, Listener], Engine], account: Account, held: ExitStack):
        self._account, self._held = account, held
        self._transport: Transport | None = None
        self._end: Future[None] = Future()
        self.engine = make_engine(self._post, self._listen)
        self.counts: Snapshot = self.engine.snapshot()

    def start(self, name: str, *, connections: int, is_complete: bool) -> None:
        """Begin; if the campaign is complete already, nothing is sent and the end comes at once."""
        self._connections, self._is_complete = connections, is_complete
        self._thread = threading.Thread(target=self._work, name=f"campaign {name}", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        return self._end.done()

    def await_end(self, seconds: float) -> None:
        """Wait for the end, for so many seconds at most."""
        with suppress(TimeoutError):
            self._end.exception(seconds)

    def join(self) -> None:
        """Wait until the thread is gone, too."""
        self._thread.join()

    def raise_failure(self) -> None:
        """Raise what ended the run, if it failed."""
        self._end.result()

    def _work(self) -> None:
        failure: CampaignError | None = None
        try:
            new_loop = partial(new_event_loop, self.counts.waiting)
            with fewer_collections(), asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(self._send())
        except CampaignError as error:
            failure = error
        except Exception as error:  # its frames hold bodies with the password: only the class is shown
            failure = CampaignError("program_error", error=type(error).__name__)
        finally:
            try:
                self._held.close()
            finally:
                self._finish(failure)

    def _finish(self, failure: CampaignError | None) -> None:
        counts = self.engine.snapshot()
        if failure is None:
            self.counts = counts
            self._end.set_result(None)
        else:
            failure.begun = True
            self.counts = replace(counts, status="failed", finding=failure.finding)
            self._end.set_exception(failure)

    async def _send(self) -> None:
        if self._is_complete:
            self.engine.status = "finished"
            return
        from campaign.service.transport import Transport

        async with Transport(self._account, connections=self._connections) as self._transport:
            counting = asyncio.create_task(self._keep_counting())
            try:
                await self.engine.run()
            finally:
                counting.cancel()

    async def _keep_counting(self) -> None:
        """Refresh the counts between the engine's snapshots, which come only when something happens."""
        while True:
            await asyncio.sleep(_COUNT_INTERVAL)
            self.counts = self.engine.snapshot()

    async def _post(self, entries: memoryview, gate: Gate) -> Outcome:
        assert self._transport is not None  # noqa: S101 - the engine runs inside its context
        return await self._transport.post(entries, gate)

    def _listen(self, counts: Snapshot) -> None:
        self.counts = counts
