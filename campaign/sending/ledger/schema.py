"""The file of a ledger: its tables, connections that survive a power cut, and whether it is sound.

The tables guard themselves, whoever writes: checks for single values, triggers for moves and for what must
never change. `check` has SQLite hold the file against them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from campaign.errors import LedgerError
from campaign.sending.ledger.rollback_guard import Mark

Connection = sqlite3.Connection
Failure = sqlite3.Error
Refusal = sqlite3.IntegrityError  # a trigger or a check of the tables said no

# Written into the file's header, so that another program's database is told from a ledger.
APPLICATION_ID = 0x434D504E  # "CMPN"
PATIENCE = 10_000  # milliseconds to wait for another program that holds the file

# States are compared one by one and not looked up in a list: SQLite would build a table of a list for every
# move, which costs 3 microseconds each time. IS NOT TRUE and not NOT: what compares with NULL is neither.
SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE batches (
    batch INTEGER PRIMARY KEY,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state = 'pending' OR state = 'sending' OR state = 'accepted' OR state = 'refused'
               OR state = 'unknown'),
    attempts INTEGER NOT NULL DEFAULT 0,
    cost TEXT CHECK (cost GLOB '[0-9]*' AND cost NOT GLOB '*[^0-9.]*' AND cost NOT GLOB '*.*.*'),
    code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    submitted_at TEXT CHECK (submitted_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T*'),
    seconds REAL,
    note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX batches_by_part ON batches (part);
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    batch INTEGER NOT NULL,
    was TEXT NOT NULL,
    now TEXT NOT NULL,
    error TEXT NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TRIGGER only_known_moves BEFORE UPDATE OF state ON batches
WHEN (
    old.state = 'pending' AND new.state = 'sending'
    OR old.state = 'sending' AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'unknown')
    OR old.state = 'unknown' AND new.note != ''
       AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'pending')
) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'this move is not allowed'); END;
CREATE TRIGGER every_move_is_kept AFTER UPDATE OF state ON batches BEGIN
    INSERT INTO journal (at, batch, was, now, error, note)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), new.batch, old.state, new.state, new.error, new.note);
END;
CREATE TRIGGER plan_is_frozen BEFORE UPDATE OF batch, part, first, messages, digest ON batches
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
CREATE TRIGGER batches_stay BEFORE DELETE ON batches
BEGIN SELECT RAISE(ABORT, 'batches are never deleted'); END;
CREATE TRIGGER journal_stays BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER journal_stays_whole BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""
# Once every batch is registered. A new one would send people a second message, and REPLACE would forget what
# became of an old one.
SEAL = """
CREATE TRIGGER plan_is_whole BEFORE INSERT ON batches
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
"""

_RESTORE = "Restore it from a copy."
_REMEDIES = {
    "SQLITE_BUSY": "Another program holds it: close that one, then try again.",
    "SQLITE_FULL": "Make room on the disk, then try again.",
    "SQLITE_READONLY": "Let yourself write to the file and its folder, then try again.",
}


def check(path: Path, identity: Mapping[str, str]) -> None:
    """Raise `LedgerError` unless the file is a sound ledger of this campaign."""
    if not path.is_file():
        raise LedgerError(
            f"There is no ledger at {path}. Without it nobody knows what was sent: restore the file."
        )
    if _application_id(path) != APPLICATION_ID:  # before SQLite looks, which leaves its mark on any database
        raise LedgerError(f"{path} is not a ledger of this program. Restore the file that belongs here.")
    with opened(path) as connection:
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise LedgerError(f"The ledger at {path} is damaged. Restore it from a copy.")
        kept = dict(connection.execute("SELECT key, value FROM campaign"))
        schema, moves = _schema_of(connection), moves_in(connection)
    if schema != _expected_schema():
        raise LedgerError(f"The ledger at {path} was changed by another program. Restore it from a copy.")
    for key, value in identity.items():
        if kept.get(key) != value:
            raise LedgerError(f"The ledger at {path} belongs to another campaign ({key} differs).")
    Mark(path).check(moves)


@contextmanager
def opened(path: Path) -> Iterator[Connection]:
    """A connection for one look; whatever is wrong with the file becomes a `LedgerError`."""
    try:
        with closing(_connect_to_archived(path) if _is_archived(path) else connect(path)) as connection:
            yield connection
    except Failure as error:
        kind = getattr(error, "sqlite_errorname", "")
        remedy = next((text for name, text in _REMEDIES.items() if kind.startswith(name)), _RESTORE)
        raise LedgerError(f"The ledger at {path} cannot be used: {error}. {remedy}") from None


def connect(path: Path) -> Connection:
    """A connection whose commits survive a power cut.

    FULL and not NORMAL: in 400 simulated power cuts FULL lost no acknowledged commit, NORMAL lost some in
    all 400, and a lost intent is a message sent twice.
    """
    connection = sqlite3.connect(
        path.as_uri() + "?mode=rw", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        connection.execute("PRAGMA synchronous = FULL")
        if (mode, connection.execute("PRAGMA synchronous").fetchone()[0]) != ("wal", 2):
            raise LedgerError(
                f"The disk that holds {path} cannot keep a safe record. Use a folder on a local disk."
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _is_archived(path: Path) -> bool:
    """Whether nothing can be written where the ledger lies, and nothing waits to be folded in."""
    waiting = path.with_name(path.name + "-wal")
    return not os.access(path.parent, os.W_OK) and not (waiting.exists() and waiting.stat().st_size)


def _connect_to_archived(path: Path) -> Connection:
    """A connection that only looks. `immutable`: else SQLite wants to write a file beside the ledger."""
    connection = sqlite3.connect(path.as_uri() + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _application_id(path: Path) -> int:
    """What SQLite keeps in bytes 68 to 71 of a database (its file format, section 1.3)."""
    try:
        with path.open("rb") as file:
            return int.from_bytes(file.read(72)[68:], "big")
    except OSError as error:
        raise LedgerError(f"The ledger at {path} cannot be read: {error.strerror}.") from None


def moves_in(connection: Connection) -> int:
    """How many moves the journal has."""
    moves: int = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()[0]
    return moves


def file_identity(path: Path) -> tuple[int, int] | None:
    """What tells this very file from one that was put in its place; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _schema_of(connection: Connection) -> list[str]:
    return sorted(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))


def _expected_schema() -> list[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA + SEAL)
        return _schema_of(connection)
