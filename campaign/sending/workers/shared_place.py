"""The ledger that several workers can share: one in a database, never a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from campaign.errors import UsageError
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.store.folder import Folder

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.ledger.postgres.place import PostgresPlace


def shared_place(folder: Folder) -> PostgresPlace:
    """Where the ledger of a campaign is that several workers send; raises `UsageError` if it is a file."""
    check_can_be_shared(folder.manifest.ledger, folder.path)
    return cast("PostgresPlace", folder.ledger_place)


def check_can_be_shared(ledger: object, folder: Path | None = None) -> None:
    """Raise `UsageError` unless a ledger is in a database."""
    if not is_address(ledger):
        raise UsageError("ledger_not_shared", folder=folder)
