"""What a person decides before a round is registered: all open questions, in one error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from campaign.arrow_text import Bools, Ints
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.sending.options import SendOptions
from campaign.sending.rounds.amended_plan import note_reached_before, without_rows
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    ASKED,
    OTHER_NUMBER,
    OTHER_TEXT,
    UNKNOWN,
)
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.sending.rounds.other_texts import then_and_now
from campaign.sending.store.opt_outs import OptOuts
from campaign.sending.store.round_content import RoundContent
from campaign.words.finding import Finding

# Why a row that is skipped gets nothing: its code and its reason.
_SKIPPED = {OTHER_TEXT: "earlier_text", OTHER_NUMBER: "other_number"}
_SHOWN, _LENGTH = 3, 28  # rows whose texts a question shows, and characters of each
# The codes of questions, by the option that answers each.
QUESTIONS = {
    "waiting": "texts_waiting", "changed": "texts_changed", "opted_out": "opted_out_before",
    "elsewhere": "sent_elsewhere",
}  # fmt: skip


def question(option: str, count: int, examples: Sequence[Finding | str] = ()) -> Finding:
    """What is asked about so many people, or messages."""
    return Finding(QUESTIONS[option], {"option": option, "count": count, "examples": examples}, "warning")


def open_questions(compared: ComparedPlan, others: OtherCampaigns, leaving: Bools) -> dict[str, int]:
    """The questions that there are, and how many people each is about; `leaving` rows go out, or would if a
    question was answered with "send"."""
    counts = {
        "waiting": len(compared.waiting),
        "changed": len(compared.asked),
        "opted_out": int((compared.opted_out & leaving).sum()),
        "elsewhere": int(others.with_same_text(leaving).sum()) if compared.environment == "live" else 0,
    }
    return {code: count for code, count in counts.items() if count}


def choose_content(compared: ComparedPlan, others: OtherCampaigns, options: SendOptions) -> RoundContent:
    """What a round of this plan holds, and which of its messages go out.

    Raises `ConfirmationError` with all questions that a person has to answer first.
    """
    were_skipped = compared.were_skipped
    if options.changed != "ask":
        were_skipped = np.full_like(compared.opted_out, options.changed == "skip")
    stays = ~(np.isin(compared.recorded, ASKED) & were_skipped)
    settled = np.isin(compared.recorded, (UNKNOWN, ACCEPTED))
    _check_answered(compared, others, stays & ~settled, options)
    batch_of_message = compared.spread(np.where(settled, compared.batches, 0))[compared.spread(stays)]
    plan, batch_of_excluded = compared.plan, compared.reached_before
    if not stays.all():
        plan, batch_of_excluded = _without_skipped(compared, ~stays)
    outgoing = np.flatnonzero(batch_of_message == 0)
    remembered = OptOuts() if compared.record is None else compared.record.opt_outs
    return RoundContent(
        plan=note_reached_before(plan, compared.reached_before),
        given=compared.given,
        outgoing=outgoing,
        batch_of_message=batch_of_message,
        batch_of_excluded=batch_of_excluded,
        opt_outs=remembered.after(plan, outgoing),
    )


def _check_answered(
    compared: ComparedPlan, others: OtherCampaigns, leaving: Bools, options: SendOptions
) -> None:
    """Raise `ConfirmationError` unless every question that there is was answered."""
    questions = [
        question(option, count, [*_examples(option, compared, others, leaving)])
        for option, count in open_questions(compared, others, leaving).items()
        if getattr(options, option) == "ask"
    ]
    if questions:
        raise ConfirmationError("decision_needed", findings=questions)


def _examples(
    option: str, compared: ComparedPlan, others: OtherCampaigns, leaving: Bools
) -> Iterable[Finding | str]:
    """The first rows that a question is about."""
    if option == "waiting":
        return waiting_texts(compared)
    if option == "changed":
        return _changed_texts(compared)
    if option == "elsewhere":
        return others.findings(leaving)
    rows = compared.labels_of_rows[compared.opted_out & leaving]
    return [_named(compared, row) for row in rows[:_SHOWN].tolist()]


def waiting_texts(compared: ComparedPlan, length: int = _LENGTH) -> Iterator[Finding]:
    """The first of the texts that wait, and what takes their place."""
    lost = compared.waiting.take(np.arange(min(_SHOWN, len(compared.waiting))))
    rows = compared.replaced_by[: len(lost)]
    for _, number, before, now in then_and_now(compared, lost.batches, lost.labels, rows, length=length):
        yield Finding("text_replaced", {"place": number, "before": before, "now": now})


def _changed_texts(compared: ComparedPlan) -> Iterator[Finding]:
    """The first texts that were sent, perhaps, and are others now."""
    asked = compared.asked
    doubtful = int(compared.are_in_doubt(compared.batches[asked]).sum())
    if doubtful:
        yield Finding("in_doubt", {"count": doubtful})
    shown = _first_of_each(compared, asked)
    batches, labels, rows = compared.batches[shown], compared.labels[shown], compared.labels_of_rows[shown]
    for row, _, before, now in then_and_now(compared, batches, labels, rows, length=_LENGTH):
        yield Finding("text_replaced", {"place": _named(compared, row), "before": before, "now": now})


def _named(compared: ComparedPlan, row: int) -> str:
    return f"row {row}" if compared.file is None else compared.file.name_row(row)


def _first_of_each(compared: ComparedPlan, asked: Ints) -> Ints:
    """The first rows that are asked about, at least one of each kind."""
    is_other_number = compared.recorded[asked] == OTHER_NUMBER
    firsts = asked[is_other_number][:1], asked[~is_other_number][:_SHOWN], asked[is_other_number][1:]
    return np.concatenate(firsts)[:_SHOWN]


def _without_skipped(compared: ComparedPlan, skipped: Bools) -> tuple[Plan, Ints]:
    """The plan without the rows whose number, or cell, keeps what it got, and the batches that reached the
    rows without a message."""
    plan, batches, rows = compared.plan, compared.reached_before.copy(), compared.rows
    places = np.empty(0, np.int64) if rows is None else rows.places
    batches[places[skipped]] = compared.batches[skipped]
    for recorded, code in _SKIPPED.items():
        leaving = np.zeros(len(batches), dtype=bool)
        leaving[places[skipped & (compared.recorded == recorded)]] = True
        plan = without_rows(plan, leaving, "duplicate", code, "warning")
    return plan, batches
