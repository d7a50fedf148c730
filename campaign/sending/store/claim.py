"""The claim of this process, on this machine and in this folder, to be the one that continues a campaign."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path

from msgspec import Struct

from campaign.errors import FolderError
from campaign.sending.ledger.views import identity_of, moves_of, rounds_and_reached
from campaign.sending.store.folder import Folder
from campaign.sending.store.identity import campaign_key
from campaign.sending.store.manifest import account_hash
from campaign.sending.store.takeover import check_home
from campaign.sending.store.user_list import ListedCampaign, ListEntry, listed_campaign
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

    @property
    def is_live(self) -> bool:
        return self.account.environment == "live"

    @property
    def home(self) -> dict[str, str]:
        """The machine and the folder that a ledger of this campaign lives in."""
        if self.account.environment == "local":
            return {"machine": "", "folder": ""}
        return {"machine": machine_id(), "folder": str(self.path)}

    @cached_property
    def key(self) -> str:
        return campaign_key(self.name, self.account)

    def check(self, folder: Folder | None) -> str:
        """Raise `FolderError` unless this is the one place where the campaign lives, and its account.

        `folder` is None for a campaign that is about to be made. Returns "" or, where the phrase fits, what
        the journal has to keep of the takeover.
        """
        if folder is None:
            return check_home(self._listed, None, self.home, 0, self.takeover) if self.is_live else ""
        recorded = self._recorded(folder)
        if self.account.environment == "local":
            return ""
        moves = moves_of(folder.ledger_place)
        return check_home(self._listed, recorded, self.new_home(folder), moves, self.takeover)

    def check_account(self, folder: Folder) -> None:
        """Raise `FolderError` unless the campaign was sent in this environment and with this account."""
        recorded = self._recorded(folder)["account"]
        if self.account.environment != "local" and recorded != self.new_home(folder)["account"]:
            raise FolderError(
                f"The campaign in {clean(folder.path)} was sent to another address or with another "
                "user name. Give the account that it was sent with."
            )

    def list_entry(self, folder: Folder) -> ListEntry | None:
        """The campaign's entry in the user's list; None for a rehearsal."""
        if not self.is_live:
            return None
        place = folder.ledger_place
        return ListEntry(
            self.key, self.path, identity_of(place)["ledger"], partial(rounds_and_reached, place)
        )

    def new_home(self, folder: Folder) -> dict[str, str]:
        """What the ledger has to record after a takeover."""
        return {**self.home, "account": account_hash(self.account, folder.manifest.salt)}

    @property
    def _listed(self) -> ListedCampaign | None:
        return listed_campaign(self.key) if self.is_live else None

    def _recorded(self, folder: Folder) -> dict[str, str]:
        """What the ledger says of itself; raises `FolderError` for another environment."""
        environment = folder.manifest.environment
        if environment != self.account.environment:
            raise FolderError(
                f"{clean(folder.path)} holds a campaign of the environment {environment}, and the account is "
                f"of the environment {self.account.environment}. Leave out folder=, so that each has its own."
            )
        folder.ledger_place.check(folder.manifest.identity)
        return identity_of(folder.ledger_place)
