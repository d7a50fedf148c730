"""Where the ledger of a campaign is: in a file, or in a database."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from campaign.errors import LedgerError
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.ledger import Ledger, MovesWitness
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.postgres.address import check_address, is_address

_SALT = re.compile(r"[0-9a-f]{32}")


class LedgerPlace(Readable, Protocol):
    """Where the ledger of one campaign is, whether it exists yet or not.

    `identity` says whose ledger it is. Whatever is wrong is raised as a `LedgerError`.
    """

    @property
    def file_names(self) -> frozenset[str]:
        """The names of the files that it has in the campaign folder."""
        ...

    def is_inside(self, folder: Path) -> bool:
        """Whether it disappears with a folder."""
        ...

    def create(self, identity: Mapping[str, str]) -> None:
        """Make a new ledger without any round; raises if there is one."""
        ...

    def discard(self, identity: Mapping[str, str]) -> None:
        """Delete the ledger of this very campaign, unless it was used."""
        ...

    def check(self, identity: Mapping[str, str]) -> None:
        """Raise unless there is a sound ledger of this campaign, and no older copy of it."""
        ...

    def open(self, identity: Mapping[str, str], witnesses: Sequence[MovesWitness] = ()) -> Ledger:
        """Open the ledger of this very campaign, and turn what was under way into `unknown`.

        The caller holds the campaign's lock. Never creates a ledger.
        """
        ...


def ledger_place(folder: Path, ledger: str, salt: str) -> LedgerPlace:
    """The place that the manifest of a campaign names, where `salt` is also from.

    `ledger` is a path, from the folder or absolute, or the address of a database.
    """
    if not is_address(ledger):
        return LedgerFile(folder / ledger)
    check_address(ledger)
    if not _SALT.fullmatch(salt):  # it becomes a part of SQL
        raise LedgerError("campaign_file_damaged", file=folder)
    from campaign.sending.ledger.postgres.place import PostgresPlace

    return PostgresPlace(folder, ledger, f"campaign_{salt[:16]}")
