"""Near misses: the choice or the file that a person probably meant."""

import difflib
from collections.abc import Iterable
from pathlib import Path

_FOLDER_LIMIT = 10_000  # names looked at: a folder of a million files must not hold up an error message


def closest(wanted: object, choices: Iterable[str]) -> str:
    """The choice that is most like what was written, whatever its case; "" where none is."""
    folded = {choice.casefold(): choice for choice in choices}
    near = difflib.get_close_matches(str(wanted).strip().casefold(), folded, n=1)
    return folded[near[0]] if near else ""


def did_you_mean(wanted: object, choices: Iterable[str]) -> str:
    """A question to put behind an error message, with a space in front: " Did you mean 'live'?" or ""."""
    near = closest(wanted, choices)
    return f" Did you mean {near!r}?" if near else ""


def similar_file(path: Path) -> str:
    """The name in the same folder that is most like that of a missing file; "" where none is."""
    try:
        names = [entry.name for _, entry in zip(range(_FOLDER_LIMIT), path.parent.iterdir(), strict=False)]
    except (OSError, ValueError):  # no such folder, or a name that none can have
        return ""
    return closest(path.name, names)
