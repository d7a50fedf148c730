"""`ComparedPlan`: a plan beside the record of its campaign, with what is known of each of its messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contract import OptedOut
from campaign.environments import EnvironmentWords, words_for
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    has_status,
    labels_of_contacts,
    numbers_of_contacts,
    rows_of_messages,
)
from campaign.sending.rounds.amended_plan import without_repeats, without_rows, without_stopped
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
    HashedRowTexts,
    Knowledge,
    RowTexts,
    compare_texts,
    missing_numbers,
    reached_alternatives,
)
from campaign.sending.rounds.continuation_plan import (
    check_can_be_continued,
    check_same_rows,
    continuation_of,
    continues,
    merge,
)
from campaign.sending.rounds.corrected_before import corrected_before
from campaign.sending.rounds.distinct_texts import contains
from campaign.sending.rounds.left_out_before import opted_out_before
from campaign.sending.rounds.record import CampaignRecord, first_pieces, planned_parts, rows_with_texts
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, capitalised, clean, counted

GOES_OUT = (NEW, UNSENT, AGAIN, REFUSED)
MAY_GO_OUT = (*GOES_OUT, CHANGED, MOVED)  # `changed=` decides on the last two
# What is known of rows, in words for people, in the order in which they are told.
_KINDS = {
    "new": (NEW, UNSENT, AGAIN), "refused before": (REFUSED,), "{reached} before": (ACCEPTED,),
    "unknown": (UNKNOWN,), "{reached} with another text": (CHANGED,),
    "{reached} under another number": (MOVED,),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ComparedPlan:
    """A plan compared with the record of its campaign.

    - `plan`: as it would be sent: of rows with one number the one that was reached, without repeats and
      without those who answered STOP; the rows of a follow-up file are in their table.
    - `given`: the fingerprint of the plan before that.
    - `starts`: the position of the first message of each row that gets something; `comparison` has an entry
      for each of these rows.
    - `waiting_gone`: the numbers that still wait for a message and are in no row any more.
    - `record`: None for a campaign that is not there yet.
    - `environment`: that of the campaign.
    - `opted_out`: which of the rows that get something, or are asked about, the campaign left out before
      because they wanted no messages; an entry for each of these rows.
    - `corrected`: which rows of the contacts get nothing, and were reached, or perhaps, as a person has
      corrected them in a follow-up file.
    """

    plan: Plan
    given: str
    starts: Ints
    comparison: Comparison
    waiting_gone: Ints
    record: CampaignRecord | None
    environment: str
    opted_out: Bools
    corrected: Bools

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self.record is None or not self.record.rounds

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of each message of the plan."""
        return spread(self.comparison.knowledge, self.starts, self.plan.totals.messages)

    def count(self, *states: int) -> int:
        """Of how many rows one of these is known."""
        return int(np.isin(self.comparison.knowledge, states).sum())

    def earlier_messages(self, places: Ints) -> pd.DataFrame:
        """What some rows got before, as `CampaignRecord.messages` gives it."""
        if self.record is None:
            raise AssertionError("without a record nobody was reached")
        return self.record.messages(self.comparison.batches[places], self.comparison.recorded_rows[places])

    @property
    def earlier_texts(self) -> npt.NDArray[np.object_]:
        """For each message what its row got before, where that was another text; "" for all others."""
        texts = np.full(self.plan.totals.messages, "", dtype=object)
        places = np.flatnonzero(self.comparison.knowledge == CHANGED)
        if len(places):
            earlier = self.earlier_messages(places).groupby("entry")["message"].agg(" ".join)
            texts[self.starts[places[earlier.index.to_numpy()]]] = earlier.to_numpy()
        return texts

    @property
    def words(self) -> EnvironmentWords:
        """What the environment of the campaign is called."""
        return words_for(self.environment)

    @property
    def kinds(self) -> dict[str, int]:
        """How many rows there are of each kind, in words for people."""
        reached = self.words.reached
        return {words.format(reached=reached): self.count(*states) for words, states in _KINDS.items()}

    @property
    def kinds_in_words(self) -> str:
        return ", ".join(f"{number:,} {words}" for words, number in self.kinds.items() if number)

    @property
    def about_gone(self) -> str:
        """A sentence about people who were reached and have left the table, after a space; "" for nobody."""
        gone = len(self.comparison.gone)
        if not gone:
            return ""
        return (
            f" {counted(gone, 'number')} that {agreeing(gone, 'was', 'were')} {self.words.reached} "
            f"{agreeing(gone, 'is', 'are')} no longer in the table."
        )

    @property
    def about_corrected(self) -> str:
        """A sentence about rows that lack their correction, which was sent, after a space; "" for none."""
        rows = int(self.corrected.sum())
        if not rows:
            return ""
        were, them = agreeing(rows, "was", "were"), agreeing(rows, "the correction", "the corrections")
        return (
            f" {capitalised(counted(rows, 'row'))} to correct {were} sent as corrected in a follow-up file: "
            f"put {them} into your own spreadsheet too."
        )

    def count_opted_out(self, *states: int) -> int:
        """How many rows were left out before, and one of these is known of them."""
        return int((self.opted_out & np.isin(self.comparison.knowledge, states)).sum())

    @property
    def about_closing(self) -> str:
        """A sentence, after a space, about a campaign that was closed and would go on; "" for any other."""
        if self.record is None or not self.record.ledger.is_closed or not self.count(*MAY_GO_OUT):
            return ""
        return f" The {self.words.campaign} was closed before: sending this opens it again."

    @property
    def questions(self) -> str:
        """What `send` asks about before anything leaves, and the choices, after a space; "" for nothing."""
        others, waiting = self.count(CHANGED, MOVED), len(self.waiting_gone)
        about_others = (
            f" First, send asks about the {counted(others, 'person', 'people')} reached with another text or "
            'under another number; answer with changed="skip" or changed="send".'
        )
        about_waiting = (
            f" First, send asks about {counted(waiting, 'person', 'people')} no longer in the table, for "
            'whom an earlier message waits; finish it with resume, or answer with gone="withdraw".'
        )
        return f"{about_others if others else ''}{about_waiting if waiting else ''}"

    @property
    def _about_new_name(self) -> str:
        """What it means that rows to correct are sent under another name than that of their campaign."""
        continuation = continuation_of(self.plan)
        if continuation is None:
            return ""
        name = mask_text(clean(continuation.campaign))
        return (
            f"These rows to correct are of the campaign {name!r}. Under another name they are a "
            f"{self.words.campaign} of their own, which does not know whom that one reached."
        )

    @property
    def overview(self) -> str:
        """What the campaign has to do with the rows of the plan, before anything is decided."""
        if self.is_first:
            return self._about_new_name or NOTHING_SENT_YET
        by_kind = f": {self.kinds_in_words}" if self.kinds_in_words else ""
        about = f"{self.about_corrected}{self.about_gone}{self.about_closing}"
        return f"Compared with what this {self.words.campaign} has sent{by_kind}.{about}"


def compare_plan(
    plan: Plan, record: CampaignRecord | None, environment: str, opted_out: OptedOut = "ask"
) -> ComparedPlan:
    """Compare a plan with what its campaign has recorded.

    Of several rows with one number, the one whose text was reached is kept first. Of rows with the same
    number and the same text, only the first gets something. With `opted_out="skip"`, whoever was left out
    before because they wanted no messages is left out again.
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
        plan = without_stopped(plan, record.are_stopped(numbers_of_contacts(plan)))
        compared = _compare_with(record, without_repeats(plan), given, environment)
        if opted_out == "skip" and compared.opted_out.any():
            return _compare_with(record, _without_opted_out(compared), given, environment)
        return compared
    plan = without_repeats(plan)
    starts = first_pieces(rows_of_messages(plan))
    nothing = _nothing_known(len(starts), plan)
    nobody = np.zeros(len(starts), dtype=bool)
    nowhere = np.zeros(plan.totals.rows, dtype=bool)
    return ComparedPlan(
        plan, given, starts, nothing, np.empty(0, np.int64), None, environment, nobody, nowhere
    )


def _compare_with(record: CampaignRecord, plan: Plan, given: str, environment: str) -> ComparedPlan:
    starts, planned = _comparable_rows(plan, record)
    excluded_numbers = record.comparable_numbers(numbers_of_excluded(plan))
    comparison = compare_texts(planned, excluded_numbers, record.texts, record.knowledge)
    corrected = corrected_before(plan, record)
    if corrected.batches.any():
        numbers = record.comparable_numbers(corrected.numbers)
        # A number that a correction has reached says nothing about another row with a mistake that has it.
        of_others = has_status(plan, "invalid") & np.isin(excluded_numbers, numbers)
        before = np.where(of_others, 0, comparison.reached_before)
        comparison = replace(
            comparison,
            reached_before=np.where(corrected.batches > 0, corrected.batches, before),
            gone=np.setdiff1d(comparison.gone, numbers),
        )
    plan_numbers = record.comparable_numbers(numbers_of_contacts(plan))
    waiting_gone = missing_numbers(record.texts, record.waiting, plan_numbers)
    outgoing = np.isin(comparison.knowledge, MAY_GO_OUT)
    opted_out = np.zeros(len(planned), dtype=bool)
    opted_out[outgoing] = opted_out_before(planned.numbers[outgoing], record)
    return ComparedPlan(
        plan,
        given,
        starts,
        comparison,
        waiting_gone,
        record,
        environment,
        opted_out,
        corrected.batches > 0,
    )


def _without_opted_out(compared: ComparedPlan) -> Plan:
    """The plan without the people who were left out before because they wanted no messages."""
    rows = rows_of_messages(compared.plan)[compared.starts[compared.opted_out]]
    leaving = np.isin(labels_of_contacts(compared.plan), rows)
    reason = "The person was left out before, because they wanted no messages."
    return without_rows(compared.plan, leaving, "opted_out", "opted_out", "info", reason)


def _keep_reached(plan: Plan, record: CampaignRecord) -> Plan:
    """The plan in which rows are kept whose text was reached, instead of those with the same number."""
    if not any(len(part.alternatives) for part in plan.parts()):
        return plan
    alternatives = plan.addressing.alternatives
    starts, texts = _texts_of_alternatives(plan)
    numbers = np.unique(texts.numbers)
    kept = [rows.take(np.flatnonzero(contains(numbers, rows.numbers))) for _, rows in planned_parts(plan)]
    chosen = reached_alternatives(
        record.comparable(RowTexts.below_each_other(kept)),
        record.comparable(texts),
        record.texts,
        record.knowledge,
    )
    return plan.keep_instead(alternatives["row"].to_numpy()[starts[chosen]]) if len(chosen) else plan


def _texts_of_alternatives(plan: Plan) -> tuple[Ints, RowTexts]:
    """The rows that were left out because of their number, and the position of the first piece of each."""
    columns, count = plan.addressing.columns, 0
    starts, rows = [], []
    for part in plan.parts():
        own_starts, own_rows = rows_with_texts(part.contacts, columns, part.alternatives)
        starts.append(own_starts + count)
        rows.append(own_rows)
        count += len(part.alternatives)
    return np.concatenate(starts), RowTexts.below_each_other(rows)


def _comparable_rows(plan: Plan, record: CampaignRecord) -> tuple[Ints, RowTexts | HashedRowTexts]:
    """The rows of a plan that get something, and the position of the first message of each."""
    if plan.is_in_memory:
        starts, planned = next(planned_parts(plan))
        return starts, record.comparable(planned)
    all_starts: list[Ints] = []

    def comparable() -> Iterator[RowTexts]:
        for starts, rows in planned_parts(plan):
            all_starts.append(starts)
            yield record.comparable(rows)

    planned_rows = HashedRowTexts.of(comparable())
    return np.concatenate(all_starts), planned_rows


def numbers_of_excluded(plan: Plan) -> Ints:
    """The number of each row of the contacts that gets no message, 0 for those that get one or have none.

    A duplicate is answered by the row that is kept, so it counts as having none, unless it was left out
    because another campaign has reached its number.
    """
    numbers = numbers_of_contacts(plan)
    excluded = has_status(plan, "invalid", "opted_out")
    duplicates = has_status(plan, "duplicate")
    if duplicates.any():
        excluded = excluded | duplicates & ~np.isin(numbers, numbers[has_status(plan, "not_sent")])
    return np.where(excluded, numbers, 0)


def _nothing_known(rows: int, plan: Plan) -> Comparison:
    """The comparison with no record."""
    none = np.zeros(rows, np.int64)
    return Comparison(
        np.full(rows, NEW, np.int8), none, none, np.zeros(plan.totals.rows, np.int64), np.empty(0, np.int64)
    )


def spread(by_row: npt.NDArray[Any], starts: Ints, messages: int) -> npt.NDArray[Any]:
    """A value of each row that gets something, for each of its messages; `starts` are its first messages."""
    return by_row if len(starts) == messages else np.repeat(by_row, np.diff(np.r_[starts, messages]))
