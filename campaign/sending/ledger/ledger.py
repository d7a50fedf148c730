"""The durable record of what was attempted and what came of it. With `database`, the only SQL.

States of a batch:

    pending -> sending -> accepted | refused | unknown

`sending` is committed before the first byte of a body leaves. Whatever is found as `sending` when a
ledger is opened was under way when its process died, so it becomes `unknown`. `unknown` moves on only
by a person's decision. A trigger refuses every other move, and a journal that only grows keeps each one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from campaign.contract import BATCH_COLUMNS
from campaign.errors import LedgerError
from campaign.sending.ledger import schema
from campaign.sending.ledger.file_systems import network_file_system
from campaign.sending.ledger.rollback_guard import Mark
from campaign.sending.ledger.schema import Failure, Refusal, connect, file_identity, moves_in, opened

_RESULT = """
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


class Entry(NamedTuple):
    """One batch as it is registered: messages `first` to `first + messages` of a part, and their digest."""

    batch: int
    part: int
    first: int
    messages: int
    digest: bytes


class Count(NamedTuple):
    """How many batches and messages are in one state, and how many of the messages have no known cost."""

    batches: int
    messages: int
    unpriced: int = 0


class Move(NamedTuple):
    """A batch goes to a state with what is known about it: cost, code, error, attempts …"""

    batch: int
    state: str
    facts: Mapping[str, Any]


class Ledger:
    """An open ledger. Make one with `create`, open one with `open_ledger`.

    It has one writer: whoever opened it, under the campaign's lock. `commit` keeps many moves for the price
    of one: a commit costs the same for one and for a hundred.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._process = os.getpid()
        self._mark = Mark(path)
        self._identity = file_identity(path)
        self._connection = connect(path)
        self._closed = False
        self.moves = self.commits = 0

    def move(self, batch: int, state: str, **facts: Any) -> None:
        """Move one batch; durable when this returns. Raises `LedgerError` if it is refused or cannot be."""
        (refused,) = self.commit([Move(batch, state, facts)])
        if refused is not None:
            raise refused

    def commit(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        """Keep moves in one transaction; durable when this returns. Never raises for a move.

        The answer has one entry for each: None, or why it is not allowed. When the disk fails, nothing of the
        group is kept and every entry says so.
        """
        try:
            self._check_usable()
            self._connection.execute("BEGIN IMMEDIATE")
            if self._all_applied(moves):
                answers: list[LedgerError | None] = [None] * len(moves)
            else:
                self._connection.execute("ROLLBACK")
                self._connection.execute("BEGIN IMMEDIATE")
                answers = [self._apply(move) for move in moves]
            self._connection.execute("COMMIT")
        except LedgerError as error:
            return [error] * len(moves)
        # Disk full, file gone, a text that is none: somebody waits for each answer.
        except Exception as error:
            with suppress(Failure):
                self._connection.execute("ROLLBACK")
            remedy = "Nothing is sent without it. Make room on the disk or mend it, then resume."
            return [LedgerError(f"The ledger cannot be written: {error}. {remedy}")] * len(moves)
        self.moves += len(moves)
        self.commits += 1
        self._note()
        return answers

    def close(self) -> None:
        """Fold the write-ahead file back in, and close."""
        if self._closed:
            return
        self._closed = True
        self._note(at_once=True)
        with suppress(Failure):  # another reader may hold the file; nothing depends on the folding
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def pending(self, part: int) -> list[Entry]:
        """The batches of a part that have not been attempted, in order."""
        # Fetched at once: an open cursor would keep the write-ahead file from being folded in.
        query = "SELECT batch, part, first, messages, digest FROM batches"
        waiting = " WHERE part = ? AND state = 'pending' ORDER BY batch"
        with opened(self.path) as reader:
            return [Entry._make(row) for row in reader.execute(query + waiting, (part,))]

    def counts(self) -> dict[str, Count]:
        """Batches and messages by state."""
        return counts_of(self.path)

    def _check_usable(self) -> None:
        if self._closed:
            raise LedgerError("The ledger is closed.")
        if os.getpid() != self._process:
            raise LedgerError(
                "A ledger cannot be used after a fork. Open the campaign again in the new process."
            )
        if file_identity(self.path) != self._identity:
            raise LedgerError(
                "The ledger cannot be written: the file was moved or deleted. Nothing is sent without it. "
                "Put it back, then resume."
            )

    def _all_applied(self, moves: Sequence[Move]) -> bool:
        """Apply moves that set the same columns by one call, in two thirds of the time.

        False if one is not allowed, or if a batch moves twice, so that their order matters.
        """
        if len({move.batch for move in moves}) < len(moves):
            return False
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for move in moves:
            rows.setdefault(_update(tuple(move.facts)), []).append(_values(move))
        try:
            changed = sum(self._connection.executemany(*kind).rowcount for kind in rows.items())
        except Refusal:
            return False
        return changed == len(moves)

    def _apply(self, move: Move) -> LedgerError | None:
        try:
            changed = self._connection.execute(_update(tuple(move.facts)), _values(move))
        except Refusal as error:  # the trigger refuses; the others of the group are kept
            return LedgerError(
                f"Batch {move.batch} cannot become {move.state}: {error}. If another program has this "
                "campaign open, end that one, then resume."
            )
        if changed.rowcount != 1:
            return LedgerError(f"Batch {move.batch} cannot become {move.state}: there is no such batch.")
        return None

    def _note(self, *, at_once: bool = False) -> None:
        with suppress(OSError, Failure):  # the mark is a second witness; without it nothing is less safe
            self._mark.write(lambda: moves_in(self._connection), at_once=at_once)


@cache
def _update(facts: tuple[str, ...]) -> str:
    """The statement of a move that sets these columns; their names are keywords of our own calls."""
    columns = "".join(f", {name} = ?" for name in facts)
    if "note" not in facts:  # a person's decision is good for one move
        columns += ", note = ''"
    return f"UPDATE batches SET state = ?{columns} WHERE batch = ?"  # noqa: S608 - no value is put in


def _values(move: Move) -> tuple[Any, ...]:
    """What `_update` needs for a move."""
    facts = (f"{value:f}" if isinstance(value, Decimal) else value for value in move.facts.values())
    return (move.state, *facts, move.batch)


def create(path: Path, identity: Mapping[str, str], entries: Iterable[Entry]) -> None:
    """Make a new ledger with every batch registered in one transaction, so that "lost" can be decided.

    `identity` says whose ledger it is; `open_ledger` compares it. Raises `LedgerError` if the file exists.
    """
    if path.exists():
        raise LedgerError(f"There is a ledger at {path} already.")
    if kind := network_file_system(path.parent):
        raise LedgerError(
            f"{path.parent} is on {kind}, where a safe record cannot be kept. Use a folder on a local disk, "
            "or give a file on one as ledger=."
        )
    path.touch(mode=0o600)
    try:
        with closing(connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            connection.executescript("BEGIN IMMEDIATE;" + schema.SCHEMA)
            connection.executemany("INSERT INTO campaign VALUES (?, ?)", identity.items())
            connection.executemany(
                "INSERT INTO batches (batch, part, first, messages, digest) VALUES (?, ?, ?, ?, ?)", entries
            )
            connection.execute(schema.SEAL)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        Mark(path).write(lambda: 0, at_once=True)
    except BaseException as error:
        _remove(path)  # half a ledger stands in nobody's way
        if isinstance(error, Failure):
            raise LedgerError(f"The ledger at {path} cannot be made: {error}.") from None
        raise


def open_ledger(path: Path, identity: Mapping[str, str]) -> Ledger:
    """Open the ledger of this very campaign, and turn what was under way into `unknown`.

    The caller holds the campaign's lock. Never creates one. Raises `LedgerError` when the file is
    missing, damaged, no ledger, or belongs to another campaign.
    """
    schema.check(path, identity)
    with opened(path) as connection:
        error = "the program ended while this batch was under way"
        connection.execute(
            "UPDATE batches SET state = 'unknown', error = ?, note = '' WHERE state = 'sending'", (error,)
        )
    return Ledger(path)


def result_frame(path: Path) -> pd.DataFrame:
    """Every batch and what came of it: the frame `Result.batches`.

    A batch that is under way is shown as unknown, one that was not attempted as not_sent.
    """
    with opened(path) as connection:
        rows = connection.execute(_RESULT).fetchall()
    frame = pd.DataFrame(rows, columns=list(BATCH_COLUMNS))
    costs = [None if row[3] is None else Decimal(row[3]) for row in rows]
    frame["cost"] = pd.Series(costs, index=frame.index, dtype=object)
    moments = pd.to_datetime(frame["submitted_at"], utc=True, format="ISO8601", errors="coerce")
    frame["submitted_at"] = moments.astype("datetime64[us, UTC]")
    return frame.astype(
        {"batch": "int64", "messages": "int64", "status": "str", "code": "str", "error": "str",
         "attempts": "int64", "seconds": "float64"}
    )  # fmt: skip


def journal(path: Path) -> pd.DataFrame:
    """Every move of every batch, oldest first: at, batch, was, now, error, note."""
    with opened(path) as connection:
        rows = connection.execute(
            "SELECT at, batch, was, now, error, note FROM journal ORDER BY id"
        ).fetchall()
    frame = pd.DataFrame(rows, columns=["at", "batch", "was", "now", "error", "note"])
    return frame.astype({"batch": "int64", "was": "str", "now": "str", "error": "str", "note": "str"})


def counts_of(path: Path) -> dict[str, Count]:
    """Batches and messages by state."""
    with opened(path) as connection:
        return {state: Count(*found) for state, *found in connection.execute(_COUNTS)}


def spent(path: Path) -> Decimal:
    """The sum of the costs that the service named, exactly."""
    with opened(path) as connection:
        costs = connection.execute("SELECT cost, count(*) FROM batches WHERE cost IS NOT NULL GROUP BY cost")
        return sum((Decimal(cost) * count for cost, count in costs), Decimal(0))


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", ".mark"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
