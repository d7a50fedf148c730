"""Paths given by the user, and why a file or folder with such a name cannot exist."""

from pathlib import Path

from campaign.text import clean


def impossible(path: Path) -> str:
    """Why no file or folder can have this path, in words; "" if one could."""
    try:
        path.lstat()
    except FileNotFoundError:
        return ""
    except OSError as error:  # too long, or below a file
        return error.strerror or type(error).__name__
    except ValueError:
        return "NUL in a name"
    return ""


def is_file(path: str | Path) -> bool:
    """Whether a file with this name exists; any text can be asked about."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with characters that no path can have
        return False


def is_folder(path: str | Path) -> bool:
    """Whether a folder with this name exists; any text can be asked about."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def seen_from_here(path: Path | None) -> str:
    """A path, relative to the current folder if it is inside it."""
    here = Path.cwd()
    return clean(path.relative_to(here) if path is not None and path.is_relative_to(here) else path)
