"""Making a campaign folder without any round, so that a crash at any moment leaves a campaign or none.

Everything is written into an unfinished folder beside the place and renamed at the end. The unfinished folder
has a lock file of its own, made before it and deleted after it. Whoever can get that lock knows that the
maker is dead, and clears away what it left.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from campaign.errors import FolderError, LockedError
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.sending.ledger.file_faults import unusable
from campaign.sending.ledger.ledger_place import ledger_place
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.store.folder import Folder, folder_exists, open_folder
from campaign.sending.store.identity import ChosenName
from campaign.sending.store.locks import hold_lock
from campaign.sending.store.manifest import MANIFEST, CampaignManifest, account_hash
from campaign.service.account import Account
from campaign.version import VERSION

LEDGER = "ledger.sqlite"
_LOCK = re.compile(r"\.campaign-[0-9a-f]{16}\.unfinished\.lock")


def create_folder(
    path: Path,
    name: ChosenName,
    account: Account,
    home: Mapping[str, str],
    ledger: str | os.PathLike[str] | None,
) -> Folder:
    """Make the folder of a new campaign, with a ledger in which no round is registered yet.

    `home` says where the ledger lives: machine and folder. `ledger` is another file for it, or the address of
    a database. What an earlier attempt left beside the place when it was killed is cleared away.

    Raises LockedError where another program has made a campaign there meanwhile, else FolderError.
    """
    path, salt = path.absolute(), secrets.token_hex(16)
    manifest = CampaignManifest(
        name=name.name,
        source=name.source,
        environment=account.environment,
        salt=salt,
        account=account_hash(account, salt),
        ledger=_as_recorded(ledger),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=VERSION,
    )
    try:
        make_private_folder(path.parent)
        sweep_unfinished(path.parent)
        with _unfinished_folder(path.parent) as unfinished:
            _write(unfinished, manifest, home)
            with suppress(FileNotFoundError):
                path.rmdir()  # there may be an empty folder, but never a campaign
            unfinished.rename(path)
            sync_folder(path.parent)
    except OSError as error:
        if folder_exists(path):
            raise LockedError("begun_elsewhere", folder=path) from None
        raise unusable(path, error) from None
    return Folder(path, manifest)


def sweep_unfinished(parent: Path) -> None:
    """Clear away the unfinished folders that killed programs left here."""
    for lock_path in sorted(parent.glob(".campaign-*")):
        # FolderError: somebody is making it right now, or it belongs to another user.
        if _LOCK.fullmatch(lock_path.name):
            with suppress(FolderError, OSError):
                with hold_lock(lock_path):
                    _discard(lock_path.with_suffix(""))
                lock_path.unlink(missing_ok=True)  # after the release: Windows deletes no open file


@contextmanager
def _unfinished_folder(parent: Path) -> Iterator[Path]:
    """A folder to write into; whatever is still in it at the end is discarded."""
    unfinished = parent / f".campaign-{secrets.token_hex(8)}.unfinished"
    lock_path = unfinished.with_name(unfinished.name + ".lock")
    try:
        with hold_lock(lock_path, timeout=10):  # a sweep may be looking at it for a moment
            try:
                make_private_folder(unfinished)
                yield unfinished
            finally:
                _discard(unfinished)
    finally:
        with suppress(OSError):
            lock_path.unlink(missing_ok=True)


def _discard(unfinished: Path) -> None:
    """Delete an unfinished folder, if it is still there, and the ledger outside it that was made for it."""
    if not unfinished.exists():
        return  # it was finished; to open it would look for folders with a name like it
    with suppress(FolderError, OSError):
        folder = open_folder(unfinished)
        if not folder.ledger_place.is_inside(unfinished):
            folder.ledger_place.discard(folder.manifest.identity)
    shutil.rmtree(unfinished, ignore_errors=True)


def _write(path: Path, manifest: CampaignManifest, home: Mapping[str, str]) -> None:
    """Write the files of a campaign, the ledger last: where it is outside, the manifest tells whose it is."""
    with new_private_file(path / MANIFEST) as file:
        file.write(manifest.content)
    identity = {**manifest.identity, "account": manifest.account, "ledger": secrets.token_hex(16), **home}
    ledger_place(path, manifest.ledger, manifest.salt).create(identity)
    sync_folder(path)


def _as_recorded(ledger: str | os.PathLike[str] | None) -> str:
    """The ledger as the manifest names it."""
    if ledger is None:
        return LEDGER
    return ledger if is_address(ledger) else str(Path(ledger).absolute())
