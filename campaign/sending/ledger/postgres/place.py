"""The place of a ledger in a PostgreSQL database: made, checked, opened, and deleted when it was never used.

Each campaign has a schema of its own, named after the salt of its manifest, so that the tables are those of a
ledger file, and a copy of the campaign folder leads to the very same ledger.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
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
from campaign.sending.ledger.postgres.roster import (
    WorkerAtWork,
    end_overdue_sessions,
    give_up_all,
    workers_at_work,
)
from campaign.sending.ledger.postgres.standing_orders import OrderKind, StandingOrder, give_order, last_order
from campaign.sending.ledger.postgres.tables import TABLES
from campaign.sending.ledger.postgres.worker_ledger import SESSION, WorkerLedger, waiting_messages
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.views import moves_in
from campaign.words.finding import Finding

_LOCKED_OUT = "55P03"


class PostgresPlace(Struct, frozen=True):
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
        with self._told(), closing(connect(self.address, self.schema)) as connection:
            connection.execute("BEGIN")
            _make_tables(connection, self.schema)
            rows = [{"key": key, "value": value} for key, value in {**identity, HOLDER: ""}.items()]
            connection.executemany("INSERT INTO campaign VALUES (:key, :value)", rows)
            connection.execute("INSERT INTO pace VALUES (1, 0)")
            connection.execute("COMMIT")
        RollbackGuard(self._beside).write(lambda: 0, at_once=True)

    def discard(self, identity: Mapping[str, str]) -> None:
        with suppress(LedgerError):  # there is none, or it cannot be reached; unused, it does no harm
            if self._check_content(identity) == 0:
                with self._told(), closing(connect(self.address, self.schema)) as connection:
                    connection.execute_as_written(f"DROP SCHEMA {self.schema} CASCADE")

    def check(self, identity: Mapping[str, str]) -> None:
        RollbackGuard(self._beside).check(lambda: self._check_content(identity))

    def open(self, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()) -> PostgresLedger:
        with self._told():
            connection = self._locked_connection()
            try:
                self.check(identity)
                give_up_all(connection)
                give_up_what_was_under_way(connection)
                guard = RollbackGuard(self._beside)
                guard.sweep()
                return PostgresLedger(self, connection, guard, witnesses, self._locked_connection)
            except BaseException:
                connection.close()
                raise

    def join(self, identity: Mapping[str, str], name: str) -> WorkerLedger:
        """Open the ledger of this very campaign as one of several workers; `name` is what people call it.

        Nothing becomes unknown by that. Raises `LockedError` while a program has the campaign open alone.
        """
        with self._told():
            connection = self._shared_connection()
            try:
                self.check(identity)
                worker = secrets.token_hex(16)
                guard = RollbackGuard(self._beside, writer=f".{worker[:8]}")
                return WorkerLedger(
                    self, connection, guard, self._shared_connection,
                    worker=worker, name=name, key=self._key("commits"),
                )  # fmt: skip
            except BaseException:
                connection.close()
                raise

    def look(self, parts: Collection[int] | None) -> tuple[bool, StandingOrder | None]:
        """Whether anything waits, in some part files or in all, and what was ordered last."""
        with self.reading() as connection:
            return waiting_messages(connection, parts) > 0, last_order(connection)

    def waiting_messages(self, parts: Collection[int] | None) -> int:
        """How many messages wait in some part files of the last round, or in all."""
        with self.reading() as connection:
            return waiting_messages(connection, parts)

    def workers(self) -> list[WorkerAtWork]:
        """Those that send now, in the order in which they joined."""
        with self.reading() as connection:
            return workers_at_work(connection)

    def give_order(self, kind: OrderKind, reason: Finding) -> StandingOrder | None:
        """Give an order to all workers where they were released, and return the order that stood before.

        Nothing is ordered after "stopped" and "recalled", which only a release ends. Raises `LockedError`
        while a program has the campaign open alone.
        """
        with self._told(), closing(self._shared_connection()) as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT pg_advisory_xact_lock(:key)", {"key": self._key("commits")})
            standing = last_order(connection)
            if standing is not None and standing.kind not in ("stopped", "recalled"):
                give_order(connection, kind, reason)
            connection.execute("COMMIT")
            return standing

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        with self._told(), closing(connect(self.address, self.schema)) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection

    def _check_content(self, identity: Mapping[str, str]) -> int:
        """Check the tables alone, without the guard, and return how many moves there are."""
        with self.reading() as connection:
            catalog = catalog_of(connection, self.schema)
            if not catalog:
                raise LedgerError("ledger_missing", ledger=f"{self.address} ({self.schema})")
            if catalog != expected_catalog():
                raise LedgerError("ledger_damaged", ledger=self.address, reason="other tables")
            check_rounds(connection, self.address)
            check_identity(connection, identity, self.address)
            return moves_in(connection)

    def _locked_connection(self) -> PostgresConnection:
        """A connection that holds the ledger alone. Workers that sleep past their time do not prevent
        that."""
        connection = connect(self.address, self.schema)
        try:
            if not self._lock(connection, "pg_advisory_lock"):
                if not (_has_workers(connection) and end_overdue_sessions(connection)):
                    raise self._locked_out(connection)
                if not self._lock(connection, "pg_advisory_lock"):
                    raise self._locked_out(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _shared_connection(self) -> PostgresConnection:
        """A connection that holds the ledger together with other workers."""
        connection = connect(self.address, self.schema)
        try:
            connection.execute_as_written(SESSION)
            if not self._lock(connection, "pg_advisory_lock_shared"):
                raise self._locked_out(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock(self, connection: PostgresConnection, function: str) -> bool:
        """Hold the ledger for as long as this connection lives; False where others prevent that.

        The server lets go of it when the connection ends, however it ends, so whatever writes holds it.
        """
        try:
            connection.execute(f"SELECT {function}(:key)", {"key": self._key("")})
        except PostgresError as error:
            if error.state != _LOCKED_OUT:
                raise
            return False
        return True

    def _key(self, purpose: str) -> int:
        """The number of one of the campaign's locks."""
        digest = hashlib.sha256(f"{self.schema}{purpose}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def _locked_out(self, connection: PostgresConnection) -> LockedError:
        """Why the ledger cannot be opened now, and who has it open."""
        workers = workers_at_work(connection) if _has_workers(connection) else []
        if not workers:
            return LockedError("campaign_open", place=self.address)
        names = [worker.name for worker in workers]
        return LockedError("workers_at_work", workers=len(names), names=names, folder=str(self.folder))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever PostgreSQL says becomes a `LedgerError`."""
        try:
            yield
            return
        except PostgresError as error:
            is_open, code, reason = error.state == _LOCKED_OUT, error.code, str(error)
        if is_open:
            raise LedgerError("campaign_open", place=self.address)
        raise LedgerError(code, ledger=self.address, reason=reason)


def _has_workers(connection: PostgresConnection) -> bool:
    """Whether the schema has the table of workers; what else is wrong with it, `check` says."""
    return connection.execute("SELECT to_regclass('workers') IS NOT NULL").fetchone() == (True,)


def _make_tables(connection: PostgresConnection, schema: str) -> None:
    """Make the schema with its tables and what guards them."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call] # a class without types
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
