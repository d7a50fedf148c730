"""The user's list of live campaigns: one small file for each, in the user's state directory.

It knows where a campaign lives when its folder was renamed, deleted or restored, or the notebook was started
in another directory. It holds hashes, folders, counts and dates: no number, no person's name, and not the
campaign's own. It is written after the ledger, so it never claims more than the ledger holds.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from campaign.errors import FolderError
from campaign.private_files import read_ordinary
from campaign.sending.ledger.rollback_guard import INTERVAL
from campaign.sending.store.user_state import cannot_use, state_directory, write_state
from campaign.text import clean

_DAMAGED = (
    "{}, an entry in the list of live campaigns, is damaged. Restore it from a copy. If there is none, look "
    "up what its campaign sent, then delete it: nothing but this list can tell when messages would be sent "
    "twice from another folder."
)


class ListedCampaign(Struct, frozen=True):
    """What the list knows of one live campaign.

    `key` identifies name and account, `ledger` is the ledger's random id. `moves` counts what the ledger has
    recorded, `reached` the messages that were accepted or are unknown. Times are UTC in ISO form, "" for
    never.
    """

    key: str
    folder: str
    ledger: str
    moves: int
    reached: int
    created_at: str
    first_sent_at: str = ""
    last_sent_at: str = ""


class ListEntry:
    """The entry of one campaign while its ledger is open, kept up to date beside the `RollbackGuard`.

    `count_reached` counts the messages of the ledger that are accepted or unknown.
    """

    def __init__(self, key: str, folder: Path, ledger_id: str, count_reached: Callable[[], int]) -> None:
        self._key = key
        self._folder = str(folder.absolute())
        self._ledger_id = ledger_id
        self._count_reached = count_reached
        self._written: ListedCampaign | None = None
        self._written_at: float | None = None

    def write(self, count_moves: Callable[[], int], *, at_once: bool = False) -> None:
        """Write down where the campaign is and how far; at most every half second, unless `at_once`.

        Raises `FolderError` where that is not possible, or when the entry is damaged.
        """
        now = time.monotonic()
        if not at_once and self._written_at is not None and now - self._written_at < INTERVAL:
            return
        self._written_at = now
        campaign = self._as_of_now(count_moves())
        write_state(_path(self._key), json.dumps(structs.asdict(campaign), indent=2).encode())
        self._written = campaign

    def _as_of_now(self, moves: int) -> ListedCampaign:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        reached = self._count_reached()
        before = self._written or listed_campaign(self._key)
        if before is None or before.ledger != self._ledger_id:
            # What another ledger sent is not what this one sent; whoever took over has read it.
            before = ListedCampaign(self._key, self._folder, self._ledger_id, 0, 0, created_at=now)
        return ListedCampaign(
            key=self._key,
            folder=self._folder,
            ledger=self._ledger_id,
            moves=moves,
            reached=reached,
            created_at=before.created_at,
            first_sent_at=before.first_sent_at or (now if reached else ""),
            last_sent_at=now if reached > before.reached else before.last_sent_at,
        )


def listed_with_ledger(ledger_id: str, folder: Path) -> ListedCampaign | None:
    """The campaign that is listed in this very folder with this ledger; None if there is none.

    For changes that need no account: settling, closing and erasing.
    """
    place = os.path.realpath(folder)
    return next(
        (
            listed
            for listed in listed_campaigns()[0]
            if listed.ledger == ledger_id and os.path.realpath(listed.folder) == place
        ),
        None,
    )


def listed_campaign(key: str) -> ListedCampaign | None:
    """What is listed under this key; raises `FolderError` if it is damaged or cannot be read."""
    path = _path(key)
    try:
        return _campaign_in(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_use(path, error) from None


def listed_campaigns() -> tuple[list[ListedCampaign], list[str]]:
    """All listed campaigns, and a sentence for each entry that cannot be read.

    Raises `FolderError` if the list as a whole cannot be read.
    """
    folder = _list_folder()
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise cannot_use(folder, error) from None
    campaigns, problems = [], []
    for path in paths:
        try:
            campaigns.append(_campaign_in(path))
        except FolderError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(str(cannot_use(path, error)))
    return campaigns, problems


def _list_folder() -> Path:
    return state_directory() / "campaigns"


def _path(key: str) -> Path:
    return _list_folder() / f"{key}.json"


def _campaign_in(path: Path) -> ListedCampaign:
    try:
        campaign = _campaign_of(json.loads(read_ordinary(path)))
        if campaign.key != path.stem:
            raise ValueError("the entry of another campaign")
    except (ValueError, RecursionError):
        raise FolderError(_DAMAGED.format(clean(path))) from None
    return campaign


def _campaign_of(record: Any) -> ListedCampaign:
    """The campaign of a parsed record; raises `ValueError` when the record cannot be one."""
    if not isinstance(record, dict) or record.keys() != {*ListedCampaign.__struct_fields__}:
        raise ValueError("not the fields of an entry")
    for name, value in record.items():
        if name in ("moves", "reached"):
            if type(value) is not int or not 0 <= value < 1 << 63:  # bool is not int here; SQLite has 64 bits
                raise ValueError("not a count")
        elif not isinstance(value, str):
            raise ValueError("not text")
    if not record["folder"] or not record["ledger"]:
        raise ValueError("no place")
    for name in ("created_at", "first_sent_at", "last_sent_at"):
        never = name != "created_at" and not record[name]
        if not never and datetime.fromisoformat(record[name]).tzinfo is None:
            raise ValueError("not a time in UTC")
    return ListedCampaign(**record)
