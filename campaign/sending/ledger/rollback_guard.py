"""A small second file beside a ledger: how many moves it had. It gives an older copy of the ledger away.

A ledger that was restored from yesterday's backup, or copied without its write-ahead log, looks sound and has
forgotten what was sent since. The guard is written after the moves it counts, so it never claims more than
the ledger holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from campaign.errors import LedgerError
from campaign.private_files import read_ordinary, replace_private_file

INTERVAL = 0.5  # seconds between two writes while a run is under way


def guard_path(ledger_path: Path) -> Path:
    """Where the guard of a ledger is."""
    return ledger_path.with_name(ledger_path.name + ".moves")


class RollbackGuard:
    """The guard of one ledger."""

    def __init__(self, ledger_path: Path, writer: str = "") -> None:
        """`writer` distinguishes several programs that write it at once."""
        self._path = guard_path(ledger_path)
        self._writer = writer
        self._written_at = 0.0

    def check(self, count_moves: Callable[[], int]) -> None:
        """Raise `LedgerError` if the ledger has fewer moves than it once had.

        What is wrong with the ledger itself is said first. The guard is read before the moves are counted:
        while a run is under way both grow, and a newer guard would make the count look like an older copy.
        """
        problem: LedgerError | None = None
        try:
            known = self._read()
        except LedgerError as error:
            known, problem = 0, error
        missing = known - count_moves()
        if problem is not None:
            raise problem
        if missing > 0:
            raise LedgerError("ledger_older", ledger=self._path.with_suffix(""), missing=missing)

    def write(self, count_moves: Callable[[], int], *, at_once: bool = False) -> None:
        """Write down how many moves the ledger has; at most every half second, unless `at_once`."""
        now = time.monotonic()
        if not at_once and now - self._written_at < INTERVAL:
            return
        self._written_at = now
        replace_private_file(self._path, str(count_moves()).encode(), self._writer)

    def sweep(self) -> None:
        """Clear away what killed programs were writing; only for whoever has the ledger alone."""
        for leftover in self._path.parent.glob(f"{self._path.name}.*.new"):
            with suppress(OSError):  # it does no harm
                leftover.unlink()

    def _read(self) -> int:
        try:
            content = read_ordinary(self._path)
        except FileNotFoundError:
            raise LedgerError("ledger_missing", ledger=self._path) from None
        except OSError as error:
            raise LedgerError("campaign_file_unusable", file=self._path, reason=error.strerror) from None
        except ValueError:  # a manifest that was changed names a ledger that no system could have
            raise LedgerError("ledger_missing", ledger=self._path) from None
        # int() would also read "-5", "1_000" and surrounding space; SQLite counts in 64 bits.
        if not content.isdigit() or len(content) > 19:
            raise LedgerError("campaign_file_damaged", file=self._path)
        return int(content)
