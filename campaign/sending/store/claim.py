"""The claim of this process, on this machine and in this folder, to be the one that continues a campaign.

A ledger that was copied, restored or forgotten knows less than what was sent, so going on with it would send
messages twice. A person who knows better types the phrase of the refusal. It names place and moves, and ends
with a mark of all that the list and the ledger know, so that it does not fit a second time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from campaign.errors import FolderError
from campaign.local_times import LocalTimes
from campaign.sending.ledger.views import identity_of, moves_of, rounds_and_reached
from campaign.sending.store.folder import Folder
from campaign.sending.store.identity import campaign_key
from campaign.sending.store.manifest import account_hash
from campaign.sending.store.user_list import ListedCampaign, ListEntry, listed_campaign
from campaign.sending.store.user_state import machine_id
from campaign.service.account import Account
from campaign.text import clean, counted
from campaign.words.finding import Finding
from campaign.words.stored import stored


class Claim(Struct, frozen=True, eq=False, dict=True):
    """Who wants to continue which campaign, and where. `takeover` is the phrase of an earlier refusal.

    Rehearsals in the embedded sandbox reach nobody, so they may be copied and moved.
    """

    path: Path
    name: str
    account: Account
    takeover: str | None

    @property
    def is_live(self) -> bool:
        return self.account.environment == "live"

    @property
    def home(self) -> dict[str, str]:
        """The machine and the folder that a ledger of this campaign lives in."""
        if self.account.environment == "local":
            return {"machine": "", "folder": ""}
        return {"machine": machine_id(), "folder": str(self.path)}

    @cached_property
    def key(self) -> str:
        return campaign_key(self.name, self.account)

    def check(self, folder: Folder | None) -> str:
        """Raise `FolderError` unless this is the one place where the campaign lives, and its account.

        `folder` is None for a campaign that is about to be made. Returns "" or, where the phrase fits, what
        the journal has to keep of the takeover.
        """
        if folder is None:
            here = {"folder": str(self.path)}
            return check_home(self._listed, None, here, 0, self.takeover) if self.is_live else ""
        recorded = self._recorded(folder)
        if self.account.environment == "local":
            return ""
        moves = moves_of(folder.ledger_place)
        return check_home(self._listed, recorded, self.new_home(folder), moves, self.takeover)

    def check_account(self, folder: Folder) -> None:
        """Raise `FolderError` unless the campaign was sent in this environment and with this account."""
        recorded = self._recorded(folder)["account"]
        if self.account.environment != "local" and recorded != self.new_home(folder)["account"]:
            raise FolderError("other_account", folder=folder.path)

    def list_entry(self, folder: Folder) -> ListEntry | None:
        """The campaign's entry in the user's list; None for a rehearsal."""
        if not self.is_live:
            return None
        place = folder.ledger_place
        return ListEntry(
            self.key, self.path, identity_of(place)["ledger"], partial(rounds_and_reached, place)
        )

    def new_home(self, folder: Folder) -> dict[str, str]:
        """What the ledger has to record after a takeover."""
        return {**self.home, "account": account_hash(self.account, folder.manifest.salt)}

    @property
    def _listed(self) -> ListedCampaign | None:
        return listed_campaign(self.key) if self.is_live else None

    def _recorded(self, folder: Folder) -> dict[str, str]:
        """What the ledger says of itself; raises `FolderError` for another environment."""
        environment = folder.manifest.environment
        if environment != self.account.environment:
            raise FolderError(
                "other_account", folder=folder.path, found=environment, given=self.account.environment
            )
        folder.ledger_place.check(folder.manifest.identity)
        return identity_of(folder.ledger_place)


def check_home(
    listed: ListedCampaign | None,
    recorded: Mapping[str, str] | None,
    here: Mapping[str, str],
    moves: int,
    takeover: str | None,
) -> str:
    """Check that a campaign is opened in its one place, as the user's list and its ledger know it.

    `recorded` is what the ledger says of itself (`ledger`, `machine`, `folder` and `account`), with so many
    `moves`; None for a campaign that is about to be made. `here` is this machine, folder and account.
    Returns "" if all agree, and the note for the journal if `takeover` fits. Raises `FolderError` with the
    phrase otherwise.
    """
    folder = Path(here["folder"])
    problem = None if listed is None else _listed_elsewhere(listed, recorded, folder, moves)
    if problem is None and recorded is not None:
        problem = _lives_elsewhere(recorded, here)
    if problem is None:
        return ""
    phrase = f"take over {clean(folder)} at {counted(moves, 'move')} {_mark(listed, recorded, moves)}"
    if (takeover or "").split() == phrase.split():
        return stored(problem)
    raise FolderError(problem.code, **problem.facts, phrase=phrase)


def check_newest(listed: ListedCampaign, folder: Path, moves: int) -> None:
    """Raise `FolderError` if a live campaign that is about to be changed is an older copy of itself.

    A change would make its ledger as long as the list says, and nothing would tell any more that it is older.
    """
    if listed.moves > moves:
        raise FolderError("ledger_older", ledger=folder, missing=listed.moves - moves)


def _listed_elsewhere(
    listed: ListedCampaign, recorded: Mapping[str, str] | None, folder: Path, moves: int
) -> Finding | None:
    """How the list differs from the campaign in this folder; None if it does not.

    A name that was claimed and nothing more is free: the program that claimed it died before it registered
    a round, so nothing was sent.
    """
    if not listed.moves:
        return None
    is_here, here = _same_place(listed.folder, folder), str(folder)
    is_listed = recorded is not None and listed.ledger == recorded["ledger"]
    if is_listed and listed.moves > moves:
        facts = {"missing": listed.moves - moves, "home": "" if is_here else listed.folder}
        return Finding("ledger_older", {"ledger": here, **facts, **_sent(listed)})
    if is_here and recorded is not None:
        return None if is_listed else Finding("ledger_of_another", {"ledger": here, **_sent(listed)})
    is_gone = is_here or not os.path.lexists(listed.folder)
    return Finding("campaign_gone" if is_gone else "campaign_elsewhere", {"here": here, **_sent(listed)})


def _lives_elsewhere(recorded: Mapping[str, str], here: Mapping[str, str]) -> Finding | None:
    """How a ledger's machine, folder and account differ from those of now; None if they do not."""
    machine = "another machine" if recorded["machine"] != here["machine"] else ""
    if machine or not _same_place(recorded["folder"], Path(here["folder"])):
        facts = {"there": recorded["folder"], "here": here["folder"], "machine": machine}
        return Finding("campaign_elsewhere", facts)
    if recorded["account"] != here["account"]:
        return Finding("other_account", {"folder": here["folder"]})
    return None


def _sent(listed: ListedCampaign) -> dict[str, Any]:
    """From where messages left so far, how many, and on which day the last one."""
    day = listed.last_sent_at and LocalTimes().day(datetime.fromisoformat(listed.last_sent_at))
    return {"there": listed.folder, "messages": listed.reached if day else 0, "day": day}


def _same_place(one: str, other: Path) -> bool:
    """Whether two paths lead to one folder, whether or not it still exists."""
    if os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other)):
        return True
    try:
        return other.samefile(one)  # a disk that ignores case
    except (OSError, ValueError):
        return False


def _mark(listed: ListedCampaign | None, recorded: Mapping[str, str] | None, moves: int) -> str:
    """Four digits that change with whatever the list or the ledger says."""
    facts = json.dumps([listed and structs.asdict(listed), recorded and dict(recorded), moves])
    return hashlib.sha256(facts.encode()).hexdigest()[:4]
