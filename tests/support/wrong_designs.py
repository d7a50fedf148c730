"""Nine designs that look right and are not, each as a change of a few lines: what the proofs have to catch.

`adopt` makes the change where it is called, by default for the whole process: for one that is to die anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aiohttp
import pandas as pd

from campaign.messages.plan import Plan
from campaign.sending import opening
from campaign.sending.afterwards import reconciling
from campaign.sending.engine import engine
from campaign.sending.engine.delivery import Delivery
from campaign.sending.ledger import connections, ledger_file
from campaign.sending.rounds import compared_plan
from campaign.sending.rounds.compared_plan import compare_plan
from campaign.sending.rounds.continuation_plan import origins_of
from campaign.service.gated_body import Gate, GatedBody
from campaign.service.transport import Outcome, Transport

Patch = Callable[[Any, str, Any], None]


def adopt(design: str, patch: Patch = setattr) -> None:
    DESIGNS[design](patch)


def record_after_the_answer(patch: Patch) -> None:
    """What was sent is written down when it is known to have been sent."""
    ask = Delivery.outcome

    async def gate(self: Delivery) -> None:
        pass

    async def outcome(self: Delivery) -> Outcome:
        known = await ask(self)
        if known.status != "not_sent":
            self._record.move(self._batch.number, "sending", lambda refused: None)
            self._record.flush()
        return known

    patch(Delivery, "_gate", gate)
    patch(Delivery, "outcome", outcome)


def retry_on_error(patch: Patch) -> None:
    """A request without a readable answer is sent again."""
    post = Transport.post

    async def again(self: Transport, entries: memoryview, gate: Gate) -> Outcome:
        outcome = await post(self, entries, gate)
        return (
            outcome._replace(status="not_sent", cause="connect") if outcome.status == "unknown" else outcome
        )

    patch(Transport, "post", again)
    patch(engine, "BACKOFF", 0.001)


def no_commit_in_the_gate(patch: Patch) -> None:
    """The intent is handed to the writer, and the body leaves at once."""

    async def gate(self: Delivery) -> None:
        if not self._asked:
            self._asked = True
            self._record.move(self._batch.number, "sending", self._on_recorded)

    patch(Delivery, "_gate", gate)


def keep_alive(patch: Patch) -> None:
    """One connection for many requests, as every client does it."""
    make = aiohttp.TCPConnector.__init__
    patch(aiohttp.TCPConnector, "__init__", lambda self, force_close, **options: make(self, **options))
    patch(GatedBody, "end", lambda self: None)


def redirects_on(patch: Patch) -> None:
    """Where the service points to, one goes."""
    post = aiohttp.ClientSession.post

    def follow(self: aiohttp.ClientSession, url: str, **options: Any) -> Any:
        return post(self, url, **options | {"allow_redirects": True})

    patch(aiohttp.ClientSession, "post", follow)


def synchronous_normal(patch: Patch) -> None:
    """The setting that SQLite's documentation recommends beside WAL."""
    connect = connections.connect

    def hurried(path: Any) -> Any:
        connection = connect(path)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    patch(connections, "connect", hurried)
    patch(ledger_file, "connect", hurried)


def compare_by_fingerprint(patch: Patch) -> None:
    """A plan that is not to the last message the one that was sent is another campaign."""

    def compare(plan: Any, record: Any, *choices: Any) -> Any:
        same = record is not None and any(one.manifest.given == plan.fingerprint for one in record.rounds)
        return compare_plan(plan, record if same else None, *choices)

    patch(opening, "compare_plan", compare)


def a_list_that_covers_too_little(patch: Patch) -> None:
    """What is not in the provider's list was not taken."""
    patch(reconciling, "_are_covered", lambda counts, *_: pd.Series(True, counts.index))


def follow_up_found_by_row_number_only(patch: Patch) -> None:
    """A follow-up file names the row of each of its rows."""

    def named_rows(whole: Plan, part: Plan) -> pd.Series[int]:
        rows = origins_of(part).fillna(0).astype("int64")
        return rows.where(rows.isin(whole.contacts.index), 0)

    patch(compared_plan, "rows_in_table", named_rows)


DESIGNS: dict[str, Callable[[Patch], None]] = {
    design.__name__.replace("_", " "): design
    for design in (
        record_after_the_answer, retry_on_error, no_commit_in_the_gate, keep_alive, redirects_on,
        synchronous_normal, compare_by_fingerprint, a_list_that_covers_too_little,
        follow_up_found_by_row_number_only,
    )
}  # fmt: skip
