"""What the campaign of this spreadsheet said last, so that nobody types it from memory after a restart."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import button, set_shown
from campaign.sending.store.folder import folder_exists, open_folder
from campaign.sending.store.identity import CAMPAIGNS, folder_name
from campaign.sending.store.manifest import RoundManifest
from campaign.text import clean, counted


class EarlierText(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Offers the text and the sender of the last round of the campaign, as long as nothing is written.

    `take` is called with the text, those by language (empty if there was one for everybody) and the sender.
    """

    def __init__(self, desk: Desk, take: Callable[[str, dict[str, str], str], None]) -> None:
        self._desk, self._take = desk, take
        self._round: RoundManifest | None = None
        self._reached_phones = False
        self._note = HTML()
        self._button = button("Take the earlier text", "take-text", self._pressed)
        super().__init__([self._note, self._button])
        self.add_class("campaign-earlier-text")

    def offer(self) -> None:
        """Offer the text of the campaign that has the name of the spreadsheet, if there is one."""
        composition = self._desk.composition
        is_written = composition.message or any(composition.texts.values())
        self._round = None if is_written else self._last_round()
        set_shown(self, self._round is not None)
        if self._round is not None:
            day = LocalTimes().day(datetime.fromisoformat(self._round.created_at))
            self._note.value = markup.paragraph(self._sentence(day, self._round), note=True)
            self._button.description = f"Take the text of {day}"

    def _last_round(self) -> RoundManifest | None:
        """The last round with this name wherever it was sent or rehearsed; None if its text is not known."""
        rounds: list[tuple[RoundManifest, Environment]] = []
        for where in self._desk.accounts if self._desk.name else ():
            with suppress(CampaignError):
                path = (CAMPAIGNS / folder_name(self._desk.name, where)).absolute()
                if folder_exists(path):
                    folder = open_folder(path)
                    last = folder.last_round(folder.snapshot())
                    rounds += [(last.manifest, where)] if last is not None and last.manifest.template else []
        if not rounds:
            return None
        manifest, place = max(rounds, key=lambda one: datetime.fromisoformat(one[0].created_at))
        self._reached_phones = place == "live"
        return manifest

    def _sentence(self, day: str, last: RoundManifest) -> str:
        left_out = last.load_totals()["opted_out"]
        again = (
            f" It left out {counted(left_out, 'row')} of people who want no texts: choose their list again "
            f"in section 3, under “{FIELDS['opt_outs']}”."
        )
        got = (
            "Whoever got it gets nothing more if you take that text again."
            if self._reached_phones
            else "It was only rehearsed: it reached no phone."
        )
        name = mask_text(clean(self._desk.name))
        return f"The campaign “{name}” in this folder has a text of {day}. {got}{again if left_out else ''}"

    def _pressed(self) -> None:
        if self._round is None:
            return
        set_shown(self, False)
        senders, template = self._round.senders, self._round.template
        texts = _texts_by_language(template)
        self._take("" if texts else template, texts, senders[0] if len(senders) == 1 else "")


def _texts_by_language(template: str) -> dict[str, str]:
    """The texts of a record of several; {} for one text."""
    try:
        texts = json.loads(template)
    except ValueError:
        return {}
    is_record = isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())
    return texts if is_record else {}
