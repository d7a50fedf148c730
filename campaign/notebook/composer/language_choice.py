"""One text for everybody, or one for each language of a spreadsheet, and which of them is written now."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.cells.grid import name_rows
from campaign.messages.templates.languages import Languages, find_languages, language_of
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import Picker, set_shown
from campaign.text import agreeing, counted

_FEW = 3  # rows of a language that may be a mistake, where ten times as many have another one
_CORRECT_CELL = "If another language is meant, correct the cell in your spreadsheet and choose it again."
_ONE = ("The same text for everybody", "")


class LanguageChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Two lists, shown only where the spreadsheet has a column of languages.

    `decided` is called with the column, or None, when a person chooses between one text and several;
    `turned` when another of several texts is to be written. `editing` is its language, "" for the one text.
    """

    def __init__(self, decided: Callable[[str | None], None], turned: Callable[[], None]) -> None:
        self._languages: Languages | None = None
        self._contacts = self._people = pd.DataFrame()
        self.column = Picker(FIELDS["language"], "languages", lambda column: decided(column or None))
        self._editing = Picker("Write the text for", "editing", lambda _: turned())
        self._without = HTML()
        self._without.add_class("campaign-without-language")
        super().__init__([self.column, self._editing, self._without])

    def offer(self, contacts: pd.DataFrame, composition: Composition) -> None:
        """Offer the languages of a spreadsheet; the one that was written stays, if it is still there."""
        self._contacts, self._people = contacts, composition.people(contacts)
        self._languages = _languages_of(contacts, composition)
        set_shown(self, self._languages is not None)
        chosen = self._languages is not None and composition.language == self._languages.column
        if self._languages is not None:
            column, rows = self._languages.column, self._languages.rows
            named = ", ".join(rows)
            options = [_ONE, (f"A text for each language in “{column}”: {named}", column)]
            self.column.offer(options, column if chosen else "")
            labels = [(f"{language} ({counted(count, 'row')})", language) for language, count in rows.items()]
            editing = self._editing.value if self._editing.value in rows else next(iter(rows))
            self._editing.offer(labels, editing)
        set_shown(self._editing, chosen)
        self._without.value = self._rows_without() + self._rare() if chosen else ""

    def _rows_without(self) -> str:
        """How many rows of people say no language, and the first of them."""
        rows = self._people.index[language_of(self._people, self._column) == ""]
        if rows.empty:
            return ""
        which = f"row {rows[0]}" if len(rows) == 1 else f"the first is row {rows[0]}"
        count = f"{counted(len(rows), 'row')} {agreeing(len(rows), 'has', 'have')} no language ({which})"
        get = agreeing(
            len(rows), "It gets no text until it has one.", "They get no text until they have one."
        )
        return markup.paragraph(f"{count[0].upper()}{count[1:]}. {get}", note=True)

    def _rare(self) -> str:
        """The languages of so few rows that their cells may be written otherwise by mistake."""
        assert self._languages is not None  # noqa: S101 - as above
        most = max(self._languages.rows.values())
        rare = [name for name, count in self._languages.rows.items() if count <= _FEW and count * 10 <= most]
        said = (f"Only {self.rows_with(name)} “{name}”. {_CORRECT_CELL}" for name in rare)
        return "".join(markup.paragraph(sentence, note=True) for sentence in said)

    def rows_with(self, language: str) -> str:
        """Which rows have a language, as the beginning of a sentence: "rows 3, 7 and 12 have"."""
        rows = self._contacts.index[language_of(self._contacts, self._column) == language]
        return f"{name_rows(rows.tolist()).lower()} {agreeing(len(rows), 'has', 'have')}"

    @property
    def _column(self) -> str:
        return "" if self._languages is None else self._languages.column

    @property
    def languages(self) -> list[str]:
        """The languages of the spreadsheet."""
        return [] if self._languages is None else [*self._languages.rows]

    @property
    def editing(self) -> str:
        return self._editing.value if self._languages is not None and self.column.value else ""

    @property
    def readers(self) -> pd.DataFrame:
        """The rows that get the text which is written now."""
        if self._languages is None or not self.editing:
            return self._contacts
        return self._contacts[language_of(self._contacts, self._languages.column) == self.editing]


def _languages_of(contacts: pd.DataFrame, composition: Composition) -> Languages | None:
    """The languages of a spreadsheet, those that have a text first, in the order of the texts.

    Rows to correct may be of one language only: the column of before still says which text they get.
    """
    found, column = find_languages(contacts), composition.language
    if found is None and column in contacts.columns:
        counts = language_of(contacts, str(column)).value_counts()
        if {*counts.index} <= {*composition.texts, ""}:
            found = Languages(str(column), {name: int(counts[name]) for name in counts.index if name})
    if found is None or not found.rows:
        return None
    ordered = dict.fromkeys([*composition.texts, *found.rows])
    return Languages(found.column, {name: found.rows[name] for name in ordered if name in found.rows})
