"""Which program has a campaign open, for whoever is locked out or looks at it meanwhile.

The lock alone protects the campaign. What is noted beside it is for people: it holds no secret, and is not
believed once its program has ended.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from campaign.errors import LockedError
from campaign.local_times import LocalTimes
from campaign.private_files import read_ordinary, replace_private_file
from campaign.sending.store.locks import hold_lock
from campaign.text import clean

LOCK, NOTE = "lock", "lock.json"
_CLOCKS = timedelta(seconds=5)  # by which the times of two clocks of one machine may differ


class LockHolder(msgspec.Struct, frozen=True):
    """The program that has a campaign folder open: the number of its process, its machine, and since when."""

    folder: str
    machine: str
    process: int
    since: Annotated[datetime, msgspec.Meta(tz=True)]

    @property
    def where(self) -> str:
        """Where the program is, and since when it has the campaign: "in process 4711 on this machine since
        14:02"."""
        times = LocalTimes()
        since = times.time_in(self.since, times.days(self.since, datetime.now(UTC)))
        if self.is_on_this_machine and self.process == os.getpid():
            return f"in this notebook or program since {since}"
        machine = "this machine" if self.is_on_this_machine else clean(self.machine)
        return f"in process {self.process} on {machine} since {since}"

    @property
    def is_on_this_machine(self) -> bool:
        return self.machine == platform.node()

    @property
    def is_at_work(self) -> bool:
        """Whether the program is known not to have ended: one on another machine cannot be looked at."""
        import psutil

        if not self.is_on_this_machine:
            return False
        try:
            process = psutil.Process(self.process)
            begun = datetime.fromtimestamp(process.create_time(), UTC)
            # A later process may have got the number of one that was killed.
            return process.status() != psutil.STATUS_ZOMBIE and begun < self.since + _CLOCKS
        except psutil.NoSuchProcess:
            return False
        except psutil.Error:  # it exists, and belongs to somebody else
            return True


@contextmanager
def hold_campaign(folder: Path) -> Iterator[None]:
    """Hold a campaign folder for one run; raises `LockedError` at once if another has it, and says which."""
    with hold_lock(folder / LOCK, refusal=partial(_locked_out, folder)):
        holder = LockHolder(str(folder.resolve()), platform.node(), os.getpid(), datetime.now(UTC))
        _note(folder, msgspec.json.encode(holder))
        try:
            yield
        finally:
            _note(folder, b"")


def open_in(folder: Path) -> str:
    """Where a run has a campaign open now, in words; "" where none is known to. Nothing is locked."""
    holder = _noted(folder)
    return holder.where if holder is not None and holder.is_at_work else ""


def _locked_out(folder: Path) -> LockedError:
    """Why a campaign cannot be opened; a program on another machine is believed to be at work, too."""
    holder = _noted(folder)
    is_told = holder is not None and (holder.is_at_work or not holder.is_on_this_machine)
    return LockedError(
        "campaign_open", place=folder, holder=holder.where if holder is not None and is_told else ""
    )


def _note(folder: Path, content: bytes) -> None:
    with suppress(OSError):  # only words depend on it
        replace_private_file(folder / NOTE, content)


def _noted(folder: Path) -> LockHolder | None:
    """What is noted; None for nothing, for half of it, and for that of a folder which this is a copy of."""
    try:
        holder = msgspec.json.decode(read_ordinary(folder / NOTE), type=LockHolder)
    except (OSError, ValueError, RecursionError):  # somebody may have written into it
        return None
    return holder if holder.folder == str(folder.resolve()) else None
