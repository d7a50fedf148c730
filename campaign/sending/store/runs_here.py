"""The runs of this process, so that no second call opens a campaign beside one of them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from campaign.errors import LockedError
from campaign.sending.store.folder import Folder


class RunHere(Protocol):
    """What has to be known of a run."""

    @property
    def folder(self) -> Path: ...
    @property
    def is_held_by_valve(self) -> bool: ...
    @property
    def refusal_to_make_way(self) -> str: ...
    def make_way(self) -> None: ...


_runs: weakref.WeakValueDictionary[Path, RunHere] = weakref.WeakValueDictionary()  # by folder


def note(run: RunHere) -> None:
    """Know a run from now on."""
    _runs[run.folder.resolve()] = run


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold a campaign for one run; a run of this process that a valve holds is ended first.

    Raises `LockedError` if another run has it, and says so where that is one of this process.
    """
    run = _runs.get(folder.path.resolve())
    if run is not None and run.is_held_by_valve:
        run.make_way()
    with ExitStack() as held:
        try:
            held.enter_context(folder.lock())
        except LockedError:
            if run is None or not run.refusal_to_make_way:
                raise
            raise LockedError(run.refusal_to_make_way) from None
        yield


def is_held_here(folder: Folder) -> bool:
    """Whether a valve holds a run of this process, so that `locked` would end it."""
    run = _runs.get(folder.path.resolve())
    return run is not None and run.is_held_by_valve
