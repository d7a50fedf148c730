"""A campaign folder: a plan frozen on disk with its ledger and its reports, all that is needed to resume.

manifest.json     whose it is: fingerprint, environment, account (hashed), counts, digests of the files
plan/             the messages in sending order, and the issues of the contact table
contacts.parquet  every input row with its status before sending
ledger.sqlite     what was attempted and what came of it
lock              held while a run has the campaign open
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from campaign.contract import MESSAGE_TEXTS
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.paths import impossible
from campaign.results.tables import Result
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.views import result_frame
from campaign.sending.store.batches import read_messages
from campaign.sending.store.frames import read_frame
from campaign.sending.store.locks import hold_lock
from campaign.sending.store.manifest import MANIFEST, Manifest, read_manifest
from campaign.service.account import Account
from campaign.text import clean

CAMPAIGNS = Path("campaigns")
PLAN, CONTACTS, ISSUES = "plan", "contacts.parquet", "issues.parquet"


@dataclass(frozen=True, slots=True)
class Folder:
    """A campaign folder that exists."""

    path: Path
    manifest: Manifest

    @property
    def plan_path(self) -> Path:
        return self.path / PLAN

    @property
    def ledger_path(self) -> Path:
        return self.path / self.manifest.ledger  # joined with an absolute path, this is that path

    def load_plan(self) -> Plan:
        """The plan as it was frozen; raises `FolderError` when a file is not what it was then."""
        self._check_ledger()
        return self._load_frozen_plan()

    def load_result(self, plan: Plan | None = None, sentence: str = "") -> Result:
        """What is known now: the plan joined with the ledger. Give the plan where it is at hand."""
        self._check_ledger()
        return Result(
            plan or self._load_frozen_plan(),
            result_frame(self.ledger_path),
            environment=self.manifest.environment,
            folder=self.path,
            sentence=sentence,
        )

    def _check_ledger(self) -> None:
        """The ledger vouches for the manifest, and the manifest for the frozen files."""
        check_ledger(self.ledger_path, self.manifest.identity)

    def _load_frozen_plan(self) -> Plan:
        manifest = self.manifest
        for name, digest in manifest.digests.items():
            if file_digest(self.path / name) != digest:
                raise FolderError(
                    f"{self.path / name} was changed after it was frozen. Restore it from a copy."
                )
        return Plan(
            messages=read_messages(self.plan_path, manifest.parts),
            issues=read_frame(self.plan_path / ISSUES).reset_index(drop=True),
            contacts=read_frame(self.path / CONTACTS),
            totals=manifest.load_totals(),
            fingerprint=manifest.fingerprint,
            reading=manifest.load_reading(),
        )

    def lock(self) -> AbstractContextManager[None]:
        """Hold the campaign for one run; raises `LockedError` at once if another has it."""
        return hold_lock(self.path / "lock")

    def check_account(self, account: Account) -> None:
        """Raise `FolderError` unless this is the account that the campaign was started with."""
        manifest = self.manifest
        if manifest.environment != account.environment or not manifest.is_for(account):
            raise FolderError(
                f"{self.path} belongs to another account or environment ({manifest.environment}). "
                "Give that account, or another folder or name."
            )

    def check_plan(self, plan: Plan) -> None:
        """Raise `FolderError` unless these are the very messages that were frozen."""
        if self.manifest.fingerprint != plan.fingerprint:
            raise FolderError(
                f"{self.path} holds a campaign with other messages. {self._first_difference(plan)} "
                "Give another folder or name to send these."
            )

    def _first_difference(self, plan: Plan) -> str:
        texts = list(MESSAGE_TEXTS)
        frozen, planned = read_messages(self.plan_path, self.manifest.parts), plan.messages
        if len(frozen) != len(planned):
            return f"It holds {len(frozen):,} messages, and the plan {len(planned):,}."
        differs = (frozen[texts] != planned[texts].reset_index(drop=True)).any(axis=1)
        rows = planned["row"].to_numpy()[differs.to_numpy()][:5]
        return f"The first rows that differ: {', '.join(map(str, rows))}."


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Open a campaign folder; raises `FolderError` when there is none or its manifest is damaged."""
    path = Path(path).absolute()
    return Folder(path, read_manifest(path))


def folder_exists(path: Path) -> bool:
    """Whether there is a campaign at this place; raises `FolderError` if something else is in the way."""
    try:
        reason = impossible(path)
        if not reason and (path / MANIFEST).is_file():
            return True
        occupied = not reason and path.exists() and (not path.is_dir() or any(path.iterdir()))
    except OSError as error:
        reason = error.strerror or type(error).__name__
    if reason:
        raise FolderError(f"There can be no campaign in {clean(path)}: {reason}. Give another folder.")
    if occupied:
        raise FolderError(f"{path} holds other files and no campaign. Give another folder.")
    return False


def locate_folder(plan: Plan, account: Account, name: str | None, parent: Path = CAMPAIGNS) -> Path:
    """Where the campaign of this plan and account is: `campaigns/<name>-<fingerprint>`.

    Without a name it gets that of the file. If the same campaign was sent under another name before, it is
    found again by its fingerprint, so that a renamed spreadsheet is not sent a second time.
    """
    digest = hashlib.sha256(f"{plan.fingerprint}\n{account.identity}".encode()).hexdigest()[:8]
    if name is None:
        for path in sorted(parent.glob(f"*-{digest}")):
            if folder_exists(path):
                return path
        name = Path(plan.reading.source).stem if plan.reading is not None else "campaign"
    return parent / f"{_slug(name)}-{digest}"


def file_digest(path: Path) -> str:
    """SHA-256 of a frozen file; raises `FolderError` when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise FolderError(f"{path} is missing. Restore it from a copy.") from None
    except OSError as error:
        raise FolderError(
            f"{path} cannot be read: {error.strerror}. Make it readable, or restore it from a copy."
        ) from None


def _slug(name: str) -> str:
    """A name as a folder can have it on any system; the fingerprint beside it keeps it unique."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "campaign"
