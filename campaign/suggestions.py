"""Suggestions for misspelled names: the choice or the file that was probably meant."""

from collections.abc import Collection, Iterable
from pathlib import Path

_FOLDER_LIMIT = 10_000  # names compared: a folder of a million files must not hold up an error message
_LIKE_A_FILE = 0.75  # one wrong letter of four, and no other word


def closest(wanted: object, choices: Iterable[str], *, likeness: float = 0.6) -> str:
    """The choice that is most like what was written, ignoring case; "" if none is close.

    `likeness` is how much of both has to be the same, from 0 to 1.
    """
    choice_by_key = {choice.casefold(): choice for choice in choices}
    matches = most_like(str(wanted).strip().casefold(), choice_by_key, 1, likeness)
    return choice_by_key[matches[0]] if matches else ""


def most_like(wanted: str, choices: Iterable[str], most: int, likeness: float) -> list[str]:
    """The choices that are most like what was written, at most so many, the closest first."""
    import difflib  # for mistakes only

    return difflib.get_close_matches(wanted, list(choices), most, likeness)


def similar_file(path: Path, endings: Collection[str] = ()) -> str:
    """The name in the same folder that is most like that of a missing file; "" if none is close.

    Names are compared without their endings; with `endings`, such as .csv, only names with one of them.
    """
    try:
        names = [entry.name for _, entry in zip(range(_FOLDER_LIMIT), path.parent.iterdir(), strict=False)]
    except (OSError, ValueError):  # a missing folder, or an impossible name
        return ""
    stems = {
        name: Path(name).stem for name in names if not endings or Path(name).suffix.casefold() in endings
    }
    stem = closest(path.stem, stems.values(), likeness=_LIKE_A_FILE)
    alike = [name for name in stems if stem and stems[name].casefold() == stem.casefold()]
    return closest(path.name, alike) or next(iter(alike), "")


def folder_meant(folder: Path, parent: Path, mark: str) -> list[str]:
    """The folders in `parent` that hold a file `mark` and have the name of one that does not.

    For example campaigns/visits and campaigns/visits.local, its rehearsal.
    """
    try:
        entries = [entry for _, entry in zip(range(_FOLDER_LIMIT), parent.iterdir(), strict=False)]
        names = sorted(entry.name for entry in entries if (entry / mark).is_file())
    except (OSError, ValueError):
        return []
    plain = {name: name.rpartition(".")[0] or name for name in names}  # visits.local is a rehearsal of visits
    wanted = closest(folder.name.rpartition(".")[0] or folder.name, plain.values(), likeness=_LIKE_A_FILE)
    return [str(parent / name) for name in names if wanted and plain[name] == wanted]
