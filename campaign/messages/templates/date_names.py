"""The names of months and days: of the languages that texts may write dates in, `{visit_date:%-d %B@fr}`, and
those that cells may have.

They are not taken from the machine, so that a spreadsheet gives the same texts everywhere. The file beside
this one has them from CLDR; tests/support/date_names_from_cldr.py writes it.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from campaign.once import Once


class DateNames(NamedTuple):
    """A language by its own name and in English, its months from January on and its days from Monday on.

    `day` and `weekday` are how it writes a day of the year, without and with the name of the day, and
    `first` is how it writes the number of the first of a month before the name of that month.
    """

    name: str
    english: str
    months: tuple[str, ...]
    days: tuple[str, ...]
    day: str
    weekday: str
    first: str


# Texts without another language have these: most need no file.
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ENGLISH = DateNames("English", "English", MONTHS, DAYS, "%-d %B", "%A %-d %B", "1")

_FILE = Path(__file__).with_suffix(".json")
_LEFT_OUT = re.compile("[\u0300-\u036f.’'\u0970]")  # accents and dots, which people often leave out


class _Table(NamedTuple):
    """The names to write by the code of their language, and what each name in a cell may mean."""

    written: Mapping[str, DateNames]
    months: Mapping[str, Mapping[str, int]]  # by the folded name the month in each language that has it
    days: Mapping[str, frozenset[int]]  # Monday is 0


def date_names() -> Mapping[str, DateNames]:
    """The names that texts may have, by the code of their language: "en", "fr", ..."""
    return _table().written


def months_called(name: str) -> Mapping[str, int]:
    """The month, 1 to 12, that a name means in each language that has it: listopad is 11 in pl, 10 in hr."""
    return _table().months.get(_folded(name), {})


def days_called(name: str) -> frozenset[int]:
    """The days of the week that a name means in any language; Monday is 0."""
    return _table().days.get(_folded(name), frozenset())


@Once
def _table() -> _Table:
    languages: dict[str, dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))
    months, days = dict[str, dict[str, int]](), dict[str, frozenset[int]]()
    written = {}
    for code, names in languages.items():
        for month, spellings in enumerate(names.pop("months_read"), 1):
            for name in map(_folded, spellings):
                months.setdefault(name, {})[code] = month
        for day, spellings in enumerate(names.pop("days_read")):
            for name in map(_folded, spellings):
                days[name] = days.get(name, frozenset()) | {day}
        names |= {"months": tuple(names["months"]), "days": tuple(names["days"])}
        written[code] = DateNames(**names)
    return _Table(written, months, days)


def _folded(name: str) -> str:
    """A name as it is looked up: février, Fevrier and FÉVRIER are one."""
    if name.isascii():
        return name.lower().replace(".", "").replace("'", "")
    letters = _LEFT_OUT.sub("", unicodedata.normalize("NFD", name.casefold().replace("ı", "i")))
    return unicodedata.normalize("NFC", letters)
