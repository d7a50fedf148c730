"""The runs of this process, so that no second call opens a campaign beside one of them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from campaign.sending.store.folder import Folder


class RunHere(Protocol):
    """What has to be known of a run."""

    @property
    def folder(self) -> Path: ...
    @property
    def is_held_by_valve(self) -> bool: ...
    def make_way(self) -> None: ...


_runs: weakref.WeakValueDictionary[Path, RunHere] = weakref.WeakValueDictionary()  # by folder


def note(run: RunHere) -> None:
    """Know a run from now on."""
    _runs[run.folder.resolve()] = run


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold a campaign for one run; a run of this process that a valve holds is ended first.

    Raises `LockedError` if another run has it.
    """
    if run := _held_run(folder):
        run.make_way()
    with folder.lock():
        yield


def is_held_here(folder: Folder) -> bool:
    """Whether a valve holds a run of this process, so that `locked` would end it."""
    return _held_run(folder) is not None


def _held_run(folder: Folder) -> RunHere | None:
    run = _runs.get(folder.path.resolve())
    return run if run is not None and run.is_held_by_valve else None
