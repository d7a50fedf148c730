"""A campaign folder: a plan frozen on disk with its ledger and its reports, all that is needed to resume.

manifest.json     whose it is: fingerprint, environment, account (hashed), counts, order of the parts
plan/             the messages in sending order, and what was found in the file
contacts.parquet  every input row with its status before sending
ledger.sqlite     what was attempted and what came of it
lock              held while a run has the campaign open
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import filelock

from campaign.contacts.reading import Reading
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import FolderError, LockedError
from campaign.messages.plan import Plan
from campaign.messages.totals import Totals
from campaign.paths import impossible
from campaign.results.tables import Result
from campaign.sending.batches import freeze, read_messages
from campaign.sending.ledger import ledger, schema
from campaign.sending.store.files import read_frame, sync, write_frame, write_private
from campaign.service.account import Account
from campaign.text import clean

FORMAT = 1
CAMPAIGNS = Path("campaigns")
_MANIFEST, _PLAN, _CONTACTS, _ISSUES, _LEDGER = (
    "manifest.json", "plan", "contacts.parquet", "issues.parquet", "ledger.sqlite",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a campaign folder says about itself. `account` is a salted hash, `ledger` a path."""

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
    created_at: str
    version: str
    format: int = FORMAT

    @property
    def identity(self) -> dict[str, str]:
        """What the ledger has to agree with."""
        return {"fingerprint": self.fingerprint, "environment": self.environment, "account": self.account}

    def is_for(self, account: Account) -> bool:
        return self.account == _account_hash(account, self.salt)


@dataclass(frozen=True, slots=True)
class Folder:
    """A campaign folder that exists."""

    path: Path
    manifest: Manifest

    @property
    def plan_path(self) -> Path:
        return self.path / _PLAN

    @property
    def ledger_path(self) -> Path:
        return self.path / self.manifest.ledger  # an absolute path stands for itself

    def load_plan(self) -> Plan:
        """The plan as it was frozen."""
        manifest = self.manifest
        return Plan(
            messages=read_messages(self.plan_path, manifest.parts),
            issues=read_frame(self.plan_path / _ISSUES).reset_index(drop=True),
            contacts=read_frame(self.path / _CONTACTS),
            totals=Totals.from_record(manifest.totals),
            fingerprint=manifest.fingerprint,
            reading=Reading(**_tuples(manifest.reading)) if manifest.reading else None,
        )

    def load_result(self, plan: Plan | None = None, sentence: str = "") -> Result:
        """What is known now: the plan joined with the ledger."""
        schema.check(self.ledger_path, self.manifest.identity)
        return Result(
            plan or self.load_plan(),
            ledger.result_frame(self.ledger_path),
            environment=self.manifest.environment,
            folder=self.path,
            sentence=sentence,
        )

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the campaign for one run; raises `LockedError` at once if another has it."""
        lock = filelock.FileLock(self.path / "lock", timeout=0, thread_local=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise LockedError(
                f"{self.path} is open in another run. Wait for that one, or stop it, then try again."
            ) from None
        try:
            yield
        finally:
            lock.release()

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
        before, now = read_messages(self.plan_path, self.manifest.parts), plan.messages
        if len(before) != len(now):
            return f"It holds {len(before):,} messages, and the plan {len(now):,}."
        differs = (before[texts] != now[texts].reset_index(drop=True)).any(axis=1)
        rows = now["row"].to_numpy()[differs.to_numpy()][:5]
        return f"The first rows that differ: {', '.join(map(str, rows))}."


def locate(plan: Plan, account: Account, name: str | None, parent: Path = CAMPAIGNS) -> Path:
    """Where the campaign of this plan and account lives: `campaigns/<name>-<fingerprint>`.

    Without a name it is that of the file; if the same campaign was sent under another name before, it is
    found again by its fingerprint, so that a renamed spreadsheet does not go out a second time.
    """
    mark = hashlib.sha256(f"{plan.fingerprint}\n{account.identity}".encode()).hexdigest()[:8]
    if name is None:
        for known in sorted(parent.glob(f"*-{mark}")):
            if (known / _MANIFEST).is_file():
                return known
        name = Path(plan.reading.source).stem if plan.reading is not None else "campaign"
    return parent / f"{_slug(name)}-{mark}"


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Open a campaign folder; raises `FolderError` when there is none or it is incomplete."""
    path = Path(path).absolute()
    try:
        manifest = Manifest(**json.loads((path / _MANIFEST).read_text("utf-8")))
    except FileNotFoundError:
        raise FolderError(f"There is no campaign in {path}: it has no {_MANIFEST}.") from None
    except (OSError, ValueError, TypeError) as error:
        raise FolderError(
            f"{path / _MANIFEST} cannot be read ({type(error).__name__}). Restore it."
        ) from None
    if manifest.format != FORMAT:
        raise FolderError(
            f"{path} was made by another version of campaign ({manifest.version}). Use that one."
        )
    return Folder(path, manifest)


def exists(path: Path) -> bool:
    """Whether there is a campaign at this place; raises `FolderError` if something else is in the way."""
    if reason := impossible(path):
        raise FolderError(f"There can be no campaign in {clean(path)}: {reason}. Give another folder.")
    if (path / _MANIFEST).is_file():
        return True
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FolderError(f"{path} holds something that is no campaign. Give another folder.")
    return False


def create(
    path: Path, plan: Plan, account: Account, *, batch_size: int, canary: bool, ledger_path: Path | None
) -> Folder:
    """Freeze a plan on disk with a ledger in which every batch is registered.

    All is written beside the place and renamed, so that a crash leaves a whole campaign or none.
    """
    path = path.absolute()
    beside = path.parent / f".{path.name}-{secrets.token_hex(4)}"
    try:
        (beside / _PLAN).mkdir(parents=True, mode=0o700)
        beside.chmod(0o700)
        manifest = _write(beside, plan, account, batch_size, canary, ledger_path)
        sync(beside)
        with suppress(FileNotFoundError):
            path.rmdir()  # an empty folder may stand here; a campaign never does
        beside.rename(path)
        sync(path.parent)
    except OSError as error:
        raise FolderError(f"The campaign folder {path} cannot be made: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return Folder(path, manifest)


def _write(
    path: Path, plan: Plan, account: Account, batch_size: int, canary: bool, ledger_path: Path | None
) -> Manifest:
    write_frame(plan.contacts, path / _CONTACTS)
    write_frame(plan.issues, path / _PLAN / _ISSUES)
    entries = list(
        freeze(plan.messages, path / _PLAN, batch_size=batch_size, first_batch=1 if canary else None)
    )
    salt = secrets.token_hex(16)
    manifest = Manifest(
        fingerprint=plan.fingerprint,
        environment=account.environment,
        salt=salt,
        account=_account_hash(account, salt),
        messages=len(plan.messages),
        parts=entries[-1].part + 1 if entries else 0,
        batch_size=batch_size,
        canary=canary,
        ledger=str(ledger_path.absolute()) if ledger_path else _LEDGER,
        totals=plan.totals.as_record(),
        reading=asdict(plan.reading) if plan.reading is not None else None,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("campaign"),
    )
    ledger.create(path / manifest.ledger, manifest.identity, entries)
    write_private(path / _MANIFEST, json.dumps(asdict(manifest), indent=2, ensure_ascii=False).encode())
    for file in path.rglob("*.parquet"):
        file.chmod(0o600)
        sync(file)
    return manifest


def _account_hash(account: Account, salt: str) -> str:
    return hashlib.sha256(f"{salt}\n{account.identity}".encode()).hexdigest()


def _slug(name: str) -> str:
    """A name as a folder can have it on any system; the fingerprint beside it keeps it unique."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "campaign"


def _tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
