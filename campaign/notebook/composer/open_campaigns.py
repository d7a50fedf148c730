"""The campaigns in this folder that have texts left to send, for whoever starts the program again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import words_for
from campaign.errors import CampaignError
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.memory import Kept, kept_with_campaign
from campaign.results.local_times import LocalTimes
from campaign.sending.afterwards.history import history
from campaign.text import clean, counted, shorten

_MOST = 3  # offered
_NAME = 40  # characters of a name on a button


class OpenCampaigns(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Names each with what is left, and offers to go on with it.

    `taken_up` is called with its name and with how it was composed.
    """

    def __init__(self, desk: Desk, taken_up: Callable[[str, Kept], None]) -> None:
        self._desk, self._taken_up = desk, taken_up
        super().__init__()
        self.add_class("campaign-open-campaigns")
        self.hide()

    def offer(self) -> None:
        """Look for campaigns that wait; the one that sent last comes first."""
        found: list[dict[Any, Any]] = []
        with suppress(CampaignError):  # there is no campaign here yet
            campaigns = history()
            waiting = campaigns[(campaigns["state"] == "open") & (campaigns["waiting"] > 0).fillna(False)]
            found = waiting.head(_MOST).to_dict("records")
        self.children = [widget for one in found for widget in self._about(one)]
        set_shown(self, bool(found))

    def hide(self) -> None:
        """Another spreadsheet was chosen, or one of these campaigns."""
        set_shown(self, False)

    def _about(self, found: dict[Any, Any]) -> list[Any]:
        """What is said of one campaign, and the button to go on with it, if everything for that is here."""
        folder, name = Path(found["folder"]), mask_text(clean(found["name"]))
        kept, words = kept_with_campaign(folder), words_for(found["environment"])
        what = "campaign" if words.campaign == "campaign" else "rehearsal of"
        day = "" if pd.isna(found["last_sent"]) else LocalTimes().day(found["last_sent"])
        sentence = (
            f"In this folder: the {what} “{name}” has {counted(found['waiting'], 'text')} not sent yet"
            f"{f' (last on {day})' if day else ''}. "
        )
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
        return [HTML(markup.paragraph(sentence + missing))]
