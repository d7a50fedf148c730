"""The named places of an erasure at which a program can be killed, and the program that dies there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import campaign
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.ledger_file import SqliteLedger
from campaign.sending.store import erasure
from support.crash_sender import Countdown

# Each is passed before and after; the number is how often it is in a campaign of two rounds.
PLACES = {
    "the erasure is registered": 1,
    "the erasure is made, not yet committed": 1,
    "the ledger is purged": 1,
    "a manifest is replaced": 2,
    "a folder is synced": 6,
    "a folder is deleted": 10,
    "a file is deleted": 2,
}


def die_while_erasing(place: Path, state: str, phrase: str, die: tuple[str, int]) -> None:
    """Erase a campaign, and die at the n-th passing of a place."""
    os.environ["CAMPAIGN_STATE_DIR"] = state
    passed = Countdown(*die)
    for owner, name, where in (
        (Ledger, "erase_campaign", "the erasure is registered"),
        (SqliteLedger, "purge", "the ledger is purged"),
        (erasure, "replace_private_file", "a manifest is replaced"),
        (erasure, "sync_folder", "a folder is synced"),
        (shutil, "rmtree", "a folder is deleted"),
        (Path, "unlink", "a file is deleted"),
    ):
        _around(owner, name, passed, where)
    _inside_changes(passed)
    campaign.erase(place, confirm=phrase)


def _around(owner: Any, name: str, passed: Callable[[str], None], where: str) -> None:
    real = getattr(owner, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        passed(f"before {where}")
        answer = real(*arguments, **options)
        passed(f"after {where}")
        return answer

    setattr(owner, name, wrapped)


def _inside_changes(passed: Callable[[str], None]) -> None:
    real, inside = Ledger._change, "the erasure is made, not yet committed"

    def wrapped(self: Ledger, change: Callable[[Any], int]) -> int:
        def announced(connection: Any) -> int:
            passed(f"before {inside}")
            answer = change(connection)
            passed(f"after {inside}")
            return answer

        return real(self, announced)

    Ledger._change = wrapped
