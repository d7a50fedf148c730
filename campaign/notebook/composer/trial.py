"""One text to your own phone before anybody gets theirs."""

from __future__ import annotations

from collections.abc import Callable

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import CampaignError, ConfirmationError
from campaign.messages.plan import Plan
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.fields import Field, asked_phrase, button, set_shown, wrong_phrase
from campaign.sending.try_out import TryOut, try_out

_PURPOSE = "One text to your own phone shows that it arrives as it is written, before anybody gets theirs."
_PRACTICE = (
    "Before you send for real, you can send one text to your own phone. Here you can practise that: the text "
    "is shown on this page, and does not reach the phone."
)


class Trial(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Sends the first text to a number that a person types, and shows what it should look like there."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._purpose = HTML()
        self._about: tuple[Environment | None, Plan | None] = (None, None)  # what the answer is about
        self.number = Field(
            "Your own phone", "own-number", "as you would dial it", written=self._take_number
        )  # fmt: skip
        self.phrase = Field("Type the phrase", "trial-phrase", entered=self.try_one)
        self.asking: Callable[[], None] = lambda: None  # called when it asks for its phrase
        set_shown(self.phrase, False)
        self.outcome = HTML()
        self.outcome.add_class("campaign-trial")
        self._try = button("", "try", self.try_one)
        super().__init__([self._purpose, self.number, self.outcome, self.phrase, self._try])

    def follow(self) -> None:
        """Keep what was tried in sight, unless it was another text, or to another place."""
        now = self._desk.composition.environment, self._desk.plan
        if now[0] != self._about[0] or now[1] is not self._about[1]:
            self._about = now
            self.forget()

    def forget(self) -> None:
        """Show nothing that was tried before."""
        self.outcome.value = self.phrase.value = ""
        set_shown(self.phrase, False)
        is_live = self._desk.composition.environment == "live"
        self._purpose.value = markup.paragraph(_PURPOSE if is_live else _PRACTICE, note=True)
        self._try.description = "Try one text on it" if is_live else "Rehearse one text: it reaches no phone"

    def stop_asking(self) -> None:
        """Take the question for its phrase away, because another one is asked."""
        if self.phrase.layout.display != "none":
            self.forget()

    def refill(self) -> None:
        """Show the number that was typed before the page was loaded again."""
        self.number.fill(self._desk.own_number)

    def _take_number(self, number: str) -> None:
        self._desk.own_number = number
        self._desk.remember()

    def try_one(self) -> None:
        """Send the first text to the number."""
        composition, plan = self._desk.composition, self._desk.plan
        if plan is None or not self.number.value.strip():
            self.outcome.value = markup.paragraph("Write the number of your own phone first.")
            return
        try:
            outcome = try_out(
                plan, self._desk.account, number=self.number.value.strip(), region=composition.region,
                confirm=self.phrase.value.strip() or None,
            )  # fmt: skip
        except ConfirmationError as confirmation:
            wrong = wrong_phrase(self.phrase.value)
            ask = asked_phrase("To send this one text", confirmation)
            self.phrase.value = ""
            self.asking()
            set_shown(self.phrase, True)
            self.outcome.value = wrong + ask
        except CampaignError as error:
            self.outcome.value = f'<div role="alert">{markup.paragraph(desk_words(error))}</div>'
        else:
            self.phrase.value = ""
            set_shown(self.phrase, False)
            self.outcome.value = _shown(outcome)


def _shown(outcome: TryOut) -> str:
    sentences = [desk_words(outcome.headline), desk_words(outcome.question)]
    said = "".join(map(markup.paragraph, sentences))
    return f'{outcome.preview.phone()}<div role="status">{said}</div>'
