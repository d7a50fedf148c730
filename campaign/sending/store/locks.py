"""Locks between processes, free again as soon as their holder ends, however it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from campaign.errors import FolderError, LockedError
from campaign.private_files import check_ordinary


@contextmanager
def hold_lock(path: Path, *, timeout: float = 0, refusal: Callable[[], str] = str) -> Iterator[None]:
    """Hold the lock of the folder that `path` is in; raises `LockedError` if another run keeps it for
    `timeout` seconds. `refusal` then says what to do, if that is anything special.
    """
    import filelock

    lock = filelock.FileLock(path, timeout=timeout, thread_local=False, mode=0o600)
    try:
        check_ordinary(path)
        lock.acquire()
    except filelock.Timeout:
        usual = f"{path.parent} is open in another run. Wait for that one, or stop it, then try again."
        raise LockedError(refusal() or usual) from None
    except OSError as error:
        raise FolderError(
            f"{path} cannot be locked: {error.strerror or error}. Allow yourself to write to the "
            "folder, then try again."
        ) from None
    try:
        yield
    finally:
        lock.release()
