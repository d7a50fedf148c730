"""What a person decides before a round is registered: all open questions, in one error."""

from __future__ import annotations

from itertools import chain

import numpy as np

from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed, OptedOut, Waiting
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.sending.rounds.amended_plan import note_reached_before, without_rows
from campaign.sending.rounds.compared_in_words import ComparedInWords
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    ASKED,
    OTHER_NUMBER,
    OTHER_TEXT,
    UNKNOWN,
)
from campaign.sending.rounds.left_out_before import advice_on_opted_out
from campaign.sending.store.opt_outs import OptOuts
from campaign.sending.store.round_content import RoundContent

# Why a row that is skipped gets nothing: its code and its reason.
_SKIPPED = {
    OTHER_TEXT: ("earlier_text", "This number got an earlier text of this campaign, and keeps it."),
    OTHER_NUMBER: (
        "other_number",
        "This cell was read as another number before, and that number was reached.",
    ),
}
_SHOWN, _LENGTH = 3, 60  # rows whose texts a question shows, and characters of each
_FINISH_FIRST = 'Finish them first with resume, or give waiting="withdraw" to leave them out.'
_CHANGED = (
    'Give changed="skip" to let them keep what they got, or changed="send" to send the new text as well.'
)
_TOGETHER = 'There are several questions. Each count assumes that the others are answered with "send".'


def choose_content(
    compared: ComparedPlan, *, changed: Changed, waiting: Waiting, opted_out: OptedOut
) -> RoundContent:
    """What a round of this plan holds, and which of its messages go out.

    Raises `ConfirmationError` with all questions that a person has to answer first.
    """
    were_skipped = (
        compared.were_skipped if changed == "ask" else np.full_like(compared.opted_out, changed == "skip")
    )
    stays = ~(np.isin(compared.recorded, ASKED) & were_skipped)
    settled = np.isin(compared.recorded, (UNKNOWN, ACCEPTED))
    _check_answered(compared, stays & ~settled, changed, waiting, opted_out)
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
    compared: ComparedPlan, leaving: Bools, changed: Changed, waiting: Waiting, opted_out: OptedOut
) -> None:
    """Raise `ConfirmationError` unless every question that there is was answered.

    `leaving` rows go out, or would if a question was answered with "send".
    """
    told, asked = ComparedInWords(compared), compared.asked
    opted = compared.opted_out & leaving
    questions: dict[str, tuple[int, list[str]]] = {}
    if len(compared.waiting) and waiting == "ask":
        lines = [told.about_waiting, *told.waiting_lines(_LENGTH), _FINISH_FIRST]
        questions["waiting"] = len(compared.waiting), lines
    if len(asked) and changed == "ask":
        lines = [told.about_asked, *told.asked_lines(_first_of_each(compared, asked), _LENGTH), _CHANGED]
        questions["changed"] = len(asked), lines
    if opted.any() and opted_out == "ask":
        count = int(opted.sum())
        questions["opted_out"] = count, [told.about_opted_out(opted), advice_on_opted_out(count)]
    if questions:
        counts, texts = zip(*questions.values(), strict=True)
        together = [_TOGETHER] if len(questions) > 1 else []
        text = "\n".join(["Nothing was sent.", *together, *chain.from_iterable(texts)])
        raise ConfirmationError(text, questions=dict(zip(questions, counts, strict=True)))


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
