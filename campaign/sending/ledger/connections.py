"""Connections to a ledger file whose commits survive a power cut. The only module that knows sqlite3."""

from __future__ import annotations

import ctypes
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from campaign.errors import LedgerError
from campaign.private_files import check_ordinary

Failure = sqlite3.Error
Refusal = sqlite3.IntegrityError  # a trigger or a check of the tables refused a change

PATIENCE = 10_000  # milliseconds to wait for another program that holds the file

_UNWRITABLE = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a ledger that exists; whatever is wrong with the file becomes a `LedgerError`."""
    check_files(path)
    try:
        with closing(_connect_to_archived(path) if _is_archived(path) else connect(path)) as connection:
            yield connection
    except Failure as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            raise LedgerError("campaign_open", place=path) from None
        code = "ledger_unwritable" if name.startswith(_UNWRITABLE) else "ledger_damaged"
        raise LedgerError(code, ledger=path, reason=str(error)) from None


def check_files(path: Path) -> None:
    """Raise `LedgerError` where SQLite would wait for a pipe or read a device, as a ledger or beside one."""
    try:
        check_ordinary(path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))
    except OSError as error:
        raise LedgerError("ledger_damaged", ledger=path, reason=error.strerror or str(error)) from None


def connect(path: Path) -> sqlite3.Connection:
    """A connection whose commits survive a power cut; raises `LedgerError` where the disk prevents that.

    FULL instead of NORMAL: in 400 simulated power cuts FULL lost no acknowledged commit, NORMAL lost some in
    all 400, and a lost intent is a message sent twice.
    """
    if kind := network_file_system(path.parent):
        raise LedgerError("ledger_unsafe", ledger=path, reason=f"file system {kind}")
    connection = sqlite3.connect(
        path.as_uri() + "?mode=rw", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: through the drive's cache; elsewhere no effect
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        connection.execute("PRAGMA synchronous = FULL")
        if (mode, connection.execute("PRAGMA synchronous").fetchone()[0]) != ("wal", 2):
            raise LedgerError("ledger_unsafe", ledger=path, reason="no safe disk")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_memory() -> sqlite3.Connection:
    """An empty database that nobody else sees."""
    return sqlite3.connect(":memory:")


def _is_archived(path: Path) -> bool:
    """Whether the ledger is in a folder that cannot be written, with nothing left in its write-ahead log."""
    log = path.with_name(path.name + "-wal")
    return not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size)


def _connect_to_archived(path: Path) -> sqlite3.Connection:
    """A connection for reading only. `immutable`, or SQLite would want to write a file beside the ledger."""
    connection = sqlite3.connect(path.as_uri() + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


# Names as Linux has them. Why: "How To Corrupt An SQLite Database File", section 2.1, about broken locks. The
# folders that a virtual machine shares with its host (vboxsf, virtiofs …) have another machine behind them
# too.
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "9p", "afs", "coda", "ceph", "lustre", "gpfs", "beegfs",
     "glusterfs", "davfs", "orangefs", "pvfs2", "ocfs2", "gfs2", "vboxsf", "virtiofs", "prl_fs", "vmhgfs")
)  # fmt: skip
# Anything can hide behind FUSE (sshfs, s3fs, a cloud drive), so only file systems on a local disk are listed.
LOCAL_FUSE = frozenset(
    ("fuseblk", "fuse.ntfs-3g", "fuse.exfat", "fuse.fuse-ext2", "fuse.fuse-overlayfs", "fuse.gocryptfs",
     "fuse.encfs", "fuse.cryfs")
)  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\(\d{3})")


def network_file_system(path: Path) -> str | None:
    """The name of the file system that holds `path` if it is, or may be, on a network; otherwise None.

    None also where the system does not say: macOS only tells programs that call its own libraries.
    """
    path = Path(os.path.realpath(path))
    if os.name == "nt":
        return "a network drive" if _is_network_drive(path.drive) else None
    try:
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    kind = file_system_of(path, mounts)
    return kind if is_network(kind) else None


def is_network(kind: str) -> bool:
    """Whether a type of file system is, or may be, on a network."""
    return kind in NETWORK or (kind.startswith("fuse") and kind not in LOCAL_FUSE)


def file_system_of(path: Path, mounts: str) -> str:
    """The type of the file system that holds `path`, from the text of /proc/self/mountinfo (proc(5))."""
    above = {folder.as_posix() for folder in (path, *path.parents)}
    deepest, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        if point in above and len(point) >= deepest:  # a later mount covers an earlier one
            deepest, kind = len(point), after.split(" ")[0]
    return kind


def _is_network_drive(drive: str) -> bool:
    remote = 4  # DRIVE_REMOTE, GetDriveTypeW in fileapi.h
    windows = getattr(ctypes, "windll", None)
    return drive.startswith("\\\\") or bool(
        windows and windows.kernel32.GetDriveTypeW(f"{drive}\\") == remote
    )
