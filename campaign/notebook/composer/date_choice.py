"""How the dates in a text are written, shown by an example, in the languages that have names for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from functools import lru_cache

import pandas as pd

from campaign import markup
from campaign.arrow_text import text_array
from campaign.contacts.reading_record import reading_of
from campaign.errors import TemplateError
from campaign.messages.templates.date_names import date_names
from campaign.messages.templates.date_orders import date_columns, time_of_day
from campaign.messages.templates.formats import DateFormat, parse_format
from campaign.messages.templates.moments import read_moment
from campaign.messages.templates.template import formats_in, with_format
from campaign.notebook.composer.fields import Picker, set_shown
from campaign.text import agreeing, listed_words

_DATE = re.compile(r"\{[^{}:|]+:[^{}|]*%[^{}]*\}")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_AS_THEY_ARE = "As they are in the file"
_NUMBERS = ("%d/%m/%Y", "%d.%m.%Y")
_EXAMPLE = date(2026, 12, 1)  # where the dates of the spreadsheet can be read in more than one way


class DateChoice(Picker):
    """A list of the ways to write dates, shown while the text has a placeholder for some.

    `chosen` is called with the text, its dates written as a person has chosen.
    """

    def __init__(self, chosen: Callable[[str], None]) -> None:
        self._chosen = chosen
        self._text = ""
        self._columns: list[str] = []
        self._dates: dict[str, str] = {}  # by column, one as it is in the spreadsheet
        super().__init__("Dates in this text", "date-format", self._write)
        set_shown(self, False)

    def offer_for(self, contacts: pd.DataFrame) -> None:
        """Find the dates of a spreadsheet."""
        self._columns, self._dates = list(contacts.columns), date_columns(contacts)
        reading = reading_of(contacts)
        self._order = reading.dates if reading is not None else ""

    def follow(self, text: str, language: str) -> None:
        """Offer the ways for a text that was typed; those of its language, "fr" or "français", come first."""
        self._text = text
        formats = formats_in(text, self._columns, self._dates)
        set_shown(self, bool(formats))
        if formats:
            column, now = next(iter(formats.items()))
            cell = self._dates[column]
            day = example_moment(cell, self._order)
            options = [(f"{_AS_THEY_ARE}: {cell}", ""), *_ways(day, language)]
            if now not in [way for _, way in options]:
                options.append((f"As the text says: {now}", now))
            self.offer(options, now)

    def as_read(self, text: str) -> str:
        """A text whose dates are named with an example: "{day, as 4 January}" for "{day:%-d %B}"."""
        for placeholder, example in self._examples(text).items():
            name = placeholder[1:].partition(":")[0]
            text = text.replace(placeholder, f"{{{name}, as {example}}}")
        return text

    def about(self, text: str) -> str:
        """What the placeholders of dates in a text are, which look like a fault; "" if there are none."""
        dates, examples = [*dict.fromkeys(_DATE.findall(text))], self._examples(text)
        if not dates:
            return ""
        if all(date in examples for date in dates):
            one_by_one = (f"{date} stands for a date, such as “{examples[date]}”" for date in dates)
            return markup.paragraph(f"{listed_words(one_by_one)}.", note=True)
        stand = agreeing(len(dates), "stands for a date", "stand for dates")
        return markup.paragraph(
            f"{listed_words(dates)} {stand}. The phone shows how it is written.", note=True
        )

    def _examples(self, text: str) -> dict[str, str]:
        """What each placeholder of a text that writes dates in its own way makes of one of them."""
        examples: dict[str, str] = {}
        for placeholder in _PLACEHOLDER.findall(text):
            for column, way in formats_in(placeholder, self._columns, self._dates).items():
                with suppress(TemplateError):  # the counter says it
                    day = example_moment(self._dates[column], self._order)
                    examples |= {placeholder: written(day, way)} if way else {}
        return examples

    def _write(self, way: str) -> None:
        self._chosen(with_format(self._text, self._columns, self._dates, way))


@lru_cache(maxsize=8)  # asked for at every key
def _ways(day: date, language: str) -> list[tuple[str, str]]:
    """Each way to write dates, by how it writes this day; those with the time of day first, if it has one."""
    has_time = isinstance(day, datetime)
    with_time = _ways_of(day, language, ", %H:%M", "") if has_time else []
    return [*with_time, *_ways_of(day, language, "", ", without the time" if has_time else "")]


def _ways_of(day: date, language: str, clock: str, note: str) -> list[tuple[str, str]]:
    """The ways with this pattern for the time of day behind the date."""
    names, own = date_names(), _code(language)
    in_words = [
        (f"{names[code].name}{note}", f"{pattern}{clock}{_suffix(code)}")
        for code in sorted(names, key=lambda code: code != own)
        for pattern in (names[code].day, names[code].weekday)
    ]
    in_numbers = [(note.removeprefix(", "), f"{pattern}{clock}") for pattern in _NUMBERS]
    return [
        (f"{written(day, pattern)}{f' ({words})' if words else ''}", pattern)
        for words, pattern in [*in_words, *in_numbers]
    ]


def day_in_words(language: str, day: date) -> str:
    """How a text in a language, "fr" or "français", writes a day and its month, with the time of a moment.

    English for a language that is not known.
    """
    code = _code(language)
    return f"{date_names()[code].day}{', %H:%M' if isinstance(day, datetime) else ''}{_suffix(code)}"


def example_moment(cell: str, order: str) -> date:
    """The day of a cell, with its time if it has one other than midnight; an example where it is unclear."""
    day = read_moment(cell, order)[0] or _EXAMPLE
    clock = time_of_day(cell)
    return day if clock is None else datetime.combine(day, clock)


def _code(language: str) -> str:
    """The code of a language in which dates can be written; that of English for any other."""
    mine, names = language.strip().casefold(), date_names()
    if mine[:2] in names and mine[2:3] in ("", "-", "_"):
        return mine[:2]
    called = {code: (own.name.casefold(), own.english.casefold()) for code, own in names.items()}
    exact = (code for code, own in called.items() if mine in own)
    begun = (code for code, own in called.items() if mine[:3] in {name[:3] for name in own})
    return next(exact, next(begun, "en"))


def _suffix(code: str) -> str:
    return "" if code == "en" else f"@{code}"


def written(day: date, pattern: str) -> str:
    """The day, or the moment, as a text with this pattern has it."""
    form = parse_format(pattern, "")
    assert isinstance(form, DateFormat)  # noqa: S101 - the patterns above are those of dates
    return str(form.apply(text_array([str(day)]))[0][0].as_py())
