"""The manifests of a campaign folder: whose campaign it is, and what was frozen in each round.

The ledger records the digests of all manifests, and the manifest of a round those of its files, so that a
change to any of them is noticed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

from campaign.contacts.reading_record import Reading
from campaign.environments import Environment
from campaign.errors import FolderError
from campaign.messages.totals import Totals
from campaign.private_files import read_ordinary
from campaign.sending.ledger.file_faults import unreadable
from campaign.sending.store.identity import CAMPAIGNS
from campaign.service.account import Account
from campaign.suggestions import folder_meant
from campaign.text import clean, shorten
from campaign.values import replace

FORMAT = 6
MANIFEST = "manifest.json"
_LONGEST = 1 << 30  # bytes; a million cells with remarks have some 200 MB
COMPOSED = "composed.json"  # what a person decided who composed the campaign by clicks; no manifest needs it


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all manifests of a campaign folder have: when and by which version they were made."""

    created_at: str
    version: str
    format: int = FORMAT

    @property
    def digest(self) -> str:
        """SHA-256 of the content, whatever the order and spacing in the file."""
        return hashlib.sha256(json.dumps(self._record, sort_keys=True).encode()).hexdigest()

    @property
    def content(self) -> bytes:
        """The manifest as it is written to a file."""
        return json.dumps(self._record, indent=2, ensure_ascii=False).encode()

    @property
    def _record(self) -> dict[str, Any]:
        return structs.asdict(self)


class CampaignManifest(Manifest, frozen=True, kw_only=True):
    """Whose campaign a folder holds.

    `source` is the path of the file that a default name was taken from, "" for a name that was given.
    `account` is a salted hash, `ledger` a path, absolute or from the folder.
    """

    name: str
    source: str
    environment: Environment
    salt: str
    account: str
    ledger: str

    @property
    def identity(self) -> dict[str, str]:
        """What the ledger has to agree with."""
        return {"environment": self.environment, "manifest": self.digest}


class RoundManifest(Manifest, frozen=True, kw_only=True):
    """What was frozen in a round.

    `given` is the fingerprint of the plan as it was given, `fingerprint` that of the messages as they were
    frozen, and `settled` how many of them each earlier batch holds. `pilot` says which batches are the pilot,
    and `every_text` whether all texts for a number go out.
    `digests` has the SHA-256 of each frozen file by its path from the round's folder. `totals` and `reading`
    are records of the plan's.

    For people who look at it later: `template` is the plan's, `senders` are the ten most frequent at most,
    `options` what `send` was given, `who` the name of the user on the machine, and `currency` that of the
    account, "" if it was not given.
    """

    given: str
    fingerprint: str
    messages: int
    settled: dict[str, int]
    batch_size: int
    canary: bool
    pilot: dict[str, Any] | None
    number_columns: list[str]
    every_text: bool
    template: str
    senders: list[str]
    options: dict[str, Any]
    who: str
    currency: str
    totals: dict[str, Any]
    reading: dict[str, Any] | None
    digests: dict[str, str]

    @property
    def parts(self) -> int:
        """How many part files have the messages that were to go out."""
        return sum(name.startswith("plan/") for name in self.digests)

    @property
    def people(self) -> int:
        """The people in the table."""
        return int(self.totals["people"])

    def without_people(self) -> RoundManifest:
        """What is left of it once the campaign is erased: counts, and how it was sent."""
        return replace(
            self,
            given="",
            fingerprint="",
            pilot=None,
            number_columns=[],
            template="",
            senders=[],
            options={},
            who="",
            reading=None,
            digests={},
        )

    def load_totals(self) -> Totals:
        return Totals.from_record(self.totals)

    def load_reading(self) -> Reading | None:
        return None if self.reading is None else Reading.from_record(self.reading)


AnyManifest = TypeVar("AnyManifest", bound=Manifest)


def read_campaign_manifest(folder: Path) -> CampaignManifest:
    """The manifest of a campaign folder; raises `FolderError` when there is none or it cannot be one."""
    try:
        return _read(folder, CampaignManifest)
    except NotADirectoryError:
        raise FolderError("no_campaign", folder=folder, reason="it is a file") from None
    except FileNotFoundError:
        reason = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        meant = folder_meant(folder, CAMPAIGNS, MANIFEST) or folder_meant(folder, folder.parent, MANIFEST)
        raise FolderError("no_campaign", folder=folder, reason=reason, suggestions=meant) from None
    except OSError as error:
        raise unreadable(folder / MANIFEST, error) from None


def read_round_manifest(folder: Path) -> RoundManifest:
    """The manifest of a round; raises `FolderError` when it is missing or damaged."""
    try:
        return _read(folder, RoundManifest)
    except OSError as error:
        raise unreadable(folder / MANIFEST, error) from None


def account_hash(account: Account, salt: str) -> str:
    """What identifies an account in a folder without telling who it is."""
    return hashlib.sha256(f"{salt}\n{account.identity}".encode()).hexdigest()


class _MadeBy(Struct):
    """What a manifest of any format says."""

    format: Any = None
    version: Any = "unknown"


def _read(folder: Path, kind: type[AnyManifest]) -> AnyManifest:
    """Raises `OSError` where it cannot be read, and `FolderError` where it cannot be one."""
    try:
        content = read_ordinary(folder / MANIFEST, _LONGEST)
        made_by = msgspec.json.decode(content, type=_MadeBy)
        if made_by.format != FORMAT:
            version = shorten(clean(made_by.version), 40)
            raise FolderError("folder_format_unknown", folder=folder, version=version)
        manifest = msgspec.json.decode(content, type=kind)
        manifest.digest  # noqa: B018 - what is nested too deeply fails here, not where it is needed
    except (ValueError, RecursionError):
        raise FolderError("campaign_file_damaged", file=folder / MANIFEST) from None
    return manifest
