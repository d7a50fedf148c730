"""A small second file beside a ledger: how many moves it had. An older copy in its place is found out.

A ledger restored from yesterday's copy, or copied without its write-ahead file, looks sound and has forgotten
what was sent since. The mark is written after the moves it counts, so it never claims more than was kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from campaign.errors import LedgerError

EVERY = 0.5  # seconds between two marks while a run is under way


class Mark:
    """The mark of one ledger; `path` is the ledger's."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".mark")
        self._written = 0.0

    def check(self, moves: int) -> None:
        """Raise `LedgerError` if the ledger has fewer moves than it once had."""
        try:
            known = int(self._path.read_text("ascii"))
        except FileNotFoundError:
            raise LedgerError(
                f"{self._path} is missing. It shows that the ledger is not an older copy: restore it."
            ) from None
        except (OSError, ValueError):
            raise LedgerError(f"{self._path} cannot be read. Restore it from a copy.") from None
        if moves < known:
            raise LedgerError(
                f"The ledger beside {self._path} is an older copy: {known - moves:,} moves are missing. "
                "With it, messages would go out twice. Restore the newest copy, with its -wal file if any."
            )

    def write(self, count_moves: Callable[[], int], *, at_once: bool = False) -> None:
        """Note how many moves the ledger has; at most twice a second, unless `at_once`."""
        now = time.monotonic()
        if not at_once and now - self._written < EVERY:
            return
        self._written = now
        beside = self._path.with_name(self._path.name + ".new")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(str(count_moves()))
            file.flush()
            os.fsync(file.fileno())  # or a power cut leaves it empty, and the campaign cannot go on
        beside.replace(self._path)
