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
from campaign.text import shorten


def check_ending(path: Path, endings: Collection[str], what: str = "a report") -> None:
    """Raise `UsageError` unless the name of the file ends in one of these."""
    if path.suffix.lower() not in endings:
        raise UsageError("wrong_ending", what=what, endings=[*endings], file=path.name)


def check_place(path: Path) -> None:
    """Raise `ReportError` unless a report can be written here now; nothing is left behind."""
    _new_file_beside(path).unlink()
    check_own(path)


def check_own(path: Path) -> None:
    """Raise `ReportError` if there is a file that is no report of ours: somebody's spreadsheet, perhaps."""
    if path.is_file() and not is_own_report(path):
        raise ReportError("file_in_the_way", file=path.name)


def free_name(path: Path) -> Path:
    """The path, or the first of path_2, path_3 … at which there is no file yet."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in count(2))
    return next(place for place in chain([path], numbered) if not place.exists())


def _new_file_beside(path: Path) -> Path:
    """An empty file in the same folder, which only its owner can read."""
    if reason := impossible(path):
        raise _not_writable(path, reason)
    kinds = {"a symbolic link": path.is_symlink(), "a folder": path.is_dir()}
    kinds["not a regular file"] = path.exists() and not path.is_file()
    if kind := next((kind for kind, is_so in kinds.items() if is_so), ""):
        raise _not_writable(path, kind)
    try:
        handle, name = tempfile.mkstemp(prefix=".report-", suffix=path.suffix, dir=path.parent)
    except FileNotFoundError:
        meant = path.parent.with_name(similar_file(path.parent) or path.parent.name)
        suggestion = str(meant) if meant.is_dir() else ""
        raise _not_writable(path, "no such folder", suggestion=suggestion) from None
    except OSError as error:
        raise _not_writable(path, error.strerror) from None
    os.close(handle)
    return Path(name)


def _not_writable(path: Path, reason: str | None, *, suggestion: str = "") -> ReportError:
    return ReportError(
        "file_not_writable", file=shorten(str(path), 200), reason=reason, suggestion=suggestion
    )


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
        raise _not_writable(path, "not permitted, or open in another program") from None
    except OSError as error:
        raise _not_writable(path, error.strerror) from None
    finally:
        new_path.unlink(missing_ok=True)
