"""What one of several workers has claimed, and what it knows of the others: the supply of its engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Protocol, cast

from campaign.arrow_text import Ints
from campaign.errors import LedgerError
from campaign.sending.engine.hold import Hold
from campaign.sending.engine.supply import Judge
from campaign.sending.engine.tally import Load, Tally
from campaign.sending.ledger.ledger import Entry
from campaign.sending.ledger.postgres.standing_orders import StandingOrder
from campaign.sending.ledger.postgres.worker_ledger import (
    SIGN_OF_LIFE,
    BatchSize,
    News,
    OthersMove,
    WorkerLedger,
)
from campaign.sending.ledger.views import remark_in
from campaign.sending.store.frozen_messages import FrozenPart, read_sizes
from campaign.service.outcome import Outcome, Status
from campaign.service.wire import Encoding, refusal_of

_LONGER = 1.03
LOOK_AGAIN = 0.2  # seconds until a worker that got nothing looks again
_ANSWERS = ("accepted", "refused", "unknown")


class Directed(Protocol):
    """What carries out the orders for all: the engine of this worker."""

    def hold_with(self, hold: Hold) -> None: ...

    def resume(self) -> None: ...


class Share:
    """The batches that this worker has claimed, a window of them at a time, from some part files or from all.

    Canary and pilot are the first of the round, so while they are out, parts count for nothing.
    Before it claims more, it hears what the others have done, and counts that in its tally: so the valves
    look at the campaign as a whole, and what is claimed is within budget, canary and pilot for all workers
    together.
    """

    def __init__(
        self,
        ledger: WorkerLedger,
        plan_path: Path,
        encoding: Encoding,
        tally: Tally,
        *,
        window: int,
        parts: Collection[int] | None,
        has_canary: bool,
        has_pilot: bool,
    ) -> None:
        self._ledger, self._tally, self._window, self._parts = ledger, tally, window, parts
        self._has_canary, self._has_pilot = has_canary, has_pilot
        self._frozen = lru_cache(2)(lambda part: FrozenPart(plan_path, part, encoding))
        self._sizes: Callable[[int], Ints] = lru_cache(8)(lambda part: read_sizes(plan_path, part))
        self._claimed: list[Load] = []
        self._hold: Hold | None = None  # why the next batch was not claimed
        self._look_at = self._ask_at = 0.0  # readings of the monotonic clock
        self._is_exhausted = False
        self._time = (time.time(), time.monotonic())  # of the database, and when it said so
        self._engine: Directed | None = None

    def follow(self, engine: Directed) -> None:
        """Pass on the orders for all."""
        self._engine = engine

    def now(self) -> datetime:
        """The time of the database, which is the same for all workers."""
        seconds, said_at = self._time
        return datetime.fromtimestamp(seconds + time.monotonic() - said_at, UTC)

    @property
    def look_again(self) -> float:
        return SIGN_OF_LIFE if self._claimed else LOOK_AGAIN

    @property
    def is_empty(self) -> bool:
        now = time.monotonic()
        if not self._claimed and not self._is_exhausted and now >= self._ask_at:
            self._ask_at = now + SIGN_OF_LIFE
            self._is_exhausted = not self._ledger.waits(self._parts)
        return self._is_exhausted and not self._claimed

    def keep_up(self) -> None:
        self._ledger.keep_up()

    def next(self, judge: Judge) -> Load | Hold | None:
        if not self._claimed and time.monotonic() >= self._look_at:
            self._claim(judge)
        if not self._claimed:
            return self._hold
        return judge(self._claimed[0], None) or self._claimed[0]

    def remove_next(self) -> None:
        del self._claimed[0]

    def give_back(self, batch: Load) -> None:
        self._claimed.insert(0, batch)
        self._is_exhausted = False

    def hold_all(self, hold: Hold) -> None:
        reason = hold.at(self._tally.waiting)
        self._ledger.give_order("stopped" if hold.final else "paused", reason)

    def hear(self, news: News) -> None:
        """Count what the others have done, and pass on what was ordered."""
        self._time = (news.seconds, time.monotonic())
        self._tally.count_others(news.messages, news.parts)
        for move in news.moves:
            self._hear_move(move)
        for order in news.orders:
            self._obey(order)

    def _hear_move(self, move: OthersMove) -> None:
        if move.now not in _ANSWERS:
            return
        size = self._size(Entry(move.batch, move.part, move.first, move.messages, b""))
        outcome = outcome_of(move)
        if move.was == "unknown":
            self._tally.learn(size, outcome)
            return
        self._tally.count(size, outcome)
        if is_answer(move):
            self._tally.notice(size, outcome)

    def _obey(self, order: StandingOrder) -> None:
        if self._engine is None:
            return
        if order.lets_send:
            self._engine.resume()
        else:
            self._engine.hold_with(hold_of(order))

    def _claim(self, judge: Judge) -> None:
        self._hold, is_any_free = None, False

        def choose(free: Sequence[Entry]) -> Sequence[BatchSize]:
            nonlocal is_any_free
            is_any_free = True
            return self._choose(judge, free)

        is_canary_out = self._has_canary and not self._tally.accepted_batches
        parts = None if is_canary_out or self._has_pilot else self._parts
        entries = self._ledger.claim(self._window, parts, choose)
        if self._ledger.is_given_up:
            raise LedgerError("ledger_refuses", reason="this worker was given up")
        self._claimed = [self._frozen(entry.part).batch(entry) for entry in entries]
        if not entries:
            self._look_at = time.monotonic() + LOOK_AGAIN
        if not is_any_free:
            self._is_exhausted = not self._ledger.waits(self._parts)

    def _choose(self, judge: Judge, free: Sequence[Entry]) -> Sequence[BatchSize]:
        """As many of the first batches as the valves let through, looking ahead."""
        ahead, chosen = copy(self._tally), list[BatchSize]()
        for entry in free:
            size = self._size(entry)
            if ahead.in_flight and not ahead.accepted_here:
                break  # one at a time until the first OK, whoever sends it
            if hold := judge(size, ahead):
                self._hold = None if chosen else hold
                break
            ahead.start(size)
            chosen.append(size)
        return chosen

    def _size(self, entry: Entry) -> BatchSize:
        parts = self._sizes(entry.part)[entry.first : entry.first + entry.messages]
        return BatchSize(entry.batch, entry.messages, int(parts.sum()))


class SharedPace:
    """At most `rate` messages a second from all workers together; one row of the database gives the turns.

    Turns are evenly spread, but requests from several machines do not take equally long: on two busy cores,
    5% more arrived in a second than in others. So the turns are a little longer than the rate asks for.
    """

    def __init__(self, ledger: WorkerLedger, rate: float | None) -> None:
        self._ledger, self.rate = ledger, rate

    def reserve(self, messages: int, now: float) -> float:
        return 0.0 if self.rate is None else self._ledger.reserve(_LONGER * messages / self.rate)


def outcome_of(move: OthersMove) -> Outcome:
    """What another worker has learnt about a batch, as far as the ledger keeps it."""
    outcome = Outcome(cast("Status", move.now), cost=move.exact_cost, code=move.code)
    if move.now == "refused":
        return outcome._replace(error=move.error, cause=refusal_of(move.error))
    return outcome._replace(remark=remark_in(move.error))


def is_answer(move: OthersMove) -> bool:
    """Whether the service has had its say; what a worker was sending that was given up is unknown without."""
    return move.was == "sending" and move.now in _ANSWERS and not move.note


def hold_of(order: StandingOrder) -> Hold:
    """The hold that an order for all means."""
    return Hold(order.reason, final=order.kind != "paused")
