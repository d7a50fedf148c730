"""The campaigns in this folder, for whoever starts the program again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import words_for
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.memory import Kept, kept_with_campaign
from campaign.sending.afterwards.history import history
from campaign.text import agreeing, clean, counted, listed_words, shorten

_MOST = 3  # named at once of those that have texts left to send, and as many others
_NAME = 40  # characters of a name on a button
_OF_REHEARSAL = {"local": "the rehearsal of ", "sandbox": "the rehearsal in the provider's sandbox of "}
_GO_ON = " To go on with it, choose its spreadsheet below: its text and answers are offered again."
_STATES = {
    "finished": "is finished", "open": "is not finished", "closed": "was closed", "erased": "was erased",
}  # fmt: skip
_COUNTED = {
    "accepted": ("text was accepted", "texts were accepted"),
    "refused": ("text was refused", "texts were refused"),
    "unknown": ("text is unknown", "texts are unknown"),
    "waiting": ("text was not sent", "texts were not sent"),
}


class OpenCampaigns(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Names each with what is left, and offers to go on with it or to look at its result.

    `taken_up` is called with its name and with how it was composed, `looked_at` with its folder.
    """

    def __init__(
        self, desk: Desk, taken_up: Callable[[str, Kept], None], looked_at: Callable[[Path], None]
    ) -> None:
        self._desk, self._taken_up, self._looked_at = desk, taken_up, looked_at
        self._others, self._called = VBox(), ""  # those that are not named at once, and what the button says
        self._turn = button("", "other-campaigns", lambda: self._show_others(not self._are_others_shown))
        super().__init__()
        self.add_class("campaign-open-campaigns")
        self.hide()

    def offer(self) -> None:
        """Look for campaigns; those that wait come first, and of these the one that sent last."""
        waiting: list[list[Any]] = []
        ended: list[list[Any]] = []
        with suppress(CampaignError):  # there is no campaign here yet
            campaigns = history()
            campaigns = campaigns[campaigns["problem"] == ""]
            to_settle = ((campaigns["waiting"] > 0) | (campaigns["unknown"] > 0)).fillna(False)
            is_waiting = (campaigns["state"] == "open") & to_settle
            has_ended = ~is_waiting & campaigns["first_sent"].notna()
            waiting = [self._about_waiting(found) for found in campaigns[is_waiting].to_dict("records")]
            ended = [self._about_ended(found) for found in campaigns[has_ended].to_dict("records")]
        others = [*waiting[_MOST:], *ended[_MOST:]]
        self._others.children = [*chain(*others)]
        self._called = counted(len(others), "other campaign")
        self._show_others(False)
        set_shown(self._turn, bool(others))
        self.children = [*chain(*waiting[:_MOST], *ended[:_MOST]), self._turn, self._others]
        set_shown(self, bool(waiting or ended))

    @property
    def _are_others_shown(self) -> bool:
        return self._others.layout.display is None

    def _show_others(self, shown: bool) -> None:
        set_shown(self._others, shown)
        self._turn.description = f"{'Hide' if shown else 'Show'} {self._called}"

    def hide(self) -> None:
        """Another spreadsheet was chosen, or one of these campaigns."""
        set_shown(self, False)

    def _about_ended(self, found: dict[Any, Any]) -> list[Any]:
        """What came of a campaign that has nothing to send now, and the button to its result."""
        folder, (named, name, day) = Path(found["folder"]), _named(found)
        counts = [counted(int(found[kind]), *words) for kind, words in _COUNTED.items() if found[kind]]
        sentence = f"{named} {_STATES[found['state']]}{day}{': ' if counts else ''}{listed_words(counts)}."
        if found["state"] == "finished":
            sentence += _GO_ON
        return [HTML(markup.paragraph(sentence)), self._look(folder, name, found["environment"])]

    def _look(self, folder: Path, name: str, environment: str) -> Any:
        what = _OF_REHEARSAL.get(environment, "")
        label = f"Show the result of {what}“{shorten(name, _NAME)}”"
        return button(label, "look-back", lambda: self._looked_at(folder))

    def _about_waiting(self, found: dict[Any, Any]) -> list[Any]:
        """What is left of a campaign, and the button to go on with it, if everything for that is here."""
        folder, (named, name, day) = Path(found["folder"]), _named(found)
        kept, words = kept_with_campaign(folder), words_for(found["environment"])
        sentence = f"{named} has {_about_open(found)}{day}. "
        if found["environment"] not in self._desk.accounts:
            missing = f"It goes to {words.service}, for which nothing is set up here now."
        elif kept is None:
            missing = "Choose its spreadsheet below."
        elif not Path(kept.composition.source).is_file():
            missing = f"Choose its spreadsheet, {clean(Path(kept.composition.source).name)}, below."
        else:
            go_on = button(
                f"Go on with “{shorten(name, _NAME)}”",
                "take-up",
                lambda: self._taken_up(name, kept),
                main=True,
            )
            return [HTML(markup.paragraph(sentence)), go_on]
        looking = self._look(folder, name, found["environment"])
        return [HTML(markup.paragraph(sentence + missing)), looking]


def _named(found: dict[Any, Any]) -> tuple[str, str, str]:
    """A campaign at the beginning of a sentence, its name, and in brackets the day on which it sent last."""
    name, words = mask_text(clean(found["name"])), words_for(found["environment"])
    what = "campaign" if words.campaign == "campaign" else "rehearsal of"
    day = "" if pd.isna(found["last_sent"]) else f" (last on {LocalTimes().day(found['last_sent'])})"
    return f"In this folder: the {what} “{name}”", name, day


def _about_open(found: dict[Any, Any]) -> str:
    """How many texts wait, and of how many it is not known whether they were sent."""
    waiting, unknown = int(found["waiting"]), int(found["unknown"])
    if not unknown:
        return f"{counted(waiting, 'text')} not sent yet"
    were = agreeing(unknown, "it was", "they were")
    in_doubt = f"{counted(unknown, 'text')} of which it is not known whether {were} sent"
    return f"{counted(waiting, 'text')} not sent yet, and {in_doubt}" if waiting else in_doubt
