"""Which file systems can hold a ledger: on a network, SQLite's locks and syncs cannot be trusted."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

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
