"""`Difference`: what sending a plan would do, given what its campaign has sent already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_switch
from campaign.arrow_text import Ints
from campaign.contract import Changed, Gone
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.public_calls import public_call
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    CHANGED,
    GOES_OUT,
    MAY_GO_OUT,
    MOVED,
    NEW,
    REFUSED,
    SHARED,
    UNKNOWN,
    UNSENT,
)
from campaign.sending.rounds.kept_budget import about_budget
from campaign.sending.rounds.left_out_before import about_opted_out, advice_on_opted_out
from campaign.sending.rounds.reached_elsewhere import (
    ReachedElsewhere,
    about_reached_elsewhere,
    reached_elsewhere,
)
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, counted

# What is known of a message, in a word, for people.
REASONS = {
    NEW: "new", UNSENT: "new", AGAIN: "to be sent again", REFUSED: "refused before", ACCEPTED: "reached",
    UNKNOWN: "unknown", CHANGED: "reached with another text", MOVED: "reached under another number",
    SHARED: "phone reached with somebody else's text",
}  # fmt: skip
_ROWS = 10  # of the card's table


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """What `send` would do with a plan: who is new, who was reached before, and who would be asked about.

    Made by `compare`. Counts are people: rows that get a message. Nothing is sent, and nothing is written.
    """

    _compared: ComparedPlan
    _path: Path | None = None  # of its campaign's folder

    @property
    def new(self) -> int:
        """Never reached: their messages go out."""
        return self._compared.count(NEW, UNSENT, AGAIN)

    @property
    def reached(self) -> int:
        """Reached with this very text: nothing is sent."""
        return self._compared.count(ACCEPTED)

    @property
    def unknown(self) -> int:
        """This very text may have been sent: nothing is sent until `resolve` or `reconcile` settles it."""
        return self._compared.count(UNKNOWN)

    @property
    def refused(self) -> int:
        """Refused by the service before: their messages go out."""
        return self._compared.count(REFUSED)

    @property
    def changed(self) -> int:
        """Reached with another text: `changed=` decides."""
        return self._compared.count(CHANGED)

    @property
    def sharing(self) -> int:
        """Not reached, but on a phone that was reached with another row's text: `changed=` decides."""
        return self._compared.count(SHARED)

    @property
    def moved(self) -> int:
        """Reached under another number that the same cell had then: `changed=` decides."""
        return self._compared.count(MOVED)

    @property
    def gone(self) -> int:
        """Numbers that were reached and are in no row any more."""
        return len(self._compared.comparison.gone)

    @property
    def messages(self) -> pd.DataFrame:
        """The messages of the plan, for each the `reason` why it goes out or not, and in `before` the text
        that its number got where that was another one."""
        words = np.array([REASONS[state] for state in range(len(REASONS))], dtype=object)
        reasons = pd.Series(words[self._compared.knowledge], dtype="str")
        return self._compared.plan.messages.assign(
            reason=reasons, before=pd.Series(self._compared.earlier_texts, dtype="str")
        )

    @public_call
    def outgoing(self, *, changed: bool = False) -> Ints:
        """The positions of the messages that go out, with or without those that `changed=` decides on."""
        check_switch(changed, subject="changed", write="outgoing(changed=True)")
        chosen = MAY_GO_OUT if changed else GOES_OUT
        return np.flatnonzero(np.isin(self._compared.knowledge, chosen))

    @property
    def sentence(self) -> str:
        """What would be sent, what not and why, and what `send` would ask about, in plain words."""
        count = self._compared.count_opted_out(*MAY_GO_OUT)
        about_them = f"{about_opted_out(count)} {advice_on_opted_out(count)}".strip()
        return " ".join(self._remarks("ask", "ask", about_them))

    def _remarks(self, changed: Changed, gone: Gone, about_left_out: str = "") -> list[str]:
        """What the sentence says, one thing after the other; `about_left_out` is about people who were left
        out before."""
        outgoing, compared = self.outgoing(changed=changed == "send"), self._compared
        people, count = compared.people, len(outgoing)
        remarks = [  # who "these people" are has been said just before
            people.leaving(count, changed=changed), self._about_others, about_left_out,
            self._about_split(changed), people.staying(count, changed=changed), compared.about_run,
            about_budget(compared, outgoing), compared.about_rows, compared.about_closing,
            compared.questions(changed=changed == "ask", gone=gone == "ask"),
        ]  # fmt: skip
        return [remark.strip() for remark in remarks if remark]

    def _about_split(self, changed: Changed) -> str:
        """Why more messages than people would leave, where long texts are split; "" where none is."""
        compared, chosen = self._compared, MAY_GO_OUT if changed == "send" else GOES_OUT
        lengths = np.diff(np.r_[compared.starts, compared.plan.totals.messages])
        split = int((np.isin(compared.comparison.knowledge, chosen) & (lengths > 1)).sum())
        return (
            f"{counted(split, 'long text')} {agreeing(split, 'is', 'are')} sent as several." if split else ""
        )

    @cached_property
    def _reached_elsewhere(self) -> list[ReachedElsewhere]:
        compared = self._compared
        if self._path is None:
            return []
        return reached_elsewhere(compared.plan, self.outgoing(), self._path, compared.environment)

    @property
    def _about_others(self) -> str:
        found = self._reached_elsewhere
        if not found:
            return ""
        is_told_new = self._compared.count(NEW) and any(other.people for other in found)
        what_new_means = "New means new to this campaign. " if is_told_new else ""
        return what_new_means + about_reached_elsewhere(found, self._compared.count(*GOES_OUT))

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self._compared.is_first

    def __repr__(self) -> str:
        return f"<Difference: {self.sentence}>"

    def _repr_html_(self) -> str:
        pieces = [markup.paragraph(self.sentence), markup.bars(self._compared.people.kinds, of="people")]
        if self.is_first:
            pieces.insert(0, markup.paragraph(NOTHING_SENT_YET))
        shown = self._rows_to_look_at()
        if len(shown):
            table = markup.table(shown, limit=_ROWS, of=("message", self._shown_in_words))
            pieces.append(markup.scroller(table, "Messages"))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Before sending", pieces)

    def _rows_to_look_at(self) -> pd.DataFrame:
        """What goes out or has to be decided on, first what has to be decided on."""
        goes_out = self.outgoing()
        to_decide_on = np.setdiff1d(self.outgoing(changed=True), goes_out)
        chosen = self.messages.take(np.r_[to_decide_on, goes_out])
        shown: pd.DataFrame = chosen.assign(number=mask_texts(chosen["number"])).drop(columns="parts")
        blank = [name for name in ("sender", "priority", "before") if (shown[name] == "").all()]
        shown = shown.drop(columns=blank)
        file = self._compared.file
        return shown if file is None else file.numbered(shown)

    @property
    def _shown_in_words(self) -> str:
        """What several of these messages are: as many would be sent as the sentence says."""
        outgoing = len(self.outgoing())
        to_decide_on = len(self.outgoing(changed=True)) - outgoing
        leaving = f"that would be {self._compared.words.done}"
        if not to_decide_on:
            return f"messages {leaving}"
        return (
            f"messages: {to_decide_on:,} to decide on{f', then {outgoing:,} {leaving}' if outgoing else ''}"
        )


def plan_behind(difference: Difference) -> ComparedPlan:
    """What a difference was made of."""
    return difference._compared


def remarks_after(difference: Difference, *, changed: Changed, gone: Gone) -> list[str]:
    """What the sentence of a difference says once these answers are given, one thing after the other.

    What was answered is asked no more. People who were left out before are not spoken of: a form asks about
    them itself.
    """
    return difference._remarks(changed, gone)


def sent_this_text(difference: Difference) -> list[str]:
    """The names of other campaigns beside this one that have reached people of it with the very text that
    they would get, the one that sent last first."""
    return [other.name for other in difference._reached_elsewhere if other.with_this_text]


def about_split(difference: Difference, *, changed: Changed) -> str:
    """Why more messages than people would leave, where long texts are split; "" where none is."""
    return difference._about_split(changed)


def about_others(difference: Difference) -> str:
    """Whom of those who would get something other campaigns beside this one have reached, and with which
    text; "" for nobody."""
    return difference._about_others
