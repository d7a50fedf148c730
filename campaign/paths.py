"""Paths that a person gives: why there can be no file or folder of that name."""

from pathlib import Path


def impossible(path: Path) -> str:
    """Why nothing can have this name here, in words; "" where something has it or could."""
    try:
        path.lstat()
    except FileNotFoundError:
        return ""
    except OSError as error:  # too long, or below a file
        return error.strerror or type(error).__name__
    except ValueError:
        return "No file name can hold a NUL character"
    return ""
