"""The one loop where ledger, valves and transport meet.

    batches ──> issue ──> gate: valves, then the ledger says "sending" ──> body leaves ──> outcome ──> ledger

One coroutine makes all decisions and issues the batches; each batch under way is a task that only delivers
it. Whatever happens to a task, the ledger ends up with what is known about its batch: between learning an
outcome and queueing it for the ledger there is no `await`, so that no cancellation can fall between the two.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from campaign.errors import CampaignError, LedgerError
from campaign.sending.engine.delivery import Delivery, Post, Record
from campaign.sending.engine.hold import CUT, PAUSED, STOPPED, Hold
from campaign.sending.engine.orders import Orders
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.speed import Speed
from campaign.sending.engine.tally import Load, RunStatus, Snapshot, Tally
from campaign.sending.engine.unsent import UnsentBatches
from campaign.sending.engine.valves import Valve
from campaign.service.outcome import Outcome
from campaign.text import without_error_class

CONNECT_TRIES = 5  # for a batch that provably did not leave
BACKOFF = 0.5  # seconds; doubled at every try, and a random share of it is waited (full jitter)
SNAPSHOT_INTERVAL = 0.1  # seconds

Listener = Callable[[Snapshot], None]


class Engine:
    """Sends the batches of one campaign.

    `batches` yields those that have not been attempted, and `valves` say when to hold. `listen` gets a
    snapshot about ten times a second, on the engine's own thread. With `end_when_paused` a pause ends the
    run, because nobody is there to resume it. All methods except `run` may be called from any thread.
    """

    def __init__(
        self,
        batches: Iterator[Load],
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
        self._unsent, self._record, self._post = UnsentBatches(batches), record, post
        self._tally, self._valves, self._pace = tally, valves, pace
        self._concurrency, self._listen, self._end_when_paused = concurrency, listen, end_when_paused
        self.status: RunStatus = "running"
        self.hold: Hold | None = None  # why the run is not running
        self._ended = False
        self._started = time.monotonic()
        self._speed = Speed()
        self._last_snapshot = 0.0
        # Both are readings of the monotonic clock.
        self._due: float | None = None  # when the pace lets the next batch go
        self._not_before = 0.0  # until when the service asked us to wait (Retry-After)
        self._under_way: dict[asyncio.Task[None], Load] = {}
        self._failure: Exception | None = None
        self._change = asyncio.Event()  # something happened that the loop has to look at
        self._held = asyncio.Event()  # set while there is a hold: no use waiting for another try
        self._orders = Orders()
        self._all_recorded = False  # paused, nothing under way, and the ledger knows every answer

    # orders, from any thread

    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._orders.give(partial(self._hold, PAUSED))

    def resume(self) -> None:
        """Go on after a pause, whoever caused it. Does nothing once the run is stopping or has ended."""
        self._orders.give(self._go_on)

    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._orders.give(partial(self._hold, STOPPED))

    def cancel(self) -> None:
        """End now: what has left without an answer becomes unknown."""
        self._orders.give(self._cut)

    @property
    def at_rest(self) -> bool:
        """Whether the run is paused and nothing moves: no batch is under way, every answer is in the ledger,
        and no order is on its way that could change that."""
        return self.status == "paused" and self._all_recorded and not self._orders.open

    # the loop

    async def run(self) -> None:
        """Send until nothing is left, or until a person or a valve stops the run: see `status`, `hold`."""
        self._orders.begin()
        try:
            while not self._is_over():
                self._change.clear()
                if not self._may_issue():
                    self._come_to_rest()
                    await self._wait_for_change()
        except asyncio.CancelledError:
            self._hold(CUT)
            raise
        except Exception as error:
            self._fail(error)
        finally:
            await self._finish_under_way()
        if self._failure is not None:
            raise self._failure

    def _is_over(self) -> bool:
        if self._under_way:
            return False
        if self.status == "stopping" or (self.status == "paused" and self._end_when_paused):
            return True
        return self._peek() is None  # nothing is left: nothing to resume, either

    def _may_issue(self) -> bool:
        """Issue the next batch unless something is against it; say whether to look again at once."""
        if self.status != "running":
            return False
        # One batch at a time until the first OK, so that a wrong password costs one refusal and not eight.
        limit = self._concurrency if self._tally.accepted_here else 1
        if len(self._under_way) >= limit or (batch := self._peek()) is None:
            return False
        if hold := self._reason_to_hold(batch):
            if hold.patient and self._under_way:
                self._due = None  # its place in the pace is given up
                return False
            self._hold(hold)
            return True
        now = time.monotonic()
        if self._due is None:
            self._due = now + self._pace.reserve(batch.messages, now)
        if now < max(self._due, self._not_before):
            return False
        self._issue(batch)
        return True

    def _come_to_rest(self) -> None:
        """Write down what came back before the pause, so that the ledger says what the counts say."""
        if self.status != "paused" or self._under_way or self._all_recorded:
            return
        self._record.flush()  # may end the run: then the status is "stopping"
        if self.status == "paused":
            self._publish(at_once=True)
            self._all_recorded = True

    async def _wait_for_change(self) -> None:
        if self._due is None or self.status != "running":
            await self._change.wait()
        else:
            await _within(self._change, max(self._due, self._not_before) - time.monotonic())

    def _peek(self) -> Load | None:
        if self._failure is not None:
            return None
        try:
            return self._unsent.peek()
        except Exception as error:  # the frozen plan was changed; what is under way still finishes
            self._fail(error)
            return None

    def _issue(self, batch: Load) -> None:
        self._unsent.remove_next()
        self._due = None
        self._tally.start(batch)
        task = asyncio.create_task(self._deliver(batch))
        self._under_way[task] = batch
        task.add_done_callback(self._collect)
        self._publish()

    def _collect(self, task: asyncio.Task[None]) -> None:
        batch = self._under_way.pop(task)
        if task.cancelled():  # before its first step: once begun, a task always settles its batch
            self._give_back(batch, Outcome("not_sent"))
        elif isinstance(error := task.exception(), Exception):
            self._fail(error)
        self._publish()
        self._change.set()

    async def _finish_under_way(self) -> None:
        """End what is under way and record what came of it: no task may outlive the record."""
        for task in self._under_way:
            task.cancel()
        try:
            await asyncio.gather(*self._under_way, return_exceptions=True)
        finally:
            self._record.flush()
        await asyncio.sleep(0)  # lets the tasks that waited for this commit, and their callbacks, run
        self._end()

    # one batch

    async def _deliver(self, batch: Load) -> None:
        """Bring one batch to the service and settle it, or give it back when it provably did not leave."""
        delivery = Delivery(batch, self._record, self._post, self._reason_to_hold, self._may_retry)
        outcome = await delivery.outcome()
        if outcome.status == "not_sent":
            self._give_back(batch, outcome)
            if outcome.cause in ("gate", "setup") and not delivery.held_back:
                last = Hold(f"Nothing more was sent: {_plain(outcome)}.", final=True)
                self._hold(self._reason_to_hold() or last)
        else:
            self._settle(batch, outcome, delivery.seconds)
        if delivery.fault is not None:
            raise delivery.fault

    async def _may_retry(self, tries: int, outcome: Outcome) -> bool:
        """Nothing of the batch left: wait before another try, and say whether there is to be one."""
        self._tally.miss(outcome)
        if tries == CONNECT_TRIES or self._reason_to_hold():
            return False
        backoff = random.uniform(0, BACKOFF * 2**tries)  # noqa: S311 - spreads load
        return not await _within(self._held, max(backoff, self._not_before - time.monotonic()))

    def _settle(self, batch: Load, outcome: Outcome, seconds: float) -> None:
        """Queue the outcome for the ledger, with no `await` since it became known.

        Nothing waits for this commit: if the machine dies before it, the ledger says `sending`, so unknown.
        """
        self._tally.settle(batch, outcome)
        if outcome.retry_after is not None:
            self._not_before = time.monotonic() + outcome.retry_after
        self._record.move(
            batch.number, outcome.status, partial(self._on_recorded, batch, outcome),
            cost=outcome.cost, code=outcome.code, error=outcome.error, seconds=seconds,
        )  # fmt: skip

    def _on_recorded(self, batch: Load, outcome: Outcome, refusal: LedgerError | None) -> None:
        if refusal is not None:
            self._tally.doubt(batch, outcome)
            self._fail(refusal)

    def _give_back(self, batch: Load, outcome: Outcome) -> None:
        self._tally.settle(batch, outcome)
        self._unsent.give_back(batch)

    # holding

    def _reason_to_hold(self, batch: Load | None = None) -> Hold | None:
        """Why `batch` must not be issued, or without one why those under way must not leave."""
        if self.hold is not None:
            return self.hold
        now = datetime.now(UTC)
        for valve in self._valves:
            if hold := valve.look(self._tally, batch, now):
                return hold
        return None

    def _hold(self, hold: Hold) -> None:
        """Pause, or stop for good. A stop is never undone, and the first reason stays."""
        if self._ended or self.status == "stopping" or (self.status == "paused" and not hold.final):
            return
        self.status, self.hold = ("stopping" if hold.final else "paused"), hold
        self._held.set()
        self._publish(at_once=True)
        self._change.set()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        # The text of a foreign error may hold anything, a password included.
        bug = f"The run ended because of an error in this program ({type(error).__name__})."
        self._hold(Hold(str(error) if isinstance(error, CampaignError) else bug, final=True))

    def _go_on(self) -> None:
        if self.status == "paused" and not self._ended:
            self.status, self.hold = "running", None
            self._all_recorded = False
            self._held.clear()
            self._tally.forgive()
            self._publish(at_once=True)
            self._change.set()

    def _cut(self) -> None:
        self._hold(CUT)
        for task in self._under_way:
            task.cancel()

    def _end(self) -> None:
        """Make the status final: no order changes it from here on."""
        self._ended = True
        if self._failure is not None:
            self.status = "failed"
        elif self.status == "stopping":
            self.status = "stopped"
        elif self._peek() is None:
            self.status, self.hold = "finished", None
        self._publish(at_once=True)

    def _publish(self, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._last_snapshot >= SNAPSHOT_INTERVAL:
            self._last_snapshot = now
            self._listen(self.snapshot())

    def snapshot(self) -> Snapshot:
        """Where the run stands now."""
        remark = self._tally.remark if self.status == "finished" else ""
        reason = self.hold.sentence(self._tally.waiting) if self.hold else remark
        now = time.monotonic()
        return self._tally.snapshot(self.status, now - self._started, reason, self._rate(now))

    def _rate(self, now: float) -> float | None:
        if self.status != "running":
            self._speed.rest()
            return None
        self._speed.note(now, self._tally.answered)
        return self._speed.per_second(now, self._tally.answered)


def _plain(outcome: Outcome) -> str:
    return without_error_class(outcome.error).rstrip(".")


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event for at most so many seconds; say whether it is set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
