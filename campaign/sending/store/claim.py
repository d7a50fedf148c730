"""The claim of this process, on this machine and in this folder, to be the one that continues a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path

from msgspec import Struct

from campaign.errors import FolderError
from campaign.sending.ledger.views import identity_of, moves_of, reached_messages
from campaign.sending.store.folder import Folder
from campaign.sending.store.identity import campaign_key
from campaign.sending.store.manifest import account_hash
from campaign.sending.store.takeover import check_account, check_listed, check_place, check_unlisted
from campaign.sending.store.user_list import ListEntry
from campaign.sending.store.user_state import machine_id
from campaign.service.account import Account
from campaign.text import clean


class Claim(Struct, frozen=True, eq=False, dict=True):
    """Who wants to continue which campaign, and where. `takeover` is the phrase of an earlier refusal.

    Rehearsals in the embedded sandbox reach nobody, so they may be copied and moved.
    """

    path: Path
    name: str
    account: Account
    takeover: str | None

    @cached_property
    def home(self) -> Mapping[str, str]:
        """The machine and the folder that a ledger of this campaign lives in."""
        if self.account.environment == "local":
            return {"machine": "", "folder": ""}
        return {"machine": machine_id(), "folder": str(self.path)}

    @cached_property
    def key(self) -> str:
        return campaign_key(self.name, self.account)

    def check_new(self) -> None:
        """Raise `FolderError` if the campaign is about to be made here, but was live in another place."""
        if self.account.environment == "live":
            check_unlisted(self.key, self.path, self.takeover)

    def check(self, folder: Folder, *, is_new: bool) -> str:
        """Raise `FolderError` unless this is the one place where the campaign lives, and its account.

        Returns "" or, where the phrase fits, what the journal has to keep of the takeover.
        """
        account_note = self.check_account(folder)
        if self.account.environment == "local":
            return ""
        recorded, moves = identity_of(folder.ledger_place), moves_of(folder.ledger_place)
        notes = []
        if self.account.environment == "live" and not is_new:
            notes.append(check_listed(self.key, self.path, recorded["ledger"], moves, self.takeover))
        notes += [
            check_place(
                recorded["machine"], recorded["folder"], self.home["machine"], self.path, moves, self.takeover
            ),
            account_note,
        ]
        return next((note for note in notes if note), "")

    def check_account(self, folder: Folder) -> str:
        """Raise `FolderError` unless the campaign was sent with this account; returns as `check` does."""
        self._check_environment(folder)
        folder.ledger_place.check(folder.manifest.identity)
        if self.account.environment == "local":
            return ""
        recorded, moves = identity_of(folder.ledger_place)["account"], moves_of(folder.ledger_place)
        return check_account(recorded, self._hash(folder), self.path, moves, self.takeover)

    def list_entry(self, folder: Folder) -> ListEntry | None:
        """The campaign's entry in the user's list; None for a rehearsal."""
        if self.account.environment != "live":
            return None
        ledger_id = identity_of(folder.ledger_place)["ledger"]
        return ListEntry(self.key, self.path, ledger_id, partial(reached_messages, folder.ledger_place))

    def new_home(self, folder: Folder) -> Mapping[str, str]:
        """What the ledger has to record after a takeover."""
        return {**self.home, "account": self._hash(folder)}

    def _check_environment(self, folder: Folder) -> None:
        environment = folder.manifest.environment
        if environment != self.account.environment:
            raise FolderError(
                f"{clean(folder.path)} holds a campaign of the environment {environment}, and the account is "
                f"of the environment {self.account.environment}. Leave out folder=, so that each has its own."
            )

    def _hash(self, folder: Folder) -> str:
        return account_hash(self.account, folder.manifest.salt)
