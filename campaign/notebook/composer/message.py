"""The second section: the text, and what it becomes for each person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
from ipywidgets import HTML, HBox, Layout, VBox

from campaign import markup
from campaign.contract import SENDER_LIMIT, TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.messages.preview import Preview
from campaign.messages.templates.text_lengths import text_lengths
from campaign.notebook.composer.alphabet import explain_alphabet
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.fields import Field, button
from campaign.notebook.composer.phone import Phone
from campaign.notebook.composer.section import Section, people
from campaign.notebook.composer.text_editor import TextEditor
from campaign.text import shorten

_SENDER_HINT = f"the name that phones show, at most {SENDER_LIMIT} letters"
_NO_SENDER = "SENDER"
_HINT = "Click a column to put its value where the cursor is. Each person gets their own."


class MessageSection(Section):
    """Takes the text and the sender, counts while it is typed and shows it on a phone."""

    def __init__(self, desk: Desk, done: Callable[[Section], None]) -> None:
        self._desk, self._done = desk, done
        self.editor = TextEditor("Text", self._typed)
        self.editor.add_class("campaign-text")
        self.counter = HTML()
        self.counter.add_class("campaign-counter")
        self.sender = Field("Sender", "sender", _SENDER_HINT, written=self._change_sender, at_once=True)
        self._alphabet = HTML()
        self._alphabet.add_class("campaign-alphabet")
        self.phone = Phone(self._plan_of, self._longest_row, self._count, self._explain)
        writing = VBox(
            [
                HTML(markup.paragraph(_HINT, note=True)), self.editor, self.counter, self._alphabet,
                self.sender,
                button("Check everybody", "check", self.finish, main=True),
            ],
            layout=Layout(flex="1 1 24em", min_width="0"),
        )  # fmt: skip
        both = HBox([writing, self.phone], layout=Layout(flex_flow="row wrap"))
        super().__init__(2, "Message", [both])

    @property
    def line(self) -> str:
        """What was decided."""
        composition = self._desk.composition
        return f"“{shorten(composition.message, 60)}” from {composition.sender}"

    def enter(self) -> None:
        """Offer the columns of the spreadsheet, and count the text again with its rows."""
        columns = [name for name in self._desk.contacts.columns if not {*"{}"} & set(name)]
        self.editor.placeholders = columns
        self.phone.offer(self._desk.contacts.index)
        self._typed(self.editor.value)
        if self._desk.plan is not None:  # it was finished before: the text has to fit the new spreadsheet
            self._desk.prepared()

    def refill(self, composition: Composition) -> None:
        """Show the text and the sender again; they are counted when the section is entered."""
        self.editor.value = composition.message
        self.sender.fill(composition.sender)

    def finish(self) -> None:
        """Check the text for everybody."""
        with self.problems_shown():
            self._desk.prepared()
            self._done(self)

    def _typed(self, message: str) -> None:
        self._desk.decide(message=message)
        self.show_problem("")
        self.phone.show()

    def _change_sender(self, sender: str) -> None:
        self._desk.decide(sender=sender)
        self.phone.show()

    def _count(self) -> None:
        self.counter.value = f'<div role="status">{markup.paragraph(self._counted())}</div>'

    def _explain(self, preview: Preview | None) -> None:
        """Say which characters make the text of the row on the phone take more SMS."""
        message = self._desk.composition.message
        text = "" if preview is None else "".join(preview.messages)
        sentence = explain_alphabet(message, text)
        self._alphabet.value = markup.paragraph(sentence, note=True) if sentence else ""

    def _counted(self) -> str:
        """How long the text is in the row on the phone, and where it is longest."""
        if not self._desk.composition.message.strip():
            return f"0 of {TEXT_LIMIT}"
        try:
            lengths = text_lengths(self._desk.contacts, self._desk.composition.message)
        except CampaignError as error:
            return desk_words(error)
        shown = lengths.loc[self.phone.row]
        longest = int(lengths["characters"].argmax())
        alphabet = "" if shown["plain"] else " · with letters that need more room"
        return (
            f"{shown['characters']} of {TEXT_LIMIT} · {shown['parts']} SMS{alphabet} · the longest is row "
            f"{lengths.index.to_numpy()[longest]} with {lengths['characters'].iloc[longest]}"
            f"{_several(lengths)}"
        )

    def _longest_row(self) -> int:
        lengths = text_lengths(self._desk.contacts, self._desk.composition.message)
        return int(lengths.index.to_numpy()[lengths["characters"].argmax()])

    def _plan_of(self, rows: pd.Index[Any] | None) -> Plan:
        """The plan for some rows, or for all, also before there is a sender."""
        contacts = self._desk.contacts if rows is None else self._desk.contacts.loc[rows]
        composition = self._desk.composition
        return replace(composition, sender=composition.sender or _NO_SENDER).plan(contacts)


def _several(lengths: pd.DataFrame) -> str:
    """How many people's texts take more than one SMS; "" if everybody's takes one."""
    costly = int((lengths["parts"] > 1).sum())
    return f" · more than 1 SMS for {people(costly)}" if costly else ""
