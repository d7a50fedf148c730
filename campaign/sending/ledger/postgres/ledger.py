"""An open ledger in PostgreSQL."""

from __future__ import annotations

from campaign.errors import LedgerError
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.postgres.connections import PostgresError, PostgresRefusalError


class PostgresLedger(Ledger):
    """An open ledger in a database. Its connection holds the lock of the ledger, and loses it with itself."""

    BEGIN = "BEGIN"
    NOW = "utc_now()"
    FAILURE, REFUSAL = PostgresError, PostgresRefusalError
    REPAIR = "Nothing is sent without it. Resume once the database can be written."

    def purge(self) -> None:
        """Rewrite the tables, so that no row of what was erased is left in them.

        The server's own log and its backups are not reached by this.
        """
        self._check_usable()
        problem = ""
        try:
            self._connection.execute("VACUUM (FULL) batches, journal")
        except PostgresError as error:
            problem = f"The ledger cannot be rewritten: {error}. {error.remedy}"
        if problem:
            raise LedgerError(problem)

    def _tidy_up(self) -> None:
        """Let go of the lock now, and not when the server notices that the connection has ended."""
        self._connection.execute("SELECT pg_advisory_unlock_all()")
