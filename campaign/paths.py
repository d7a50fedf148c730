"""Paths that a person gives, and why there can be no file or folder of that name."""

from pathlib import Path


def impossible(path: Path) -> str:
    """Why no file or folder can have this path, in words; "" if one has it or could have it."""
    try:
        path.lstat()
    except FileNotFoundError:
        return ""
    except OSError as error:  # too long, or below a file
        return error.strerror or type(error).__name__
    except ValueError:
        return "A file name cannot contain a NUL character"
    return ""


def is_file(path: str | Path) -> bool:
    """Whether there is a file of this name, whatever the text looks like."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with characters that no path can have
        return False
