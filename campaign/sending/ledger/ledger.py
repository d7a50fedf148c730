"""The durable record of what was attempted and what came of it, over all rounds of a campaign.

States of a batch:

    pending -> sending -> accepted | refused | unknown -> accepted | refused | again
    pending -> withdrawn

`sending` is committed before the first byte of a body leaves. A batch that is `sending` when a ledger is
opened was under way when its process died, so it becomes `unknown`. `unknown` moves on only by a person's
decision; `again` says that its texts may go out once more, in a batch of a later round. Where the provider's
list shows that such a decision was wrong, the journal says `found`, and the batch counts as accepted (`views`
has the states that count). Batches wait only in
the last round: registering a round withdraws what still waits, in the same transaction. Triggers refuse
everything else, and an append-only journal keeps each move.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache, partial
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from campaign.errors import FolderError, LedgerError
from campaign.sending.ledger.changes import (
    erase_texts,
    give_cost,
    insert_round,
    note_budget,
    note_found,
    note_pace,
    record_home,
    withdraw_what_waits,
)
from campaign.sending.ledger.database import Connection, Readable
from campaign.sending.ledger.rollback_guard import RollbackGuard
from campaign.sending.ledger.views import LAST_ENTRY, erasure_in, moves_in


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


Answers = list[LedgerError | None]  # to the moves of a commit: None, or why one was not recorded
Changed = TypeVar("Changed")


class MovesWitness(Protocol):
    """Something beside the ledger that remembers how many moves it had, and so gives an older copy away."""

    def write(self, count_moves: Callable[[], int], *, at_once: bool = False) -> None: ...


class Ledger(ABC):
    """An open ledger, in a database of either kind; its place opens it.

    It has one writer: whoever opened it, under the campaign's lock. Commit moves in groups where you can: a
    commit costs about the same for one move and for a hundred.
    """

    # What each kind of database has its own of: the statement that begins a transaction that writes, the SQL
    # of its clock (UTC in ISO form), and its exceptions.
    BEGIN: ClassVar[str]
    NOW: ClassVar[str]
    FAILURE: ClassVar[type[Exception]]
    REFUSAL: ClassVar[type[Exception]]  # a trigger or a check of the tables refused a change
    NO_SUCH_BATCH: ClassVar[str] = "there is no such batch"

    def __init__(
        self, place: Readable, connection: Connection, guard: RollbackGuard, witnesses: Sequence[MovesWitness]
    ) -> None:
        self.place = place
        self._process = os.getpid()
        self._witnesses = (guard, *witnesses)
        self._connection = connection
        self._closed = False
        self.moves = self.commits = 0
        self._own: Mapping[str, str] = {}  # what a batch has to say besides its number in order to be moved

    def move(self, batch: int, state: str, **facts: Any) -> None:
        """Move one batch; durable when this returns. Raises `LedgerError` if it is not allowed or fails."""
        (refusal,) = self.commit([Move(batch, state, facts)])
        if refusal is not None:
            raise refusal

    def commit(self, moves: Sequence[Move]) -> Answers:
        """Record moves in one transaction; durable when this returns. Never raises for a move.

        Returns for each move None, or why it was refused. When the disk fails, no move of the group is
        recorded and all get the reason.
        """
        return self._start(moves)()

    def start_commit(self, moves: Sequence[Move]) -> Callable[[], Answers]:
        """Begin to commit moves. What this returns does the rest, and may be called on another thread."""
        answers = self.commit(moves)
        return lambda: answers

    def close(self) -> None:
        """Tidy up, and let go of the database."""
        if self._closed:
            return
        self._closed = True
        self._tell_witnesses(at_once=True)
        with suppress(self.FAILURE):  # nothing depends on it
            self._tidy_up()
        self._connection.close()

    def register_round(self, digest: str, entries: Sequence[Entry]) -> int:
        """Register a round with its batches and withdraw every batch that still waits; durable afterwards.

        `digest` is that of the round's manifest, and the batches continue the numbers of earlier rounds.
        Returns the number of the round. All or nothing: raises `LedgerError`, and then nothing has changed.
        """
        return self._change(partial(insert_round, now=self.NOW, digest=digest, entries=entries))

    def close_campaign(self, note: str = "") -> int:
        """Close the campaign: withdraw every batch that waits, and return how many there were.

        The journal keeps why. The campaign stays closed until a new round is registered.
        """
        return self._change(partial(withdraw_what_waits, now=self.NOW, note=note))

    def erase_campaign(self, note: str) -> None:
        """End the campaign, and take away what the ledger itself may tell of people: errors, notes and the
        digests of messages.

        The journal keeps why, as its last entry. All or nothing; raises `LedgerError` while anything waits or
        is unknown.
        """
        self._change(partial(erase_texts, now=self.NOW, note=note))

    def erased_at(self) -> str:
        """When the campaign was erased (UTC), "" for never."""
        return erasure_in(self._ask(LAST_ENTRY))

    @abstractmethod
    def purge(self) -> None:
        """Rewrite what the ledger is stored in, so that no byte of what was erased is left in it."""

    def waiting_messages(self) -> int:
        """How many messages wait to be sent."""
        query = "SELECT CAST(coalesce(sum(messages), 0) AS BIGINT) FROM batches WHERE state = 'pending'"
        messages: int = self._ask(query)[0]
        return messages

    def take_over(self, home: Mapping[str, str], note: str) -> None:
        """Record where the ledger lives from now on and whose account it is, and why, in the journal."""
        self._change(partial(record_home, now=self.NOW, home=home, note=note))

    def record_budget(self, record: str) -> None:
        """Keep the record of the budget that the campaign has from now on, in the journal."""
        self._change(partial(note_budget, now=self.NOW, record=record))

    def record_pace(self, record: str) -> None:
        """Keep in the journal how many messages a second leave at most from now on, "" for as many as can."""
        self._change(partial(note_pace, now=self.NOW, record=record))

    def recorded_pace(self) -> str:
        """The record of the pace that was kept last, "" if there is none."""
        return self._last_note("pace")

    def record_found(self, batches: Sequence[int], costs: Mapping[int, Decimal], note: str) -> None:
        """Record that batches were accepted, though a person has settled them as refused or ordered them
        again, and what they cost where that is known; the journal keeps who found it and by what.

        All or nothing: raises `LedgerError` for a batch that was not settled so.
        """
        written = {batch: f"{cost:f}" for batch, cost in costs.items()}
        self._change(partial(note_found, now=self.NOW, batches=batches, costs=written, note=note))

    def record_cost(self, batch: int, cost: Decimal, note: str, instead_of: Decimal | None = None) -> None:
        """Give a batch that was accepted or ordered again, and has no cost, its cost, or another one instead
        of the one that it has; the journal keeps who gave it."""
        before = None if instead_of is None else f"{instead_of:f}"
        self._change(
            partial(give_cost, now=self.NOW, batch=batch, cost=f"{cost:f}", note=note, before=before)
        )

    def recorded_budget(self) -> str:
        """The record of the budget that was kept last, "" if there is none."""
        return self._last_note("budget")

    def _last_note(self, event: str) -> str:
        query = f"SELECT note FROM journal WHERE now = '{event}' ORDER BY id DESC LIMIT 1"  # noqa: S608 - names of ours
        row = self._ask(query)
        return "" if row is None else str(row[0])

    def last_round(self) -> int:
        """The number of the last round, 0 if there is none."""
        number: int = self._ask("SELECT coalesce(max(round), 0) FROM rounds")[0]
        return number

    def next_batch(self) -> int:
        """The number of the next new batch; numbers are never used twice."""
        number: int = self._ask("SELECT coalesce(max(batch), 0) + 1 FROM batches")[0]
        return number

    def pending(self, part: int) -> list[Entry]:
        """The batches in a part of the last round that have not been attempted, in order."""
        # Fetched at once: an open cursor would keep the write-ahead log from being folded in.
        query = """
        SELECT batch, part, first, messages, digest FROM batches
        WHERE round = (SELECT max(round) FROM rounds) AND part = :part AND state = 'pending' ORDER BY batch
        """
        with self.place.reading() as connection:
            return [Entry._make(row) for row in connection.execute(query, {"part": part})]

    def _ask(self, query: str) -> Any:
        """The first row that a query returns, None if there is none."""
        try:
            return self._connection.execute(query).fetchone()
        except self.FAILURE as error:
            raise self._unwritable(error) from None

    def _change(self, change: Callable[[Connection], Changed]) -> Changed:
        """Make a change that is no move of a single batch, in one transaction; durable afterwards."""
        self._check_usable()
        try:
            self._begin()
            outcome = change(self._connection)
            self._connection.execute("COMMIT")
        except LedgerError:
            self.roll_back()
            raise
        except self.REFUSAL as error:
            self.roll_back()
            raise LedgerError("ledger_refuses", reason=str(error)) from None
        except self.FAILURE as error:
            self.roll_back()
            raise self._unwritable(error) from None
        self._tell_witnesses(at_once=True)
        return outcome

    def _begin(self, moves: Sequence[Move] = ()) -> None:
        """Begin a transaction, in which these moves are made."""
        self._connection.execute(self.BEGIN)

    def roll_back(self) -> None:
        """Give up the transaction that was begun."""
        with suppress(self.FAILURE):
            self._connection.execute("ROLLBACK")

    def _check_usable(self) -> None:
        """Raise `LedgerError` if nothing may be written with what was opened."""
        if self._closed:
            raise self._unwritable("it is closed")
        if os.getpid() != self._process:
            raise self._unwritable("it was opened before a fork")

    def _unwritable(self, reason: object) -> LedgerError:
        return LedgerError("ledger_unwritable", reason=str(reason))

    @abstractmethod
    def _tidy_up(self) -> None:
        """Do what the database likes to have done before it is closed."""

    def _start(self, moves: Sequence[Move]) -> Callable[[], Answers]:
        """Record moves in a transaction, and return what ends it."""
        try:
            self._check_usable()
            self._begin(moves)
            if self._apply_all(moves):
                return partial(self._end, [None] * len(moves))
            self._connection.execute("ROLLBACK")
            self._begin(moves)
            return partial(self._end, [self._apply(move) for move in moves])
        except Exception as error:
            answers = self._give_up(error, len(moves))
            return lambda: answers

    def _end(self, answers: Answers) -> Answers:
        try:
            self._connection.execute("COMMIT")
        except Exception as error:
            return self._give_up(error, len(answers))
        self.moves += len(answers)
        self.commits += 1
        self._tell_witnesses()
        return answers

    def _give_up(self, error: Exception, moves: int) -> Answers:
        """The answers to moves of which none was recorded: a full disk, a text that cannot be encoded …"""
        if isinstance(error, LedgerError):
            return [error] * moves
        self.roll_back()
        return [self._unwritable(error)] * moves

    def _apply_all(self, moves: Sequence[Move]) -> bool:
        """Apply all moves, those that set the same columns by one call: this takes two thirds of the time.

        False if one is not allowed, or if a batch moves twice, so that their order matters.
        """
        if len({move.batch for move in moves}) < len(moves):
            return False
        rows: dict[str, list[dict[str, Any]]] = {}
        for move in moves:
            rows.setdefault(self._update(tuple(move.facts)), []).append(self._values(move))
        try:
            changed = sum(self._connection.executemany(*group).rowcount for group in rows.items())
        except self.REFUSAL:
            return False
        return changed == len(moves)

    def _apply(self, move: Move) -> LedgerError | None:
        """Apply one move of a group, so that the others are recorded even if this one is refused."""
        problem = ""
        self._connection.execute("SAVEPOINT one_move")
        try:
            if self._connection.execute(self._update(tuple(move.facts)), self._values(move)).rowcount != 1:
                problem = self.NO_SUCH_BATCH
        except self.REFUSAL as error:
            self._connection.execute("ROLLBACK TO one_move")
            problem = str(error)
        self._connection.execute("RELEASE one_move")
        return self._refused(move, problem) if problem else None

    def _refused(self, move: Move, reason: str) -> LedgerError:
        return LedgerError("ledger_refuses", batch=move.batch, state=move.state, reason=reason)

    def _tell_witnesses(self, *, at_once: bool = False) -> None:
        for witness in self._witnesses:
            with suppress(OSError, self.FAILURE, FolderError):  # without it nothing is less safe
                witness.write(lambda: moves_in(self._connection), at_once=at_once)

    def _update(self, facts: tuple[str, ...]) -> str:
        """The statement of a move that sets these columns."""
        return _update(facts, tuple(self._own))

    def _values(self, move: Move) -> dict[str, Any]:
        """The parameters of `_update` for a move."""
        values = {"state": move.state, "batch": move.batch, **move.facts, **self._own}
        if isinstance(values.get("cost"), Decimal):
            values["cost"] = f"{values['cost']:f}"
        return values


@cache
def _update(facts: tuple[str, ...], own: tuple[str, ...]) -> str:
    """The statement of a move; the names of columns are keywords of our own calls."""
    columns = "".join(f", {name} = :{name}" for name in facts)
    if "note" not in facts:  # a person's decision is good for one move
        columns += ", note = ''"
    conditions = "".join(f" AND {name} = :{name}" for name in own)
    return f"UPDATE batches SET state = :state{columns} WHERE batch = :batch{conditions}"  # noqa: S608 - no value is put in
