"""Which column holds the phone numbers, and of which country they are: a guess, with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.columns import listed
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.own_files import ABOUT_OWN_FILES
from campaign.contacts.phone_numbers.cleaning import WORLD, clean_numbers
from campaign.contacts.phone_numbers.libphonenumber import code_by_region
from campaign.contacts.phone_numbers.likely_region import (
    LikelyRegion,
    NumberColumn,
    RegionFit,
    say_other_country,
)
from campaign.contacts.phone_numbers.regions import regions_by_name
from campaign.contacts.reading_record import reading_of
from campaign.errors import ContactsError
from campaign.masking import mask_number, mask_text
from campaign.messages.templates.date_orders import date_columns
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import Picker
from campaign.notebook.composer.memory import Kept
from campaign.notebook.composer.number_cells import cells_in_words
from campaign.text import agreeing, counted, figure, listed_words

_NO_COUNTRY = ("Choose the country", "")
_NAMED = 4  # countries that fit as well; of more, only the count
_EVERYWHERE = ("Every number begins with its country code", WORLD)


class NumberChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Two lists, of columns and of countries, each with the reason for what is chosen in it.

    `chosen_for` is called with the contacts when either was chosen or offered.
    """

    def __init__(self, chosen_for: Callable[[pd.DataFrame], None]) -> None:
        self._contacts, self._chosen_for = pd.DataFrame(), chosen_for
        self._looked_at: dict[str, NumberColumn] = {}  # columns of these contacts
        self._usual = ""  # the country of the last campaign in this folder
        self._is_usual = False  # whether that was chosen because nothing else says the country
        self.column = Picker(FIELDS["number"], "number", lambda _: self._guess_country())
        self.country = Picker(FIELDS["region"], "country", lambda _: self._say_reasons())
        self._column_reason, self._country_reason, self._warning = HTML(), HTML(), HTML()
        self._is_doubtful = False  # whether a warning about the country is shown
        self._warning.add_class("changed")
        self._warning.add_class("campaign-country-warning")
        super().__init__(
            [self.column, self._column_reason, self.country, self._country_reason, self._warning]
        )

    def offer(self, contacts: pd.DataFrame, last: Kept | None = None, *, is_another: bool = False) -> None:
        """Offer the columns of a spreadsheet; what was chosen before stays chosen where it still exists.

        Of another spreadsheet, the country of the one before stays only where it fits. Where none is known,
        that of the campaign which was composed `last` is chosen, as far as it fits.
        """
        self._contacts, self._looked_at = contacts, {}
        self._usual = "" if last is None else last.composition.region or ""
        columns, before = list(contacts.columns), self.column.value
        self.column.offer(columns, before if before in columns else self._likeliest_column())
        country = self.country.value
        if is_another and columns and country and self._numbers.fit(country).is_clearly_worse:
            self.country.offer(self.country.options, "")
        self._guess_country()

    def choose(self, column: str, region: str | None) -> None:
        """Choose a column and a country as a person would."""
        self.column.offer(self.column.options, column)
        self._guess_country()
        self.country.offer(self.country.options, region or "")
        self._is_usual = False
        self._say_reasons()

    def _likeliest_column(self) -> str | None:
        by_header = likely_number_columns(self._contacts.columns)
        return next(iter(by_header or self._contacts.columns), None)

    def _guess_country(self) -> None:
        if self.column.value is None:
            return self._say_reasons()
        likely = self._numbers.likely_region
        options = [_NO_COUNTRY, *regions_by_name().items(), _EVERYWHERE]
        chosen = likely.region if likely else self.country.value
        self._is_usual = not chosen and bool(self._fitting_usual)
        self.country.offer(options, chosen or self._fitting_usual)
        self._say_reasons()

    @property
    def _fitting_usual(self) -> str:
        """The country of the last campaign, where the numbers can be of it; "" where they cannot."""
        if self._usual in ("", WORLD) or not self._may_hold_numbers:
            return ""
        fit = self._numbers.fit(self._usual)
        return self._usual if fit.usable and not fit.is_clearly_worse else ""

    def _say_reasons(self) -> None:
        self._chosen_for(self._contacts)
        if self.column.value is None:
            return
        cleaned = clean_numbers(self._contacts[self.column.value], region=self.country.value or None)
        found = cells_in_words(cleaned["problem"])
        self._column_reason.value = markup.paragraph(
            f"{self.column.value}: {found}{self._other_columns}", note=True
        )
        note, warning = self._country_sentence(cleaned), ""
        if not self._may_hold_numbers:
            is_expected = self._is_to_correct or self._about_own_file
            note, warning = "", "" if is_expected else self._other_column_warning()
        elif self.country.value:
            likely, fit = self._numbers.likely_region, self._numbers.fit(self.country.value)
            is_sure = likely is not None  # some of the numbers say their country
            note = f"{note} {_example(fit, self.country_name, self._code, is_sure=is_sure)}"
            warning = self._misfit_warning(fit, likely) or self._other_country_warning(fit)
        self._is_doubtful = bool(warning)
        self._country_reason.value = markup.paragraph(note, note=True) if note else ""
        self._warning.value = f'<div role="status">{markup.paragraph(warning)}</div>' if warning else ""

    @property
    def _numbers(self) -> NumberColumn:
        """What the chosen column says of its country; with 300 rows, all countries take 0.05 s."""
        column = self.column.value
        if column not in self._looked_at:
            self._looked_at[column] = NumberColumn(self._contacts[column])
        return self._looked_at[column]

    @property
    def _may_hold_numbers(self) -> bool:
        """Whether the chosen column may be that of the numbers; dates without spaces look like some."""
        return self._numbers.holds_numbers and not date_columns(self._contacts[[self.column.value]])

    @property
    def _is_to_correct(self) -> bool:
        """Whether the column is that of the numbers in rows to correct: most are wrong or missing."""
        reading = reading_of(self._contacts)
        continues = reading is not None and reading.continues is not None
        return continues and self.column.value in likely_number_columns(self._contacts.columns)

    @property
    def _about_own_file(self) -> str:
        """What is said of a file that this package wrote, in which no column may help; "" for any other."""
        reading = reading_of(self._contacts)
        notices = () if reading is None else reading.notices
        return next((notice for notice in notices if notice in ABOUT_OWN_FILES), "")

    def _other_column_warning(self) -> str:
        """What to say of a column that is about something else, whatever the country."""
        reading = reading_of(self._contacts)
        elsewhere = ", or another sheet" if reading is not None and len(reading.sheets) > 1 else ""
        return (
            f"Hardly any cell in “{self.column.value}” is a phone number, in whatever country. Choose the "
            f"column with the numbers{elsewhere}."
        )

    def _misfit_warning(self, fit: RegionFit, likely: LikelyRegion | None) -> str:
        """What to say where other countries fit much better; "" where they do not.

        Numbers that say their country outweigh as many others: too short for it, they may be right elsewhere.
        """
        is_written = likely is not None and likely.region == self.country.value
        if likely is not None and is_written and fit.best - fit.usable <= likely.written:
            return ""
        return _warning(fit, likely)

    def _other_country_warning(self, fit: RegionFit) -> str:
        """What to say where the numbers that say their country say another one; "" where they do not."""
        likely, country = self._numbers.likely_region, self.country.value
        said = say_other_country(likely, country, has_others=fit.looked_at > 0)
        return f"Is this the right country? {said}." if said else ""

    def check(self, *, continues: bool) -> None:
        """Raise `ContactsError` while numbers are of no country, or the column holds none.

        In rows to correct, which continue a campaign, every number may be wrong.
        """
        cleaned = clean_numbers(self._contacts[self.column.value], region=self.country.value or None)
        is_empty = not continues and not (cleaned["problem"] == "").any()
        if not self._may_hold_numbers and (is_empty or not self.country.value):
            raise ContactsError(self._about_own_file or self._other_column_warning())
        without = int((cleaned["problem"] == "no_region").sum())
        if without and not self.country.value:
            raise ContactsError(
                f"Choose the country: {counted(without, 'number')} {agreeing(without, 'has', 'have')} no "
                "country code, and without a country nothing can be sent there."
            )

    @property
    def _other_columns(self) -> str:
        others = [name for name in likely_number_columns(self._contacts.columns) if name != self.column.value]
        are_not = agreeing(len(others), "is not", "are not")
        return f" {listed(others)} may hold numbers, too, and {are_not} used." if others else ""

    @property
    def country_name(self) -> str:
        """The chosen country by its name; "" if there is none."""
        names = {region: name for name, region in regions_by_name().items()}
        return names.get(self.country.value or "", "")

    def _country_sentence(self, cleaned: pd.DataFrame) -> str:
        without = int((cleaned["problem"] == "no_region").sum())
        if without:
            return (
                f"{counted(without, 'number')} {agreeing(without, 'has', 'have')} no country code: "
                "say which country they are from."
            )
        likely = self._numbers.likely_region
        if likely is None and self._is_usual and self.country.value == self._usual:
            return (
                f"{self.country_name} was the country of the last campaign here, and may be that of these "
                "numbers, which have no country code."
            )
        if likely is None:
            return "This is the country of the numbers that are written without a country code."
        names = {region: name for name, region in regions_by_name().items()}
        return (
            f"{figure(likely.written)} of {counted(likely.with_code, 'number')} with a country code "
            f"{agreeing(likely.written, 'is', 'are')} from {names[likely.region]}."
        )

    @property
    def _code(self) -> str:
        """The calling code of the chosen country; "" if there is none."""
        return str(code_by_region().get(self.country.value or "", ""))

    @property
    def line(self) -> str:
        """The column and the country in a few words."""
        kind = self.country_name or ("with country codes" if self.country.value == WORLD else "any country")
        doubt = ", which may be wrong" if self._is_doubtful else ""
        return f"number in {self.column.value} ({kind}{doubt})"

    @property
    def chosen(self) -> dict[str, Any]:
        """The column and the country, as decisions."""
        return {"number": self.column.value, "region": self.country.value or None}


def _example(fit: RegionFit, country: str, code: str, *, is_sure: bool) -> str:
    """What the country makes of the numbers without a country code, and of one of them."""
    if not fit.looked_at:
        return ""
    count, usable = fit.looked_at - fit.with_code, fit.usable - fit.with_code
    numbers = f"the first {figure(count)} different numbers" if fit.is_sample else counted(count, "number")
    share = f"{figure(usable)} of {numbers} without a country code can be used"
    if not fit.usable:
        return f"{share}."
    written, number = fit.example
    place = f" ({country})" if country and number.startswith(code) else ""
    becomes = f"{mask_text(written)} becomes +{mask_number(number)}{place}."
    coded = _with_code(fit, code)
    example = f"{share}: {becomes}{f' {coded}' if coded else ''}" if count else f"{coded[:-1]}: {becomes}"
    if is_sure or not fit.others or fit.is_clearly_worse:
        return example
    # Which other countries, or how many, hangs on a single digit of a single number.
    return f"{example} Numbers are written like this elsewhere too, so make sure of the country."


def _with_code(fit: RegionFit, code: str) -> str:
    """How many numbers have a country code and no +, as a sentence; "" if none has."""
    if not fit.with_code:
        return ""
    numbers = counted(fit.with_code, "number")
    if fit.is_sample:
        is_all = fit.with_code == fit.looked_at
        numbers = f"The first {numbers}" if is_all else counted(fit.with_code, "other")
    which = f"the country code {code}" if code else "a country code"
    return f"{numbers} {agreeing(fit.with_code, 'begins', 'begin')} with {which}, without +."


def _warning(fit: RegionFit, likely: LikelyRegion | None) -> str:
    """What to say where other countries fit much better; "" where they do not."""
    if not fit.is_clearly_worse:
        return ""
    if likely is not None and likely.region in fit.others:
        return (
            f"This is probably the wrong country: {figure(fit.best)} of {figure(fit.looked_at)} can be used "
            f"{_in_others([likely.region])}, the country of the other numbers. Choose it if these people "
            "live there."
        )
    return (
        f"This is probably the wrong country: {figure(fit.best)} of {figure(fit.looked_at)} can be used "
        f"{_in_others(fit.others)}. Choose the country that these people live in."
    )


def _in_others(regions: Sequence[str]) -> str:
    if len(regions) > _NAMED:
        return f"in {counted(len(regions), 'other country', 'other countries')}"
    names = {region: name for name, region in regions_by_name().items()}
    return f"in {listed_words(names[region] for region in regions)}"
