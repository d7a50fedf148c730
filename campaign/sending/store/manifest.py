"""The manifests of a campaign folder: whose campaign it is, and what was frozen in each round.

The ledger records the digests of all manifests, and the manifest of a round those of its files, so that a
change to any of them is noticed.
"""

from __future__ import annotations

import hashlib
import json
from inspect import get_annotations
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, structs

from campaign.contacts.reading_record import Reading
from campaign.environments import ENVIRONMENTS
from campaign.errors import FolderError
from campaign.messages.totals import Totals
from campaign.private_files import read_ordinary
from campaign.sending.store.identity import CAMPAIGNS
from campaign.service.account import Account
from campaign.suggestions import folder_meant
from campaign.text import clean, shorten
from campaign.values import replace

FORMAT = 5
MANIFEST = "manifest.json"
_LONGEST = 1 << 30  # bytes; a million cells with remarks have some 200 MB
COMPOSED = "composed.json"  # what a person decided who composed the campaign by clicks; no manifest needs it


class Manifest(Struct, frozen=True, kw_only=True):
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
    environment: str
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

    @property
    def to_correct(self) -> int:
        """The people who got nothing because their row has a mistake, or shares a phone."""
        return self.load_totals()["invalid"] + int(self.totals["sharing_a_phone"])

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
        raise FolderError(f"{clean(folder)} is a file. Give the folder of a campaign.") from None
    except FileNotFoundError:
        why = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        meant = folder_meant(folder, CAMPAIGNS, MANIFEST) or folder_meant(folder, folder.parent, MANIFEST)
        raise FolderError(
            f"There is no campaign in {clean(folder)}: {why}. Give the folder of a campaign.{clean(meant)}"
        ) from None


def read_round_manifest(folder: Path) -> RoundManifest:
    """The manifest of a round; raises `FolderError` when it is missing or damaged."""
    try:
        return _read(folder, RoundManifest)
    except (FileNotFoundError, NotADirectoryError):
        raise FolderError(f"{folder / MANIFEST} is missing. Restore it from a copy.") from None


def account_hash(account: Account, salt: str) -> str:
    """What identifies an account in a folder without telling who it is."""
    return hashlib.sha256(f"{salt}\n{account.identity}".encode()).hexdigest()


def _read(folder: Path, kind: type[AnyManifest]) -> AnyManifest:
    path = folder / MANIFEST
    try:
        manifest = _manifest_of(json.loads(read_ordinary(path, _LONGEST)), kind, folder)
        manifest.digest  # noqa: B018 - what is nested too deeply fails here, not where it is needed
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise FolderError(
            f"{clean(path)} cannot be read: {error.strerror}. Make it readable, or restore it from a copy."
        ) from None
    except (ValueError, RecursionError):  # the path, the encoding, the JSON
        raise FolderError(f"{clean(path)} is damaged. Restore it from a copy.") from None
    return manifest


def _manifest_of(record: Any, kind: type[AnyManifest], folder: Path) -> AnyManifest:
    """The manifest of a parsed record; raises `ValueError` when the record cannot be one."""
    if not isinstance(record, dict):
        raise ValueError("not an object")
    if record.get("format") != FORMAT:
        raise FolderError(_other_format(folder, record))
    types = {name: text.split(" | ") for base in kind.__mro__ for name, text in get_annotations(base).items()}
    if record.keys() != {*kind.__struct_fields__}:
        raise ValueError("other fields")
    # bool is not int here, and "dict[str, Any]" is a dict.
    if any(
        _type_name(value) not in {name.split("[")[0] for name in types[key]} for key, value in record.items()
    ):
        raise ValueError("a value of another type")
    if "environment" in record and record["environment"] not in ENVIRONMENTS:
        raise ValueError("an unknown environment")
    return kind(**record)


def _other_format(folder: Path, record: dict[str, Any]) -> str:
    """Why a folder of another format is not opened, and what to do instead."""
    version = shorten(clean(record.get("version", "unknown")), 40)
    return (
        f"{folder} was made by another version of campaign ({version}), in a format that this one cannot "
        "read. Use that version. To continue with this one, start a new campaign, and give the list of "
        "those who were reached as not_again=."
    )


def _type_name(value: object) -> str:
    return "None" if value is None else type(value).__name__
