"""`Difference`: what sending a plan would do, given what its campaign has sent already."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign import markup
from campaign.argument_checks import check_switch
from campaign.arrow_text import Ints
from campaign.masking import mask_texts
from campaign.messages.plan import Plan
from campaign.sending.rounds.amended_plan import without_repeats, without_stopped
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    CHANGED,
    MOVED,
    NEW,
    REFUSED,
    UNKNOWN,
    UNSENT,
    Comparison,
    compare_texts,
    missing_numbers,
    reached_alternatives,
)
from campaign.sending.rounds.continuation_plan import (
    check_can_be_continued,
    check_same_rows,
    continues,
    merge,
)
from campaign.sending.rounds.record import CampaignRecord, first_pieces, planned_texts
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, counted

# What is known of a message, in a word, for people.
REASONS = {
    NEW: "new", UNSENT: "new", AGAIN: "to be sent again", REFUSED: "refused before", ACCEPTED: "reached",
    UNKNOWN: "unknown", CHANGED: "reached with another text", MOVED: "reached under another number",
}  # fmt: skip
_ROWS = 10  # of the card's table
_GOES_OUT = (NEW, UNSENT, AGAIN, REFUSED)


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """What `send` would do with a plan: who is new, who was reached before, and who would be asked about.

    Made by `compare`. Counts are rows that get a message. Nothing is sent, and nothing is written.
    """

    plan: Plan
    given: str
    starts: Ints
    comparison: Comparison
    waiting_gone: Ints
    record: CampaignRecord | None

    @property
    def new(self) -> int:
        """Never reached: their messages go out."""
        return self._count(NEW, UNSENT, AGAIN)

    @property
    def reached(self) -> int:
        """Reached with this very text: nothing is sent."""
        return self._count(ACCEPTED)

    @property
    def unknown(self) -> int:
        """This very text may have been sent: nothing is sent until `resolve` or `reconcile` settles it."""
        return self._count(UNKNOWN)

    @property
    def refused(self) -> int:
        """Refused by the service before: their messages go out."""
        return self._count(REFUSED)

    @property
    def changed(self) -> int:
        """Reached with another text: `changed=` decides."""
        return self._count(CHANGED)

    @property
    def moved(self) -> int:
        """Reached under another number that the same cell had then: `changed=` decides."""
        return self._count(MOVED)

    @property
    def gone(self) -> int:
        """Numbers that were reached and are in no row any more."""
        return len(self.comparison.gone)

    @cached_property
    def knowledge(self) -> npt.NDArray[np.int8]:
        """What is known of each message of the plan."""
        return spread(self.comparison.knowledge, self.starts, len(self.plan.messages))

    @property
    def messages(self) -> pd.DataFrame:
        """The messages of the plan, and for each the `reason` why it goes out or not."""
        words = np.array([REASONS[state] for state in range(len(REASONS))], dtype=object)
        return self.plan.messages.assign(reason=pd.Series(words[self.knowledge], dtype="str"))

    def outgoing(self, *, changed: bool = False) -> Ints:
        """The positions of the messages that go out, with or without those that `changed=` decides on."""
        check_switch(changed, subject="changed", write="outgoing(changed=True)")
        chosen = (*_GOES_OUT, CHANGED, MOVED) if changed else _GOES_OUT
        return np.flatnonzero(np.isin(self.knowledge, chosen))

    @property
    def sentence(self) -> str:
        """What would be sent, and what not and why, in plain words."""
        count = len(self.outgoing())
        leading = f"{counted(count, 'message')} would be sent" if count else "Nothing would be sent"
        return f"{leading}: {self._by_kind}.{self._gone}" if self._by_kind else f"{leading}.{self._gone}"

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self.record is None or not self.record.rounds

    @property
    def overview(self) -> str:
        """What the campaign has to do with the rows of the plan, before anything is decided."""
        if self.is_first:
            return NOTHING_SENT_YET
        by_kind = f": {self._by_kind}" if self._by_kind else ""
        return f"Compared with what this campaign has sent{by_kind}.{self._gone}"

    @property
    def _by_kind(self) -> str:
        return ", ".join(f"{number:,} {words}" for words, number in self._counts.items() if number)

    @property
    def _counts(self) -> dict[str, int]:
        return {
            "new": self.new, "refused before": self.refused, "reached before": self.reached,
            "unknown": self.unknown, "reached with another text": self.changed,
            "reached under another number": self.moved,
        }  # fmt: skip

    @property
    def _gone(self) -> str:
        gone = self.gone
        if not gone:
            return ""
        return (
            f" {counted(gone, 'number')} that {agreeing(gone, 'was', 'were')} reached "
            f"{agreeing(gone, 'is', 'are')} no longer in the table."
        )

    def __repr__(self) -> str:
        return f"<Difference: {self.sentence}>"

    def _repr_html_(self) -> str:
        pieces = [markup.paragraph(self.sentence), markup.bars(self._counts)]
        if self.is_first:
            pieces.insert(0, markup.paragraph(NOTHING_SENT_YET))
        shown = self._rows_to_look_at()
        if len(shown):
            pieces.append(markup.table(shown, limit=_ROWS))
        return markup.card("Before sending", pieces)

    def _rows_to_look_at(self) -> pd.DataFrame:
        """What goes out or has to be decided on, first what has to be decided on."""
        shown: pd.DataFrame = self.messages[self.knowledge != ACCEPTED]
        goes_out = np.isin(self.knowledge[self.knowledge != ACCEPTED], _GOES_OUT)
        shown = shown.iloc[np.argsort(goes_out, kind="stable")]
        shown = shown.assign(number=mask_texts(shown["number"])).drop(columns="parts")
        blank = [name for name in ("sender", "priority") if (shown[name] == "").all()]
        return shown.drop(columns=blank)

    def _count(self, *states: int) -> int:
        return int(np.isin(self.comparison.knowledge, states).sum())


def find_difference(plan: Plan, record: CampaignRecord | None) -> Difference:
    """Compare a plan with what its campaign has recorded.

    Of several rows with one number, the one whose text was reached is kept first. Of rows with the same
    number and the same text, only the first gets something.
    """
    given = plan.fingerprint
    if record is not None and record.rounds:
        if continues(plan, record.name):
            check_can_be_continued(record.rounds[-1])
            frozen = record.rounds[-1].load(record.ledger.batches)
            whole = frozen.plan
            check_same_rows(whole, plan, record.knowledge[frozen.batch_of_message] >= UNKNOWN)
            plan = merge(whole, plan)
            given = plan.fingerprint
        plan = _keep_reached(plan, record)
        plan = without_stopped(plan, record.are_stopped(plan.addressing.numbers))
        plan = without_repeats(plan)
        starts, planned = planned_texts(plan, plan.messages)
        comparison = compare_texts(
            record.comparable(planned),
            record.comparable_numbers(numbers_of_excluded(plan)),
            record.texts,
            record.knowledge,
        )
        plan_numbers = record.comparable_numbers(plan.addressing.numbers)
        waiting_gone = missing_numbers(record.texts, record.waiting, plan_numbers)
        return Difference(plan, given, starts, comparison, waiting_gone, record)
    plan = without_repeats(plan)
    starts = first_pieces(plan.messages["row"].to_numpy())
    return Difference(plan, given, starts, _nothing_known(len(starts), plan), np.empty(0, np.int64), None)


def _keep_reached(plan: Plan, record: CampaignRecord) -> Plan:
    """The plan in which rows are kept whose text was reached, instead of those with the same number."""
    alternatives = plan.addressing.alternatives
    if not len(alternatives):
        return plan
    _, planned = planned_texts(plan, plan.messages)
    starts, texts = planned_texts(plan, alternatives)
    chosen = reached_alternatives(
        record.comparable(planned), record.comparable(texts), record.texts, record.knowledge
    )
    return plan.keep_instead(alternatives["row"].to_numpy()[starts[chosen]]) if len(chosen) else plan


def numbers_of_excluded(plan: Plan) -> Ints:
    """The number of each row of the contacts that gets no message, 0 for those that get one or have none.

    A duplicate is answered by the row that is kept, so it counts as having none, unless it was left out
    because another campaign has reached its number.
    """
    status, numbers = plan.contacts["status"], plan.addressing.numbers
    excluded = status.isin(["invalid", "opted_out"]).to_numpy()
    duplicates = (status == "duplicate").to_numpy()
    if duplicates.any():
        excluded = excluded | duplicates & ~np.isin(numbers, numbers[(status == "not_sent").to_numpy()])
    return np.where(excluded, numbers, 0)


def _nothing_known(rows: int, plan: Plan) -> Comparison:
    """The comparison with no record."""
    none = np.zeros(rows, np.int64)
    return Comparison(
        np.full(rows, NEW, np.int8), none, none, np.zeros(len(plan.contacts), np.int64), np.empty(0, np.int64)
    )


def spread(by_row: npt.NDArray[Any], starts: Ints, messages: int) -> npt.NDArray[Any]:
    """A value of each row that gets something, for each of its messages; `starts` are its first messages."""
    return by_row if len(starts) == messages else np.repeat(by_row, np.diff(np.r_[starts, messages]))
