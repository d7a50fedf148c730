"""The second section: the text, and what it becomes for each person."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.arrow_text import Bools
from campaign.contacts.contact_parts import RowsOfTable
from campaign.contacts.naming_column import naming_column
from campaign.contacts.reading_record import reading_of
from campaign.contract import SENDER_LIMIT, TEXT_LIMIT
from campaign.errors import CampaignError, UsageError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.text_lengths import are_too_long, filled_in, get_text, text_lengths
from campaign.messages.preview import Preview
from campaign.messages.templates.date_orders import date_columns
from campaign.messages.text.limits import check_sender
from campaign.messages.text.segments import count_units
from campaign.notebook.composer.alphabet import (
    explain_alphabet,
    explain_cells,
    named_letters,
    without_placeholders,
)
from campaign.notebook.composer.amount_placeholders import amount_placeholders, amounts_in_words
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.counter import larger_rows, others_in_words, size_in_words
from campaign.notebook.composer.date_choice import DateChoice, day_in_words, example_moment, written
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.earlier_text import EarlierText
from campaign.notebook.composer.fields import Field, button
from campaign.notebook.composer.language_choice import LanguageChoice
from campaign.notebook.composer.memory import kept_last
from campaign.notebook.composer.phone import Phone
from campaign.notebook.composer.section import Section
from campaign.notebook.composer.text_editor import TextEditor
from campaign.text import clean, counted, shorten_to_words
from campaign.values import replace

_SENDER_HINT = f"a name or a number of 1 to {SENDER_LIMIT} characters, such as CLINIC"  # as its error says
_NO_SENDER = "SENDER"
_LINE = 90  # characters of a text that is folded
_SAMPLE = 1000  # rows whose letters are looked at
_FORMAT = re.compile(r"\{([^{}:|]+)[:|][^{}]*\}")
_OTHER_ROWS = (
    "These are the rows of {}. Look at some of their texts on the phone that is shown here, then go on."
)
_HINT = "Click a column to put its value where the cursor is. Each person gets their own."


class MessageSection(Section):
    """Takes the text and the sender, counts while it is typed and shows it on a phone."""

    def __init__(self, desk: Desk, done: Callable[[Section], None]) -> None:
        self._desk, self._done = desk, done
        self._looked_at = ""  # the spreadsheet whose rows were on the phone
        self._counted_for = pd.Series(dtype="int64")  # the numbers of those whose texts were counted
        self._readers = pd.DataFrame()  # the rows that get the text which is written now
        self.languages = LanguageChoice(self._change_languages, self._turn)
        self._count_in_words = self._fault = ""  # what the counter says, and if that is why nobody goes on
        self.editor = TextEditor("Text", self._typed)
        self.editor.add_class("campaign-text")
        self.counter = HTML()
        self.counter.add_class("campaign-counter")
        self.sender = Field("Sender", "sender", _SENDER_HINT, written=self._change_sender, at_once=True)
        self._sender_fault = HTML()
        self._sender_fault.add_class("problem")
        self._sender_fault.add_class("campaign-sender-fault")
        self._alphabet = HTML()
        self._alphabet.add_class("campaign-alphabet")
        self._about_formats = HTML()
        self._about_formats.add_class("campaign-about-formats")
        self._with_letters: pd.Index[Any] = pd.Index([])  # rows whose letters make one SMS hold fewer
        self._getting = self._with_letters  # rows that get this text, or would if it were shorter
        self._fitting = self._with_letters  # those of them whose text is not too long
        self.phone = Phone(
            self._plan_of,
            self._sender_and_text,
            self._longest_row,
            self._kept_row,
            self._count,
            self._explain,
        )
        self.dates = DateChoice(self._rewrite)
        self.earlier = EarlierText(desk, self.take)
        # Both beside the field, in sight however long the text on the phone is.
        go_on = button("Check everybody", "check", self.finish, main=True, meanwhile="Checking everybody …")
        problem = HTML()
        writing = VBox(
            [
                self.earlier,
                self.languages, HTML(markup.paragraph(_HINT, note=True)), self.editor, self._about_formats,
                self.counter, self._alphabet, self.sender, self._sender_fault, go_on, problem,
            ],
            layout=Layout(flex="1 1 24em", min_width="0"),
        )  # fmt: skip
        shown = VBox([self.phone, self.dates], layout=Layout(flex="0 1 21em", min_width="0"))
        both = HBox([writing, shown], layout=Layout(flex_flow="row wrap"))
        both.add_class("writing")
        super().__init__(2, "Text", [both], problem)

    @property
    def line(self) -> str:
        """What was decided."""
        composition = self._desk.composition
        texts = composition.templates
        text, others = texts[0], len(texts) - 1
        text = _FORMAT.sub(r"{\1}", self.dates.as_read(text.strip()))  # how numbers are written is no news
        by = f" (column “{composition.language}”)"
        more = f" and {counted(others, 'other language')}{by}" if others else ""
        return f"“{shorten_to_words(text, _LINE)}”{more}, sender {composition.sender}"

    @property
    def news(self) -> str:
        """That the text is for the rows of another file now."""
        source = self._desk.composition.source
        return "" if source == self._looked_at else _OTHER_ROWS.format(clean(Path(source).name))

    def enter(self) -> None:
        """Offer the columns of the spreadsheet, and count the text again with its rows."""
        columns = [name for name in self._desk.contacts.columns if not {*"{}"} & set(name)]
        self.editor.placeholders = columns
        self.dates.offer_for(self._desk.contacts)
        composition = self._desk.composition
        self.languages.offer(self._desk.contacts, composition)
        if composition.language and not self.languages.editing:  # another spreadsheet, without that column
            self._desk.decide(language=None, message=self.editor.value)
        elif composition.language:
            reading, texts = reading_of(self._desk.contacts), composition.texts
            absent = texts if reading is not None and reading.continues else {}  # of people who have theirs
            wanted = dict.fromkeys([*absent, *self.languages.languages])
            self._desk.decide(texts={name: texts.get(name, "") for name in wanted})
        self.earlier.offer()
        self._offer_sender()
        self._turn()
        if self._desk.plan is not None:  # it was finished before: the text has to fit the new spreadsheet
            self._check_text()

    def _offer_sender(self) -> None:
        """Write the sender of the last campaign in this folder, where there is none yet: most keep theirs."""
        last = None if self._desk.composition.sender else kept_last()
        if last is not None and "{" not in last.composition.sender:
            self._desk.decide(sender=last.composition.sender)
            self.sender.fill(last.composition.sender)
            self._say_sender_fault()

    def unfold(self) -> None:
        """Open, and count again if other people get texts by now, as with a list of those who want none."""
        super().unfold()
        if len(self._readers) and self._counted_for is not self._desk.numbers:
            self.phone.show()

    def refill(self, composition: Composition) -> None:
        """Show the text and the sender again; they are counted when the section is entered."""
        self.editor.value = next(iter(composition.texts.values()), composition.message)
        self.sender.fill(composition.sender)
        self._say_sender_fault()

    def finish(self) -> None:
        """Check the text for everybody."""
        if self._fault_of_sender:
            return self.show_problem("")  # it stands beside the sender
        with self.problems_shown():
            self._check_text()
            self._looked_at = self._desk.composition.source
            self._done(self)

    def _check_text(self) -> None:
        """Raise what is wrong with the text; the list of people who want none belongs to the next section."""
        composition, of_rows = self._desk.composition, self.languages.languages
        for language, text in composition.texts.items() if composition.language else ():
            if language in of_rows and not text.strip():
                who = self.languages.rows_with(language)
                raise UsageError(
                    f"The text for “{language}” is empty. Write one: {who} that language. If another one is "
                    "meant, correct the spreadsheet and choose it again."
                )
        self._desk.planned(composition.without_opt_outs)

    @property
    def _text(self) -> str:
        """The text that is written now: the one for everybody, or that of a language."""
        composition = self._desk.composition
        return (
            composition.texts.get(self.languages.editing, "") if composition.language else composition.message
        )

    def _change_languages(self, column: str | None) -> None:
        """One text for everybody from now on, or one for each language, beginning with what is there."""
        composition, languages = self._desk.composition, self.languages.languages
        texts = {languages[0]: composition.message} | dict(composition.texts)
        self._desk.decide(language=column, texts={name: texts.get(name, "") for name in languages})
        self.languages.offer(self._desk.contacts, self._desk.composition)
        self._turn()

    def _turn(self) -> None:
        """Write another of the texts, for its readers."""
        self._readers = self.languages.readers
        if self.news:
            self.phone.row = self._first_row()
        self.phone.offer(self._names, self.languages.editing)
        self.editor.formats = self._date_formats() | amount_placeholders(self._desk.contacts)
        self.editor.value = self._text
        self._typed(self._text)

    @property
    def _names(self) -> pd.Series[str]:
        """What the readers of the text are called, "" for those who are not."""
        column = naming_column(self._desk.contacts, [self._desk.composition.number or ""])
        nameless = pd.Series("", index=self._readers.index, dtype="str")
        return self._readers[column] if column else nameless

    def take(self, text: str, texts: dict[str, str], sender: str) -> None:
        """Write what an earlier round said, as if somebody had typed it."""
        column = self.languages.column.options[-1][1] if texts and self.languages.languages else None
        self._desk.decide(message=text, language=column, texts=texts if column else {}, sender=sender)
        self.languages.offer(self._desk.contacts, self._desk.composition)
        self.sender.fill(sender)
        self._say_sender_fault()
        self._turn()

    def _date_formats(self) -> dict[str, str]:
        """For each column of dates, how a date looks in words, and the placeholder that writes it so."""
        contacts = self._desk.contacts
        reading = reading_of(contacts)
        order = reading.dates if reading is not None else ""
        days = {name: example_moment(cell, order) for name, cell in date_columns(contacts).items()}
        ways = {name: day_in_words(self.languages.editing, day) for name, day in days.items()}
        return {
            f"{name}, as {written(day, ways[name])}": f"{name}:{ways[name]}"
            for name, day in days.items() if not {*"{}:"} & set(name)
        }  # fmt: skip

    def _rewrite(self, message: str) -> None:
        """Take a text whose dates are written in another way."""
        self.editor.value = message
        self._typed(message)

    def _typed(self, message: str) -> None:
        editing = self.languages.editing
        self.dates.follow(message, editing)
        amounts = amounts_in_words(message, self._desk.contacts, self._desk.composition.number)
        self._about_formats.value = self.dates.about(message) + amounts
        if editing:
            self._desk.decide(texts=dict(self._desk.composition.texts) | {editing: message})
        else:
            self._desk.decide(message=message)
        self.show_problem("")
        self.phone.show()

    def _change_sender(self, sender: str) -> None:
        self._desk.decide(sender=sender)
        self.show_problem("")
        self._say_sender_fault()
        self.phone.show()

    @property
    def _fault_of_sender(self) -> str:
        """What is wrong with the sender; "" if nothing is, or if there is none yet."""
        sender = self._desk.composition.sender
        try:
            check_sender(sender or _NO_SENDER)
        except UsageError as error:
            return "" if "{" in sender else desk_words(error)  # a column's senders are checked row by row
        return ""

    def _say_sender_fault(self) -> None:
        fault = self._fault_of_sender
        self._sender_fault.value = f'<div role="alert">{markup.paragraph(fault)}</div>' if fault else ""

    def _count(self) -> None:
        self._counted_for = self._desk.numbers
        self._count_in_words = self._counted()
        self._say_count()

    def _say_count(self) -> None:
        is_fault = self._fault and self._fault == self._count_in_words
        role = 'class="problem" role="alert"' if is_fault else 'role="status"'
        self.counter.value = f"<div {role}>{markup.paragraph(self._count_in_words)}</div>"

    def show_problem(self, error: CampaignError | str) -> None:
        """Show an error; one that the counter says already stands out there, and is not said twice."""
        said = desk_words(error, here=2)
        self._fault = said if said == self._count_in_words else ""
        super().show_problem("" if self._fault else error)
        self._say_count()

    def _explain(self, preview: Preview | None) -> None:
        """Say which characters make the text take more SMS, of the row on the phone or else of others.

        Not of a text that is too long: how many SMS it takes is no question yet.
        """
        sentence, rows = "", self._readers.index[:0]
        if preview is not None:
            is_fitting = preview.messages or count_units(self._text_of_row) <= TEXT_LIMIT
            rows = pd.Index([self.phone.row]) if is_fitting else self._fitting
        if len(rows):
            is_shown = rows[0] == self.phone.row  # else the letters of all rows matter, not those of one
            text = self._text_of_row if is_shown else without_placeholders(self._text)
            sentence = explain_alphabet(self._text, text)
            if not sentence and len(self._with_letters):
                few = self._readers.loc[self._with_letters[:_SAMPLE]]
                sentence = explain_cells(self._text, few, len(self._with_letters))
        self._alphabet.value = markup.paragraph(sentence, note=True) if sentence else ""

    def _counted(self) -> str:
        """How long the text is in the row on the phone, and where it is longest."""
        self._getting = self._readers.index[:0]
        self.phone.offer_larger(self._getting)
        if not self._text.strip():
            return f"0 of {TEXT_LIMIT}"
        try:
            lengths = self._lengths()
        except CampaignError as error:
            return desk_words(error, here=2)
        sent, self._getting = self._sent(lengths), lengths.index[self._are_sent(lengths)]
        longest = int(sent["characters"].argmax())
        self.phone.offer_larger(larger_rows(sent))
        self._with_letters = sent.index[~sent["plain"] & (sent["parts"] > 1)]
        self._fitting = self._with_letters[
            (sent.loc[self._with_letters, "characters"] <= TEXT_LIMIT).to_numpy()
        ]
        return (
            f"{self._size(lengths)} · the longest is row {sent.index.to_numpy()[longest]} with "
            f"{sent['characters'].iloc[longest]}{others_in_words(sent)}"
        )

    def _kept_row(self) -> tuple[int, bool]:
        """The row whose text the phone of the row that is shown gets instead, 0 for none; and whether that is
        the same text."""
        row, numbers = self.phone.row, self._desk.numbers
        number = numbers.get(row, 0)
        getting = self._getting[numbers.reindex(self._getting) == number]
        if row in self._getting or not number or not len(getting):
            return 0, False
        kept = int(getting[0])
        return kept, self._text_in(kept) == self._text_of_row

    def _size(self, lengths: pd.DataFrame) -> str:
        """How long the text of the row on the phone is; of one that gets none, there is nothing to count."""
        row = self.phone.row
        if row not in self._getting:
            return f"Row {row} gets no text"
        shown = lengths.loc[[row]].iloc[0]
        letters = "" if shown["plain"] else named_letters(self._text_of_row)
        return size_in_words(shown, self._desk.composition.overlong, letters)

    @property
    def _text_of_row(self) -> str:
        """The text of the row on the phone, whether it gets one or not."""
        return self._text_in(self.phone.row)

    def _sender_and_text(self) -> tuple[str, str]:
        """The sender of all rows, "" where a column has them, and the text of the row on the phone."""
        sender = self._desk.composition.sender
        return "" if "{" in sender else sender, self._text_of_row

    def _text_in(self, row: int) -> str:
        return filled_in(self._readers.loc[[row]], self._text, whole=self._desk.contacts)[0]

    def _lengths(self) -> pd.DataFrame:
        return text_lengths(self._readers, self._text, whole=self._desk.contacts)

    def _sent(self, lengths: pd.DataFrame) -> pd.DataFrame:
        """The lengths of those rows that get this text, or would if it were shorter; of all where none is."""
        are_sent = self._are_sent(lengths)
        return lengths[are_sent] if are_sent.any() else lengths

    def _are_sent(self, lengths: pd.DataFrame) -> Bools:
        """Which rows get this text, or would if it were shorter."""
        composition, numbers = self._desk.composition, self._desk.numbers
        sent = get_text(
            lengths, numbers,
            every_text=composition.duplicates == "keep", with_too_long=composition.overlong != "flag",
            preferred=composition.instead,
        )  # fmt: skip
        return sent | are_too_long(lengths, numbers)

    def _first_row(self) -> int:
        """The first of the rows that get this text; 0 as long as that is not known."""
        with suppress(CampaignError):  # an unfinished text
            rows = self._sent(self._lengths()).index if self._text.strip() else self._readers.index[:0]
            return next(map(int, rows), 0)
        return 0

    def _longest_row(self) -> int:
        lengths = self._sent(self._lengths())
        return int(lengths.index.to_numpy()[lengths["characters"].argmax()])

    def _plan_of(self, rows: pd.Index[Any] | None, **decisions: Any) -> Plan:
        """The plan for some of the text's readers, or for all, also before there is a sender."""
        contacts = self._readers if rows is None else self._readers.loc[rows]
        composition = self._desk.composition
        if self._desk.opt_out_lists is None:  # the phone shows a text also while a column cannot be read
            composition = composition.without_opt_outs
        sender = _NO_SENDER if self._fault_of_sender else composition.sender or _NO_SENDER
        written = replace(composition, sender=sender, message=self._text, language=None, **decisions)
        return written.plan(RowsOfTable.of(contacts, self._desk.contacts))
