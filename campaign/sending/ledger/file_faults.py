"""What the system refuses about the files of a campaign."""

from __future__ import annotations

from pathlib import Path

from campaign.errors import FolderError


def unreadable(path: Path, error: OSError) -> FolderError:
    """The error for a file of a campaign that is missing or cannot be read."""
    if isinstance(error, FileNotFoundError):
        return FolderError("campaign_file_damaged", file=path)
    return unusable(path, error)


def unusable(path: Path, error: OSError) -> FolderError:
    """The error for a file or folder of a campaign that cannot be written."""
    return FolderError("campaign_file_unusable", file=path, reason=error.strerror or str(error))
