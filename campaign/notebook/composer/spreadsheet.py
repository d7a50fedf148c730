"""The first section: which spreadsheet, which sheet, which numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pandas as pd
from ipywidgets import HTML, HBox, VBox

from campaign import markup
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.files.sources import path_meant
from campaign.contacts.own_files import ABOUT_OWN_FILES
from campaign.contacts.reading_options import DateOrder
from campaign.contacts.reading_record import Reading
from campaign.errors import CampaignError, FileError
from campaign.masking import mask_text
from campaign.messages.templates.date_names import MONTHS
from campaign.messages.templates.date_orders import find_question
from campaign.messages.templates.moments import read_moment
from campaign.notebook.composer.composition import CONTINUED, KEPT_ANSWERS, Composition
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import CHOICES, FIELDS, desk_words
from campaign.notebook.composer.earlier_rounds import earlier_date_order
from campaign.notebook.composer.fields import Field, Picker, button, set_shown
from campaign.notebook.composer.first_rows import FirstRows
from campaign.notebook.composer.memory import kept_for, kept_last
from campaign.notebook.composer.number_choice import NumberChoice
from campaign.notebook.composer.section import Section, marked
from campaign.notebook.composer.uploads import UPLOADS, Upload
from campaign.sending.store.identity import folded_name
from campaign.text import clean, counted

_USE, _USE_ANYWAY = "Use this spreadsheet", "Use it anyway"
_AS_WRITTEN = "Texts have them as they are in the file"
_AS_BEFORE = (
    "Column, country and the answers in section 3 are those of the campaign “{}”. Who wants no texts is "
    "to be chosen there again."
)
_TOO_LONG = " If you write another text, section 3 asks anew about texts that are too long."
_CONTINUED = (
    "Column, country, text, sender, the answers in section 3 with the list of people who want no texts, "
    "price, budget and speed are those of the campaign “{}”."
)
_SENT_AS = (
    "This file was last sent as “{}”, so it goes on with that campaign. Section 4 has the name, for another "
    "one."
)
_SHEETS = 8  # looked at for numbers
_WHERE = "the folder and the name of the file"
_HINT = (
    "Excel, LibreOffice or csv. The file stays on this machine; a chosen one is kept in the folder “uploads”."
    " For a file of more than 10 MB, type where it is."
)


class SpreadsheetSection(Section):
    """Reads a spreadsheet, shows its first rows and asks which column holds the numbers."""

    def __init__(self, desk: Desk, done: Callable[[Section], None]) -> None:
        self._desk, self._done = desk, done
        self.brought_back: Callable[[], None] = lambda: None  # called when decisions of a campaign are back
        self.file_read: Callable[[], None] = lambda: None  # called when it was read, also once more
        self.upload = Upload("Choose a spreadsheet", "upload", self._take_upload)
        self.path = Field(
            "or type where it is", "path", _WHERE, written=self._read_path, repeated=self._read_same_path
        )
        self.sheet = Picker(FIELDS["sheet"], "sheet", self._read_sheet)
        self.numbers = NumberChoice(self._show_rows)
        self.dates = Picker(FIELDS["dates"], "dates", self._read_dates)
        self._file, self._rows, self._notices = HTML(), FirstRows(), HTML()
        self._own_file, self._brought_back = HTML(), ""
        self._own_file.add_class("campaign-own-file")
        self._again = button("Read it again", "again", self._read_again)
        self._use = button(_USE, "use", self.finish, main=True)
        buttons = HBox([self._use, self._again])
        self._details = VBox(
            [
                self._file, self._own_file, self.sheet, self.numbers, self.dates, self._notices, self._rows,
                buttons,
            ]
        )  # fmt: skip
        set_shown(self._details, False)
        hint = HTML(markup.paragraph(_HINT, note=True))
        super().__init__(1, "Spreadsheet", [hint, self.upload, self.path, self._details])

    @property
    def line(self) -> str:
        """What was decided."""
        reading = self._reading
        sheet = f", sheet {reading.sheet}" if reading.sheet else ""
        return f"{reading.source}{sheet}, {counted(len(self._desk.contacts), 'row')}, {self.numbers.line}"

    @property
    def _reading(self) -> Reading:
        reading: Reading = self._desk.contacts.attrs["reading"]
        return reading

    def unfold(self) -> None:
        """Open, and say anew what the file was sent as: more may have been sent since it was chosen."""
        super().unfold()
        if not self._desk.contacts.empty:
            self._desk.find_names_sent()
            self._say_notices()

    def _say_notices(self) -> None:
        """Say what was noticed in the file, and which campaign it goes on with."""
        desk, last = self._desk, next(iter(self._desk.names_sent), "")
        is_its_name = desk.composition.name and folded_name(last) == folded_name(desk.name)
        notices = [
            *(desk_words(notice) for notice in self._reading.notices if notice not in ABOUT_OWN_FILES),
            _SENT_AS.format(mask_text(clean(last))) if is_its_name else "",
            self._brought_back,
        ]
        self._notices.value = "".join(markup.paragraph(notice, note=True) for notice in notices if notice)

    def _warn_of_own_file(self, notices: Iterable[str]) -> None:
        """Say of a file that this package wrote to be looked at what it is, and ask whether it is meant."""
        warnings = [desk_words(notice) for notice in notices if notice in ABOUT_OWN_FILES]
        self._own_file.value = "".join(map(marked, warnings))
        self._use.description = _USE_ANYWAY if warnings else _USE
        self._use.button_style = "" if warnings else "primary"

    def _ask_about_dates(self, contacts: pd.DataFrame) -> None:
        """Ask how dates are written, or say what shows it, where they can be read in two ways."""
        question = find_question(contacts)
        if question is not None:
            options = [(question.answer or _AS_WRITTEN, ""), *_date_options(question.example)]
            self.dates.offer(options, self._desk.composition.dates or "")
        set_shown(self.dates, question is not None and len(self.dates.options) > 1)

    def _show_rows(self, contacts: pd.DataFrame) -> None:
        self.show_problem("")  # it was about the last choice
        self._rows.show(contacts, self.numbers.column.value, self.numbers.country.value or None)

    def finish(self) -> None:
        """Take the spreadsheet with the chosen column and country."""
        with self.problems_shown():
            if self._desk.contacts.empty:
                raise FileError(
                    "The spreadsheet has no rows below its headings. Choose another sheet or file."
                )
            self.numbers.check(continues=self._reading.continues is not None)
            self._desk.decide(**self.numbers.chosen)
            self._done(self)

    def refill(self, composition: Composition) -> None:
        """Read the spreadsheet again, with the column and the country that were chosen."""
        if not composition.source:
            return
        with self.problems_shown():
            self._read(composition.source, composition.sheet)
            if composition.number is not None and composition.number in self._desk.contacts.columns:
                self.numbers.choose(composition.number, composition.region)

    def _take_upload(self) -> None:
        with self.problems_shown(), self.upload.kept(UPLOADS) as path:
            self._read(str(path))
            self.path.fill("")  # else it would name another file than the one that is shown

    def _read_path(self, path: str) -> None:
        if path:
            with self.problems_shown():
                self._read(str(path_meant(path)))

    def _read_same_path(self) -> None:
        """Read what is typed once more: the file may have been corrected, or be there only now."""
        path = self.path.value.strip()
        if path and path == self._desk.composition.source:
            self._read_again()
        else:
            self._read_path(path)

    def _read_sheet(self, sheet: str) -> None:
        with self.problems_shown():
            self._read(self._desk.composition.source, sheet)

    def _read_dates(self, order: str) -> None:
        self._desk.decide(dates=order or None)
        self._read_again()

    def _read_again(self) -> None:
        """Read the file as it is now: a person has corrected it in the meantime."""
        with self.problems_shown():
            self._read(self._desk.composition.source, self._desk.composition.sheet)

    def _put_result_away(self) -> None:
        """What was sent was another spreadsheet's."""
        self._desk.run = self._desk.sent = None
        self.touched(self)

    @property
    def _is_order_known(self) -> bool:
        """Whether it was chosen how the dates of the spreadsheet are read, or is known without that."""
        question = find_question(self._desk.contacts)
        return bool(self._desk.composition.dates or (question and question.order))

    def _read_dates_as_before(self) -> None:
        """Read the dates as the campaign's last round did, where nothing else says how."""
        if find_question(self._desk.contacts) is None or self._is_order_known:
            return
        if (order := earlier_date_order(self._desk)) is not None:
            self._desk.decide(dates=order)
            self._desk.read()

    def _keep_decisions(self, earlier: Composition) -> None:
        """Keep what was decided about the campaign in another of its files: rows to correct, or its own."""
        names = CONTINUED if self._reading.continues else KEPT_ANSWERS
        self._desk.decide(**{name: getattr(earlier, name) for name in names})
        if earlier.dates and not self._is_order_known:
            self._desk.decide(dates=earlier.dates)
            self._desk.read()

    def _bring_back(self, source: str, before: Composition, name: str) -> tuple[Composition | None, str]:
        """Keep what was decided about this campaign so far: the decisions, and a sentence about them.

        Nothing is said of those that were on the desk, of the campaign `name`, `before` this file was read.
        """
        if before.source == source:
            if before.sheet == self._desk.composition.sheet:  # also where it was read without being named
                self._keep_decisions(before)
            return None, ""
        if folded_name(self._desk.name) == folded_name(name):
            self._keep_decisions(before)
            return before, ""
        kept = kept_for(self._desk.name, self._desk.accounts)
        if kept is None:
            return None, ""
        self._keep_decisions(kept.composition)
        self._desk.price = kept.price
        self.brought_back()
        was_too_long = kept.composition.overlong != Composition().overlong
        said = _AS_BEFORE + (_TOO_LONG if was_too_long else "")
        said = _CONTINUED if self._reading.continues else said
        return kept.composition, said.format(mask_text(clean(self._desk.name)))

    def _read_sheet_that_is_there(self, *, is_meant: bool) -> None:
        """Read the sheet that is decided; one that was chosen last time may have another name by now."""
        try:
            self._desk.read()
        except CampaignError:
            if is_meant:
                raise
            self._desk.decide(sheet=None)
            self._desk.read()

    def _turn_to_sheet_with_numbers(self) -> None:
        """Read another sheet, where the first has no column of numbers and that one has: it may be notes."""
        if likely_number_columns(self._desk.contacts.columns):
            return
        for sheet in [*self._reading.sheets[1:_SHEETS], None]:
            self._desk.decide(sheet=sheet)
            with suppress(CampaignError):  # a sheet without rows
                self._desk.read()
                if likely_number_columns(self._desk.contacts.columns):
                    return

    def _read(self, source: str, sheet: str | None = None) -> None:
        before, name = self._desk.composition, self._desk.name
        dates, last_sheet = (before.dates, before.sheet) if source == before.source else (None, None)
        self._desk.decide(source=source, sheet=sheet or last_sheet, dates=dates)
        try:
            self._read_sheet_that_is_there(is_meant=sheet is not None or last_sheet is None)
        except CampaignError:
            self._desk.composition = before
            set_shown(self._details, False)
            raise
        if self._desk.composition.sheet is None:
            self._turn_to_sheet_with_numbers()
        if before.source not in ("", source):
            self._put_result_away()
        reading = self._reading
        has_several = len(reading.sheets) > 1
        if has_several:  # first: what was answered about another sheet is forgotten, not what comes back
            self._desk.decide(sheet=reading.sheet)
            self.sheet.offer(reading.sheets, reading.sheet)
        self._desk.take_name_of_file(before)
        earlier, self._brought_back = self._bring_back(source, before, name)
        if source != before.source:
            self._read_dates_as_before()
        contacts = self._desk.contacts
        set_shown(self.sheet, has_several)
        # What was uploaded is a copy: once the file is corrected, it has to be chosen again.
        set_shown(self._again, Path(source).parent != UPLOADS)
        self._ask_about_dates(contacts)
        said = markup.paragraph(f"{reading.source}: {counted(len(contacts), 'row')}.")
        self._file.value = f'<div role="status">{said}</div>'
        self.numbers.offer(contacts, kept_last(), is_another=source != before.source)
        self._warn_of_own_file(reading.notices)
        if earlier is not None and earlier.number in contacts.columns:
            self.numbers.choose(str(earlier.number), earlier.region)
        self._say_notices()
        set_shown(self._details, True)
        self.file_read()


def _date_options(example: str) -> list[tuple[str, str]]:
    """What a date could be, read in each order of day, month and year."""
    days = {order: read_moment(example, order)[0] for order in get_args(DateOrder)}
    return [
        (f"{CHOICES['dates', order]}: {example} is {day.day} {MONTHS[day.month - 1]} {day.year}", order)
        for order, day in days.items()
        if day is not None
    ]
