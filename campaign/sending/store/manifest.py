"""The manifest of a campaign folder: whose it is, and what was frozen in it.

The ledger records the manifest's digest, and the manifest the digests of all frozen files, so that a change
to any of them is noticed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Any

from campaign.contacts.reading import Reading
from campaign.errors import FolderError
from campaign.messages.totals import Totals
from campaign.results.tables import ENVIRONMENTS
from campaign.service.account import Account
from campaign.text import clean, shorten

FORMAT = 1
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a campaign folder says about itself.

    `account` is a salted hash, `ledger` a path, absolute or from the folder; `digests` has the SHA-256 of
    each frozen file by its path from the folder; `totals` and `reading` are records of the plan's.
    """

    fingerprint: str
    environment: str
    salt: str
    account: str
    messages: int
    parts: int
    batch_size: int
    canary: bool
    ledger: str
    totals: dict[str, Any]
    reading: dict[str, Any] | None
    digests: dict[str, str]
    created_at: str
    version: str
    format: int = FORMAT

    @property
    def identity(self) -> dict[str, str]:
        """What the ledger has to agree with."""
        return {
            "fingerprint": self.fingerprint,
            "environment": self.environment,
            "account": self.account,
            "manifest": self.digest,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the content, whatever the order and spacing in the file."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @property
    def content(self) -> bytes:
        """The manifest as it is written to a file."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False).encode()

    def is_for(self, account: Account) -> bool:
        return self.account == account_hash(account, self.salt)

    def load_totals(self) -> Totals:
        return Totals.from_record(self.totals)

    def load_reading(self) -> Reading | None:
        return None if self.reading is None else Reading.from_record(self.reading)


_KINDS: dict[str, tuple[type, ...]] = {
    **{field.name: (str,) for field in fields(Manifest)},
    **dict.fromkeys(("messages", "parts", "batch_size", "format"), (int,)),
    "canary": (bool,),
    "totals": (dict,),
    "reading": (dict, NoneType),
    "digests": (dict,),
}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a campaign folder; raises `FolderError` when there is none or it cannot be one."""
    path = folder / MANIFEST
    try:
        record = json.loads(path.read_bytes())
        manifest = _manifest_of(record, folder)
        manifest.digest  # noqa: B018 - what is nested too deeply fails here, not where it is needed
    except FileNotFoundError:
        raise FolderError(
            f"There is no campaign in {clean(folder)}: it has no {MANIFEST}. Give the folder of a campaign."
        ) from None
    except OSError as error:
        raise FolderError(
            f"{clean(path)} cannot be read: {error.strerror}. Make it readable, or restore it from a copy."
        ) from None
    except (ValueError, RecursionError):  # the path, the encoding, the JSON
        raise FolderError(f"{clean(path)} is damaged. Restore it from a copy.") from None
    return manifest


def account_hash(account: Account, salt: str) -> str:
    """What identifies an account in a folder without telling who it is."""
    return hashlib.sha256(f"{salt}\n{account.identity}".encode()).hexdigest()


def _manifest_of(record: Any, folder: Path) -> Manifest:
    """The manifest of a parsed record; raises `ValueError` when the record cannot be one."""
    if not isinstance(record, dict):
        raise ValueError("not an object")
    if record.get("format") != FORMAT:
        version = shorten(clean(record.get("version", "unknown")), 40)
        raise FolderError(
            f"{folder} was made by another version of campaign ({version}), in a format that this one cannot "
            "read. Use that version."
        )
    if record.keys() != _KINDS.keys():
        raise ValueError("other fields")
    if any(type(value) not in _KINDS[name] for name, value in record.items()):  # bool is not int here
        raise ValueError("a value of another type")
    if record["environment"] not in ENVIRONMENTS:
        raise ValueError("an unknown environment")
    return Manifest(**record)
