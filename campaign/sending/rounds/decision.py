"""What a person decides before a round is registered: all open questions, in one error."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.cells.grid import name_rows
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
from campaign.text import counted, figure

# Why a row that is skipped gets nothing: its code and its reason.
_SKIPPED = {
    OTHER_TEXT: ("earlier_text", "This number got an earlier text of this campaign, and keeps it."),
    OTHER_NUMBER: (
        "other_number",
        "This cell was read as another number before, and that number was reached.",
    ),
}
_SHOWN, _LENGTH = 3, 60  # rows whose texts a question shows, and characters of each
_TOGETHER = 'There are several questions. Each count assumes that the others are answered with "send".'


class OpenQuestion(Struct, frozen=True):
    """What is asked about `one` or `several`, and how the option of the same name answers it."""

    one: str
    several: str
    answers: str

    def about(self, count: int) -> str:
        """How many people, or texts, it is about."""
        return f"{counted(count, self.one, self.several)}."


# By the option that answers it.
QUESTIONS = {
    "waiting": OpenQuestion(
        "text waits to be sent and is in no row now",
        "texts wait to be sent and are in no row now",
        'Finish them first with resume, or give waiting="withdraw".',
    ),
    "changed": OpenQuestion(
        "person has another text, or another number, in the record",
        "people have another text, or another number, in the record",
        'Give changed="skip" to let them keep it, or changed="send" to send the new text too.',
    ),
    "opted_out": OpenQuestion(
        "person was left out before, because they wanted no messages, and is not left out now",
        "people were left out before, because they wanted no messages, and are not left out now",
        'Give opted_out="skip" to leave them out again, or opted_out="send" to send to them.',
    ),
    "elsewhere": OpenQuestion(
        "person has this very text from another campaign, or may get it from there",
        "people have this very text from other campaigns, or may get it from there",
        'Give elsewhere="send" to send it to them again.',
    ),
}


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
    questions = {
        code: count
        for code, count in open_questions(compared, others, leaving).items()
        if getattr(options, code) == "ask"
    }
    if not questions:
        return
    examples = {
        "waiting": waiting_lines(compared),
        "changed": _changed_lines(compared),
        "opted_out": _opted_out_lines(compared, leaving),
        "elsewhere": others.lines(leaving),
    }
    lines = ["Nothing was sent.", *([_TOGETHER] if len(questions) > 1 else [])]
    for code, count in questions.items():
        lines += [QUESTIONS[code].about(count), *examples[code], QUESTIONS[code].answers]
    raise ConfirmationError("\n".join(lines), questions=questions)


def waiting_lines(compared: ComparedPlan, length: int = _LENGTH) -> Iterator[str]:
    """The first of the texts that wait, and what takes their place."""
    lost = compared.waiting.take(np.arange(min(_SHOWN, len(compared.waiting))))
    rows = compared.replaced_by[: len(lost)]
    for _, number, old, new in then_and_now(compared, lost.batches, lost.labels, rows, length=length):
        yield f"{number}: {old} is now {new}" if new else f"{number}: {old}, no longer in the table"


def _changed_lines(compared: ComparedPlan) -> Iterator[str]:
    """The first texts that were sent, perhaps, and are others now."""
    asked = compared.asked
    doubtful = int(compared.are_in_doubt(compared.batches[asked]).sum())
    if doubtful:
        yield f"For {figure(doubtful)} of them, it is not known what arrived: find out before you decide."
    shown = _first_of_each(compared, asked)
    batches, labels, rows = compared.batches[shown], compared.labels[shown], compared.labels_of_rows[shown]
    for row, _, old, new in then_and_now(compared, batches, labels, rows, length=_LENGTH):
        named = f"row {row}" if compared.file is None else compared.file.name_row(row)
        yield f"{named}: {old} is now {new}"


def _opted_out_lines(compared: ComparedPlan, leaving: Bools) -> Iterator[str]:
    """The rows of people who wanted no messages."""
    rows = compared.labels_of_rows[compared.opted_out & leaving]
    yield f"{name_rows(rows.tolist())}{' of your own spreadsheet' if compared.file else ''}"


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
    for recorded, (code, reason) in _SKIPPED.items():
        leaving = np.zeros(len(batches), dtype=bool)
        leaving[places[skipped & (compared.recorded == recorded)]] = True
        plan = without_rows(plan, leaving, "duplicate", code, "warning", reason)
    return plan, batches
