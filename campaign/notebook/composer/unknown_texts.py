"""What became of texts whose fate is unknown: a person says it batch by batch, or by the provider's list."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from ipywidgets import HTML, HBox, VBox

from campaign import markup
from campaign.errors import CampaignError, ConfirmationError, FolderError
from campaign.local_times import LocalTimes
from campaign.notebook.composer.cost_choice import typed_cost
from campaign.notebook.composer.desk_words import ACCEPTED, NOT_THERE, desk_words
from campaign.notebook.composer.download import Download
from campaign.notebook.composer.fields import Field, Picker, asked_phrase, button, set_shown, wrong_phrase
from campaign.notebook.composer.provider_list import ProviderList
from campaign.notebook.composer.unknown_rows import write_unknown_rows
from campaign.remedies import without_code
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.afterwards.resolving import resolve
from campaign.sending.afterwards.unknown_batches import FINAL, UnknownBatches
from campaign.text import agreeing, capitalised, counted, listed_words

STYLE = """
.campaign .section h3{font-size:1em;font-weight:600;margin:.8em 0 .2em}
"""

Outcome = Literal["accepted", "refused", "again"]

_SHOWN = 20  # batches
_NOBODY_KNOWS = "Nobody can tell"
_LABELS: dict[Outcome, tuple[str, str]] = {  # of one batch, and of several
    "accepted": (ACCEPTED, "They were accepted"),
    "refused": (NOT_THERE, "They did not get there"),
    "again": (_NOBODY_KNOWS, _NOBODY_KNOWS),
}
_MEANINGS: dict[Outcome, str] = {
    "accepted": "the provider has these texts. Nobody gets them again.",
    "refused": "the provider does not have these texts. They then wait, and go out again when you press the "
    "button in section 4. If the provider is wrong, whoever got one after all gets it twice.",
    "again": "the provider does not know either. These texts then wait, and go out again when you press the "
    "button in section 4. Whoever got one after all gets it twice.",
}
_DONE: dict[Outcome, str] = {
    "accepted": "settled as accepted",
    "refused": "settled as not there",
    "again": "ordered to be sent again",
}
_OUT_ONCE_MORE: tuple[Outcome, ...] = ("refused", "again")
_FINAL_ANSWERS = (
    "You cannot take back any of these answers, so ask the provider first where you are not sure. Only its "
    "own list can show later that texts arrived after all."
)
_REFUSED_MEANS = f"In the phrase, “refused” means what “{NOT_THERE}” says: the provider does not have it."
_FINAL = "This answer cannot be taken back."
_THEY_WAIT = "These texts wait for the button in section 4."
_IF_WRONG = (
    "Only the provider's own list can change such an answer: where it has these texts after all, choose it "
    "before anything more is sent."
)
_WHOM_TO_ASK = (
    "No answer came for {texts}, so {they} may have been sent. Ask the provider about {them}, batch by "
    "batch: the rows below are those of your spreadsheet, and “{download}” has every number in full. Say "
    "here what it answers. Until then nobody gets {them} again."
)
_DOWNLOAD = "The texts to ask about, with full numbers"
_NOBODY_TO_ASK = (
    "No answer came for {texts}. This was a rehearsal on this machine: nobody got anything and there is "
    "nobody to ask, so any of the answers below will do. In a live campaign, you ask the provider first."
)


class UnknownTexts(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Lists the batches that are unknown and asks what became of them.

    `settled` is called whenever a person has said so, and `found` when the provider's list shows that people
    have a text which was settled otherwise.
    """

    def __init__(self, settled: Callable[[], None], found: Callable[[], None]) -> None:
        self._folder, self._settled = Path(), settled
        self.are_settled = False  # whether texts go out once more because a person has settled them so
        self._outcome: Outcome | None = None  # that a person has pressed
        self._done, self._about, self._answers = HTML(), HTML(), HTML()
        self._done.add_class("changed")
        self._done.add_class("campaign-settled")
        self._which = Picker("Which batch", "unknown-batch", lambda _: self._ask_nothing())
        self._buttons = {
            outcome: button(label, f"settle-{outcome}", _presser(self._choose, outcome))
            for outcome, (label, _) in _LABELS.items()
        }
        self.download = Download(
            _DOWNLOAD,
            lambda: f"{self._folder.name} {date.today()} texts to ask about.xlsx",
            lambda path: write_unknown_rows(self._folder, path),
            self._complain,
        )
        self._question, self._refusal, self._problem = HTML(), HTML(), HTML()
        self._question.add_class("campaign-question")
        for fault in (self._refusal, self._problem):
            fault.add_class("problem")
        self._buttons_row = HBox([*self._buttons.values()])
        self._cost = Field("What it cost, if the provider says so", "settle-cost")
        self._phrase = Field("Type the phrase", "settle-phrase", entered=self._confirm)
        self._confirming = button("Settle it", "settle-confirm", self._confirm, main=True)
        self.provider_list = ProviderList(self._take_list, found)
        self._area = VBox(
            [
                self._about, self.download, self._which, self._answers, self._buttons_row, self._question,
                self._cost, self._refusal, self._phrase, self._confirming, self._problem, self.provider_list,
            ]
        )  # fmt: skip
        super().__init__([self._done, self._area])
        self.add_class("campaign-unknown-texts")

    def show(self, folder: Path | None) -> None:
        """Ask about the unknown batches of a campaign folder; nothing where there are none."""
        unknown = None
        if folder is not None:
            with suppress(FolderError):  # nothing in it can be settled
                unknown = UnknownBatches.of(folder, shown=_SHOWN)
        self.are_settled = bool(unknown and unknown.settled)
        self._done.value = self._about.value = ""
        self._which.offer([], None)
        self._ask_nothing()
        self.provider_list.offer(folder or Path(), alone=not (unknown and unknown.numbers))
        set_shown(self._area, bool(unknown and (unknown.numbers or unknown.settled)))
        for asked in (self._buttons_row, self.download):
            set_shown(asked, bool(unknown and unknown.numbers))
        set_shown(self._which, False)
        if folder is None or unknown is None:
            return
        self._folder = folder
        self._about.value = f"<style>{STYLE}</style>{_about(unknown)}{_about_settled(unknown)}"
        if not unknown.numbers:
            return
        self._which.offer(_choices(unknown), unknown.numbers[:1])
        set_shown(self._which, len(unknown.numbers) > 1)
        self._ask_nothing()

    @property
    def _batches(self) -> tuple[int, ...]:
        chosen: tuple[int, ...] = self._which.value or ()
        return chosen

    def _ask_nothing(self) -> None:
        """Take back what was asked; the answers are about the batch or batches that are chosen now."""
        self._outcome = None
        self._question.value = self._refusal.value = self._problem.value = ""
        self._phrase.value = self._cost.value = ""
        for asked in (self._cost, self._phrase, self._confirming):
            set_shown(asked, False)
        count = len(self._batches)
        for outcome, made in self._buttons.items():
            made.description = agreeing(count, *_LABELS[outcome])
        said = (f"“{agreeing(count, *_LABELS[one])}”: {meaning}" for one, meaning in _MEANINGS.items())
        sentences = [*said, _FINAL_ANSWERS] if count else []
        self._answers.value = "".join(markup.paragraph(sentence, note=True) for sentence in sentences)

    def _choose(self, outcome: Outcome) -> None:
        self._ask_nothing()
        self._outcome = outcome
        self._settle(None)

    def _confirm(self) -> None:
        self._settle(self._phrase.value.strip() or None)

    def _settle(self, phrase: str | None) -> None:
        """Settle the chosen batches, or show what that takes."""
        outcome, batches = self._outcome, self._batches
        if outcome is None:
            return  # a second click or Enter, on its way while the first one settled it
        self._problem.value = ""
        try:
            cost = typed_cost(self._cost.value) if outcome == "accepted" and len(batches) == 1 else None
            resolve(self._folder, batches, outcome, confirm=phrase, cost=cost)
        except ConfirmationError as confirmation:
            self._ask(confirmation, outcome)
        except CampaignError as error:
            self._complain(error)
        else:
            were = f"{capitalised(batches_in_words(batches))} {agreeing(len(batches), 'was', 'were')}"
            self._finish(f"{were} {_DONE[outcome]}.")

    def _complain(self, error: CampaignError) -> None:
        self._problem.value = f'<div role="alert">{markup.paragraph(desk_words(error))}</div>'

    def _ask(self, confirmation: ConfirmationError, outcome: Outcome) -> None:
        """Show what is known of these batches, what the answer means, and the phrase that settles them."""
        known = "".join(map(markup.paragraph, _lines_to_read(confirmation.question)))
        label = agreeing(len(self._batches), *_LABELS[outcome])
        meaning = f"<p><strong>{markup.escape(f'“{label}”: {_MEANINGS[outcome]} {_FINAL}')}</strong></p>"
        phrase = asked_phrase(f"To {confirmation.purpose}", confirmation)
        if outcome == "refused":
            phrase += markup.paragraph(_REFUSED_MEANS, note=True)
        self._question.value = f'<div role="status">{known}{meaning}{phrase}</div>'
        self._refusal.value = wrong_phrase(self._phrase.value, not_done="nothing was settled")
        set_shown(self._cost, outcome == "accepted" and len(self._batches) == 1)
        set_shown(self._phrase, True)
        set_shown(self._confirming, True)
        self._confirming.description = f"Settle {batches_in_words(self._batches)}"

    def _take_list(self, said: str) -> None:
        """The provider's list has settled some."""
        self._finish(said)

    def _finish(self, said: str) -> None:
        self._settled()
        self._done.value = f'<div role="status">{markup.paragraph(said)}</div>'


def _presser(pressed: Callable[[Outcome], None], outcome: Outcome) -> Callable[[], None]:
    return lambda: pressed(outcome)


def _about_settled(unknown: UnknownBatches) -> str:
    """What a person has answered of batches whose texts wait since, as a piece of HTML; "" for none."""
    by_outcome: dict[Outcome, list[int]] = {
        outcome: [batch for batch, settled in unknown.settled.items() if settled == outcome]
        for outcome in _OUT_ONCE_MORE
    }
    answered = [
        f"{batches_in_words(batches)} {agreeing(len(batches), 'was', 'were')} {_DONE[outcome]}"
        for outcome, batches in by_outcome.items()
        if batches
    ]
    waits = f"{_THEY_WAIT} " if unknown.waiting else ""
    said = f"{capitalised(listed_words(answered))}. {waits}{_IF_WRONG}"
    return f"<h3>What you have answered</h3>{markup.paragraph(said)}" if answered else ""


def _about(unknown: UnknownBatches) -> str:
    """How many texts it is about, whom to ask, and a table of the batches; "" where none is unknown."""
    if not unknown.numbers:
        return ""
    count, batches = unknown.messages, len(unknown.numbers)
    texts = counted(count, "text")
    words = {
        "download": _DOWNLOAD,
        "texts": texts,
        "they": agreeing(count, "it", "they"),
        "them": agreeing(count, "it", "them"),
    }
    whom = _WHOM_TO_ASK if unknown.environment != "local" else _NOBODY_TO_ASK
    more = batches - len(unknown.first)
    others = f"and {counted(more, 'other batch', 'other batches')}, which the list below has." if more else ""
    table = markup.scroller(markup.table(_table(unknown.first), limit=_SHOWN), "Unknown batches")
    pieces = [
        f"<h3>Find out what became of {markup.escape(texts)}</h3>",
        markup.paragraph(whom.format(**words)),
        table,
        markup.paragraph(others, note=True) if others else "",
    ]
    return "".join(pieces)


def _table(first: pd.DataFrame) -> pd.DataFrame:
    """The batches as a person reads them; a column in which nothing is known is left out."""
    table = LocalTimes().with_local(first[["batch", "messages", "submitted_at"]], "submitted_at", "left")
    table = table.rename(columns={"messages": "texts"})
    beside = {"cost": first["cost"], "rows": first["rows"], "first numbers": first["numbers"]}
    table = table.assign(**{name: pd.Series(cells, dtype="object") for name, cells in beside.items()})
    kept = [name for name in table.columns if name not in beside or _has_cells(table[name])]
    return table[kept]


def _has_cells(column: pd.Series[Any]) -> bool:
    return bool((column.notna() & (column.astype("str") != "")).any())


def _choices(unknown: UnknownBatches) -> list[tuple[str, tuple[int, ...]]]:
    """Each batch, and all of them together, whose phrase names them all: where there are not too many."""
    texts = dict(zip(unknown.first["batch"], unknown.first["messages"], strict=True))
    single = [
        (f"batch {batch}" + (f" ({counted(texts[batch], 'text')})" if batch in texts else ""), (batch,))
        for batch in unknown.numbers
    ]
    count = len(single)
    all_of_them = "both batches" if count == 2 else f"all {count:,} batches"
    together = (f"{all_of_them} ({counted(unknown.messages, 'text')})", unknown.numbers)
    return [*single, *([together] if 1 < count <= _SHOWN else [])]


def _lines_to_read(question: str) -> list[str]:
    """The lines of a question in the words of the desk, without those that are Python to copy; that an answer
    is final is said below."""
    return [desk_words(line) for line in question.splitlines() if _is_plain(line) and line != FINAL]


def _is_plain(line: str) -> bool:
    return without_code(line).rstrip(".") == line.rstrip(".")
