"""The formats of placeholders: {visit_date:%d %b}, {amount:,.0f}. A closed list.

Python's own format language is not offered: it reaches into objects, and {x:>200000000} fills the memory.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    TextArray,
    as_text,
    byte_lengths,
    choose_texts,
    constant_array,
    join_texts,
    matches,
    strip_texts,
    substitute,
    text_array,
    unique_texts,
)
from campaign.errors import TemplateError
from campaign.messages.templates.date_names import DATE_NAMES, ENGLISH, DateNames
from campaign.text import listed_words

MONTHS = ENGLISH.months  # cells are read in English, and texts have English names without another language

Moment = tuple[date | None, time | None]  # the value of a cell: a date, a time of day, or both

_OF_DATE: dict[str, Callable[[date], str]] = {
    "%d": lambda day: f"{day.day:02}",
    "%-d": lambda day: str(day.day),
    "%a": lambda day: ENGLISH.days[day.weekday()][:3],
    "%m": lambda day: f"{day.month:02}",
    "%-m": lambda day: str(day.month),
    "%b": lambda day: MONTHS[day.month - 1][:3],
    "%y": lambda day: f"{day.year % 100:02}",
    "%Y": lambda day: f"{day.year:04}",
}
_NAMED: dict[str, Callable[[date, DateNames], str]] = {
    "%A": lambda day, names: names.days[day.weekday()],
    "%B": lambda day, names: names.months[day.month - 1],
}
_SHORT = ("%a", "%b")  # names cut to three letters, which are clear in English only
_OF_TIME: dict[str, Callable[[time], str]] = {
    "%H": lambda clock: f"{clock.hour:02}",
    "%-H": lambda clock: str(clock.hour),
    "%I": lambda clock: f"{(clock.hour + 11) % 12 + 1:02}",
    "%-I": lambda clock: str((clock.hour + 11) % 12 + 1),
    "%M": lambda clock: f"{clock.minute:02}",
    "%p": lambda clock: "AM" if clock.hour < 12 else "PM",
}
CHOICES = (
    "For dates: %d %-d %a %A %m %-m %b %B %y %Y, for times %H %-H %I %-I %M %p, with any text between them. "
    "For numbers: , (thousands), .2f (decimals), ,.0f (both). After a date, the language of %A and %B: "
    f"{', '.join(f'@{code}' for code in DATE_NAMES)}."
)
_LANGUAGE = re.compile(r"(.*)@([a-z]{2})", re.DOTALL)


_NEEDED = {
    "": "an unambiguous date, such as 2026-01-05",
    "dmy": "a date, such as 25/12/2026, 2026-12-25",
    "mdy": "a date, such as 12/25/2026, 2026-12-25",
    "ymd": "a date, such as 26/12/25, 2026-12-25",
}


class OrderNotice(Struct, frozen=True):
    """What a person is told about the order of the dates in a column; `cell` is one that shows it, or ""."""

    severity: str
    cell: str
    detail: str


class DateFormat(Struct, frozen=True):
    """Dates and times, formatted by a pattern.

    `order` is the order of day, month and year in dates such as 05/01/2026: "dmy", "mdy", "ymd", or "" if it
    is not known. `column_order` is that of the column, also where no date in it needs one, and `notice` what
    there is to tell about it. `language` is that of the names of months and days, one of DATE_NAMES.
    """

    pattern: str
    order: str = ""
    column_order: str = ""
    notice: OrderNotice | None = None
    language: str = "en"

    @property
    def written(self) -> str:
        """The format as it stands in a placeholder."""
        return self.pattern if self.language == "en" else f"{self.pattern}@{self.language}"

    @property
    def needed(self) -> str:
        return f"{_NEEDED[self.order]} or 5 Jan 2026"

    def apply(self, texts: TextArray) -> tuple[TextArray, Bools]:
        """The formatted texts, and which texts are not such dates; blank ones do not count."""
        strings, positions = unique_texts(texts)
        formatted = [self._write(string) for string in strings]
        unreadable = np.array([text is None for text in formatted], dtype=bool)[positions]
        return text_array([text or "" for text in formatted]).take(positions), unreadable & (
            byte_lengths(texts) > 0
        )

    def _write(self, text: str) -> str | None:
        day, clock = read_moment(text, self.order)
        names, pieces = DATE_NAMES[self.language], []
        pattern = _split_pattern(self.pattern)
        for place, piece in enumerate(pattern):
            if piece in _OF_DATE or piece in _NAMED:
                if day is None:
                    return None
                is_first = day.day == 1 and piece == "%-d" and _precedes_month(pattern, place)
                named = _NAMED[piece](day, names) if piece in _NAMED else _OF_DATE[piece](day)
                pieces.append(names.first if is_first else named)
            elif piece in _OF_TIME:
                if clock is None:
                    return None
                pieces.append(_OF_TIME[piece](clock))
            else:
                pieces.append("%" if piece == "%%" else piece)
        return "".join(pieces)


# Up to 20 digits before the point and 10 after it, which fits into Arrow's 38 digits.
_DIGITS = r"([0-9]{1,20}|[0-9]{1,3}(,[0-9]{3}){1,6})(\.[0-9]{1,10})?"
_NUMBER = f"^[-+]?{_DIGITS}$"
_WITH_SOMETHING = f"^[^0-9]{{0,8}}{_DIGITS}[^0-9]{{0,8}}$"  # a currency, a unit
_STORED = pa.decimal128(38, 10)


class NumberFormat(Struct, frozen=True):
    """Numbers with thousands separators, a fixed number of decimals, or both; halves round away from zero."""

    thousands: bool
    decimals: int | None

    needed = "a number such as 1500 or 1500.5, with nothing beside it"

    @property
    def written(self) -> str:
        """The format as it stands in a placeholder."""
        decimals = "" if self.decimals is None else f".{self.decimals}f"
        return f"{',' * self.thousands}{decimals}"

    def apply(self, texts: TextArray) -> tuple[TextArray, Bools]:
        """The formatted texts, and which texts are not numbers; blank ones do not count."""
        readable = matches(texts, _NUMBER)
        digits = substitute(choose_texts(readable, texts, constant_array("0", len(texts))), "^[+]|,", "")
        if self.decimals is not None:
            stored: Any = digits.cast(_STORED)
            rounded = pc.round(stored, ndigits=self.decimals, round_mode="half_towards_infinity")
            digits = as_text(rounded.cast(pa.decimal128(38, self.decimals)))
        formatted = _separate_thousands(digits) if self.thousands else digits
        return formatted, ~readable & (byte_lengths(texts) > 0)


def what_is_beside(texts: TextArray) -> list[str]:
    """What stands beside the one number of each cell, such as UGX; "" where nothing short does."""
    beside = strip_texts(substitute(texts, "[0-9].*[0-9]|[0-9]", ""))
    short = choose_texts(matches(texts, _WITH_SOMETHING), beside, constant_array("", len(texts)))
    return cast(list[str], short.to_pylist())


def without_sign(texts: TextArray, sign: str) -> TextArray:
    """The texts, in which amounts have no such currency before or behind them: "£24" is 24."""
    sign = re.escape(sign)
    behind = substitute(texts, rf"^{sign}[ \x{{a0}}]?([0-9].*)$", r"\1")
    return substitute(behind, rf"^(.*[0-9])[ \x{{a0}}]?{sign}$", r"\1")


def _separate_thousands(numbers: TextArray) -> TextArray:
    """Separate the thousands with commas. Backwards, because RE2 cannot look ahead."""
    sign, integer, decimals = (
        substitute(numbers, "^(-?)([0-9]+)([.][0-9]+)?$", rf"\{group}") for group in (1, 2, 3)
    )
    backwards = substitute(pc.utf8_reverse(integer), "([0-9]{3})", r"\1,")
    return join_texts(sign, substitute(pc.utf8_reverse(backwards), "^,", ""), decimals)


Format = DateFormat | NumberFormat


def parse_format(text: str, placeholder: str) -> Format:
    """Parse the format of a placeholder. Raises TemplateError with the choices if there is no such format."""
    number = re.fullmatch(r"(,?)(?:\.([0-6])f)?", text)
    if number and text:
        return NumberFormat(bool(number[1]), None if number[2] is None else int(number[2]))
    match = _LANGUAGE.fullmatch(text)
    pattern, language = match.groups() if match else (text, "en")
    pieces = _split_pattern(pattern)
    directives = [piece for piece in pieces if piece in _OF_DATE or piece in _NAMED or piece in _OF_TIME]
    unknown = [piece for piece in pieces if piece[0] == "%" and piece not in (*directives, "%%")]
    if unknown or not directives:
        what = unknown[0] if unknown else f'"{text}"'
        raise TemplateError(f"The placeholder {{{placeholder}}} has the unknown format {what}. {CHOICES}")
    if language not in DATE_NAMES:
        known = listed_words(f"@{code} ({names.name})" for code, names in DATE_NAMES.items())
        raise TemplateError(
            f"The placeholder {{{placeholder}}} has the unknown language @{language}. There are: {known}."
        )
    if language != "en" and (short := [piece for piece in directives if piece in _SHORT]):
        raise TemplateError(
            f"The placeholder {{{placeholder}}} has {short[0]}, which is there in English only. Write "
            f"{short[0].upper()} for the whole name."
        )
    return DateFormat(pattern, language=language)


def _precedes_month(pieces: list[str], place: int) -> bool:
    """Whether the name of the month comes next, after a space."""
    return "".join(pieces[place + 1 : place + 3]).split() == ["%B"]


def _split_pattern(pattern: str) -> list[str]:
    return re.findall(r"%-?.|%|[^%]+", pattern, flags=re.DOTALL)


_Read = TypeVar("_Read")
_Make = Callable[[str, str | int, str], _Read | None]  # of year, month and day
_CLOCK = r"(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?"
_WITH_CLOCK = re.compile(rf"(?P<day>.*?)(?:(?:^|[T ]+){_CLOCK})?", re.ASCII | re.DOTALL)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_TWO_BEFORE_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})", re.ASCII)
_DAY_NAME_YEAR = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})", re.ASCII)
_NAME_DAY_YEAR = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})", re.ASCII)


_NAME = "(?:" + "|".join(month[:3] for month in MONTHS) + ")[A-Za-z]*"
_SHORT_YEAR = rf"(?i)^([0-9]{{1,2}}[-/. ]?{_NAME}|{_NAME}\.? [0-9]{{1,2}})\.?,?[-/. ]?[0-9]{{2}}([T ].*)?$"


def flaws_of_dates(texts: TextArray, order: str) -> list[str]:
    """What is wrong with cells that look like dates and are none; "" where nothing more is known."""
    strings, positions = unique_texts(texts)
    is_short = matches(text_array(strings), _SHORT_YEAR)  # with the name of a month: 09-Jan-27
    flaws = [
        "the year needs four digits" if short else _missing_day(string, order)
        for string, short in zip(strings, is_short, strict=True)
    ]
    return [flaws[position] for position in positions]


def _missing_day(text: str, order: str) -> str:
    """That a month is too short for the day of a cell, such as 31/11/2026; "" for every other cell."""
    match = _WITH_CLOCK.fullmatch(text)
    return "" if match is None else _read_day(match["day"], order, _length_if_too_short) or ""


def _length_if_too_short(year: str, month: str | int, day: str) -> str | None:
    """The length of a month in words, if it has no such day, though others have."""
    try:
        length = monthrange(int(year), int(month))[1]
    except ValueError:  # there is no such month
        return None
    of_year = f" {year}" if int(month) == 2 else ""
    return f"{MONTHS[int(month) - 1]}{of_year} has {length} days" if length < int(day) <= 31 else None


def read_moment(text: str, order: str = "") -> Moment:
    """The date and the time of day in a cell; None for what it does not contain.

    Examples: 2026-01-05, 2026/1/5, 5 Jan 2026, Jan 5, 2026, 25/12/2026, 14:30, and a date with a time.
    05/01/2026 may be in January or May, so it needs the order of day, month and year. With it, years may
    have two digits.
    """
    match = _WITH_CLOCK.fullmatch(text)
    if match is None:
        return None, None
    clock = None
    if match[2] is not None:
        hour, minute = int(match[2]), int(match[3])
        if hour > 23 or minute > 59:
            return None, None
        clock = time(hour, minute)
    day = _read_day(match["day"], order, _date)
    return (None, None) if match["day"] and day is None else (day, clock)


def _read_day(text: str, order: str, make: _Make[_Read]) -> _Read | None:
    """What is made of the year, the month and the day of a cell; None if it has no such three."""
    if match := _YEAR_FIRST.fullmatch(text):
        return make(match[1], match[3], match[4])
    if match := _TWO_BEFORE_LAST.fullmatch(text):
        return _read_numbers((match[1], match[3], match[4]), order, make)
    if match := _DAY_NAME_YEAR.fullmatch(text):
        return make(match[3], _month(match[2]), match[1])
    if match := _NAME_DAY_YEAR.fullmatch(text):
        return make(match[3], _month(match[1]), match[2])
    return None


def _read_numbers(numbers: tuple[str, str, str], order: str, make: _Make[_Read]) -> _Read | None:
    """What is made of three numbers, the last of which is a year if it has four digits."""
    first, second, last = numbers
    has_full_year = len(last) == 4
    if order and not (has_full_year and order == "ymd"):
        named = dict(zip(order, numbers, strict=True))
        year = int(named["y"])
        # As in C and Python: 69 to 99 are in the last century.
        century = 0 if has_full_year else 1900 if year >= 69 else 2000
        return make(str(century + year), named["m"], named["d"])
    readings = {make(last, second, first), make(last, first, second)} - {None} if has_full_year else set()
    return readings.pop() if len(readings) == 1 else None


def _month(name: str) -> int:
    """1 to 12 for the name of a month or its first three letters; 0 for any other word."""
    word = name.capitalize()
    return next((place for place, month in enumerate(MONTHS, 1) if word in (month, month[:3])), 0)


def _date(year: str, month: str | int, day: str) -> date | None:
    try:
        return datetime(int(year), int(month), int(day)).date()
    except ValueError:
        return None
