"""A file that is written whole or not at all, and that only its owner can read."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from campaign.errors import ReportError
from campaign.paths import impossible
from campaign.text import clean, shorten


def replace_file(path: Path, write: Callable[[Path], None]) -> None:
    """Write to a temporary file beside it and rename that, so that a crash leaves the old file or the new.

    Only its owner can read the file, where the system has such permissions. Raises `ReportError` for a
    symbolic link, a folder, or a place that cannot be written to.
    """
    if reason := impossible(path):
        raise ReportError(f"{shorten(clean(path), 200)} cannot be written: {reason}.")
    if path.is_symlink():
        raise ReportError(f"{path} is a symbolic link. Give the path of a regular file.")
    if path.exists() and not path.is_file():
        raise ReportError(f"{path} is a folder, not a file. Give the name of a file in it.")
    try:
        handle, name = tempfile.mkstemp(prefix=".report-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise ReportError(f"No file can be written in {path.parent}: {error.strerror}.") from None
    os.close(handle)
    new_path = Path(name)
    try:
        write(new_path)
        new_path.replace(path)
    except PermissionError:
        raise ReportError(f"{path} cannot be replaced. Close it if it is open in another program.") from None
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        new_path.unlink(missing_ok=True)
