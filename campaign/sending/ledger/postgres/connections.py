"""Connections to a ledger in PostgreSQL whose commits survive a power cut."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import Connection as Session
from sqlalchemy import Engine, NullPool, TextClause, create_engine, event, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from campaign.sending.ledger.postgres.address import password_for
from campaign.text import clean, shorten

_LOOK = 0.5  # seconds between two looks at what is awaited


class Awaited:
    """An answer that is awaited on `connections` of the driver; `was_cut` says that it did not come."""

    def __init__(self, connections: Iterable[Any], due: float) -> None:
        self._connections, self.due, self.was_cut = connections, due, False

    def cut(self) -> None:
        self.was_cut = True
        for connection in list(self._connections):
            with suppress(Exception):  # it has ended meanwhile
                end = socket.socket(fileno=connection.fileno())
                try:
                    end.shutdown(socket.SHUT_RDWR)
                finally:
                    end.detach()  # the driver closes it


class AnswerWatch:
    """Ends connections whose server answers no more, with one thread: the driver would wait for good.

    TCP notices a network that is gone. A server that hangs, or a relay that swallows, acknowledges every
    packet.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._awaited: set[Awaited] = set()
        self._thread: threading.Thread | None = None

    @contextmanager
    def on(self, connections: Iterable[Any], seconds: float) -> Iterator[Awaited]:
        """Cut the connections if what is done meanwhile takes longer than so many seconds."""
        awaited = Awaited(connections, time.monotonic() + seconds)
        with self._lock:
            self._awaited.add(awaited)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look, name="campaign answers", daemon=True)
                self._thread.start()
        try:
            yield awaited
        finally:
            with self._lock:
                self._awaited.discard(awaited)

    def _look(self) -> None:
        while True:
            time.sleep(_LOOK)
            with self._lock:
                for awaited in self._awaited:
                    if time.monotonic() > awaited.due and not awaited.was_cut:
                        awaited.cut()


PATIENCE = 5_000  # milliseconds to wait for another program that holds the ledger
ANSWER_WITHIN = 60.0  # seconds for a statement, as long as a network that breaks is waited for
REWRITE_WITHIN = 3600.0  # seconds to rewrite tables
_ROWS_A_SECOND = 1000  # at the least, of many that are written by one call
_REACH = {
    # A network that breaks is noticed within a minute, on both sides.
    "connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 60_000, "application_name": "campaign",
    # The address may be that of a folder somebody sent, and its server must not learn what is in PGPASSWORD.
    "require_auth": "scram-sha-256,gss,sspi,none",
}  # fmt: skip
_SESSION = (
    "SET search_path TO {schema}, pg_temp; SET tcp_keepalives_idle TO 30; SET tcp_keepalives_interval TO 10; "
    "SET tcp_keepalives_count TO 3; SET lock_timeout TO {patience}"
)
# "PostgreSQL Error Codes", appendix A of its documentation: no rights, read only, disk full.
_UNWRITABLE = ("42501", "25006", "53100")
_REFUSED = ("22", "23")  # a value that cannot be, and a trigger or constraint that does not allow it

Made = TypeVar("Made")

_watch = AnswerWatch()
_opening = threading.local()  # `made`: the connections that this thread is opening


class PostgresError(Exception):
    """What PostgreSQL could not do, and the code of what that is. It holds no address or password.

    `state` is the SQLSTATE, "" where the server said none.
    """

    def __init__(self, problem: str, code: str = "ledger_unreachable", state: str = "") -> None:
        super().__init__(problem)
        self.code, self.state = code, state


class PostgresRefusalError(PostgresError):
    """The tables refused a change."""


class Rows(Struct, frozen=True):
    """What a statement returned, and how many rows it changed."""

    rows: list[tuple[Any, ...]]
    rowcount: int

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.rows[0] if self.rows else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)


class PostgresConnection:
    """A connection to the tables of one campaign. Each statement is its own transaction until one is begun.

    Raises `PostgresError`, and nothing of SQLAlchemy's, whose frames hold values.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._driver = (session.connection.driver_connection,)

    @property
    def is_lost(self) -> bool:
        """Whether the server or the network has ended it."""
        return self._session.invalidated

    def execute(self, sql: str, values: Mapping[str, Any] | None = None, /) -> Rows:
        return _told(lambda: _rows(self._session, sql, _storable(values or {})), self._driver)

    def executemany(self, sql: str, values: Iterable[Mapping[str, Any]], /) -> Rows:
        rows = [_storable(row) for row in values]
        seconds = ANSWER_WITHIN + len(rows) / _ROWS_A_SECOND
        return _told(lambda: _rows(self._session, sql, rows), self._driver, seconds) if rows else Rows([], 0)

    def execute_as_written(self, sql: str, seconds: float | None = None) -> None:
        """Run SQL that has no parameters, such as that of a function."""
        _told(lambda: self._session.exec_driver_sql(sql).close(), self._driver, seconds)

    def close(self) -> None:
        with suppress(PostgresError):  # it was lost before
            _told(self._session.close, self._driver)


def connect(address: str, schema: str) -> PostgresConnection:
    """A connection whose commits survive a power cut; raises `PostgresError` where the server prevents that.

    The password is one that was given for this address, or what libpq finds: PGPASSWORD, a password file.
    """
    made: list[Any] = []
    _opening.made = made
    session = _told(lambda: _engine(address).connect(), made, problem_of=_problem_of_connecting)
    connection = PostgresConnection(session)
    try:
        connection.execute_as_written(_SESSION.format(schema=schema, patience=PATIENCE))
        settings = connection.execute(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
        ).fetchone()
        if settings is None or settings[0] != "on":
            raise PostgresError("fsync is off", "ledger_unsafe")
        if settings[1] in ("off", "local"):
            connection.execute_as_written("SET synchronous_commit TO on")
    except BaseException:
        connection.close()
        raise
    return connection


@cache
def _engine(address: str) -> Engine:
    """What opens connections; it keeps none, and no password."""
    engine = create_engine(
        address, poolclass=NullPool, isolation_level="AUTOCOMMIT", hide_parameters=True, connect_args=_REACH
    )

    def connect_with_password(dialect: Any, _: Any, arguments: Any, options: dict[str, Any]) -> Any:
        if (password := password_for(address)) is not None:
            password.use(lambda text: options.update(password=text))
        connection = dialect.connect(*arguments, **options)
        _opening.made.append(connection)  # SQLAlchemy asks it for its version before we get it
        return connection

    event.listen(engine, "do_connect", connect_with_password)
    return engine


@cache
def _statement(sql: str) -> TextClause:
    return text(sql)


def _rows(session: Session, sql: str, values: Any) -> Rows:
    result = session.execute(_statement(sql), values)
    rows = [tuple(row) for row in result] if result.returns_rows else []
    return Rows(rows, result.rowcount)


def _storable(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without the one character that PostgreSQL keeps in no text."""
    return {
        name: value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
        for name, value in values.items()
    }


def _problem_of(error: Exception) -> PostgresError:
    """What a statement came to."""
    origin = error.orig if isinstance(error, DBAPIError) else None
    state = str(getattr(origin, "sqlstate", None) or "")
    said = getattr(
        getattr(origin, "diag", None), "message_primary", None
    )  # without the row, which is a detail
    if state.startswith(_REFUSED):
        return PostgresRefusalError(clean(said), state=state)
    code = "ledger_unwritable" if state in _UNWRITABLE else "ledger_unreachable"
    return PostgresError(clean(said) if said else "the connection to it was lost", code, state)


def _problem_of_connecting(error: Exception) -> PostgresError:
    """Why there is no connection. The driver's own words name the host, the user or the database at most."""
    origin = error.orig if isinstance(error, DBAPIError) else None
    words = "its address cannot be understood" if origin is None else str(origin).split("\n")[0]
    return PostgresError(shorten(clean(words), 200))


def _told(
    action: Callable[[], Made],
    connections: Iterable[Any],
    seconds: float | None = None,
    problem_of: Callable[[Exception], PostgresError] = _problem_of,
) -> Made:
    """Do it; an exception is told in our words, and raised where no frame of the driver is left.

    The server has so many seconds, a minute if None are given, to answer on these connections of the driver.
    """
    with _watch.on(connections, seconds or ANSWER_WITHIN) as awaited:
        try:
            return action()
        except (SQLAlchemyError, ValueError) as error:
            problem = problem_of(error)
    raise PostgresError("it accepts connections, but does not answer") if awaited.was_cut else problem
