"""The place of a ledger in a PostgreSQL database: made, checked, opened, and deleted when it was never used.

Each campaign has a schema of its own, named after the salt of its manifest, so that the tables are those of a
ledger file, and a copy of the campaign folder leads to the very same ledger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from campaign.errors import LedgerError, LockedError
from campaign.sending.ledger.changes import give_up_what_was_under_way
from campaign.sending.ledger.integrity import check_identity, check_rounds
from campaign.sending.ledger.ledger import MovesWitness
from campaign.sending.ledger.postgres.catalog import catalog_of, expected_catalog
from campaign.sending.ledger.postgres.connections import PostgresConnection, PostgresError, connect
from campaign.sending.ledger.postgres.guards import CLOCK, GUARDS
from campaign.sending.ledger.postgres.ledger import HOLDER, PostgresLedger
from campaign.sending.ledger.postgres.tables import TABLES
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.views import moves_in

_LOCKED_OUT = "55P03"


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """The schema of one campaign in a database; `folder` has the guard, `address` is without a password."""

    folder: Path
    address: str
    schema: str

    @property
    def file_names(self) -> frozenset[str]:
        return frozenset([guard_path(self._beside).name])

    @property
    def _beside(self) -> Path:
        """What the guard is named after."""
        return self.folder / "ledger"

    def is_inside(self, folder: Path) -> bool:
        return False

    def create(self, identity: Mapping[str, str]) -> None:
        with self._told("made"), closing(connect(self.address, self.schema)) as connection:
            connection.execute("BEGIN")
            _make_tables(connection, self.schema)
            rows = [{"key": key, "value": value} for key, value in {**identity, HOLDER: ""}.items()]
            connection.executemany("INSERT INTO campaign VALUES (:key, :value)", rows)
            connection.execute("COMMIT")
        RollbackGuard(self._beside).write(lambda: 0, at_once=True)

    def discard(self, identity: Mapping[str, str]) -> None:
        with suppress(LedgerError):  # there is none, or it cannot be reached; unused, it does no harm
            if self._check_content(identity) == 0:
                with self._told("deleted"), closing(connect(self.address, self.schema)) as connection:
                    connection.execute_as_written(f"DROP SCHEMA {self.schema} CASCADE")

    def check(self, identity: Mapping[str, str]) -> None:
        RollbackGuard(self._beside).check(self._check_content(identity))

    def open(self, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()) -> PostgresLedger:
        with self._told("opened"):
            connection = self._locked_connection()
            try:
                self.check(identity)
                give_up_what_was_under_way(connection)
                guard = RollbackGuard(self._beside)
                return PostgresLedger(self, connection, guard, witnesses, self._locked_connection)
            except BaseException:
                connection.close()
                raise

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        with self._told("read"), closing(connect(self.address, self.schema)) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection

    def _check_content(self, identity: Mapping[str, str]) -> int:
        """Check the tables alone, without the guard, and return how many moves there are."""
        ledger = f"The ledger in {self.address}"
        with self.reading() as connection:
            catalog = catalog_of(connection, self.schema)
            if not catalog:
                raise LedgerError(
                    f"There is no ledger of this campaign in {self.address}. Without it nobody knows what "
                    f"was sent: restore the schema {self.schema} there."
                )
            if catalog != expected_catalog():
                raise LedgerError(f"{ledger} was changed by another program. Restore it from a copy.")
            check_rounds(connection, ledger)
            check_identity(connection, identity, ledger)
            return moves_in(connection)

    def _locked_connection(self) -> PostgresConnection:
        connection = connect(self.address, self.schema)
        try:
            self._lock(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock(self, connection: PostgresConnection) -> None:
        """Hold the ledger for as long as this connection lives: no other machine can open it meanwhile.

        The server lets go of it when the connection ends, however it ends, so whatever writes holds it.
        """
        digest = hashlib.sha256(self.schema.encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)
        try:
            connection.execute("SELECT pg_advisory_lock(:key)", {"key": key})
            return
        except PostgresError as error:
            if error.state != _LOCKED_OUT:
                raise
        raise LockedError(
            "This campaign is being sent or changed by another program, perhaps on another machine: its "
            f"ledger in {self.address} is open there. Wait until it is done, or stop it."
        )

    @contextmanager
    def _told(self, done: str) -> Iterator[None]:
        """Whatever PostgreSQL says becomes a `LedgerError`."""
        try:
            yield
            return
        except PostgresError as error:
            problem = f"The ledger in {self.address} cannot be {done}: {error}. {error.remedy}"
        raise LedgerError(problem) from None


def _make_tables(connection: PostgresConnection, schema: str) -> None:
    """Make the schema with its tables and what guards them."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    connection.execute_as_written(f"CREATE SCHEMA {schema}")
    connection.execute_as_written(
        f"CREATE FUNCTION utc_now() RETURNS text LANGUAGE sql VOLATILE AS $${CLOCK}$$"
    )
    for table in TABLES:
        connection.execute_as_written(str(CreateTable(table).compile(dialect=dialect)))
        for index in table.indexes:
            connection.execute_as_written(str(CreateIndex(index).compile(dialect=dialect)))
    for name, guard in GUARDS.items():
        connection.execute_as_written(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT "
            f"AS $${guard.body}$$"
        )
        connection.execute_as_written(guard.trigger(name))
