"""Suggestions for misspelled names: the choice, the file or the time zone that was probably meant."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

_FOLDER_LIMIT = 10_000  # names compared: a folder of a million files must not hold up an error message
_LIKE_A_FILE = 0.75  # one wrong letter of four, and no other word


def closest(wanted: object, choices: Iterable[str], *, likeness: float = 0.6) -> str:
    """The choice that is most like what was written, ignoring case; "" if none is close.

    `likeness` is how much of both has to be the same, from 0 to 1.
    """
    choice_by_key = {choice.casefold(): choice for choice in choices}
    matches = _like(str(wanted).strip().casefold(), choice_by_key, 1, likeness)
    return choice_by_key[matches[0]] if matches else ""


def _like(wanted: str, choices: Iterable[str], most: int, likeness: float) -> list[str]:
    import difflib  # for mistakes only

    return difflib.get_close_matches(wanted, list(choices), most, likeness)


def did_you_mean(wanted: object, choices: Iterable[str]) -> str:
    """A question to append to an error message, with a space in front: " Did you mean 'live'?" or ""."""
    suggestion = closest(wanted, choices)
    return f" Did you mean {suggestion!r}?" if suggestion else ""


def similar_file(path: Path, endings: Collection[str] = ()) -> str:
    """The name in the same folder that is most like that of a missing file; "" if none is close.

    With `endings`, such as .csv, only names with one of them count.

    Names are compared without their endings: "nothing.xlsx" and "twice.xlsx" are not alike.
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


def folder_meant(folder: Path, parent: Path, mark: str) -> str:
    """A question about folders in `parent` that hold a file `mark` and have the name of one that does not.

    " Did you mean campaigns/visits or campaigns/visits.local?", with a space in front; "" if none is.
    """
    try:
        entries = [entry for _, entry in zip(range(_FOLDER_LIMIT), parent.iterdir(), strict=False)]
        names = sorted(entry.name for entry in entries if (entry / mark).is_file())
    except (OSError, ValueError):
        return ""
    plain = {name: name.rpartition(".")[0] or name for name in names}  # visits.local is a rehearsal of visits
    wanted = closest(folder.name.rpartition(".")[0] or folder.name, plain.values(), likeness=_LIKE_A_FILE)
    meant = [name for name in names if wanted and plain[name] == wanted]
    return f" Did you mean {' or '.join(str(parent / name) for name in meant)}?" if meant else ""


def time_zone_advice(name: str) -> str:
    """What to write instead of something that is not a time zone: "EAT", "Kampala", "kampla"."""
    if abbreviated := _zones_abbreviated(name):
        return f"Abbreviations are ambiguous: write a region and city, such as {', '.join(abbreviated)}"
    if similar := _zones_like(name):
        return f"Perhaps you mean {' or '.join(similar)}"
    return "Write a region and city"


def _zones_abbreviated(name: str) -> list[str]:
    """Some cities whose clocks use this abbreviation, in winter or in summer."""
    if not (name.isascii() and name.isalpha() and name.isupper() and len(name) <= 5):
        return []
    days = [datetime(datetime.now(UTC).year, month, 1, tzinfo=UTC) for month in (1, 7)]
    cities = sorted(zone for zone in available_timezones() if _is_city(zone))
    return [zone for zone in cities if any(day.astimezone(ZoneInfo(zone)).tzname() == name for day in days)][
        :12
    ]


def _zones_like(name: str) -> list[str]:
    """The zones whose city or whole name is spelled like this."""
    zones = {zone.casefold(): zone for zone in sorted(available_timezones())}
    cities = {zone.rpartition("/")[2]: zone for zone in zones if _is_city(zones[zone])}
    wanted = name.strip().casefold().replace(" ", "_")
    close = [cities[city] for city in _like(wanted, cities, 2, 0.8)]
    close = close or _like(wanted, zones, 1, 0.8)
    return [zones[zone] for zone in close]


def _is_city(zone: str) -> bool:
    """Whether a zone is named by region and city: `Etc/GMT-3` and `US/Eastern` are not."""
    return "/" in zone and zone.partition("/")[0] not in ("Etc", "US", "SystemV", "posix", "right")
