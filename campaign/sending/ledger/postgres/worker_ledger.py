"""The ledger as one of several workers has it open: it claims batches, and hears what the others do.

All workers hold the ledger's lock together, so that nobody can open it alone meanwhile. Transactions that
write follow one another by a second lock: the journal is numbered without gaps, and a worker that has it
knows all that was committed before. Each of them is a sign of life, and hears the news first.

A batch leaves `pending` only by the worker that has claimed it. So one that slept past its time to live, and
whose claims were taken away, is stopped at its gate: its move changes nothing, and no body leaves. What it
had sent before is unknown by then, and an answer that comes late is recorded all the same, but never over a
person's decision.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from campaign.errors import LedgerError
from campaign.sending.ledger.database import Connection, Readable
from campaign.sending.ledger.ledger import Changed, Entry, Ledger, Move
from campaign.sending.ledger.postgres.connections import PostgresConnection
from campaign.sending.ledger.postgres.ledger import PostgresLedger
from campaign.sending.ledger.postgres.roster import (
    EVENTS_THAT_FREE,
    enter,
    give_sign_of_life,
    give_up_overdue,
    has_returned,
    leave,
    record_open,
)
from campaign.sending.ledger.postgres.standing_orders import OrderKind, StandingOrder, give_order, order_of
from campaign.sending.ledger.rollback_guard import RollbackGuard
from campaign.sending.ledger.views import LATE_ANSWER
from campaign.words.finding import Finding

SIGN_OF_LIFE = 2.0  # seconds between two transactions at most
# A worker that freezes inside a transaction has the lock that all need: the server ends its connection. The
# others wait longer than that, and all of it is shorter than the time to live.
SESSION = "SET idle_in_transaction_session_timeout TO 8000; SET lock_timeout TO 15000"

_NEWS = """
SELECT journal.id, journal.batch, journal.was, journal.now, journal.error, journal.note,
       batches.part, batches.first, batches.messages, batches.cost, batches.code
FROM journal LEFT JOIN batches ON batches.batch = journal.batch
WHERE journal.id > :heard AND coalesce(batches.worker, '') != :worker ORDER BY journal.id
"""
_OF_THE_ROUND = "round = (SELECT max(round) FROM rounds) AND state = 'pending'"
_IN_PARTS = "AND (CAST(:parts AS bigint[]) IS NULL OR part = ANY(CAST(:parts AS bigint[])))"
# What this worker has claimed in a transaction whose answer was lost is still to be claimed, for all it
# knows.
_CLAIMABLE = f"""
SELECT batch, part, first, messages, digest FROM batches
WHERE batch >= :floor AND {_OF_THE_ROUND} {_IN_PARTS}
  AND (worker = '' OR worker = :worker AND batch != ALL(CAST(:claimed AS bigint[])))
ORDER BY batch LIMIT :limit
"""
_CLAIM = "UPDATE batches SET worker = :worker WHERE batch = ANY(CAST(:batches AS bigint[]))"
_WAITS = f"SELECT coalesce(sum(messages), 0)::bigint FROM batches WHERE {_OF_THE_ROUND} {_IN_PARTS}"
_OWN_STATES = (
    "SELECT batch, state FROM batches WHERE worker = :worker AND batch = ANY(CAST(:batches AS bigint[]))"
)
# Its commit need not be durable: who restarts a database has waited longer than any place in the pace.
_RESERVE = """
WITH quick AS (SELECT set_config('synchronous_commit', 'off', true)),
     moment AS (SELECT extract(epoch FROM clock_timestamp())::double precision AS now)
UPDATE pace SET free_at = greatest(free_at, moment.now) + :seconds FROM moment, quick
RETURNING free_at - :seconds - moment.now
"""


class BatchSize(NamedTuple):
    """How large a batch is."""

    number: int
    messages: int
    parts: int


class OthersMove(NamedTuple):
    """A move of a batch that another worker has recorded, as the journal has it."""

    entry: int
    batch: int
    was: str
    now: str
    error: str
    note: str
    part: int
    first: int
    messages: int
    cost: str | None
    code: str

    @property
    def exact_cost(self) -> Decimal | None:
        return None if self.cost is None else Decimal(self.cost)


class News(NamedTuple):
    """What others have done since the last news: their moves, the orders for all, and how many messages and
    SMS parts they have claimed or sent without an answer now. `seconds` is the time of the database."""

    seconds: float
    messages: int
    parts: int
    moves: Sequence[OthersMove]
    orders: Sequence[StandingOrder]


def waiting_messages(connection: Connection, parts: Collection[int] | None) -> int:
    """How many messages of the last round wait, claimed or not, in some part files or in all."""
    messages: int = connection.execute(_WAITS, {"parts": _listed(parts)}).fetchone()[0]
    return messages


def _listed(parts: Collection[int] | None) -> list[int] | None:
    return None if parts is None else list(parts)


def moves_since(connection: Connection, entry: int) -> list[OthersMove]:
    """The moves of all batches after an entry of the journal."""
    rows = connection.execute(_NEWS, {"heard": entry, "worker": "nobody"})
    return [OthersMove._make(row) for row in rows if row[1]]


Choice = Callable[[Sequence[Entry]], Sequence[BatchSize]]


class WorkerLedger(PostgresLedger):
    """The ledger as a worker has it open; `name` is what people call the worker.

    `is_given_up` says that others have taken away what it had claimed: it may record late answers, and no
    more. `settled` counts the messages that it has brought to a status.
    """

    NO_SUCH_BATCH = "what this worker had claimed was taken away"

    def __init__(
        self,
        place: Readable,
        connection: PostgresConnection,
        guard: RollbackGuard,
        reopen: Callable[[], PostgresConnection],
        *,
        worker: str,
        name: str,
        key: int,
    ) -> None:
        self._worker, self._name, self._key = worker, name, key
        self._listener: Callable[[News], None] | None = None
        self._heard = 0  # the last entry of the journal that this worker knows
        self._floor = 0  # no batch below it is free
        self._open: dict[int, BatchSize] = {}
        self._last_sign = 0.0
        self._is_any_overdue = False
        self.is_given_up = False
        self.order: StandingOrder | None = None
        self.settled: Counter[str] = Counter()
        super().__init__(place, connection, guard, (), reopen)
        self._own = {"worker": worker}

    def listen(self, listener: Callable[[News], None], heard: int, order: StandingOrder) -> None:
        """Tell all news after an entry of the journal from now on; `order` was the last one until then."""
        self._listener, self._heard, self.order = listener, heard, order

    def commit(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        answers = super().commit(moves)
        for move, refusal in zip(moves, answers, strict=True):
            if refusal is None and move.state != "sending" and move.batch in self._open:
                self.settled[move.state] += self._open.pop(move.batch).messages
        return answers

    def claim(self, limit: int, parts: Collection[int] | None, choose: Choice) -> list[Entry]:
        """Claim so many batches at most, of some part files or of all, in the order of the round.

        `choose` gets what is free and returns the sizes of the first ones of it that are to be claimed; it is
        asked when all news was heard, and nobody else can claim or record anything meanwhile.
        """
        claimed, sizes = self._change(partial(self._claim, limit, parts, choose))
        self._open |= {size.number: size for size in sizes}
        if claimed and parts is None:
            self._floor = claimed[-1].batch + 1
        return claimed

    def waits(self, parts: Collection[int] | None) -> bool:
        """Whether anything waits, claimed or not."""
        return self._change(lambda connection: waiting_messages(connection, parts)) > 0

    def keep_up(self) -> None:
        """Give a sign of life and hear the news, if it is time."""
        if time.monotonic() - self._last_sign >= SIGN_OF_LIFE:
            self._change(lambda connection: None)

    def give_order(self, kind: OrderKind, reason: Finding) -> None:
        """Give an order to all workers, unless another one has come meanwhile."""
        last = self.order

        def order(connection: Connection) -> None:
            if self.order == last:
                give_order(connection, kind, reason)

        self._change(order)

    def reserve(self, seconds: float) -> float:
        """Reserve so many seconds of the pace that all share; returns in how many seconds they begin."""
        self._check_usable()
        try:
            (wait,) = self._connection.execute(_RESERVE, {"seconds": seconds}).fetchone()
        except self.FAILURE as error:
            if self._session.is_lost and self._has_come_back():
                return self.reserve(seconds)
            raise self._unwritable(error) from None
        return max(0.0, float(wait))

    def close(self) -> None:
        if not (self._closed or self.is_given_up or self._session.is_lost):
            # Not over another connection, if this one is lost: others give the worker up in time.
            with suppress(LedgerError):
                Ledger._change(self, partial(leave, worker=self._worker, name=self._name))
        super().close()

    def _enter(self, connection: PostgresConnection) -> None:
        self._begin()
        enter(connection, self._worker, self._name)
        connection.execute("COMMIT")

    def _begin(self, moves: Sequence[Move] = ()) -> None:
        self._session.execute_as_written(f"{self.BEGIN}; SELECT pg_advisory_xact_lock({self._key})")
        if self._listener is not None:
            try:
                self._hear(self._listener, {move.batch for move in moves if move.state != "sending"})
            except LedgerError:  # of the listener, who could not read a part file
                self.roll_back()
                raise

    def _hear(self, listener: Callable[[News], None], settled: Collection[int]) -> None:
        """Give a sign of life and tell the news. `settled` are batches that this transaction settles."""
        left = [size for number, size in self._open.items() if number not in settled]
        sign = give_sign_of_life(
            self._connection,
            self._worker,
            messages=sum(size.messages for size in left),
            parts=sum(size.parts for size in left),
        )
        self._last_sign = time.monotonic()
        self.is_given_up = self.is_given_up or not sign.is_at_work
        self._is_any_overdue = sign.are_overdue > 0
        rows = []
        if sign.entries > self._heard:
            values = {"heard": self._heard, "worker": self._worker}
            rows = [OthersMove._make(row) for row in self._connection.execute(_NEWS, values)]
        self._heard = sign.entries
        orders = [
            order for row in rows if not row.batch and (order := order_of(row.now, row.entry, row.note))
        ]
        if orders:
            self.order = orders[-1]
        if any(row.now in EVENTS_THAT_FREE for row in rows if not row.batch):
            self._floor = 0
        moves = [row for row in rows if row.batch]
        listener(News(sign.seconds, sign.messages, sign.parts, moves, orders))

    def _claim(
        self, limit: int, parts: Collection[int] | None, choose: Choice, connection: Connection
    ) -> tuple[list[Entry], Sequence[BatchSize]]:
        if self.is_given_up:
            return [], []
        if self._is_any_overdue:
            give_up_overdue(connection, self._worker)
            self._floor = 0
        values = {
            "floor": 0 if parts is not None else self._floor, "worker": self._worker, "limit": limit,
            "claimed": list(self._open), "parts": _listed(parts),
        }  # fmt: skip
        free = [Entry._make(row) for row in connection.execute(_CLAIMABLE, values)]
        sizes = choose(free) if free else []
        if sizes:
            batches = [size.number for size in sizes]
            connection.execute(_CLAIM, {"worker": self._worker, "batches": batches})
            record_open(connection, self._worker, [*self._open.values(), *sizes])
        return free[: len(sizes)], sizes

    def _change(self, change: Callable[[Connection], Changed]) -> Changed:
        try:
            return Ledger._change(self, change)
        except LedgerError:
            if not self._session.is_lost:
                self.roll_back()  # it may be that of `change`, and the lock of the transaction is for all
                raise
            if self._closed or not self._has_come_back():
                raise
        self._floor = 0
        return Ledger._change(self, change)

    def _may_go_on(self, session: PostgresConnection) -> bool:
        """Late answers may be recorded even when it was given up: nobody has the ledger open alone."""
        self.is_given_up = self.is_given_up or not has_returned(session, self._worker)
        return True

    def _count_recorded(self, answers: Sequence[LedgerError | None]) -> None:
        """Others record, too: each batch tells by itself what was recorded."""

    def _commit_what_was_not_recorded(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        values = {"worker": self._worker, "batches": [move.batch for move in moves]}
        states = dict(self._session.execute(_OWN_STATES, values).fetchall())
        missing = [move for move in moves if states.get(move.batch) != move.state]
        answers = iter(Ledger.commit(self, missing) if missing else [])
        return [next(answers) if states.get(move.batch) != move.state else None for move in moves]

    def _apply_all(self, moves: Sequence[Move]) -> bool:
        return not self.is_given_up and super()._apply_all(moves)

    def _apply(self, move: Move) -> LedgerError | None:
        if not self.is_given_up:
            return super()._apply(move)
        if move.state == "sending":
            return self._refused(move, self.NO_SUCH_BATCH)
        if move.state == "unknown":
            return None  # so the ledger says
        return super()._apply(Move(move.batch, move.state, {**move.facts, "note": LATE_ANSWER}))

    def _tell_witnesses(self, *, at_once: bool = False) -> None:
        super()._tell_witnesses(at_once=at_once and self._closed)
