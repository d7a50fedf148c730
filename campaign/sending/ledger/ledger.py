"""The durable record of what was attempted and what came of it.

States of a batch:

    pending -> sending -> accepted | refused | unknown

`sending` is committed before the first byte of a body leaves. A batch that is `sending` when a ledger is
opened was under way when its process died, so it becomes `unknown`. `unknown` moves on only by a person's
decision. A trigger refuses every other move, and an append-only journal keeps each one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from campaign.errors import LedgerError
from campaign.private_files import new_private_file, sync_folder
from campaign.sending.ledger.connections import Failure, Refusal, connect, opened
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.schema import APPLICATION_ID, SCHEMA, SEAL
from campaign.sending.ledger.views import Count, count_by_state, moves_in


class Entry(NamedTuple):
    """One batch as it is registered: messages `first` to `first + messages` of a part, and their digest."""

    batch: int
    part: int
    first: int
    messages: int
    digest: bytes


class Move(NamedTuple):
    """A batch goes to a state with what is known about it: cost, code, error, attempts …"""

    batch: int
    state: str
    facts: Mapping[str, Any]


class Ledger:
    """An open ledger. Make one with `create_ledger`, open one with `open_ledger`.

    It has one writer: whoever opened it, under the campaign's lock. Commit moves in groups where you can: a
    commit costs about the same for one move and for a hundred.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._process = os.getpid()
        self._guard = RollbackGuard(path)
        self._identity = _file_identity(path)
        self._connection = connect(path)
        self._closed = False
        self.moves = self.commits = 0

    def move(self, batch: int, state: str, **facts: Any) -> None:
        """Move one batch; durable when this returns. Raises `LedgerError` if it is not allowed or fails."""
        (refusal,) = self.commit([Move(batch, state, facts)])
        if refusal is not None:
            raise refusal

    def commit(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        """Record moves in one transaction; durable when this returns. Never raises for a move.

        Returns for each move None, or why it was refused. When the disk fails, no move of the group is
        recorded and all get the reason.
        """
        try:
            self._check_usable()
            self._connection.execute("BEGIN IMMEDIATE")
            if self._apply_all(moves):
                refusals: list[LedgerError | None] = [None] * len(moves)
            else:
                self._connection.execute("ROLLBACK")
                self._connection.execute("BEGIN IMMEDIATE")
                refusals = [self._apply(move) for move in moves]
            self._connection.execute("COMMIT")
        except LedgerError as error:
            return [error] * len(moves)
        # A full disk, a missing file, a text that cannot be encoded: every move of the group needs an answer.
        except Exception as error:
            with suppress(Failure):
                self._connection.execute("ROLLBACK")
            remedy = "Nothing is sent without it. Make room on the disk or repair it, then resume."
            return [LedgerError(f"The ledger cannot be written: {error}. {remedy}")] * len(moves)
        self.moves += len(moves)
        self.commits += 1
        self._write_guard()
        return refusals

    def close(self) -> None:
        """Fold the write-ahead log back into the file, and close."""
        if self._closed:
            return
        self._closed = True
        self._write_guard(at_once=True)
        with suppress(Failure):  # another reader may have the file open; nothing depends on the folding
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def pending(self, part: int) -> list[Entry]:
        """The batches of a part that have not been attempted, in order."""
        # Fetched at once: an open cursor would keep the write-ahead log from being folded in.
        query = "SELECT batch, part, first, messages, digest FROM batches"
        condition = " WHERE part = ? AND state = 'pending' ORDER BY batch"
        with opened(self.path) as connection:
            return [Entry._make(row) for row in connection.execute(query + condition, (part,))]

    def counts(self) -> dict[str, Count]:
        """Batches and messages by state."""
        return count_by_state(self.path)

    def _check_usable(self) -> None:
        if self._closed:
            raise LedgerError("The ledger is closed. Resume the campaign to open it again.")
        if os.getpid() != self._process:
            raise LedgerError(
                "A ledger cannot be used after a fork. Resume the campaign in the new process once the first "
                "one has ended."
            )
        if _file_identity(self.path) != self._identity:
            raise LedgerError(
                "The ledger cannot be written: its file was moved, deleted or replaced. Nothing is sent "
                "without it. Put the file back, then resume."
            )

    def _apply_all(self, moves: Sequence[Move]) -> bool:
        """Apply all moves, those that set the same columns by one call: this takes two thirds of the time.

        False if one is not allowed, or if a batch moves twice, so that their order matters.
        """
        if len({move.batch for move in moves}) < len(moves):
            return False
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for move in moves:
            rows.setdefault(_update(tuple(move.facts)), []).append(_values(move))
        try:
            changed = sum(self._connection.executemany(*group).rowcount for group in rows.items())
        except Refusal:
            return False
        return changed == len(moves)

    def _apply(self, move: Move) -> LedgerError | None:
        try:
            cursor = self._connection.execute(_update(tuple(move.facts)), _values(move))
        except Refusal as error:  # the others of the group are still recorded
            return LedgerError(
                f"Batch {move.batch} cannot become {move.state}: {error}. If another program has this "
                "campaign open, close that one, then resume."
            )
        if cursor.rowcount != 1:
            return LedgerError(f"Batch {move.batch} cannot become {move.state}: there is no such batch.")
        return None

    def _write_guard(self, *, at_once: bool = False) -> None:
        with suppress(OSError, Failure):  # the guard is a second witness; without it nothing is less safe
            self._guard.write(lambda: moves_in(self._connection), at_once=at_once)


def create_ledger(path: Path, identity: Mapping[str, str], entries: Iterable[Entry]) -> None:
    """Make a new ledger and register every batch in one transaction, so that a lost batch can be noticed.

    `identity` says whose ledger it is; `open_ledger` compares it. Raises `LedgerError` if the file exists.
    """
    try:
        with new_private_file(path):
            pass
    except FileExistsError:
        raise LedgerError(f"There is already a file at {path}. Give another one as ledger=.") from None
    except OSError as error:
        raise LedgerError(
            f"The ledger at {path} cannot be made: {error.strerror}. Give a file in a folder that exists and "
            "that you can write to."
        ) from None
    try:
        with closing(connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.executescript("BEGIN IMMEDIATE;" + SCHEMA)
            connection.executemany("INSERT INTO campaign VALUES (?, ?)", identity.items())
            connection.executemany(
                "INSERT INTO batches (batch, part, first, messages, digest) VALUES (?, ?, ?, ?, ?)", entries
            )
            connection.execute(SEAL)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        RollbackGuard(path).write(lambda: 0, at_once=True)
        sync_folder(path.parent)
    except BaseException as error:
        remove_ledger(path)  # an unfinished ledger would be in the way of the next attempt
        if isinstance(error, Failure | OSError):
            raise LedgerError(f"The ledger at {path} cannot be made: {error}.") from None
        raise


def open_ledger(path: Path, identity: Mapping[str, str]) -> Ledger:
    """Open the ledger of this very campaign, and turn what was under way into `unknown`.

    The caller holds the campaign's lock. Never creates a ledger. Raises `LedgerError` when the file is
    missing, damaged, not a ledger, or belongs to another campaign.
    """
    check_ledger(path, identity)
    with opened(path) as connection:
        error = "the program ended while this batch was under way"
        connection.execute(
            "UPDATE batches SET state = 'unknown', error = ?, note = '' WHERE state = 'sending'", (error,)
        )
    try:
        return Ledger(path)
    except Failure as error:
        raise LedgerError(f"The ledger at {path} cannot be used: {error}. Try again.") from None


def remove_ledger(path: Path) -> None:
    """Delete a ledger that was never used, with the files beside it."""
    for file in (
        path,
        path.with_name(path.name + "-wal"),
        path.with_name(path.name + "-shm"),
        guard_path(path),
    ):
        file.unlink(missing_ok=True)


@cache
def _update(facts: tuple[str, ...]) -> str:
    """The statement of a move that sets these columns; their names are keywords of our own calls."""
    columns = "".join(f", {name} = ?" for name in facts)
    if "note" not in facts:  # a person's decision is good for one move
        columns += ", note = ''"
    return f"UPDATE batches SET state = ?{columns} WHERE batch = ?"  # noqa: S608 - no value is put in


def _values(move: Move) -> tuple[Any, ...]:
    """The parameters of `_update` for a move."""
    facts = (f"{value:f}" if isinstance(value, Decimal) else value for value in move.facts.values())
    return (move.state, *facts, move.batch)


def _file_identity(path: Path) -> tuple[int, int] | None:
    """What distinguishes this file from another one in its place; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
