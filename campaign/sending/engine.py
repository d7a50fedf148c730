"""The one loop where ledger, valves and transport meet.

    batches ──> issue ──> gate: valves, then the ledger says "sending" ──> body leaves ──> outcome ──> ledger

One coroutine issues batches and is the only one that decides; each batch under way is a task that only
delivers. Whatever happens to a task, its batch ends in the ledger as what is known: the settling move is
handed to the ledger's writer in the same breath in which the outcome becomes known, with no `await` between,
so that a cancellation cannot fall between them.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Protocol

from campaign.errors import CampaignError, GateError
from campaign.sending.batches import Batch
from campaign.sending.tally import RunStatus, Snapshot, Tally
from campaign.sending.valves import Hold, Pace, Valve
from campaign.service.transport import Gate, GateClosed, Outcome

CONNECT_TRIES = 5  # for what provably did not leave
BACKOFF = 0.5  # seconds; doubled at every try, and a random share of it is waited (full jitter)
TELL_EVERY = 0.1  # seconds between two snapshots

_STOPPED = Hold("Stopped by hand. Resume the campaign to send the rest.", final=True, by_hand=True)
_CUT = Hold("Ended at once by hand: what had left without an answer is unknown.", final=True, by_hand=True)

Post = Callable[[memoryview, Gate], Awaitable[Outcome]]
Listener = Callable[[Snapshot], None]


class Record(Protocol):
    """What the engine needs of a recorder."""

    def move(self, batch: int, state: str, **facts: Any) -> asyncio.Future[None]: ...

    def flush(self) -> None: ...


class _Intent:
    """What is on record about sending one batch: when it was tried, how often, and the move to `sending`."""

    def __init__(self) -> None:
        self.tries = 0
        self.kept: asyncio.Future[None] | None = None

    @property
    def is_on_record(self) -> bool:
        """Whether the ledger says, or may say, that the batch is leaving."""
        return self.kept is not None and not (self.kept.done() and self.kept.exception() is not None)

    def begin(self) -> None:
        """Another try begins."""
        self.tries += 1
        self.submitted_at, self.started = datetime.now(UTC), time.monotonic()


class Engine:
    """Sends the batches of one campaign.

    `batches` yields those that have not been attempted, `valves` say when to hold, `listen` gets a snapshot
    at most ten times a second, on the engine's own thread. With `end_when_paused` a pause ends the run,
    because nobody is there to resume it. All methods but `run` may be called from any thread.
    """

    def __init__(
        self,
        batches: Iterator[Batch],
        record: Record,
        post: Post,
        *,
        tally: Tally,
        valves: Sequence[Valve],
        pace: Pace,
        concurrency: int,
        listen: Listener,
        end_when_paused: bool,
    ) -> None:
        self._batches, self._record, self._post = batches, record, post
        self._tally, self._valves, self._pace = tally, valves, pace
        self._concurrency, self._listen, self._end_when_paused = concurrency, listen, end_when_paused
        self.status: RunStatus = "running"
        self.hold: Hold | None = None  # why it is not running
        self._started = time.monotonic()
        self._told = 0.0
        self._next: Batch | None = None  # looked at, not yet issued
        self._returned: list[Batch] = []  # issued, provably did not leave
        self._due: float | None = None  # the monotonic second at which the next batch may go out
        self._not_before = 0.0  # the service asked us to wait until then
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._change = asyncio.Event()
        self._ordering = threading.Lock()
        self._orders: list[Callable[[], None]] = []  # given before the loop runs

    # orders, from any thread

    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._order(lambda: self._hold(Hold("Paused by hand. Resume to send the rest.", by_hand=True)))

    def resume(self) -> None:
        """Go on after a pause, whoever caused it. Does nothing once the run is stopping or has ended."""
        self._order(self._go_on)

    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._order(
            lambda: self._hold(Hold("Stopped by hand. Resume the campaign to send the rest.", final=True))
        )

    def cancel(self) -> None:
        """End now: what has left without an answer becomes unknown."""
        self._order(self._cut)

    def _order(self, action: Callable[[], None]) -> None:
        with self._ordering:
            if self._loop is None:
                self._orders.append(action)
                return
        with suppress(RuntimeError):  # the loop is closed: the run has ended, and ends are final
            self._loop.call_soon_threadsafe(action)

    # the loop

    async def run(self) -> None:
        """Send until nothing is left, a person stops it, or a valve does: see `status` and `hold`."""
        with self._ordering:
            self._loop = asyncio.get_running_loop()
        for action in self._orders:
            action()
        try:
            while not self._is_over():
                self._change.clear()
                if not self._may_issue():
                    await self._wait_for_change()
            self._end()
        finally:  # cancelled from outside, or our own failure: no task may outlive the record
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._record.flush()
            await asyncio.sleep(0)  # for what the last commit has to say
            self._tell(at_once=True)
        if self._failure is not None:
            raise self._failure

    def _is_over(self) -> bool:
        if self._tasks:
            return False
        if self.status == "stopping" or (self.status == "paused" and self._end_when_paused):
            return True
        return self.status == "running" and self._peek() is None

    def _may_issue(self) -> bool:
        """Issue the next batch if nothing speaks against it; say whether one was issued."""
        if self.status != "running":
            return False
        # One batch at a time until the first OK, so that a wrong password costs one refusal and not eight.
        limit = self._concurrency if self._tally.accepted_here else 1
        if len(self._tasks) >= limit or (batch := self._peek()) is None:
            return False
        if hold := self._reason_to_hold(batch.messages):
            self._hold(hold)
            return True
        if self._due is None:
            now = time.monotonic()
            self._due = max(now + self._pace.reserve(batch.messages, now), self._not_before)
        if time.monotonic() < self._due:
            return False
        self._issue(batch)
        return True

    async def _wait_for_change(self) -> None:
        wait = None
        if self._due is not None and self.status == "running":
            wait = max(0.0, self._due - time.monotonic())
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._change.wait()

    def _peek(self) -> Batch | None:
        if self._next is None and self._returned:
            self._next = self._returned.pop(0)
        if self._next is None and self._failure is None:
            try:
                self._next = next(self._batches, None)
            except CampaignError as error:  # the frozen plan is not what it was
                self._fail(error)
        return self._next

    def _issue(self, batch: Batch) -> None:
        self._next = self._due = None
        self._tally.start(batch.messages)
        task = asyncio.create_task(self._deliver(batch))
        self._tasks.add(task)
        task.add_done_callback(self._collect)
        self._tell()

    def _collect(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._fail(error)
        self._tell()
        self._change.set()

    # one batch

    async def _deliver(self, batch: Batch) -> None:
        """Bring one batch to the service and settle it, or give it back when it provably did not leave."""
        intent = _Intent()
        try:
            outcome = await self._try(batch, intent)
        except asyncio.CancelledError:
            self._close(batch, Outcome("not_sent", error="the run was ended before an answer came"), intent)
            raise
        self._close(batch, outcome, intent)
        if outcome.cause == "impossible":
            raise GateError(f"Batch {batch.number}: {outcome.error}. The answer cannot be trusted.")

    async def _try(self, batch: Batch, intent: _Intent) -> Outcome:
        """Post a batch, again while nothing of it left. Nothing is awaited between answer and return."""

        async def gate() -> None:
            if hold := self._reason_to_hold(0):
                raise GateClosed(hold.reason)
            if intent.kept is None:  # a connection may break while its intent is being recorded
                moment = intent.submitted_at.isoformat(timespec="milliseconds")
                intent.kept = self._record.move(
                    batch.number, "sending", attempts=intent.tries, submitted_at=moment
                )
            # Shielded: a commit that has been asked for happens, whatever becomes of the connection.
            await asyncio.shield(intent.kept)

        while True:
            intent.begin()
            outcome = await self._post(batch.entries, gate)
            if outcome.cause != "connect":
                return outcome
            self._tally.miss(outcome)
            if intent.tries == CONNECT_TRIES or self._reason_to_hold(0):
                return outcome
            await asyncio.sleep(random.uniform(0, BACKOFF * 2**intent.tries))  # noqa: S311 - spreads load

    def _close(self, batch: Batch, outcome: Outcome, intent: _Intent) -> None:
        """Settle a batch as what is known, or give it back. What is on record as leaving may have left."""
        if outcome.status == "not_sent" and not intent.is_on_record:
            self._give_back(batch, outcome)
        elif outcome.status == "not_sent":
            self._settle(batch, Outcome("unknown", error=outcome.error), intent)
        else:
            self._settle(batch, outcome, intent)

    def _settle(self, batch: Batch, outcome: Outcome, intent: _Intent) -> None:
        """Hand what is known to the ledger; no `await` here or before it.

        Nobody waits for this commit: if the machine dies before it, the batch is found as `sending`: unknown.
        """
        kept = self._record.move(
            batch.number, outcome.status, cost=outcome.cost, code=outcome.code, error=outcome.error,
            seconds=round(time.monotonic() - intent.started, 3),
        )  # fmt: skip
        self._tally.settle(batch.messages, outcome)
        if outcome.retry_after is not None:
            self._not_before = time.monotonic() + outcome.retry_after
        kept.add_done_callback(self._check_kept)

    def _check_kept(self, kept: asyncio.Future[None]) -> None:
        if not kept.cancelled() and isinstance(error := kept.exception(), Exception):
            self._fail(error)

    def _give_back(self, batch: Batch, outcome: Outcome) -> None:
        self._tally.settle(batch.messages, outcome)
        self._returned.append(batch)
        self._returned.sort(key=lambda one: one.number)
        if outcome.cause in ("gate", "setup") and self.status == "running":
            reason = self._reason_to_hold(batch.messages) or Hold(
                f"Nothing more was sent: {outcome.error}.", final=True
            )
            self._hold(reason)

    # holding

    def _reason_to_hold(self, messages: int) -> Hold | None:
        if self.hold is not None:
            return self.hold
        now = datetime.now(UTC)
        return next(
            (hold for valve in self._valves if (hold := valve.look(self._tally, messages, now))), None
        )

    def _hold(self, hold: Hold) -> None:
        """Pause, or stop for good. A stop is never taken back, and the first reason stands."""
        if self.status == "stopping" or (self.status == "paused" and not hold.final):
            return
        self.status, self.hold = ("stopping" if hold.final else "paused"), hold
        self._tell(at_once=True)
        self._change.set()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._hold(Hold(str(error), final=True))

    def _go_on(self) -> None:
        if self.status == "paused":
            self.status, self.hold = "running", None
            self._tally.forgive()
            self._tell(at_once=True)
            self._change.set()

    def _cut(self) -> None:
        self._hold(_CUT)
        for task in self._tasks:
            task.cancel()

    def _end(self) -> None:
        if self._failure is not None:
            self.status = "failed"
        elif self.status == "stopping":
            self.status = "stopped"
        elif self.status == "running":
            self.status = "finished"

    def _tell(self, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._told >= TELL_EVERY:
            self._told = now
            self._listen(self.snapshot())

    def snapshot(self) -> Snapshot:
        """Where the run stands now."""
        return self._tally.snapshot(self.status, self._started, self.hold.reason if self.hold else "")
