"""`Difference`: what sending a plan would do, given what its campaign has sent already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_switch
from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed, Waiting
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.public_calls import public_call
from campaign.sending.rounds.compared_in_words import ComparedInWords
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    GOES_OUT,
    MAY_GO_OUT,
    NEW,
    OTHER_NUMBER,
    OTHER_TEXT,
    RECORDED,
    REFUSED,
    UNKNOWN,
    UNSENT,
)
from campaign.sending.rounds.kept_budget import about_budget
from campaign.sending.rounds.left_out_before import advice_on_opted_out
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.sending.rounds.people_in_words import PeopleInWords
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, counted

# A kind of people in words that the record of the campaign does not tell.
_LEFT_OUT_BEFORE = "left out before"
_WORDS = pd.array([word.replace("_", " ") for word in RECORDED], dtype="str")
_ROWS = 10  # of the card's table
_NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """What `send` would do with a plan: who is new, who was reached before, and who would be asked about.

    Made by `compare`. Counts are people: rows that get a message. Nothing is sent, and nothing is written.
    """

    _compared: ComparedPlan
    _find_others: Callable[[ComparedPlan], OtherCampaigns]

    @property
    def new(self) -> int:
        """Never reached by this campaign: their messages go out."""
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
        """The number was reached with another text: `changed=` decides."""
        return self._compared.count(OTHER_TEXT)

    @property
    def moved(self) -> int:
        """The very cell was reached as another number, which is in no row any more: `changed=` decides."""
        return self._compared.count(OTHER_NUMBER)

    @property
    def waiting(self) -> int:
        """Texts that wait and would not go out, because their number is in no row any more or gets another
        text now: `waiting=` decides."""
        return len(self._compared.waiting)

    @property
    def gone(self) -> int:
        """Numbers that were reached and are in no row any more."""
        return len(self._compared.gone)

    @property
    def messages(self) -> pd.DataFrame:
        """The messages of the plan with what is `recorded` of each, and the `batch` that says so, or 0.

        `recorded` is "new", "unsent", "refused" or "again", which go out, "accepted" or "unknown", for which
        nothing is sent, or "other_text" or "other_number", on which `changed=` decides. For these, `before`
        has the text that the number got, and `number_before` the number as which the cell was reached.
        """
        compared, earlier = self._compared, self._compared.earlier_texts
        words = pd.array(list(RECORDED), dtype="str")
        return compared.plan.messages.assign(
            recorded=words.take(compared.recorded_messages.astype(np.int64)),
            batch=compared.spread(compared.batches),
            before=earlier["message"],
            number_before=earlier["number"],
        )

    @public_call
    def outgoing(self, *, changed: bool = False) -> Ints:
        """The positions of the messages that go out, with or without those that `changed=` decides on."""
        check_switch(changed, subject="changed", write="outgoing(changed=True)")
        chosen = MAY_GO_OUT if changed else GOES_OUT
        return np.flatnonzero(np.isin(self._compared.recorded_messages, chosen))

    @property
    def sentence(self) -> str:
        """What would be sent, what not and why, and what `send` would ask about, in plain words."""
        may_go_out = np.isin(self._compared.recorded, MAY_GO_OUT)
        advice = advice_on_opted_out(self._compared.count_opted_out(*MAY_GO_OUT))
        about_them = f"{ComparedInWords(self._compared).about_opted_out(may_go_out)} {advice}".strip()
        others = self._others.advice(may_go_out)
        left_out = f"{others} {about_them} {ComparedInWords(self._compared).about_sharing}".strip()
        return " ".join(self._remarks("ask", "ask", left_out))

    def _remarks(
        self, changed: Changed, waiting: Waiting, about_left_out: str = "", undecided: Ints = _NOBODY
    ) -> list[str]:
        """What the sentence says, one thing after the other.

        `about_left_out` is about people who were left out before, or are now; those with an `undecided`
        number get nothing yet.
        """
        outgoing, compared = self._decided(changed, undecided), self._compared
        people, count = self._people(changed, undecided), len(outgoing)
        leaving = people.leaving(count, changed=changed, is_open=len(undecided) > 0)
        told = ComparedInWords(compared)
        questions = told.questions(changed=changed == "ask", waiting=waiting == "ask")
        remarks = [
            leaving, questions, self._about_others(changed), about_left_out,
            self._about_split(changed), people.staying(count, changed=changed), told.about_run,
            about_budget(compared, outgoing), told.about_rows, told.about_closing,
        ]  # fmt: skip
        return [remark.strip() for remark in remarks if remark]

    def _about_split(self, changed: Changed) -> str:
        """Why more messages than people would leave, where long texts are split; "" where none is."""
        compared = self._compared
        pieces = np.diff(np.append(compared.starts, compared.plan.totals.messages))
        split = int((np.isin(compared.recorded, _states(changed)) & (pieces > 1)).sum())
        return (
            f"{counted(split, 'long text')} {agreeing(split, 'is', 'are')} sent as several." if split else ""
        )

    def _decided(self, changed: Changed, undecided: Ints) -> Ints:
        """The positions of the messages that go out with this answer, without those for some numbers."""
        outgoing = self.outgoing(changed=changed == "send")
        if not len(undecided):
            return outgoing
        numbers = self._compared.plan.messages["number"].iloc[outgoing].astype("int64")
        return outgoing[~np.isin(numbers, undecided)]

    def _people(self, changed: Changed, undecided: Ints = _NOBODY) -> PeopleInWords:
        """The people of the plan in words, without those who would get something and are undecided."""
        chosen = np.ones(len(self._compared.starts), dtype=bool)
        if len(undecided):
            chosen = ~(self._leaving(changed) & np.isin(self._numbers_of_rows, undecided))
        return ComparedInWords(self._compared).people(chosen)

    @property
    def _kinds(self) -> pd.Series[str]:
        """What is known of the person of each message, as `PeopleInWords` counts them."""
        compared = self._compared
        kinds = pd.Series(_WORDS.take(compared.recorded.astype(np.int64)))
        is_new = compared.recorded == NEW
        kinds[is_new & compared.opted_out] = _LEFT_OUT_BEFORE
        return pd.Series(compared.spread(kinds.to_numpy()), dtype="str")

    @property
    def _numbers_of_rows(self) -> Ints:
        """The number of each row that gets something."""
        numbers = self._compared.plan.messages["number"].iloc[self._compared.starts]
        return numbers.to_numpy(dtype=np.int64)

    def _leaving(self, changed: Changed) -> Bools:
        """Which rows go out with this answer."""
        return np.isin(self._compared.recorded, _states(changed))

    @cached_property
    def _others(self) -> OtherCampaigns:
        return self._find_others(self._compared)

    def _about_others(self, changed: Changed) -> str:
        """Who of those who would get something with this answer, or are asked about, has it from another
        campaign."""
        return self._others.about(self._leaving("send" if changed == "ask" else changed))

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self._compared.is_first

    def __repr__(self) -> str:
        return f"<Difference: {self.sentence}>"

    def _repr_html_(self) -> str:
        pieces = [markup.paragraph(self.sentence), markup.bars(self._people("ask").kinds, of="people")]
        if self.is_first:
            pieces.insert(0, markup.paragraph(NOTHING_SENT_YET))
        count = len(self.outgoing(changed=True))
        if count:
            of = ("message", self._shown_in_words)
            table = markup.table(self._rows_to_look_at(), limit=_ROWS, rows=count, of=of)
            pieces.append(markup.scroller(table, "Messages"))
        pieces.append(markup.paragraph(LocalTimes().written_now(), note=True))
        return markup.card("Before sending", pieces)

    def _rows_to_look_at(self) -> pd.DataFrame:
        """Some messages that have to be decided on, of each kind at least one, and then those that go out."""
        goes_out = self.outgoing()
        to_decide_on = np.setdiff1d(self.outgoing(changed=True), goes_out)
        shown = self.messages.take(np.append(to_decide_on, goes_out)[:_ROWS]).drop(columns=["parts", "batch"])
        shown = shown.assign(**{name: mask_texts(shown[name]) for name in ("number", "number_before")})
        optional = ("sender", "priority", "before", "number_before")
        shown = shown.drop(columns=[name for name in optional if (shown[name] == "").all()])
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


def with_comparison(difference: Difference, compared: ComparedPlan) -> Difference:
    """The same, made of another comparison with the same campaign."""
    return Difference(compared, difference._find_others)


def others_behind(difference: Difference) -> OtherCampaigns:
    """What other campaigns have to do with its people."""
    return difference._others


def remarks_after(
    difference: Difference, *, changed: Changed, waiting: Waiting, undecided: Ints = _NOBODY
) -> list[str]:
    """What the sentence of a difference says once these answers are given, one thing after the other.

    What was answered is asked no more. People who were left out before are not spoken of: a form asks about
    them itself. Whoever has an `undecided` number gets nothing until it is decided.
    """
    return difference._remarks(changed, waiting, undecided=undecided)


def people_of(difference: Difference, *, changed: Changed, undecided: Ints) -> PeopleInWords:
    """The people of a difference in words, once this answer is given and without the undecided ones."""
    return difference._people(changed, undecided)


def decided_messages(difference: Difference, *, changed: Changed, undecided: Ints = _NOBODY) -> pd.DataFrame:
    """The messages that go out with this answer, without those for undecided numbers."""
    return difference.messages.iloc[difference._decided(changed, undecided)]


def sent_this_text(difference: Difference, *, changed: Changed) -> dict[str, Ints]:
    """The numbers of people who have the very text that they would get with this answer from another
    campaign, or may get it from there, by its name."""
    leaving = difference._leaving(changed)
    return {
        other.name: np.unique(difference._numbers_of_rows[leaving & other.has_text])
        for other in difference._others.with_text_of(leaving)
    }


def kinds_of_people(difference: Difference, positions: Ints) -> pd.Series[str]:
    """What is known of the people of some messages, as the sentence of the difference counts them."""
    return difference._kinds.iloc[positions]


def about_split(difference: Difference, *, changed: Changed) -> str:
    """Why more messages than people would leave, where long texts are split; "" where none is."""
    return difference._about_split(changed)


def about_others(difference: Difference) -> str:
    """Who of those who would get something, or may get it, has it from another campaign; "" for nobody."""
    return difference._about_others("ask")


def _states(changed: Changed) -> tuple[int, ...]:
    """What is known of the rows that go out with this answer."""
    return MAY_GO_OUT if changed == "send" else GOES_OUT
