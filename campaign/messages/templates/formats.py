"""The formats of placeholders: {visit_date:%d %b}, {amount:,.0f}. A closed list.

Python's own format language is not offered: it reaches into objects, and {x:>200000000} fills the memory.
"""

import re
from collections.abc import Callable
from datetime import date, time

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, TextArray, byte_lengths, text_array, unique_texts
from campaign.errors import TemplateError
from campaign.messages.templates.date_names import DAYS, ENGLISH, MONTHS, DateNames, date_names
from campaign.messages.templates.moments import read_moment
from campaign.messages.templates.number_format import NumberFormat
from campaign.words.finding import Finding

_OF_DATE: dict[str, Callable[[date], str]] = {
    "%d": lambda day: f"{day.day:02}",
    "%-d": lambda day: str(day.day),
    "%a": lambda day: DAYS[day.weekday()][:3],
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
_DATES = "%d %-d %a %A %m %-m %b %B %y %Y, %H %-H %I %-I %M %p"
_NUMBERS = ", .2f ,.0f"
_LANGUAGE = re.compile(r"(.*)@([a-z]{2,3})", re.DOTALL)


class DateFormat(Struct, frozen=True):
    """Dates and times, formatted by a pattern.

    `order` is the order of day, month and year in dates such as 05/01/2026: "dmy", "mdy", "ymd", or "" if it
    is not known. `column_order` is that of the column, also where no date in it needs one, and `findings`
    what there is to tell about it. `language` is that of the names that texts have, one of `date_names`, and
    `languages` are those that the names in the cells can be in, none if nothing depends on it.
    """

    pattern: str
    order: str = ""
    column_order: str = ""
    findings: tuple[Finding, ...] = ()
    language: str = "en"
    languages: frozenset[str] = frozenset()

    @property
    def written(self) -> str:
        """The format as it stands in a placeholder."""
        return self.pattern if self.language == "en" else f"{self.pattern}@{self.language}"

    @property
    def has_date(self) -> bool:
        """Whether texts have a date, or a piece of one."""
        return any(piece in _OF_DATE or piece in _NAMED for piece in _split_pattern(self.pattern))

    @property
    def has_time(self) -> bool:
        """Whether texts have a time of day."""
        return any(piece in _OF_TIME for piece in _split_pattern(self.pattern))

    @property
    def needed(self) -> str:
        if not self.has_date:
            return "time of day"
        return "date with a time of day" if self.has_time else "date"

    def apply(self, texts: TextArray) -> tuple[TextArray, Bools]:
        """The formatted texts, and which texts are not such dates; blank ones do not count."""
        strings, positions = unique_texts(texts)
        names, pattern = self._names, _split_pattern(self.pattern)
        formatted = [self._write(string, names, pattern) for string in strings]
        unreadable = np.array([text is None for text in formatted], dtype=bool)[positions]
        return text_array([text or "" for text in formatted]).take(positions), unreadable & (
            byte_lengths(texts) > 0
        )

    @property
    def _names(self) -> DateNames:
        return ENGLISH if self.language == "en" else date_names()[self.language]

    def _write(self, text: str, names: DateNames, pattern: list[str]) -> str | None:
        day, clock = read_moment(text, self.order, self.languages)
        pieces = []
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
        raise _unknown(placeholder, unknown[0] if unknown else text, [_DATES, _NUMBERS])
    if language != "en" and language not in date_names():
        raise _unknown(placeholder, f"@{language}", [f"@{code}" for code in date_names()])
    if language != "en" and (short := [piece for piece in directives if piece in _SHORT]):
        raise _unknown(placeholder, f"{short[0]}@{language}", [f"{short[0].upper()}@{language}"])
    return DateFormat(pattern, language=language)


def _unknown(placeholder: str, given: str, choices: list[str]) -> TemplateError:
    return TemplateError("format_unknown", placeholder=f"{{{placeholder}}}", given=given, choices=choices)


def _precedes_month(pieces: list[str], place: int) -> bool:
    """Whether the name of the month comes next, after a space."""
    return "".join(pieces[place + 1 : place + 3]).split() == ["%B"]


def _split_pattern(pattern: str) -> list[str]:
    return re.findall(r"%-?.|%|[^%]+", pattern, flags=re.DOTALL)
