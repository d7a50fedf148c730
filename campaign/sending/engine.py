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
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from campaign.errors import CampaignError, LedgerError
from campaign.sending.batches import Batch
from campaign.sending.delivery import Delivery, Post, Record
from campaign.sending.tally import RunStatus, Snapshot, Tally
from campaign.sending.valves import Hold, Pace, Valve
from campaign.service.transport import Outcome

CONNECT_TRIES = 5  # for what provably did not leave
BACKOFF = 0.5  # seconds; doubled at every try, and a random share of it is waited (full jitter)
TELL_EVERY = 0.1  # seconds between two snapshots

_PAUSED = Hold("Paused by hand. Resume to send the rest.", by_hand=True)
_STOPPED = Hold("Stopped by hand. Resume the campaign to send the rest.", final=True, by_hand=True)
_CUT = Hold("Ended at once by hand: what had left without an answer is unknown.", final=True, by_hand=True)

Listener = Callable[[Snapshot], None]


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
        self._ended = False
        self._started = time.monotonic()
        self._told = 0.0
        self._next: Batch | None = None  # looked at, not yet issued
        self._returned: list[Batch] = []  # issued, provably did not leave
        self._due: float | None = None  # the monotonic second at which the pace lets the next batch go
        self._not_before = 0.0  # the service asked us to wait until then
        self._under_way: dict[asyncio.Task[None], Batch] = {}
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._change = asyncio.Event()  # what the loop looks at is different
        self._held = asyncio.Event()  # there is a hold: nobody need wait for another try
        self._ordering = threading.Lock()
        self._orders: list[Callable[[], None]] = []  # given before the loop runs

    # orders, from any thread

    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._order(partial(self._hold, _PAUSED))

    def resume(self) -> None:
        """Go on after a pause, whoever caused it. Does nothing once the run is stopping or has ended."""
        self._order(self._go_on)

    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._order(partial(self._hold, _STOPPED))

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
        except asyncio.CancelledError:
            self._hold(_CUT)
            raise
        except Exception as error:
            self._fail(error)
        finally:
            await self._bring_in()
        if self._failure is not None:
            raise self._failure

    def _is_over(self) -> bool:
        if self._under_way:
            return False
        if self.status == "stopping" or (self.status == "paused" and self._end_when_paused):
            return True
        return self._peek() is None  # nothing is left, so that there is nothing to resume either

    def _may_issue(self) -> bool:
        """Issue the next batch if nothing speaks against it; say whether one was issued."""
        if self.status != "running":
            return False
        # One batch at a time until the first OK, so that a wrong password costs one refusal and not eight.
        limit = self._concurrency if self._tally.accepted_here else 1
        if len(self._under_way) >= limit or (batch := self._peek()) is None:
            return False
        if hold := self._reason_to_hold(batch.messages):
            self._hold(hold)
            return True
        now = time.monotonic()
        if self._due is None:
            self._due = now + self._pace.reserve(batch.messages, now)
        if now < max(self._due, self._not_before):
            return False
        self._issue(batch)
        return True

    async def _wait_for_change(self) -> None:
        if self._due is None or self.status != "running":
            await self._change.wait()
        else:
            await _within(self._change, max(self._due, self._not_before) - time.monotonic())

    def _peek(self) -> Batch | None:
        if self._next is None and self._returned:
            self._next = self._returned.pop(0)
        if self._next is None and self._failure is None:
            try:
                self._next = next(self._batches, None)
            except Exception as error:  # the frozen plan is not what it was; what is under way still finishes
                self._fail(error)
        return self._next

    def _issue(self, batch: Batch) -> None:
        self._next = self._due = None
        self._tally.start(batch.messages)
        task = asyncio.create_task(self._deliver(batch))
        self._under_way[task] = batch
        task.add_done_callback(self._collect)
        self._tell()

    def _collect(self, task: asyncio.Task[None]) -> None:
        batch = self._under_way.pop(task)
        if task.cancelled():  # before its first step: a task that has begun tells what became of its batch
            self._give_back(batch, Outcome("not_sent"))
        elif isinstance(error := task.exception(), Exception):
            self._fail(error)
        self._tell()
        self._change.set()

    async def _bring_in(self) -> None:
        """End what is under way, and keep what it said: no task may outlive the record."""
        for task in self._under_way:
            task.cancel()
        try:
            await asyncio.gather(*self._under_way, return_exceptions=True)
        finally:
            self._record.flush()
        await asyncio.sleep(0)  # for what the last commit has to say
        self._end()

    # one batch

    async def _deliver(self, batch: Batch) -> None:
        """Bring one batch to the service and settle it, or give it back when it provably did not leave."""
        delivery = Delivery(batch, self._record, self._post, self._reason_to_hold, self._may_try_again)
        outcome = await delivery.outcome()
        if outcome.status == "not_sent":
            self._give_back(batch, outcome)
            if outcome.cause in ("gate", "setup") and not delivery.held_back:
                last = Hold(f"Nothing more was sent: {outcome.error.rstrip('.')}.", final=True)
                self._hold(self._reason_to_hold(batch.messages) or last)
        else:
            self._settle(batch, outcome, delivery.seconds)
        if delivery.fault is not None:
            raise delivery.fault

    async def _may_try_again(self, tries: int, outcome: Outcome) -> bool:
        """Nothing left: wait before another try, and say whether there is to be one."""
        self._tally.miss(outcome)
        if tries == CONNECT_TRIES or self._reason_to_hold(0):
            return False
        spread = random.uniform(0, BACKOFF * 2**tries)  # noqa: S311 - spreads load
        return not await _within(self._held, max(spread, self._not_before - time.monotonic()))

    def _settle(self, batch: Batch, outcome: Outcome, seconds: float) -> None:
        """Hand what is known to the ledger; no `await` here or before it.

        Nobody waits for this commit: if the machine dies before it, the batch is found as `sending`: unknown.
        """
        self._tally.settle(batch.messages, outcome)
        if outcome.retry_after is not None:
            self._not_before = time.monotonic() + outcome.retry_after
        self._record.move(
            batch.number, outcome.status, partial(self._check_kept, batch, outcome),
            cost=outcome.cost, code=outcome.code, error=outcome.error, seconds=seconds,
        )  # fmt: skip

    def _check_kept(self, batch: Batch, outcome: Outcome, refused: LedgerError | None) -> None:
        if refused is not None:
            self._tally.doubt(batch.messages, outcome)
            self._fail(refused)

    def _give_back(self, batch: Batch, outcome: Outcome) -> None:
        self._tally.settle(batch.messages, outcome)
        insort(self._returned, batch, key=lambda one: one.number)

    # holding

    def _reason_to_hold(self, messages: int) -> Hold | None:
        if self.hold is not None:
            return self.hold
        now = datetime.now(UTC)
        for valve in self._valves:
            if hold := valve.look(self._tally, messages, now):
                return hold
        return None

    def _hold(self, hold: Hold) -> None:
        """Pause, or stop for good. A stop is never taken back, and the first reason stands."""
        if self._ended or self.status == "stopping" or (self.status == "paused" and not hold.final):
            return
        self.status, self.hold = ("stopping" if hold.final else "paused"), hold
        self._held.set()
        self._tell(at_once=True)
        self._change.set()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        # The text of a foreign error may hold anything, a password included.
        fault = f"The run ended by a fault of this program ({type(error).__name__})."
        self._hold(Hold(str(error) if isinstance(error, CampaignError) else fault, final=True))

    def _go_on(self) -> None:
        if self.status == "paused" and not self._ended:
            self.status, self.hold = "running", None
            self._held.clear()
            self._tally.forgive()
            self._tell(at_once=True)
            self._change.set()

    def _cut(self) -> None:
        self._hold(_CUT)
        for task in self._under_way:
            task.cancel()

    def _end(self) -> None:
        """From here on the status is final, whatever is ordered."""
        self._ended = True
        if self._failure is not None:
            self.status = "failed"
        elif self.status == "stopping":
            self.status = "stopped"
        elif self._peek() is None:
            self.status, self.hold = "finished", None
        self._tell(at_once=True)

    def _tell(self, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._told >= TELL_EVERY:
            self._told = now
            self._listen(self.snapshot())

    def snapshot(self) -> Snapshot:
        """Where the run stands now."""
        sentence = self._tally.remark if self.status == "finished" else ""
        return self._tally.snapshot(self.status, self._started, self.hold.reason if self.hold else sentence)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, at most that long; say whether it came."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
