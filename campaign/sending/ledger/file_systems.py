"""Which disks can keep a ledger: SQLite's locks and syncs cannot be trusted on network file systems."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

# As Linux names them. SQLite: "How To Corrupt An SQLite Database File", section 2.1, on broken locks there.
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs",
     "glusterfs", "davfs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs2")
)  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\(\d{3})")


def network_file_system(path: Path) -> str | None:
    """The name of the network file system that holds `path`, or None where it is local or cannot be told."""
    path = path.resolve()
    if os.name == "nt":
        return "a network drive" if _is_network_drive(path.drive) else None
    if not _MOUNTS.exists():  # macOS tells it only to programs with more than the standard library
        return None
    kind = file_system_of(path, _MOUNTS.read_text("utf-8", "surrogateescape"))
    return kind if kind in NETWORK else None


def file_system_of(path: Path, mounts: str) -> str:
    """The type of the file system that holds `path`, from the text of /proc/self/mountinfo (proc(5))."""
    found = [("", "")]
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        if path.is_relative_to(point):
            found.append((point, after.split(" ")[0]))
    return max(enumerate(found), key=lambda item: (len(item[1][0]), item[0]))[1][
        1
    ]  # later mounts cover earlier


def _is_network_drive(drive: str) -> bool:
    remote = 4  # DRIVE_REMOTE, GetDriveTypeW in fileapi.h
    windows = getattr(ctypes, "windll", None)
    return drive.startswith("\\\\") or bool(
        windows and windows.kernel32.GetDriveTypeW(f"{drive}\\") == remote
    )
