"""What a ledger says, as tables and figures. Reading never changes it and needs no lock."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from campaign.contract import BATCH_COLUMNS
from campaign.sending.ledger.connections import Connection, opened

_BATCHES = """
SELECT batch, messages,
       CASE state WHEN 'pending' THEN 'not_sent' WHEN 'sending' THEN 'unknown' ELSE state END,
       cost, code, error, attempts, submitted_at, seconds
FROM batches ORDER BY batch
"""
_COUNTS = """
SELECT state, count(*), sum(messages),
       ifnull(sum(messages) FILTER (WHERE state = 'accepted' AND cost IS NULL), 0)
FROM batches GROUP BY state
"""
_ATTEMPTS = """
SELECT first, messages, cost FROM batches
WHERE part = ? AND (state = 'accepted' OR state = 'unknown' OR state = 'sending')
"""


class Count(NamedTuple):
    """How many batches and messages are in one state, and how many of the messages have no known cost."""

    batches: int
    messages: int
    unpriced: int = 0


class Attempt(NamedTuple):
    """Messages `first` to `first + messages` of a part, and their cost where it is known."""

    first: int
    messages: int
    cost: Decimal | None


def result_frame(path: Path) -> pd.DataFrame:
    """Every batch and what came of it: the frame `Result.batches`.

    A batch that is under way is shown as unknown, one that was not attempted as not_sent.
    """
    with opened(path) as connection:
        rows = connection.execute(_BATCHES).fetchall()
    frame = pd.DataFrame(rows, columns=list(BATCH_COLUMNS))
    costs = [None if row[3] is None else Decimal(row[3]) for row in rows]
    frame["cost"] = pd.Series(costs, index=frame.index, dtype=object)
    moments = pd.to_datetime(frame["submitted_at"], utc=True, format="ISO8601", errors="coerce")
    frame["submitted_at"] = moments.astype("datetime64[us, UTC]")
    return frame.astype(
        {"batch": "int64", "messages": "int64", "status": "str", "code": "str", "error": "str",
         "attempts": "int64", "seconds": "float64"}
    )  # fmt: skip


def journal_frame(path: Path) -> pd.DataFrame:
    """Every move of every batch, oldest first: at, batch, was, now, error, note."""
    with opened(path) as connection:
        rows = connection.execute(
            "SELECT at, batch, was, now, error, note FROM journal ORDER BY id"
        ).fetchall()
    frame = pd.DataFrame(rows, columns=["at", "batch", "was", "now", "error", "note"])
    return frame.astype({"batch": "int64", "was": "str", "now": "str", "error": "str", "note": "str"})


def count_by_state(path: Path) -> dict[str, Count]:
    """Batches and messages by state."""
    with opened(path) as connection:
        return {state: Count(*counts) for state, *counts in connection.execute(_COUNTS)}


def total_cost(path: Path) -> Decimal:
    """The sum of the costs that the service named, exactly."""
    with opened(path) as connection:
        costs = connection.execute("SELECT cost, count(*) FROM batches WHERE cost IS NOT NULL GROUP BY cost")
        return sum((Decimal(cost) * batches for cost, batches in costs), Decimal(0))


def attempts_of(path: Path, part: int) -> list[Attempt]:
    """The batches of a part that were accepted, or may have been."""
    with opened(path) as connection:
        return [
            Attempt(first, messages, None if cost is None else Decimal(cost))
            for first, messages, cost in connection.execute(_ATTEMPTS, (part,))
        ]


def moves_in(connection: Connection) -> int:
    """How many moves the journal has."""
    moves: int = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()[0]
    return moves
