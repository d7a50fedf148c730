"""One batch on its way to the service: its tries, its gate, and what the ledger says about it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Protocol

from campaign.errors import GateError, LedgerError
from campaign.sending.engine.hold import Hold
from campaign.sending.engine.tally import Load
from campaign.sending.ledger.group_commit import Listener
from campaign.service.gate import Gate, GateClosed
from campaign.service.outcome import Outcome
from campaign.words.finding import Finding

Post = Callable[[memoryview, Gate], Awaitable[Outcome]]
ReasonToHold = Callable[[], Hold | None]
MayRetry = Callable[[int, Outcome], Awaitable[bool]]


class Record(Protocol):
    """What a delivery and the engine need of a recorder."""

    def move(self, batch: int, state: str, listener: Listener, **facts: Any) -> None: ...

    def flush(self) -> None: ...


class Delivery:
    """Brings one batch to the service, and tries again as long as nothing of it left.

    `reason_to_hold` is the last look at the valves; `may_retry` waits between two tries and says whether
    there is to be another. Afterwards `held_back` says whether a hold closed the gate, and `fault` is an
    error after which no run should go on.
    """

    def __init__(
        self, batch: Load, record: Record, post: Post, reason_to_hold: ReasonToHold, may_retry: MayRetry
    ) -> None:
        self._batch, self._record, self._post = batch, record, post
        self._reason_to_hold, self._may_retry = reason_to_hold, may_retry
        self._tries = 0
        self._began = time.monotonic()
        self._asked = self._decided = False  # the record was asked to keep "sending"; it has answered
        self._refusal: LedgerError | None = None  # why it could not be kept
        self._waiting: list[asyncio.Future[None]] = []  # gates that wait for that answer, one for each try
        self.held_back = False
        self.fault: Exception | None = None

    @property
    def seconds(self) -> float:
        """Since the last try began."""
        return round(time.monotonic() - self._began, 3)

    async def outcome(self) -> Outcome:
        """What is known about the batch in the end. Nothing is awaited between an answer and the return.

        A cancellation becomes an outcome, so that every batch that was begun is accounted for.
        """
        try:
            outcome = await self._try()
        except asyncio.CancelledError:
            outcome = Outcome("not_sent", remark=Finding("ended_before_answer", {"who": "run"}))
        except Exception as error:
            self.fault = error
            outcome = Outcome("not_sent", remark=Finding("program_error", {"error": type(error).__name__}))
        if outcome.cause == "impossible" and outcome.remark is not None:
            self.fault = GateError(outcome.remark.code, batch=self._batch.number, **outcome.remark.facts)
        self.fault = self.fault or self._refusal
        if outcome.status == "not_sent" and self._is_on_record():
            return Outcome("unknown", remark=outcome.remark)
        return outcome

    async def _try(self) -> Outcome:
        while True:
            self._tries += 1
            self._began, self.held_back = time.monotonic(), False
            outcome = await self._post(self._batch.entries, self._gate)
            if outcome.cause != "connect" or not await self._may_retry(self._tries, outcome):
                return outcome

    async def _gate(self) -> None:
        """Look at the valves for the last time, then make the intent durable. On return the body leaves."""
        if hold := self._reason_to_hold():
            self.held_back = True
            raise GateClosed(hold.reason)
        if not self._asked:  # a connection may break while its intent is being recorded
            self._asked = True
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._record.move(
                self._batch.number, "sending", self._on_recorded, attempts=self._tries, submitted_at=now
            )
        if not self._decided:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        if self._refusal is not None:
            raise GateClosed(self._refusal.finding)

    def _on_recorded(self, refusal: LedgerError | None) -> None:
        """The intent is durable, or could not be kept; the gate's connection may be gone meanwhile."""
        self._refusal, self._decided = refusal, True
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    def _is_on_record(self) -> bool:
        """Whether the ledger says that the batch is leaving; a queued move is committed first."""
        if not self._asked:
            return False
        self._record.flush()
        return self._refusal is None
