"""An open ledger in a file of SQLite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from campaign.errors import LedgerError
from campaign.sending.ledger.connections import Failure, Refusal, connect
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.ledger import Answers, Ledger, Move, MovesWitness
from campaign.sending.ledger.rollback_guard import RollbackGuard


class SqliteLedger(Ledger):
    """An open ledger in a file; `ledger_file` makes and opens one."""

    BEGIN = "BEGIN IMMEDIATE"
    NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
    FAILURE, REFUSAL = Failure, Refusal
    REPAIR = "Nothing is sent without it. Make room on the disk or repair it, then resume."

    def __init__(self, place: Readable, path: Path, witnesses: Sequence[MovesWitness] = ()) -> None:
        self.path = path
        self._identity = _file_identity(path)
        super().__init__(place, connect(path), RollbackGuard(path), witnesses)

    def start_commit(self, moves: Sequence[Move]) -> Callable[[], Answers]:
        return self._start(moves)  # what is left is the COMMIT, which waits for the disk

    def erase_rounds(self, digests: Mapping[int, str], note: str) -> None:
        self._connection.execute("PRAGMA secure_delete = ON")
        super().erase_rounds(digests, note)

    def purge(self) -> None:
        """Rewrite the file, so that no byte of what was erased is left in it or in its log."""
        self._check_usable()
        try:
            self._connection.execute("VACUUM")
            (is_busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except Failure as error:
            raise LedgerError(f"The ledger cannot be written: {error}. {self.REPAIR}") from None
        if is_busy:
            raise LedgerError(
                "Another program reads the ledger, so what was erased cannot be removed from its file yet. "
                "Close that program, then erase the campaign again."
            )

    def _check_usable(self) -> None:
        super()._check_usable()
        if _file_identity(self.path) != self._identity:
            raise LedgerError(
                "The ledger cannot be written: its file was moved, deleted or replaced. Nothing is sent "
                "without it. Put the file back, then resume."
            )

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
