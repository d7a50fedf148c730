"""What was decided at a desk, in files that only their owner can read.

A page that is loaded again comes back to it, and so does whoever goes on with a campaign another day.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO

from msgspec import Struct

from campaign.environments import Environment
from campaign.notebook.composer.composition import Composition
from campaign.private_files import read_ordinary
from campaign.sending.store.identity import CAMPAIGNS, folder_name
from campaign.sending.store.manifest import COMPOSED
from campaign.values import replace


class Kept(Struct, frozen=True):
    """What was decided for a `version` of a spreadsheet, the last section that was reached (0 is the first),
    the folder of what was sent, what was typed about sending, and the digest of the list of opt-outs with
    which it was sent.
    """

    composition: Composition
    version: str = ""
    reached: int = 0
    sent: Path | None = None
    price: str = ""
    own_number: str = ""
    opt_outs_digest: str = ""


class Memory:
    """Keeps the state of a desk in a file. The phrase for a live campaign is never part of it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, state: Kept) -> None:
        """Replace what was kept; quickly, as at every key stroke, for it need not survive a power cut."""
        record = {
            "composition": asdict(state.composition), "version": state.version, "reached": state.reached,
            "sent": None if state.sent is None else str(state.sent), "price": state.price,
            "own_number": state.own_number, "opt_outs_digest": state.opt_outs_digest,
        }  # fmt: skip
        # Another window, or another app in this folder, may keep its own at the same moment.
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}-{threading.get_ident()}.new")
        with _private_file(new) as file:
            json.dump(record, file)
        try:
            new.replace(self._path)
        except PermissionError:  # on Windows, while another program reads it: the next decision is kept
            new.unlink()

    def recall(self) -> Kept | None:
        """What was kept last; None if there is nothing, or if an older program kept it."""
        try:
            record = json.loads(read_ordinary(self._path))
            known = {field.name for field in fields(Composition)}
            decided = record["composition"]
            if not set(decided) <= known:
                return None
            for several in ("instead", "not_again", "opt_out_marks", "opt_out_plain", "opt_out_numbers"):
                decided[several] = tuple(decided.get(several, ()))
            sent = record["sent"] and Path(record["sent"])
            return Kept(
                Composition(**decided), str(record["version"]), int(record["reached"]), sent,
                str(record["price"]), str(record["own_number"]), str(record.get("opt_outs_digest", "")),
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError):
            return None


def keep_with_campaign(folder: Path, state: Kept) -> None:
    """Keep in a campaign's folder how it was composed, so that a person can go on with it another day."""
    digest = digest_of(state.composition.opt_outs)
    without_numbers = replace(state.composition, opt_out_numbers=())
    kept = replace(state, composition=without_numbers, own_number="", opt_outs_digest=digest)
    with suppress(OSError):  # what is being sent matters more
        Memory(folder / COMPOSED).keep(kept)


def kept_with_campaign(folder: Path) -> Kept | None:
    """How the campaign in a folder was composed; None if it was composed elsewhere."""
    return Memory(folder / COMPOSED).recall()


def kept_for(campaign: str, environments: Iterable[Environment]) -> Kept | None:
    """How the campaign of this name was composed last, wherever it was sent or rehearsed."""
    folders = [CAMPAIGNS / folder_name(campaign, where) for where in environments]
    there = [folder for folder in folders if (folder / COMPOSED).is_file()]
    latest = max(there, key=lambda folder: (folder / COMPOSED).stat().st_mtime_ns, default=None)
    return None if latest is None else kept_with_campaign(latest)


def kept_last() -> Kept | None:
    """How the campaign that was composed last in this folder was composed; None if there is none."""
    with suppress(OSError):
        latest = max(CAMPAIGNS.glob(f"*/{COMPOSED}"), key=lambda kept: kept.stat().st_mtime_ns, default=None)
        return None if latest is None else kept_with_campaign(latest.parent)
    return None


def digest_of(path: str | None) -> str:
    """What another content of a file would change; "" for none, or for one that cannot be read."""
    with (
        suppress(OSError, ValueError),
        Path(path or "").open("rb") as file,
    ):  # ValueError: no file has that name
        return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def _private_file(path: Path) -> IO[str]:
    return open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))
