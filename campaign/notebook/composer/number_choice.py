"""Which column holds the phone numbers, and of which country they are: a guess, with its reason."""

from __future__ import annotations

from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.columns import listed
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.phone_numbers.cleaning import WORLD, clean_numbers
from campaign.contacts.phone_numbers.likely_region import find_likely_region, regions_by_name
from campaign.notebook.composer.fields import Picker
from campaign.text import agreeing, counted, figure

_NO_COUNTRY = ("Choose the country", "")
_EVERYWHERE = ("Every number begins with its country code", WORLD)


class NumberChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Two lists, of columns and of countries, each with the reason for what is chosen in it."""

    def __init__(self) -> None:
        self._contacts = pd.DataFrame()
        self.column = Picker("Numbers are in", "number", lambda _: self._guess_country())
        self.country = Picker("Country", "country", lambda _: self._say_reasons())
        self._column_reason, self._country_reason = HTML(), HTML()
        super().__init__([self.column, self._column_reason, self.country, self._country_reason])

    def offer(self, contacts: pd.DataFrame) -> None:
        """Offer the columns of a spreadsheet; what was chosen before stays chosen where it still exists."""
        self._contacts = contacts
        columns, before = list(contacts.columns), self.column.value
        self.column.offer(columns, before if before in columns else self._likeliest_column())
        self._guess_country()

    def _likeliest_column(self) -> str | None:
        by_header = likely_number_columns(self._contacts.columns)
        return next(iter(by_header or self._contacts.columns), None)

    def _guess_country(self) -> None:
        if self.column.value is None:
            return
        likely = find_likely_region(self._contacts[self.column.value])
        options = [_NO_COUNTRY, *regions_by_name().items(), _EVERYWHERE]
        self.country.offer(options, likely.region if likely else self.country.value or "")
        self._say_reasons()

    def _say_reasons(self) -> None:
        if self.column.value is None:
            return
        cells = self._contacts[self.column.value]
        cleaned = clean_numbers(cells, region=self.country.value or None)
        filled, good = int((cells.str.strip() != "").sum()), int((cleaned["problem"] == "").sum())
        self._column_reason.value = markup.paragraph(
            f"{self.column.value}: {figure(good)} of {counted(filled, 'cell')} {agreeing(good, 'is', 'are')} "
            f"numbers to send to.{self._other_columns}", note=True,
        )  # fmt: skip
        self._country_reason.value = markup.paragraph(self._country_sentence(cleaned), note=True)

    @property
    def _other_columns(self) -> str:
        others = [name for name in likely_number_columns(self._contacts.columns) if name != self.column.value]
        return f" {listed(others)} may hold numbers too." if others else ""

    def _country_sentence(self, cleaned: pd.DataFrame) -> str:
        without = int((cleaned["problem"] == "no_region").sum())
        if without:
            return (
                f"{counted(without, 'number')} {agreeing(without, 'has', 'have')} no country code: "
                "say which country they are from."
            )
        likely = find_likely_region(self._contacts[self.column.value])
        if likely is None:
            return "It is the country of the numbers that are written without a country code."
        names = {region: name for name, region in regions_by_name().items()}
        return (
            f"{figure(likely.written)} of {counted(likely.with_code, 'number')} with a country code "
            f"{agreeing(likely.written, 'is', 'are')} from {names[likely.region]}."
        )

    @property
    def chosen(self) -> dict[str, Any]:
        """The column and the country, as decisions."""
        return {"number": self.column.value, "region": self.country.value or None}
