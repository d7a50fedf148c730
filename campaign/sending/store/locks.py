"""Locks between processes, free again as soon as their holder ends, however it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from campaign.errors import LockedError
from campaign.private_files import check_ordinary
from campaign.sending.ledger.file_faults import unusable


@contextmanager
def hold_lock(
    path: Path, *, timeout: float = 0, refusal: Callable[[], LockedError] | None = None
) -> Iterator[None]:
    """Hold the lock of the folder that `path` is in; raises `LockedError` if another run keeps it for
    `timeout` seconds: what `refusal` makes, if that is anything special.
    """
    import filelock

    lock = filelock.FileLock(path, timeout=timeout, thread_local=False, mode=0o600)
    try:
        check_ordinary(path)
        lock.acquire()
    except filelock.Timeout:
        raise (LockedError("campaign_open", place=path.parent) if refusal is None else refusal()) from None
    except OSError as error:
        raise unusable(path, error) from None
    try:
        yield
    finally:
        lock.release()
