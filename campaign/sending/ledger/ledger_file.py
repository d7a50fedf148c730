"""The file of a ledger: made, opened, and deleted when it was never used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from campaign.errors import LedgerError
from campaign.private_files import name_new_file, new_private_file, sync_folder
from campaign.sending.ledger.changes import give_up_what_was_under_way
from campaign.sending.ledger.connections import Failure, Refusal, connect, opened
from campaign.sending.ledger.database import Connection, Readable
from campaign.sending.ledger.integrity import check_content, check_ledger
from campaign.sending.ledger.ledger import Answers, Ledger, Move, MovesWitness
from campaign.sending.ledger.rollback_guard import RollbackGuard, guard_path
from campaign.sending.ledger.schema import APPLICATION_ID, SCHEMA


class LedgerFile(Struct, frozen=True):
    """A ledger in a file of SQLite: the `LedgerPlace` of every campaign that was not given a database."""

    path: Path

    @property
    def file_names(self) -> frozenset[str]:
        return frozenset(file.name for file in _files(self.path))

    def is_inside(self, folder: Path) -> bool:
        return self.path.is_relative_to(folder)

    def create(self, identity: Mapping[str, str]) -> None:
        create_ledger(self.path, identity)

    def discard(self, identity: Mapping[str, str]) -> None:
        discard_ledger(self.path, identity)

    def check(self, identity: Mapping[str, str]) -> None:
        check_ledger(self.path, identity)

    def open(self, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()) -> SqliteLedger:
        return open_ledger(self.path, identity, witnesses)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with opened(self.path) as connection:
            connection.execute("BEGIN")
            yield connection


def create_ledger(path: Path, identity: Mapping[str, str]) -> None:
    """Make a new ledger without any round.

    It gets its name when it is complete. What a killed program left of it, `discard_ledger` deletes.
    `identity` says whose ledger it is and where it lives; `open_ledger` compares the former. Raises
    `LedgerError` if the file exists.
    """
    unfinished_path = _unfinished_path(path, identity)
    try:
        try:
            _write_new(unfinished_path, identity)
            name_new_file(unfinished_path, path)
        finally:
            _delete(unfinished_path)
        _protect(path)
    except FileExistsError:
        raise LedgerError("ledger_exists", ledger=path) from None
    except OSError as error:
        raise LedgerError("campaign_file_unusable", file=path, reason=error.strerror) from None
    except Failure as error:
        raise LedgerError("ledger_unwritable", ledger=path, reason=str(error)) from None


def open_ledger(
    path: Path, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()
) -> SqliteLedger:
    """Open the ledger of this very campaign, and turn what was under way into `unknown`.

    The caller holds the campaign's lock. Never creates a ledger. Raises `LedgerError` when the file is
    missing, damaged, not a ledger, or belongs to another campaign.
    """
    check_ledger(path, identity)
    with opened(path) as connection:
        give_up_what_was_under_way(connection)
    try:
        return SqliteLedger(LedgerFile(path), path, witnesses)
    except Failure as error:
        raise LedgerError("ledger_unwritable", ledger=path, reason=str(error)) from None


def discard_ledger(path: Path, identity: Mapping[str, str]) -> None:
    """Delete the ledger of this very campaign, complete or not, unless it was used."""
    _delete(_unfinished_path(path, identity))
    with suppress(LedgerError):  # there is none, or it belongs to another campaign
        if not check_content(path, identity):
            _delete(path)


def _write_new(path: Path, identity: Mapping[str, str]) -> None:
    with new_private_file(path):
        pass
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.executescript("BEGIN IMMEDIATE;" + SCHEMA)
        connection.executemany("INSERT INTO campaign VALUES (?, ?)", identity.items())
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _protect(path: Path) -> None:
    """Give a new ledger its guard, or take it away: without a guard it could never be opened."""
    try:
        RollbackGuard(path).write(lambda: 0, at_once=True)
        sync_folder(path.parent)
    except BaseException:
        _delete(path)
        raise


def _unfinished_path(path: Path, identity: Mapping[str, str]) -> Path:
    """Where a ledger is made: each campaign has its own manifest, so nobody else writes there."""
    return path.with_name(f".{path.name}.{identity['manifest'][:16]}.unfinished")


def _delete(path: Path) -> None:
    """Delete a ledger with the files beside it."""
    for file in _files(path):
        file.unlink(missing_ok=True)


def _files(path: Path) -> list[Path]:
    """The file of a ledger, its write-ahead log with what connections share of it, and its guard."""
    return [
        path,
        path.with_name(path.name + "-wal"),
        path.with_name(path.name + "-shm"),
        guard_path(path),
    ]


class SqliteLedger(Ledger):
    """An open ledger in a file; `ledger_file` makes and opens one."""

    BEGIN = "BEGIN IMMEDIATE"
    NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
    FAILURE, REFUSAL = Failure, Refusal

    def __init__(self, place: Readable, path: Path, witnesses: Sequence[MovesWitness] = ()) -> None:
        self.path = path
        self._identity = _file_identity(path)
        super().__init__(place, connect(path), RollbackGuard(path), witnesses)

    def start_commit(self, moves: Sequence[Move]) -> Callable[[], Answers]:
        return self._start(moves)  # what is left is the COMMIT, which waits for the disk

    def erase_campaign(self, note: str) -> None:
        self._connection.execute("PRAGMA secure_delete = ON")
        super().erase_campaign(note)

    def purge(self) -> None:
        """Rewrite the file, so that no byte of what was erased is left in it or in its log."""
        self._check_usable()
        try:
            self._connection.execute("VACUUM")
            (is_busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except Failure as error:
            raise self._unwritable(error) from None
        if is_busy:
            raise LedgerError("campaign_open", place=self.path)

    def _check_usable(self) -> None:
        super()._check_usable()
        if _file_identity(self.path) != self._identity:
            raise self._unwritable("its file was moved, deleted or replaced")

    def _tidy_up(self) -> None:
        """Fold the write-ahead log back into the file, unless another reader has it open."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _file_identity(path: Path) -> tuple[int, int] | None:
    """What distinguishes this file from another one in its place; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
