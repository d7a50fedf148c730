"""What the campaign of this spreadsheet, or another one, said last: nobody types it from memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.messages.templates.template import parse
from campaign.notebook.composer.desk import Desk, has_rows_to_correct
from campaign.notebook.composer.earlier_rounds import earlier_rounds
from campaign.notebook.composer.fields import button, set_shown
from campaign.sending.afterwards.history import history
from campaign.sending.store.manifest import RoundManifest
from campaign.text import clean, counted, shorten, shorten_to_words

# Called with a text, those by language (empty if there is one for everybody) and the sender.
TakeText = Callable[[str, dict[str, str], str], None]

_NAME = 40  # characters of a name on a button
_SHOWN = 480  # characters of a text: two may differ in their last words
_ONE_BEFORE = (
    "This is the last text of the campaign “{}”. If the rows of this file are to get the one before it, of "
    "{}, take that: “{}”"
)
_ANOTHERS = "The campaign “{}” in this folder has a text of {}: “{}” If that is meant here, take it."
_INSTEAD = "The last text of “{}”, of {}, is another one. If that is meant here, take it: “{}”"


class EarlierText(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Offers the text and the sender of the last round of the campaign, as long as nothing is written. For a
    new one, it offers those of the campaign that sent last, if this spreadsheet has the columns.

    Rows to correct come with the last text of their campaign, and may have been written for the one before
    it: that one is offered to them. Where a person has changed the campaign, its text is offered instead of
    the one that is written.
    """

    def __init__(self, desk: Desk, take: TakeText) -> None:
        self._desk, self._take = desk, take
        self._offered: tuple[str, str] | None = None  # a text, or a record of several, and its sender
        self._note = HTML()
        self._button = button("Take the earlier text", "take-text", self._pressed)
        super().__init__([self._note, self._button])
        self.add_class("campaign-earlier-text")

    def offer(self) -> None:
        """Offer the text of the campaign that has the name of the spreadsheet, if there is one."""
        composition = self._desk.composition
        is_written = composition.message or any(composition.texts.values())
        self._offered, rounds = None, earlier_rounds(self._desk)
        if not is_written and rounds:
            self._offer_last(rounds)
        elif not is_written:
            self._offer_anothers()
        elif has_rows_to_correct(self._desk.contacts):
            self._offer_one_before(rounds)
        set_shown(self, self._offered is not None)

    def offer_instead(self) -> None:
        """Offer the last text of the campaign, where another one is written now."""
        self._offered = None
        rounds = [one for one, _ in earlier_rounds(self._desk)]
        if rounds and not self._is_written_now(rounds[-1].template):
            self._offer_round(rounds[-1], _INSTEAD)
        set_shown(self, self._offered is not None)

    def _offer_last(self, rounds: list[tuple[RoundManifest, Environment]]) -> None:
        """Offer the text of the last of these rounds."""
        last, where = rounds[-1]
        self._offered, day = _of_round(last), _day_of(last)
        sentence = self._sentence(day, last, reached_phones=where == "live")
        self._note.value = markup.paragraph(sentence, note=True)
        self._button.description = f"Take the text of {day}"

    def _offer_anothers(self) -> None:
        """Offer the text of the campaign that sent last, if all of its placeholders are columns here."""
        with suppress(CampaignError):  # there is no campaign here yet, or its text does not fit
            last = next(iter(_campaigns_with_text()), None)
            if last is None:
                return
            parse(last["template"], self._desk.contacts.columns, what="message")
            self._offered = last["template"], "" if ", " in last["sender"] else last["sender"]
            name, day = mask_text(clean(last["name"])), LocalTimes().day(last["last_sent"])
            said = _ANOTHERS.format(name, day, _beginning(last["template"]))
            self._note.value = markup.paragraph(said, note=True)
            self._button.description = f"Take the text of “{shorten(clean(last['name']), _NAME)}”"

    def _offer_one_before(self, rounds: list[tuple[RoundManifest, Environment]]) -> None:
        """Offer the text that the campaign had before its last one, where that one is written now."""
        is_live = any(where == "live" for _, where in rounds)
        sent = [one for one, where in rounds if where == "live" or not is_live]
        others = [one for one in sent if one.template != sent[-1].template]
        if others and self._is_written_now(sent[-1].template):
            self._offer_round(others[-1], _ONE_BEFORE)

    def _offer_round(self, earlier: RoundManifest, sentence: str) -> None:
        """Offer the text of a round, in a sentence with the campaign, the day and how the text begins."""
        self._offered = _of_round(earlier)
        campaign, begins = mask_text(clean(self._desk.name)), _beginning(earlier.template)
        said = sentence.format(campaign, _day_of(earlier), begins)
        self._note.value = f'<div class="changed" role="status">{markup.paragraph(said)}</div>'
        self._button.description = "Take the earlier text"

    def _is_written_now(self, template: str) -> bool:
        composition = self._desk.composition
        return composition.text == (_texts_by_language(template) or template)

    def _sentence(self, day: str, last: RoundManifest, *, reached_phones: bool) -> str:
        left_out = last.load_totals()["opted_out"]
        again = (
            f" It left out {counted(left_out, 'row')} of people who want no texts: section 3 asks who wants "
            "none now."
        )
        got = (
            "Whoever got it gets nothing more if you take that text again."
            if reached_phones
            else "It was only rehearsed: it reached no phone."
        )
        name = mask_text(clean(self._desk.name))
        text = f"The campaign “{name}” in this folder has a text of {day}: “{_beginning(last.template)}”"
        return f"{text} {got}{again if left_out else ''}"

    def _pressed(self) -> None:
        if self._offered is None:
            return
        set_shown(self, False)
        template, sender = self._offered
        texts = _texts_by_language(template)
        self._take("" if texts else template, texts, sender)


def _of_round(one: RoundManifest) -> tuple[str, str]:
    """The text of a round, and its sender, if it had a single one."""
    return one.template, one.senders[0] if len(one.senders) == 1 else ""


def _campaigns_with_text() -> Iterator[dict[Any, Any]]:
    """The campaigns in this folder with one text for everybody, the one that sent last first."""
    for found in history().to_dict("records"):
        if found["template"] and pd.notna(found["last_sent"]) and not _texts_by_language(found["template"]):
            yield found


def _day_of(one: RoundManifest) -> str:
    return LocalTimes().day(datetime.fromisoformat(one.created_at))


def _beginning(template: str) -> str:
    """The first words of a text, or of the first of several."""
    first = next(iter(_texts_by_language(template).values()), template)
    return mask_text(clean(shorten_to_words(first, _SHOWN)))


def _texts_by_language(template: str) -> dict[str, str]:
    """The texts of a record of several; {} for one text."""
    try:
        texts = json.loads(template)
    except ValueError:
        return {}
    is_record = isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())
    return texts if is_record else {}
