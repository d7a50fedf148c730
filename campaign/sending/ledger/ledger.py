"""The durable record of what was attempted and what came of it, over all rounds of a campaign.

States of a batch:

    pending -> sending -> accepted | refused | unknown -> accepted | refused | again
    pending -> withdrawn

`sending` is committed before the first byte of a body leaves. A batch that is `sending` when a ledger is
opened was under way when its process died, so it becomes `unknown`. `unknown` moves on only by a person's
decision; `again` says that its texts may go out once more, in a batch of a later round. Batches wait only in
the last round: registering a round withdraws what still waits, in the same transaction. Triggers refuse
everything else, and an append-only journal keeps each move.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from campaign.errors import FolderError, LedgerError
from campaign.private_files import new_private_file, sync_folder
from campaign.sending.ledger.connections import Connection, Failure, Refusal, connect, opened
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.schema import APPLICATION_ID, SCHEMA
from campaign.sending.ledger.views import moves_in

_WITHDRAW = "UPDATE batches SET state = 'withdrawn' WHERE state = 'pending'"
_NOTE_IN_JOURNAL = """
INSERT INTO journal (at, batch, was, now, error, note)
VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 0, '', ?, '', ?)
"""
_REPAIR = "Nothing is sent without it. Make room on the disk or repair it, then resume."


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


class MovesWitness(Protocol):
    """Something beside the ledger that remembers how many moves it had, and so gives an older copy away."""

    def write(self, count_moves: Callable[[], int], *, at_once: bool = False) -> None: ...


class Ledger:
    """An open ledger. Make one with `create_ledger`, open one with `open_ledger`.

    It has one writer: whoever opened it, under the campaign's lock. Commit moves in groups where you can: a
    commit costs about the same for one move and for a hundred.
    """

    def __init__(self, path: Path, witnesses: Sequence[MovesWitness] = ()) -> None:
        self.path = path
        self._process = os.getpid()
        self._witnesses = (RollbackGuard(path), *witnesses)
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
            self._roll_back()
            return [LedgerError(f"The ledger cannot be written: {error}. {_REPAIR}")] * len(moves)
        self.moves += len(moves)
        self.commits += 1
        self._tell_witnesses()
        return refusals

    def close(self) -> None:
        """Fold the write-ahead log back into the file, and close."""
        if self._closed:
            return
        self._closed = True
        self._tell_witnesses(at_once=True)
        with suppress(Failure):  # another reader may have the file open; nothing depends on the folding
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def register_round(self, digest: str, entries: Sequence[Entry]) -> int:
        """Register a round with its batches and withdraw every batch that still waits; durable afterwards.

        `digest` is that of the round's manifest, and the batches continue the numbers of earlier rounds.
        Returns the number of the round. All or nothing: raises `LedgerError`, and then nothing has changed.
        """

        def register(connection: Connection) -> int:
            number: int = connection.execute("SELECT coalesce(max(round), 0) + 1 FROM rounds").fetchone()[0]
            connection.execute(_WITHDRAW)
            connection.executemany(
                "INSERT INTO batches (batch, round, part, first, messages, digest) VALUES (?, ?, ?, ?, ?, ?)",
                ((entry.batch, number, *entry[1:]) for entry in entries),
            )
            connection.execute(
                "INSERT INTO rounds VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))", (number, digest)
            )
            return number

        return self._change(register)

    def close_campaign(self, note: str = "") -> int:
        """Close the campaign: withdraw every batch that waits, and return how many there were.

        The journal keeps why. The campaign stays closed until a new round is registered.
        """

        def withdraw(connection: Connection) -> int:
            connection.execute(_NOTE_IN_JOURNAL, ("closed", note))
            update = "UPDATE batches SET state = 'withdrawn', note = ? WHERE state = 'pending'"
            return connection.execute(update, (note,)).rowcount

        return self._change(withdraw)

    def erase_rounds(self, digests: Mapping[int, str], note: str) -> None:
        """Register that rounds were erased, by the digests of their new manifests, and take away what the
        ledger itself may tell of people: errors, notes and the digests of messages.

        The journal keeps why. All or nothing; raises `LedgerError` while anything waits or is unknown.
        """

        def erase(connection: Connection) -> int:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(_NOTE_IN_JOURNAL, ("erased", note))
            insert = "INSERT INTO erasures VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
            connection.executemany(insert, digests.items())
            rounds = [(number,) for number in digests]
            connection.executemany(
                "UPDATE batches SET error = '', note = '', digest = x'' WHERE round = ?", rounds
            )
            return connection.executemany(
                "UPDATE journal SET error = '', note = '' WHERE batch IN "
                "(SELECT batch FROM batches WHERE round = ?)",
                rounds,
            ).rowcount

        self._change(erase)

    def purge(self) -> None:
        """Write the file anew, so that no byte of what was erased is left in it or in its log."""
        self._check_usable()
        try:
            self._connection.execute("VACUUM")
            (is_busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except Failure as error:
            raise LedgerError(f"The ledger cannot be written: {error}. {_REPAIR}") from None
        if is_busy:
            raise LedgerError(
                "Another program reads the ledger, so what was erased cannot be removed from its file yet. "
                "Close that program, then erase the campaign again."
            )

    def waiting_messages(self) -> int:
        """How many messages wait to be sent."""
        query = "SELECT ifnull(sum(messages), 0) FROM batches WHERE state = 'pending'"
        messages: int = self._connection.execute(query).fetchone()[0]
        return messages

    def take_over(self, home: Mapping[str, str], note: str) -> None:
        """Record where the ledger lives from now on and whose account it is, and why, in the journal."""

        def move_house(connection: Connection) -> int:
            connection.execute(_NOTE_IN_JOURNAL, ("takeover", note))
            pairs = [(value, key) for key, value in home.items()]
            return connection.executemany("UPDATE campaign SET value = ? WHERE key = ?", pairs).rowcount

        self._change(move_house)

    def last_round(self) -> int:
        """The number of the last round, 0 if there is none."""
        query = "SELECT coalesce(max(round), 0) FROM rounds"
        number: int = self._connection.execute(query).fetchone()[0]
        return number

    def next_batch(self) -> int:
        """The number of the next new batch; numbers are never used twice."""
        query = "SELECT coalesce(max(batch), 0) + 1 FROM batches"
        number: int = self._connection.execute(query).fetchone()[0]
        return number

    def pending(self, part: int) -> list[Entry]:
        """The batches in a part of the last round that have not been attempted, in order."""
        # Fetched at once: an open cursor would keep the write-ahead log from being folded in.
        query = "SELECT batch, part, first, messages, digest FROM batches"
        condition = (
            " WHERE round = (SELECT max(round) FROM rounds) AND part = ? AND state = 'pending' ORDER BY batch"
        )
        with opened(self.path) as connection:
            return [Entry._make(row) for row in connection.execute(query + condition, (part,))]

    def _change(self, change: Callable[[Connection], int]) -> int:
        """Make a change that is no move of a single batch, in one transaction; durable afterwards."""
        self._check_usable()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            outcome = change(self._connection)
            self._connection.execute("COMMIT")
        except Refusal as error:
            self._roll_back()
            raise LedgerError(
                f"The ledger refuses this change: {error}. If another program has this campaign open, close "
                "that one, then try again."
            ) from None
        except Failure as error:
            self._roll_back()
            raise LedgerError(f"The ledger cannot be written: {error}. {_REPAIR}") from None
        self._tell_witnesses(at_once=True)
        return outcome

    def _roll_back(self) -> None:
        with suppress(Failure):
            self._connection.execute("ROLLBACK")

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

    def _tell_witnesses(self, *, at_once: bool = False) -> None:
        for witness in self._witnesses:
            with suppress(OSError, Failure, FolderError):  # without it nothing is less safe
                witness.write(lambda: moves_in(self._connection), at_once=at_once)


def create_ledger(path: Path, identity: Mapping[str, str]) -> None:
    """Make a new ledger without any round.

    `identity` says whose ledger it is and where it lives; `open_ledger` compares the former. Raises
    `LedgerError` if the file exists.
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
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        RollbackGuard(path).write(lambda: 0, at_once=True)
        sync_folder(path.parent)
    except BaseException as error:
        remove_ledger(path)  # an unfinished ledger would be in the way of the next attempt
        if isinstance(error, Failure | OSError):
            raise LedgerError(f"The ledger at {path} cannot be made: {error}.") from None
        raise


def open_ledger(path: Path, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()) -> Ledger:
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
        return Ledger(path, witnesses)
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
