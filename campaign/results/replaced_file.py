"""A file that is written whole or not at all, and that only its owner can read."""

import os
import tempfile
from collections.abc import Callable, Collection
from itertools import chain, count
from pathlib import Path

from campaign.errors import ReportError, UsageError
from campaign.paths import impossible
from campaign.results.own_report import is_own_report
from campaign.suggestions import similar_file
from campaign.text import clean, shorten


def check_ending(path: Path, endings: Collection[str], what: str = "a report") -> None:
    """Raise `UsageError` unless the name of the file ends in one of these."""
    if path.suffix.lower() not in endings:
        *others, last = endings
        raise UsageError(
            f"The name of {what} must end in {', '.join(others)} or {last}, and {path.name!r} does not."
        )


def check_place(path: Path) -> None:
    """Raise `ReportError` unless a report can be written here now; nothing is left behind."""
    _new_file_beside(path).unlink()
    check_own(path)


def check_own(path: Path) -> None:
    """Raise `ReportError` if there is a file that is no report of ours: somebody's spreadsheet, perhaps."""
    if path.is_file() and not is_own_report(path):
        raise ReportError(
            f"{path.name} is no report of campaign, or somebody has changed it, and it would be replaced. "
            "Nothing was written. Give another name, or delete that file."
        )


def free_name(path: Path) -> Path:
    """The path, or the first of path_2, path_3 … at which there is no file yet."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in count(2))
    return next(place for place in chain([path], numbered) if not place.exists())


def _new_file_beside(path: Path) -> Path:
    """An empty file in the same folder, which only its owner can read."""
    if reason := impossible(path):
        raise ReportError(f"{shorten(clean(path), 200)} cannot be written: {reason}.")
    if path.is_symlink():
        raise ReportError(f"{path} is a symbolic link. Give the path of a regular file.")
    if path.is_dir():
        raise ReportError(f"{path} is a folder, not a file. Give the name of a file in it.")
    if path.exists() and not path.is_file():
        raise ReportError(f"{path} is a device, not a file. Give the path of a regular file.")
    try:
        handle, name = tempfile.mkstemp(prefix=".report-", suffix=path.suffix, dir=path.parent)
    except FileNotFoundError:
        raise ReportError(
            f"No file can be written in {clean(path.parent)}: there is no such folder. Make it first, or "
            f"name one that exists.{_folder_meant(path.parent)}"
        ) from None
    except OSError as error:
        raise ReportError(f"No file can be written in {path.parent}: {error.strerror}.") from None
    os.close(handle)
    return Path(name)


def _folder_meant(missing: Path) -> str:
    """A question about the folder whose name is most like that of a missing one; "" if none is close."""
    folder = missing.with_name(similar_file(missing) or missing.name)
    return f" Did you mean {clean(folder)}?" if folder.is_dir() else ""


def replace_file(
    path: Path, write: Callable[[Path], None], check: Callable[[Path], None] = check_own
) -> None:
    """Write to a temporary file beside it and rename that, so that a crash leaves the old file or the new.

    Only its owner can read the file, where the system has such permissions. Raises `ReportError` for a
    symbolic link, a folder, or a place that cannot be written to, and what `check` raises for a file that
    must not be replaced.
    """
    new_path = _new_file_beside(path)
    try:
        check(path)
        write(new_path)
        new_path.replace(path)
    except PermissionError:
        raise ReportError(f"{path} cannot be replaced. Close it if it is open in another program.") from None
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        new_path.unlink(missing_ok=True)
