"""An open ledger in PostgreSQL."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from campaign.errors import LedgerError, LockedError
from campaign.sending.ledger.database import Connection, Readable
from campaign.sending.ledger.ledger import Changed, Ledger, Move, MovesWitness
from campaign.sending.ledger.postgres.connections import (
    REWRITE_WITHIN,
    PostgresConnection,
    PostgresError,
    PostgresRefusalError,
)
from campaign.sending.ledger.postgres.standing_orders import give_order
from campaign.sending.ledger.rollback_guard import RollbackGuard
from campaign.sending.ledger.views import moves_in

HOLDER = "holder"  # beside the identity: a mark of the program that opened the ledger last
COMES_BACK_WITHIN = 20.0  # seconds that a run waits for a database that has gone away; a restart takes less
_LOOK_AGAIN = 0.5
_MARK = f"UPDATE campaign SET value = :mark WHERE key = '{HOLDER}'"  # noqa: S608 - a constant
_MARKED = f"SELECT value FROM campaign WHERE key = '{HOLDER}'"  # noqa: S608 - likewise


class PostgresLedger(Ledger):
    """An open ledger in a database. Its connection holds the lock of the ledger, and loses it with itself.

    When the connection breaks while moves are committed, a new one is made. The moves are recorded there if
    they were not before, and only if no other program has opened the ledger meanwhile: that one takes what
    was under way here for unknown, and sends what waits.
    """

    BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"  # a server may have another default
    NOW = "utc_now()"
    FAILURE, REFUSAL = PostgresError, PostgresRefusalError
    _is_lost = False  # closed, because the database went away and has not come back

    def __init__(
        self,
        place: Readable,
        connection: PostgresConnection,
        guard: RollbackGuard,
        witnesses: Sequence[MovesWitness],
        reopen: Callable[[], PostgresConnection],
    ) -> None:
        super().__init__(place, connection, guard, witnesses)
        self._session, self._reopen = connection, reopen
        self._enter(connection)

    def _enter(self, connection: PostgresConnection) -> None:
        """Make it known who has the ledger open."""
        self._mark = secrets.token_hex(16)
        connection.execute(_MARK, {"mark": self._mark})
        self._recorded = moves_in(connection)

    def _may_go_on(self, session: PostgresConnection) -> bool:
        """Whether nobody else has had the ledger open since the connection was lost."""
        return session.execute(_MARKED).fetchone() == (self._mark,)

    def commit(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        answers = super().commit(moves)
        while self._session.is_lost and not self._closed and self._has_come_back():
            with suppress(PostgresError):  # lost again, as by a server that restarts twice
                answers = self._commit_what_was_not_recorded(moves)
        self._count_recorded(answers)
        return answers

    def _count_recorded(self, answers: Sequence[LedgerError | None]) -> None:
        """So many of these moves are in the journal."""
        self._recorded += sum(answer is None for answer in answers)

    def release(self, note: str) -> None:
        """Let workers send the last round once this program has closed the ledger."""
        self._change(partial(give_order, kind="released", note=note))

    def purge(self) -> None:
        """Rewrite the tables, so that no row of what was erased is left in them.

        The server's own log and its backups are not reached by this.
        """
        self._check_usable()
        try:
            self._session.execute_as_written("VACUUM (FULL) batches, journal", REWRITE_WITHIN)
            return
        except PostgresError as error:
            problem = self._unwritable(error)
        raise problem

    def _change(self, change: Callable[[Connection], Changed]) -> Changed:
        outcome = super()._change(change)
        self._recorded = moves_in(self._connection)
        return outcome

    def _has_come_back(self) -> bool:
        """Make a new connection that holds the lock, unless somebody else has had it meanwhile; or close.

        The event loop waits for it: without the ledger nothing may leave anyway.
        """
        until = time.monotonic() + COMES_BACK_WITHIN
        while time.monotonic() < until:
            with suppress(PostgresError, LockedError):
                session = self._reopen()
                self._session.close()
                self._session = self._connection = session
                if self._may_go_on(session):
                    return True
                break
            time.sleep(_LOOK_AGAIN)
        self._is_lost = True
        self.close()
        return False

    def _check_usable(self) -> None:
        if self._is_lost:
            raise self._unwritable("the connection to it was lost")
        super()._check_usable()

    def _commit_what_was_not_recorded(self, moves: Sequence[Move]) -> list[LedgerError | None]:
        """Commit moves anew, unless the last commit was complete and only its answer was lost."""
        recorded = moves_in(self._session) - self._recorded
        if recorded == 0:
            return super().commit(moves)
        if recorded == len(moves):
            return [None] * len(moves)
        return [LedgerError("ledger_refuses", reason="it was moved meanwhile")] * len(moves)

    def _tidy_up(self) -> None:
        """Let go of the lock now, and not when the server notices that the connection has ended."""
        self._connection.execute("SELECT pg_advisory_unlock_all()")
