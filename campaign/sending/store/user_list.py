"""The user's list of live campaigns: one small file for each, in the user's state directory.

It knows where a campaign lives when its folder was renamed, deleted or restored, or the notebook was started
in another directory. It holds hashes, folders, counts and dates: no number, no person's name, and not the
campaign's own. A campaign is entered when its name is claimed, before its first round is registered; from
then on the entry is written after the ledger, so it never claims more than the ledger holds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from campaign.errors import FolderError
from campaign.private_files import read_ordinary
from campaign.sending.ledger.rollback_guard import INTERVAL
from campaign.sending.store.user_state import cannot_use, state_damaged, state_directory, write_state
from campaign.words.finding import Finding

_Text = Annotated[str, Meta(min_length=1)]
_Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]  # SQLite has 64 bits


class ListedCampaign(Struct, frozen=True):
    """What the list knows of one live campaign.

    `key` identifies name and account, `ledger` is the ledger's random id. `moves` counts what the ledger has
    recorded, 0 for a name that was claimed and nothing more, and `reached` the messages that were accepted or
    are unknown. `last_sent_at` is UTC in ISO form, "" for never.
    """

    key: str
    folder: _Text
    ledger: _Text
    moves: _Count
    reached: _Count
    last_sent_at: str = ""


class ListEntry:
    """The entry of one campaign while its ledger is open, kept up to date beside the `RollbackGuard`.

    Before the first round it is a claim without any move, and does not take the place of a campaign that has
    one: a person may have taken that over, but nothing is begun yet. `count` says how many rounds the ledger
    has, and how many messages were accepted or are unknown.
    """

    def __init__(self, key: str, folder: Path, ledger_id: str, count: Callable[[], tuple[int, int]]) -> None:
        self._key, self._folder, self._ledger_id = key, str(folder.absolute()), ledger_id
        self._count = count
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
        before = self._written or listed_campaign(self._key)
        rounds, reached = self._count()
        if not rounds and before is not None and before.moves:
            return
        last_sent_at = ""
        if before is not None and before.ledger == self._ledger_id:  # what another one sent, this one did not
            last_sent_at = before.last_sent_at
        if reached > (before.reached if last_sent_at and before else 0):
            last_sent_at = datetime.now(UTC).isoformat(timespec="seconds")
        moves = count_moves() if rounds else 0
        campaign = ListedCampaign(self._key, self._folder, self._ledger_id, moves, reached, last_sent_at)
        write_state(_path(self._key), msgspec.json.format(msgspec.json.encode(campaign)))
        self._written = campaign


def listed_with_ledger(ledger_id: str, folder: Path) -> ListedCampaign | None:
    """The campaign that is listed in this very folder with this ledger; None if there is none.

    For changes that need no account: settling, closing and erasing.
    """
    place = os.path.realpath(folder)
    here = (
        listed
        for listed in listed_campaigns()[0]
        if listed.ledger == ledger_id and os.path.realpath(listed.folder) == place
    )
    return next(here, None)


def listed_campaign(key: str) -> ListedCampaign | None:
    """What is listed under this key; raises `FolderError` if it is damaged or cannot be read."""
    path = _path(key)
    try:
        campaign = msgspec.json.decode(read_ordinary(path), type=ListedCampaign)
        sent_at = campaign.last_sent_at
        if campaign.key != key or (sent_at and datetime.fromisoformat(sent_at).tzinfo is None):
            raise ValueError("the entry of another campaign, or a time of nowhere")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_use(path, error) from None
    except (ValueError, RecursionError):
        raise state_damaged(path) from None
    return campaign


def listed_campaigns() -> tuple[list[ListedCampaign], list[Finding]]:
    """All listed campaigns, and a finding for each entry that cannot be read.

    Raises `FolderError` if the list as a whole cannot be read.
    """
    folder = _list_folder()
    try:
        keys = sorted(path.stem for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise cannot_use(folder, error) from None
    campaigns: list[ListedCampaign] = []
    problems: list[Finding] = []
    for key in keys:
        try:
            campaigns += filter(None, [listed_campaign(key)])
        except FolderError as error:
            problems.append(error.finding)
    return campaigns, problems


def _list_folder() -> Path:
    return state_directory() / "campaigns"


def _path(key: str) -> Path:
    return _list_folder() / f"{key}.json"
