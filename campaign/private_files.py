"""Files and folders that only their owner can read, written so that they survive a power cut."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO

# fsync on macOS leaves the content in the drive's cache; this command of fcntl(2) empties that too.
_FULL_SYNC: int | None = None
if sys.platform != "win32":
    import fcntl

    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)


@contextmanager
def new_private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file that only its owner can read, durable afterwards; raises `FileExistsError`."""
    # The mode is set again after opening, because a umask can remove even the owner's bits.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        if sys.platform != "win32":
            os.fchmod(descriptor, 0o600)
        yield file
        file.flush()
        _flush(descriptor)


def open_ordinary(path: Path) -> BufferedReader:
    """An ordinary file to read, or the one that a link leads to.

    Raises `OSError` for anything else: a pipe waits for a writer, and a device may have no end.
    """
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    )
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _check_ordinary(os.fstat(file.fileno()).st_mode)
    except OSError:
        file.close()
        raise
    return file


def check_ordinary(*paths: Path) -> None:
    """Raise `OSError` if one of them exists and is no ordinary file: for those that other libraries open."""
    for path in paths:
        with suppress(FileNotFoundError):
            _check_ordinary(path.stat().st_mode)


def read_ordinary(path: Path, limit: int = 1 << 20) -> bytes:
    """The content of a file that has so many bytes at most; raises `OSError` as `open_ordinary`."""
    with open_ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > limit:  # a read of `limit` bytes would take that much memory
            raise OSError(errno.EFBIG, "too large")
        return file.read()


def _check_ordinary(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "a pipe or a device")


def replace_private_file(path: Path, content: bytes, writer: str = "") -> None:
    """Create or replace a file, so that a crash leaves either the old content or the new.

    `writer` distinguishes several programs that replace it at once.
    """
    new_path = path.with_name(f"{path.name}{writer}.new")
    new_path.unlink(missing_ok=True)
    with new_private_file(new_path) as file:
        file.write(content)
    new_path.replace(path)


def name_new_file(unfinished_path: Path, path: Path) -> None:
    """Give a finished file its name; raises `FileExistsError` and never replaces another file."""
    if sys.platform != "win32":  # where a rename replaces what is there
        try:
            path.hardlink_to(unfinished_path)
        except FileExistsError:
            raise
        except OSError:  # a disk without hard links, such as a USB stick
            if path.exists():
                raise FileExistsError from None
        else:
            unfinished_path.unlink()
            return
    unfinished_path.rename(path)


def make_private_folder(path: Path) -> None:
    """Make a folder and its missing parents, each for its owner only. Existing folders stay as they are."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)  # another run may have been faster
            folder.chmod(0o700)
            sync_folder(folder.parent)  # or a power cut could remove it and its content


def sync_folder(path: Path) -> None:
    """Make a folder's entries durable. Windows does this by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _flush(descriptor)
    finally:
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    if _FULL_SYNC is not None and sys.platform != "win32":
        try:
            fcntl.fcntl(descriptor, _FULL_SYNC)
        except OSError:  # a disk that does not support the command
            pass
        else:
            return
    os.fsync(descriptor)
