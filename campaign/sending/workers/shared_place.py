"""The ledger that several workers can share: one in a database, never a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from campaign.errors import UsageError
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.store.folder import Folder
from campaign.text import clean

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.ledger.postgres.place import PostgresPlace


def shared_place(folder: Folder) -> PostgresPlace:
    """Where the ledger of a campaign is that several workers send; raises `UsageError` if it is a file."""
    check_can_be_shared(folder.manifest.ledger, f"The ledger of the campaign in {clean(folder.path)}")
    return cast("PostgresPlace", folder.ledger_place)


def check_can_be_shared(ledger: object, whose: str) -> None:
    """Raise `UsageError` unless a ledger is in a database; `whose` begins the sentence."""
    if not is_address(ledger):
        raise UsageError(
            f"{whose} is a file, and a file is safe for one program on one machine only: its locks and syncs "
            "cannot be trusted over a network. For several workers, begin a campaign with a ledger in "
            'PostgreSQL, as in ledger="postgresql+psycopg://amina@db.example.org/campaigns". To send this '
            "one with one program, use send or resume."
        )
