"""The user: their name, their state directory, and what is made once and kept in it."""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import secrets
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import platformdirs

from campaign.errors import FolderError, LockedError
from campaign.private_files import make_private_folder, read_ordinary, replace_private_file, sync_folder
from campaign.sending.store.locks import hold_lock
from campaign.service.account import Account

VARIABLE = "CAMPAIGN_STATE_DIR"
_MACHINE = "machine"
_PATIENCE = 120  # seconds for which a campaign waits while another one of its account is begun
_ID = re.compile(rb"[0-9a-f]{32}")


def user_name() -> str:
    """The name of the user on this machine, as the journal and the manifests keep it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # KeyError before Python 3.13; a container may run as a number without a name
        return "unknown user"


def state_directory() -> Path:
    """Where this user's list of campaigns and the machine's id are kept; `CAMPAIGN_STATE_DIR` moves it.

    Raises `FolderError` if the variable holds no absolute path: a relative one would mean another directory
    for every notebook.
    """
    given = os.environ.get(VARIABLE)
    path = Path(given) if given else platformdirs.user_state_path("campaign")
    if not path.is_absolute():
        raise FolderError("wrong_value", argument=VARIABLE, needs="an absolute path", given=path)
    return path


def machine_id() -> str:
    """The id of this machine: 32 random hexadecimal digits, made once and then the same for ever.

    Raises `FolderError` if it cannot be read or written, or is damaged.
    """
    path = state_directory() / _MACHINE
    try:
        make_private_folder(path.parent)
        with hold_lock(path.with_name(f"{path.name}.lock"), timeout=10):  # another process may be making it
            if not path.exists():
                write_state(path, secrets.token_hex(16).encode())
            content = read_ordinary(path)
    except OSError as error:
        raise cannot_use(path, error) from None
    if not _ID.fullmatch(content):
        raise state_damaged(path)
    return content.decode()


def account_lock(account: Account) -> AbstractContextManager[None]:
    """Hold back other campaigns of a live account, from comparing until a round is registered.

    So two of them see each other, and of two programs that begin one campaign the second finds it begun.
    Raises `LockedError` after two minutes. Rehearsals reach nobody and wait for nobody.
    """
    if account.environment != "live":
        return nullcontext()
    path = state_directory() / "accounts" / f"{hashlib.sha256(account.identity.encode()).hexdigest()}.lock"
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise cannot_use(path.parent, error) from None
    return hold_lock(path, timeout=_PATIENCE, refusal=partial(LockedError, "begun_elsewhere"))


def write_state(path: Path, content: bytes) -> None:
    """Write a file of the state directory durably; raises `FolderError` where that is not possible."""
    try:
        make_private_folder(path.parent)
        replace_private_file(path, content)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_use(path, error) from None


def cannot_use(path: Path, error: OSError) -> FolderError:
    """The error for a file of the state directory that cannot be read or written."""
    reason = error.strerror or str(error)
    return FolderError("campaign_file_unusable", file=path, reason=reason, variable="CAMPAIGN_STATE_DIR")


def state_damaged(path: Path) -> FolderError:
    """The error for such a file that is not as it was written."""
    return FolderError("campaign_file_damaged", file=path, knows="what was sent")
