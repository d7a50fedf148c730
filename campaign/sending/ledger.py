"""The durable record of what was attempted and what came of it. The only SQL.

States of a batch:

    pending -> sending -> accepted | refused | unknown

`sending` is committed before the first byte of a body leaves. Whatever is found as `sending` when a
ledger is opened was under way when its process died, so it becomes `unknown`. `unknown` moves on only
by a person's decision. A trigger refuses every other move, and a journal that only grows keeps each one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from campaign.errors import LedgerError
from campaign.sending.disks import network_file_system
from campaign.sending.mark import Mark

# Written into the file's header, so that another program's database is told from a ledger.
APPLICATION_ID = 0x434D504E  # "CMPN"
FORMAT = 1
PATIENCE = 10_000  # milliseconds to wait for another program that holds the file

_SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE batches (
    batch INTEGER PRIMARY KEY,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    cost TEXT,
    code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    submitted_at TEXT,
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
WHEN NOT instr(
    -- one text and not a list: SQLite would build a table of a list for every move, 3 of 12 microseconds
    ' pending>sending sending>accepted sending>refused sending>unknown '
    || 'unknown>accepted unknown>refused unknown>pending ',
    ' ' || old.state || '>' || new.state || ' '
) OR (old.state = 'unknown' AND new.note = '')
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

_RESULT = """
SELECT batch, messages,
       CASE state WHEN 'pending' THEN 'not_sent' WHEN 'sending' THEN 'unknown' ELSE state END,
       cost, code, error, attempts, submitted_at, seconds
FROM batches ORDER BY batch
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
        self._identity = _file_identity(path)
        self._connection = _connect(path)
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
            answers = [self._apply(move) for move in moves]
            self._connection.execute("COMMIT")
        except LedgerError as error:
            return [error] * len(moves)
        except (
            Exception
        ) as error:  # disk full, file gone, a text that is none: somebody waits for each answer
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            return [LedgerError(f"The ledger cannot be written: {error}.")] * len(moves)
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
        with suppress(sqlite3.Error):  # another reader may hold the file; nothing depends on the folding
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def pending(self, part: int) -> list[Entry]:
        """The batches of a part that have not been attempted, in order."""
        # Fetched at once: an open cursor would keep the write-ahead file from being folded in.
        query = "SELECT batch, part, first, messages, digest FROM batches"
        waiting = " WHERE part = ? AND state = 'pending' ORDER BY batch"
        with _opened(self.path) as reader:
            return [Entry(*row) for row in reader.execute(query + waiting, (part,))]

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
        if _file_identity(self.path) != self._identity:
            raise LedgerError("The ledger cannot be written: the file was moved or deleted.")

    def _apply(self, move: Move) -> LedgerError | None:
        facts = {"note": ""}  # a person's decision is good for one move
        for key, value in move.facts.items():
            facts[key] = str(value) if isinstance(value, Decimal) else value
        columns = "".join(f", {name} = :{name}" for name in facts)  # names are keywords of our own calls
        statement = f"UPDATE batches SET state = :state{columns} WHERE batch = :batch"  # noqa: S608
        try:
            changed = self._connection.execute(statement, {**facts, "state": move.state, "batch": move.batch})
        except sqlite3.IntegrityError as error:  # the trigger refuses; the others of the group are kept
            return LedgerError(f"Batch {move.batch} cannot become {move.state}: {error}.")
        if changed.rowcount != 1:
            return LedgerError(f"Batch {move.batch} cannot become {move.state}: there is no such batch.")
        return None

    def _note(self, *, at_once: bool = False) -> None:
        with suppress(
            OSError, sqlite3.Error
        ):  # the mark is a second witness; without it nothing is less safe
            self._mark.write(lambda: _moves(self._connection), at_once=at_once)


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
        with closing(_connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.executescript("BEGIN IMMEDIATE;" + _SCHEMA)
            connection.executemany("INSERT INTO campaign VALUES (?, ?)", identity.items())
            connection.executemany(
                "INSERT INTO batches (batch, part, first, messages, digest) VALUES (?, ?, ?, ?, ?)", entries
            )
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        Mark(path).write(lambda: 0, at_once=True)
    except BaseException as error:
        _remove(path)  # half a ledger stands in nobody's way
        if isinstance(error, sqlite3.Error):
            raise LedgerError(f"The ledger at {path} cannot be made: {error}.") from None
        raise


def open_ledger(path: Path, identity: Mapping[str, str]) -> Ledger:
    """Open the ledger of this very campaign, and turn what was under way into `unknown`.

    The caller holds the campaign's lock. Never creates one. Raises `LedgerError` when the file is
    missing, damaged, no ledger, or belongs to another campaign.
    """
    check(path, identity)
    with _opened(path) as connection:
        error = "the program ended while this batch was under way"
        connection.execute(
            "UPDATE batches SET state = 'unknown', error = ?, note = '' WHERE state = 'sending'", (error,)
        )
    return Ledger(path)


def check(path: Path, identity: Mapping[str, str]) -> None:
    """Raise `LedgerError` unless the file is a sound ledger of this campaign."""
    if not path.is_file():
        raise LedgerError(
            f"There is no ledger at {path}. Without it nobody knows what was sent: restore the file."
        )
    with _opened(path) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise LedgerError(f"{path} is not a ledger of this program. Restore the file that belongs here.")
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise LedgerError(f"The ledger at {path} is damaged. Restore it from a copy.")
        kept = dict(connection.execute("SELECT key, value FROM campaign"))
        schema, moves = _schema_of(connection), _moves(connection)
    if schema != _expected_schema():
        raise LedgerError(f"The ledger at {path} was changed by another program. Restore it from a copy.")
    for key, value in identity.items():
        if kept.get(key) != value:
            raise LedgerError(f"The ledger at {path} belongs to another campaign ({key} differs).")
    Mark(path).check(moves)


def result_frame(path: Path) -> pd.DataFrame:
    """Every batch and what came of it: the frame `Result.batches`.

    A batch that is under way is shown as unknown, one that was not attempted as not_sent.
    """
    names = ["batch", "messages", "status", "cost", "code", "error", "attempts", "submitted_at", "seconds"]
    with _opened(path) as connection:
        rows = connection.execute(_RESULT).fetchall()
    frame = pd.DataFrame(rows, columns=names)
    costs = [None if row[3] is None else Decimal(row[3]) for row in rows]
    frame["cost"] = pd.Series(costs, index=frame.index, dtype=object)
    moments = pd.to_datetime(frame["submitted_at"], utc=True, format="ISO8601")
    frame["submitted_at"] = moments.astype("datetime64[us, UTC]")
    return frame.astype(
        {"batch": "int64", "messages": "int64", "status": "str", "code": "str", "error": "str",
         "attempts": "int64", "seconds": "float64"}
    )  # fmt: skip


def journal(path: Path) -> pd.DataFrame:
    """Every move of every batch, oldest first: at, batch, was, now, error, note."""
    with _opened(path) as connection:
        rows = connection.execute(
            "SELECT at, batch, was, now, error, note FROM journal ORDER BY id"
        ).fetchall()
    frame = pd.DataFrame(rows, columns=["at", "batch", "was", "now", "error", "note"])
    return frame.astype({"batch": "int64", "was": "str", "now": "str", "error": "str", "note": "str"})


def counts_of(path: Path) -> dict[str, Count]:
    """Batches and messages by state."""
    unpriced = "sum(messages) FILTER (WHERE state = 'accepted' AND cost IS NULL)"
    query = f"SELECT state, count(*), sum(messages), ifnull({unpriced}, 0) FROM batches GROUP BY state"  # noqa: S608
    with _opened(path) as connection:
        return {state: Count(*found) for state, *found in connection.execute(query)}


def spent(path: Path) -> Decimal:
    """The sum of the costs that the service named, exactly."""
    with _opened(path) as connection:
        costs = connection.execute("SELECT cost, count(*) FROM batches WHERE cost IS NOT NULL GROUP BY cost")
        return sum((Decimal(cost) * count for cost, count in costs), Decimal(0))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one look; whatever is wrong with the file becomes a `LedgerError`."""
    try:
        with closing(_connect(path)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise LedgerError(f"The ledger at {path} cannot be used: {error}. Restore it from a copy.") from None


def _connect(path: Path) -> sqlite3.Connection:
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


def _moves(connection: sqlite3.Connection) -> int:
    moves: int = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()[0]
    return moves


def _file_identity(path: Path) -> tuple[int, int] | None:
    """What tells this very file from one that was put in its place; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", ".mark"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _schema_of(connection: sqlite3.Connection) -> list[str]:
    return sorted(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))


def _expected_schema() -> list[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        return _schema_of(connection)
