"""The one loop where ledger, valves and transport meet.

    supply ──> issue ──> gate: valves, then the ledger says "sending" ──> body leaves ──> outcome ──> ledger

One coroutine makes all decisions and issues the batches; each batch under way is a task that only delivers
it. Whatever happens to a task, the ledger ends up with what is known about its batch: between learning an
outcome and queueing it for the ledger there is no `await`, so that no cancellation can fall between the two.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar, TypeVarTuple

from campaign.errors import CampaignError, LedgerError
from campaign.log import log
from campaign.sending.engine.delivery import Delivery, Post, Record
from campaign.sending.engine.hold import CUT, PAUSED, STOPPED, Hold
from campaign.sending.engine.orders import Orders
from campaign.sending.engine.pace import Turns
from campaign.sending.engine.speed import Speed
from campaign.sending.engine.stopwatch import Stopwatch
from campaign.sending.engine.supply import Supply
from campaign.sending.engine.tally import Load, RunStatus, Size, Snapshot, Tally, masked_remark
from campaign.sending.engine.valves import Valve
from campaign.service.outcome import Outcome
from campaign.words.finding import Finding

CONNECT_TRIES = 5  # for a batch that provably did not leave
BACKOFF = 0.5  # seconds; doubled at every try, and a random share of it is waited (full jitter)
SNAPSHOT_INTERVAL = 0.1  # seconds

# Seconds. Batches that begin together stay in step: their handshakes wait for each other, then all ask the
# gate, and then all answers come at once. At a round trip of 20 ms, that takes a tenth of the messages a
# second with 8 at once, and a third with 64. So where answers take longer than NEARBY, batches begin apart;
# their answers come apart, too, and so they stay spread. Where answers come sooner, the processor is the
# limit, and a batch that waits wastes it.
NEARBY = 0.03
# A handshake takes a millisecond or two of the processor, at both ends; but a loop that wakes up for every
# single batch takes 15 to 40% more of it. So batches that would begin closer together begin in groups.
APART = 0.003

_TECHNICAL = ("failure", "errno", "http_status", "error")  # facts of remarks

Listener = Callable[[Snapshot], None]
Said = TypeVar("Said")
Facts = TypeVarTuple("Facts")


def utc_now() -> datetime:
    """The time by the clock of this machine."""
    return datetime.now(UTC)


class Engine:
    """Sends the batches of one campaign.

    `supply` has the batches that have not been attempted, and `valves` say when to hold, at the time that
    `clock` tells. `listen` gets a snapshot about ten times a second, on the engine's own thread. With
    `end_when_paused` a pause ends the run, because nobody is there to resume it. All methods except `run` may
    be called from any thread.
    """

    def __init__(
        self,
        supply: Supply,
        record: Record,
        post: Post,
        *,
        tally: Tally,
        valves: Sequence[Valve],
        pace: Turns,
        concurrency: int,
        listen: Listener,
        end_when_paused: bool,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._supply, self._record, self._post = supply, record, post
        self._clock = clock
        self._tally, self._valves, self._pace = tally, valves, pace
        self._concurrency, self._listen, self._end_when_paused = concurrency, listen, end_when_paused
        self.status: RunStatus = "running"
        self.hold: Hold | None = None  # why the run is not running
        self._ended = False
        self._stopwatch = Stopwatch()  # a pause is no time spent sending
        self._speed = Speed(at_most=pace.rate)
        self._last_snapshot = 0.0
        # Both are readings of the monotonic clock.
        self._due: float | None = None  # when the pace lets the next batch go
        self._not_before = 0.0  # until when the service asked us to wait (Retry-After)
        self._in_group = 0  # how many batches have begun since the last wait
        self._answer_took = 0.0  # seconds
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

    def hold_with(self, hold: Hold) -> None:
        """Pause or stop for a reason that holds for every worker of the campaign."""
        self._orders.give(partial(self._hold, hold))

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
                self._keep_up()
                if not self._may_issue():
                    self._come_to_rest()
                    await self._wait_for_change()
                elif self._has_room and self._answer_took > NEARBY:
                    await self._keep_apart()
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
        return self._is_empty()  # nothing to resume, either

    def _may_issue(self) -> bool:
        """Issue the next batch unless something is against it; say whether to look again at once."""
        if self.status != "running":
            return False
        if not self._has_room or (batch := self._next()) is None:
            return False
        if isinstance(batch, Hold):
            if batch.patient and (self._under_way or self._tally.in_flight):
                self._due = None  # its place in the pace is given up
                return False
            self._hold_all(batch)
            return True
        now = time.monotonic()
        if self._due is None:
            self._due = now + self._ask(self._pace.reserve, 0.0, batch.messages, now)
        if self.status != "running" or now < max(self._due, self._not_before):
            return False
        self._issue(batch)
        return True

    @property
    def _has_room(self) -> bool:
        """Whether one more batch may be under way.

        One alone until the first OK, so that a wrong password costs one refusal and not eight.
        """
        return len(self._under_way) < (self._concurrency if self._tally.accepted_here else 1)

    async def _keep_apart(self) -> None:
        """Wait before the next batch or group of batches begins.

        They begin half as far apart as would spread all evenly, so that no batch is held up.
        """
        apart = min(self._answer_took / self._concurrency / 2, APART)
        group = round(APART / apart)
        self._in_group += 1
        if self._in_group >= group:
            self._in_group = 0
            await asyncio.sleep(group * apart)

    def _come_to_rest(self) -> None:
        """Write down what came back before the pause, so that the ledger says what the counts say."""
        if self.status != "paused" or self._under_way or self._all_recorded:
            return
        self._record.flush()  # may end the run: then the status is "stopping"
        if self.status == "paused":
            self._stopwatch.stop()
            self._publish(at_once=True)
            self._all_recorded = True

    async def _wait_for_change(self) -> None:
        seconds = self._supply.look_again
        if self._due is not None and self.status == "running":
            due = max(self._due, self._not_before) - time.monotonic()
            seconds = due if seconds is None else min(due, seconds)
        if seconds is None:
            await self._change.wait()
        else:
            await _within(self._change, seconds)

    def _keep_up(self) -> None:
        self._ask(self._supply.keep_up, None)

    def _next(self) -> Load | Hold | None:
        return self._ask(self._supply.next, None, self._reason_to_hold)

    def _is_empty(self) -> bool:
        return self._ask(lambda: self._supply.is_empty, True)

    def _ask(self, question: Callable[[*Facts], Said], otherwise: Said, *facts: *Facts) -> Said:
        """What the supply or the pace says; if it fails, the run ends when what is under way has ended."""
        if self._failure is not None:
            return otherwise
        try:
            return question(*facts)
        except Exception as error:  # the frozen plan was changed, or the ledger cannot be reached
            self._fail(error)
            return otherwise

    def _issue(self, batch: Load) -> None:
        self._supply.remove_next()
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
        else:
            self._settle(batch, outcome, delivery.seconds)
        if delivery.fault is not None:
            self._fail(delivery.fault)
        elif outcome.status == "not_sent" and outcome.cause in ("gate", "setup") and not delivery.held_back:
            if hold := self._reason_to_hold():
                self._hold_all(hold)
            else:
                self._hold(Hold(masked_remark(outcome) or Finding("not_recorded"), final=True))

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
        _log(batch, outcome)
        self._tally.settle(batch, outcome)
        self._speed.note(time.monotonic(), self._tally.answered)
        self._answer_took = seconds
        if outcome.retry_after is not None:
            self._not_before = time.monotonic() + outcome.retry_after
        self._record.move(
            batch.number, outcome.status, partial(self._on_recorded, batch, outcome),
            cost=outcome.cost, code=outcome.code, error=outcome.kept_error, seconds=seconds,
        )  # fmt: skip

    def _on_recorded(self, batch: Load, outcome: Outcome, refusal: LedgerError | None) -> None:
        if refusal is not None:
            self._tally.doubt(batch, outcome)
            self._fail(refusal)

    def _give_back(self, batch: Load, outcome: Outcome) -> None:
        self._tally.settle(batch, outcome)
        self._supply.give_back(batch)

    # holding

    def _reason_to_hold(self, batch: Size | None = None, tally: Tally | None = None) -> Hold | None:
        """Why `batch` must not be issued, or without one why those under way must not leave.

        `tally` is one that is to come, None for that of now.
        """
        if self.hold is not None:
            return self.hold
        now = self._clock()
        for valve in self._valves:
            if hold := valve.look(tally or self._tally, batch, now):
                return hold
        return None

    def _hold_all(self, hold: Hold) -> None:
        """Hold because of a valve, and let whoever sends the same campaign hold, too."""
        is_new = self.status == "running"
        self._hold(hold)
        if is_new:
            self._ask(self._supply.hold_all, None, hold)

    def _hold(self, hold: Hold) -> None:
        """Pause, or stop for good. A stop is never undone, and the first reason stays."""
        if self._ended or self.status == "stopping" or (self.status == "paused" and not hold.final):
            return
        self.status, self.hold = ("stopping" if hold.final else "paused"), hold.after(self.hold)
        log.info("held: %s", self.status)
        self._held.set()
        self._publish(at_once=True)
        self._change.set()

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        # The text of a foreign error may hold anything, a password included.
        bug = Finding("program_error", {"error": type(error).__name__})
        self._hold(Hold(error.finding if isinstance(error, CampaignError) else bug, final=True))

    def _go_on(self) -> None:
        if self.status == "paused" and not self._ended:
            self.status, self.hold = "running", None
            log.info("resumed")
            if self._due is not None and self._due < time.monotonic():
                self._due = None  # its place in the pace is past: the batch after it would follow too soon
            self._all_recorded = False
            self._stopwatch.start()
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
        self._stopwatch.stop()
        if self._failure is not None:
            self.status = "failed"
        elif self.status == "stopping":
            self.status = "stopped"
        elif self._is_empty():
            self.status, self.hold = "finished", None
        log.info("ended: %s", self.status)
        self._publish(at_once=True)

    def _publish(self, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now - self._last_snapshot >= SNAPSHOT_INTERVAL:
            self._last_snapshot = now
            self._listen(self.snapshot())

    def snapshot(self) -> Snapshot:
        """Where the run stands now."""
        remark = self._tally.remark if self.status == "finished" else None
        reason = self.hold.at(self._tally.waiting) if self.hold else remark
        rate = self._rate(time.monotonic())
        seconds, is_steady = self._stopwatch.seconds, self._speed.is_steady
        return self._tally.snapshot(self.status, seconds, reason, rate, is_steady=is_steady)

    def _rate(self, now: float) -> float | None:
        if self.status != "running":
            self._speed.rest()
            return None
        self._speed.note(now, self._tally.answered)
        return self._speed.per_second(now)


def _log(batch: Load, outcome: Outcome) -> None:
    if outcome.remark is None:
        log.info("batch %d %s", batch.number, outcome.status)
        return
    # No other facts: the service may quote a phone number.
    facts = [f" {name}={outcome.remark.facts[name]}" for name in _TECHNICAL if name in outcome.remark.facts]
    log.info("batch %d %s: %s%s", batch.number, outcome.status, outcome.remark.code, "".join(facts))


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event for at most so many seconds; say whether it is set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
