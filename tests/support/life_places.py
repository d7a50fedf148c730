"""Where a campaign lives: moved, begun in another directory, and copied back from a backup.

Live and in the provider's sandbox it goes on in another place only with the phrase of the refusal.
"""

from __future__ import annotations

import re
import shutil
from contextlib import chdir
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import campaign
from support.life_attempts import Sender
from support.life_intents import Intent
from support.told_truth import Truth
from support.witnessed_service import account_of


@dataclass(frozen=True)
class Backup:
    """A copy of a campaign's folder, and what was true then."""

    copy: Path
    place: Path
    truth: Truth


def move_the_folder(life: Sender) -> None:
    """Rename the folder; live, it is not begun anew where it was."""
    if not life.has_begun or life.place is None:
        return
    life.let_go()
    there = _new_place(life, "moved")
    there.parent.mkdir(parents=True)
    life.place.rename(there)
    life.folders[life.key] = there
    life.tell(f"the folder is moved to {there.parent.name}")
    life.truth.is_displaced = life.service.environment != "local"
    if life.service.environment == "live" and life.sheet.duplicates != "error":
        _refusal(life, name=life.name)


def send_from_elsewhere(life: Sender) -> None:
    """The same campaign in another directory: refused, or begun anew by a person who typed the phrase."""
    is_live = life.service.environment == "live"
    if not is_live or not life.has_begun or life.sheet.duplicates == "error" or life.place is None:
        return
    life.let_go()
    life.tell("the same campaign from another directory")
    elsewhere, there = _new_place(life, "elsewhere").parent, _new_place(life, "elsewhere")
    elsewhere.mkdir(parents=True)
    with chdir(elsewhere):
        _refusal(life, name=life.name)
    phrase = _refusal(life, name=life.name, folder=there)
    if life.has_ledger_outside or life.chance.random() < 0.6:
        return
    life.tell("  and it is begun anew there")
    before = life.place
    life.folders[life.key], life.truths[life.key] = there, Truth(is_displaced=True)
    life.send(Intent("send", {"takeover": phrase, "batch_size": 5, "concurrency": 1, "progress": False}))
    if life.has_begun:
        _refusal(life, resume=before)


def back_up(life: Sender) -> None:
    """Copy the folder of a live campaign that is where it belongs."""
    is_whole = life.has_begun and not life.has_ledger_outside and life.truth.is_displaced is False
    if life.service.environment != "live" or not is_whole or life.place is None:
        return
    life.let_go()
    life.tell("a backup is made")
    copy = _new_place(life, "backup")
    shutil.copytree(life.place, copy)
    life.backups[life.key] = Backup(copy, life.place, deepcopy(life.truth))


def restore(life: Sender) -> None:
    """Copy an older backup back: refused until the newest is put back, or a person takes over the older."""
    backup = life.backups.pop(life.key, None)
    if backup is None or life.place != backup.place or life.sheet.duplicates == "error":
        return
    if life.truth.arrivals == backup.truth.arrivals:
        return
    life.let_go()
    life.tell("the backup is copied back")
    newest = _new_place(life, "newest")
    newest.parent.mkdir(parents=True)
    backup.place.rename(newest)
    shutil.copytree(backup.copy, backup.place)
    _refusal(life, name=life.name, folder=backup.place)
    _refusal(life, resume=backup.place)
    if life.chance.random() < 0.5:
        life.tell("  and the newest folder is put back")
        shutil.rmtree(backup.place)
        newest.rename(backup.place)
        return
    life.tell("  and is to go on from there: what was sent since is forgotten")
    life.truths[life.key] = backup.truth
    life.truth.is_displaced = life.truth.is_older = True


def _new_place(life: Sender, what: str) -> Path:
    number = sum(1 for _ in (life.folder / what).glob("*")) + 1
    return life.folder / what / str(number) / "campaign"


def _refusal(life: Sender, *, resume: Path | None = None, **options: Any) -> str:
    """The phrase of the refusal to send like this; nothing leaves, whatever else would be asked."""
    requests, account = life.service.requests, account_of(life.service.login())
    options |= {"account": account, "progress": False, "confirm": life.phrase}
    try:
        if resume is not None:
            campaign.resume(resume, account=account, progress=False, confirm=life.phrase)
        else:
            campaign.send(life.sheet.prepare(), **options)
    except campaign.FolderError as error:
        life.check(["something left before it was refused"] if life.service.requests != requests else [])
        phrase = re.search(r"takeover='([^']+)'", str(error))
        life.check([] if phrase else [f"refused without a phrase: {error}"])
        return phrase[1] if phrase else ""
    raise life.failed([f"not refused in another place: {resume or options}"])
