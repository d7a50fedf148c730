"""Cells that hold dates and times of day, in the ways in which programs and people write them."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import NamedTuple

from msgspec import Struct

from campaign.arrow_text import TextArray, unique_texts
from campaign.contacts.vocabulary import phrases
from campaign.messages.templates.date_names import DAYS, MONTHS, days_called, months_called

Moment = tuple[date | None, time | None]  # the value of a cell: a date, a time of day, or both

ORDERS = ("dmy", "mdy", "ymd")
_LONGEST = 100  # characters: no date has as many, and what follows looks at each of them several times
_YEARS = range(1800, 2200)  # years outside of it, such as 2569 and 1447, are of other calendars
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-") | {"،": ",", "፣": ","})
_DIRECTIONS = str.maketrans(dict.fromkeys("\u200e\u200f\u061c"))  # Arabic dates have them between numbers

_MARK = r" ?(?:(?P<half{0}>[ap])\.? ?m\b\.?|(?P<arabic{0}>[صم])\b|uhr\b|hrs?\b)"
# The time is that of its own clock. Without seconds and without a date, 14:30-16:00 are two times.
_OFFSET = r"(?: ?(?:z|utc|gmt)\b)?(?: ?[+-]\d\d(?::?\d\d)?(?: \([^()]*\))?)?"
_CLOCK = re.compile(
    rf"(?<![\d:.,/+-])(?P<hour>\d{{1,2}})(?:"
    rf":(?P<minute1>\d\d)(?::\d\d(?:[.,]\d+)?{_OFFSET}|(?<=t\d\d:\d\d){_OFFSET}| ?z\b)?"  # 14:30:00+03:00
    rf"(?:{_MARK.format(1)})?"  # 2:30 PM
    rf"|\.?(?P<minute2>\d\d){_MARK.format(2)}"  # 2.30pm, 1430 hrs
    rf"|{_MARK.format(3)}"  # 2 pm
    r"| ?h(?![^\W\d_])(?: ?(?P<minute4>\d\d))?"  # 14h30
    r")(?![\d:])",
    re.ASCII,
)
# What may stand beside names and numbers: 1st, 1er, 21 de noviembre, 21 Nov 2026 at 14:30, 2026 г.
_FILLER = frozenset(phrases("dates", "beside"))
_BETWEEN_WORDS = re.compile(r"[\s,;()]+")
_NUMBERS = re.compile(r"([0-9]+)")

_Reading = tuple[int, int, int]  # year, month and day, whether there is such a day or not


class _Cell(Struct, frozen=True):
    """What a cell says: all days that it may mean, the days of the week that it names, and its time."""

    readings: frozenset[_Reading]
    weekdays: frozenset[int]
    clock: time | None

    @property
    def days(self) -> list[date]:
        """The days that it may mean; none where a month is too short for one, as in 31/11/26."""
        if any(0 < _length(reading) < reading[2] <= 31 for reading in self.readings):
            return []
        found = [date(*reading) for reading in sorted(self.readings) if 1 <= reading[2] <= _length(reading)]
        return [day for day in found if not self.weekdays or day.weekday() in self.weekdays]


def read_moment(text: str, order: str = "", languages: Collection[str] = ()) -> Moment:
    """The date and the time of day in a cell; None for what it does not contain.

    Examples: 2026-01-05, 2026/1/5, 5 Jan 2026, Jan 5, 2026, 25/12/2026, Saturday 21 November 2026, 5 mars
    2026, 14:30, 2:30 PM, 14h30, and a date with a time, 2026-11-21T14:30:00+03:00.

    05/01/2026 may be in January or May, so it needs the order of day, month and year; with it, years may
    have two digits. 5 listopada 2026 is in November in Polish, and in October in Croatian, so it needs the
    languages that its column may be in. A name of the day that is wrong makes a date none.
    """
    if text[4:8:3] == "--" and (moment := _iso(text)):
        return moment
    cell = _parse(text, order, languages)
    days = [] if cell is None else cell.days
    if cell is None or (cell.readings and not days):
        return None, None
    return days[0] if len(days) == 1 else None, cell.clock


def _iso(text: str) -> Moment | None:
    """A cell as programs write it, 2026-01-05 14:30:00: read eight times as fast as any other."""
    if len(text) not in (10, 16, 19):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    clock = time(moment.hour, moment.minute) if len(text) > 10 else None
    return (moment.date(), clock) if moment.year in _YEARS else None


def days_of(text: str, order: str = "", languages: Collection[str] = ()) -> list[date]:
    """All days that a cell may mean, as far as the order of its numbers and its languages are known."""
    cell = _parse(text, order, languages)
    return [] if cell is None else cell.days


def languages_of(text: str) -> frozenset[str]:
    """The languages that have the name of the month in a cell; none if it has no such name."""
    written = _written(_split(text)[1])
    return frozenset() if written is None else frozenset(written.month)


def flaws_of_dates(texts: TextArray, order: str, languages: Collection[str]) -> list[str]:
    """What is wrong with cells that look like dates and are none; "" where nothing more is known."""
    strings, positions = unique_texts(texts)
    flaws = [_flaw(_parse(string, order, languages)) for string in strings]
    return [flaws[position] for position in positions]


def _flaw(cell: _Cell | None) -> str:
    flaws = set() if cell is None or cell.days else {*map(_flaw_of, cell.readings)} - {""}
    return flaws.pop() if len(flaws) == 1 else ""


def _flaw_of(reading: _Reading) -> str:
    """What is wrong with a day: its month is too short, its year is of another calendar, or it is not the day
    of the week that stands beside it."""
    year, month, day = reading
    if year not in _YEARS:
        return f"the year {year} is not of the calendar of phones and spreadsheets"
    length = _length(reading)
    if not length or not 1 <= day <= 31:
        return ""
    if day > length:
        return f"{MONTHS[month - 1]}{f' {year}' if month == 2 else ''} has {length} days"
    return f"{day} {MONTHS[month - 1]} {year} is a {DAYS[date(*reading).weekday()]}"


def _length(reading: _Reading) -> int:
    """How many days the month has; 0 if there is no such month."""
    year, month, _ = reading
    return monthrange(year, month)[1] if year in _YEARS and 1 <= month <= 12 else 0


def _parse(text: str, order: str, languages: Collection[str]) -> _Cell | None:
    """What a cell says; None if anything in it belongs to no date and no time."""
    clock, pieces = _split(text)
    if len(pieces) == 1 and clock is not None and not _words(pieces[0]):
        return _Cell(frozenset(), frozenset(), clock)
    written = _written(pieces)
    weekdays = days_called(" ".join(written.beside)) if written and written.beside else frozenset()
    if written is None or (written.beside and not weekdays):
        return None  # the words beside it name something else than days of the week
    readings = frozenset(_readings(written, order, languages))
    return _Cell(readings, weekdays, clock) if readings else None


def _split(text: str) -> tuple[time | None, list[str]]:
    """The time of day in a cell, and the rest of it: words, a number, words, a number, ..., words."""
    text = _plain(text)
    match = _CLOCK.search(text)
    if match is None:
        return None, _NUMBERS.split(text)
    clock = _time(match)
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return clock, [text] if clock is None else _NUMBERS.split(rest)


def _plain(text: str) -> str:
    """A cell in small letters, with European digits and single spaces; "" if it is too long for a date."""
    if len(text) > _LONGEST:
        return ""
    if not text.isascii():
        text = text.translate(_DASHES).translate(_DIRECTIONS)
        text = "".join(str(unicodedata.decimal(sign, sign)) for sign in text)
    return " ".join(text.lower().split())


def _time(match: re.Match[str]) -> time | None:
    """The time that was found; None if a day has no such time."""
    found = match.groupdict()
    minute = int(found["minute1"] or found["minute2"] or found["minute4"] or 0)
    half = next(filter(None, (found[f"{name}{place}"] for name in ("half", "arabic") for place in "123")), "")
    hour = int(found["hour"])
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half in "pم")
    return time(hour, minute) if hour <= 23 and minute <= 59 else None


class _WrittenDate(NamedTuple):
    """A date as it is written: its numbers, the month that it names by language, and the words beside it."""

    numbers: Sequence[str]
    month: Mapping[str, int]
    beside: Sequence[str]


def _written(pieces: Sequence[str]) -> _WrittenDate | None:
    """The date in the pieces of a cell; None if they are none."""
    before, after, numbers = _words(pieces[0]), _words(pieces[-1]), pieces[1::2]
    if len(numbers) == 3 and pieces[2].strip() == pieces[4].strip() in ("-", "/", "."):
        return _WrittenDate(numbers, {}, before + after)
    if len(numbers) not in (2, 3):
        return None
    name = _words(pieces[2])
    if len(numbers) == 3:  # 21 tháng 11 2026
        name.append(numbers[1])
    if name:
        return _WrittenDate([numbers[0], numbers[-1]], months_called(" ".join(name)), before + after)
    for place in range(len(before)):  # Saturday November 21, 2026
        if month := months_called(" ".join(before[place:])):
            return _WrittenDate(numbers, month, before[:place] + after)
    return None


def _words(text: str) -> list[str]:
    """The words of a text that may be names."""
    words = (word.strip("-./'’") for word in _BETWEEN_WORDS.split(text)) if text.strip(" -./,") else ()
    return [word for word in words if word and word not in _FILLER]


def _readings(written: _WrittenDate, order: str, languages: Collection[str]) -> Iterator[_Reading]:
    """Every day that a date may be in this order, in these languages; in all where they are not known."""
    numbers, months = written.numbers, written.month
    is_first, is_last = len(numbers[0]) == 4, len(numbers[-1]) == 4
    if any(len(number) > 2 for number in numbers[is_first : len(numbers) - is_last]):
        return
    if len(numbers) == 3:
        orders = ("ymd",) if is_first else ("dmy", "mdy") if is_last else ORDERS
        for chosen in (order,) if order in orders else orders:
            named = dict(zip(chosen, numbers, strict=True))
            yield _year(named["y"]), int(named["m"]), int(named["d"])
        return
    is_year_first = is_first or (order == "ymd" and not is_last)
    year, day = numbers if is_year_first else reversed(numbers)
    for month in {months[code] for code in languages if code in months} or {*months.values()}:
        yield _year(year), month, int(day)


def _year(digits: str) -> int:
    """As in C and Python, 69 to 99 are in the last century."""
    year = int(digits)
    return year if len(digits) == 4 else year + (1900 if year >= 69 else 2000)
