"""The claim of this process to be the one that goes on with a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from campaign.errors import FolderError
from campaign.sending.ledger.ledger import Witness
from campaign.sending.store.folder import Folder
from campaign.sending.store.manifest import account_hash
from campaign.service.account import Account


@dataclass(frozen=True, eq=False)
class Claim:
    path: Path
    name: str
    account: Account
    takeover: str | None

    @property
    def home(self) -> Mapping[str, str]:
        return {"machine": "", "folder": ""}

    def check_new(self) -> None: ...

    def check(self, folder: Folder) -> Mapping[str, str]:
        manifest = folder.manifest
        if manifest.environment != self.account.environment or manifest.account != account_hash(
            self.account, manifest.salt
        ):
            raise FolderError(
                f"{folder.path} belongs to another account or environment ({manifest.environment}). "
                "Give the account that it was started with."
            )
        return {}

    def witnesses(self, folder: Folder) -> Sequence[Witness]:
        return ()
