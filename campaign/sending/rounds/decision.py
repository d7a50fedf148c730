"""What a person decides before a round is registered: other texts, missing people, a pilot."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed, Gone, OptedOut
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan, amended, with_alternatives
from campaign.messages.plan_tables.duplicates import PHONE_WAS_REACHED
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, rows_of_messages
from campaign.messages.plan_tables.plan_part import PlanPart, amended_part
from campaign.sending.rounds.amended_plan import keep_earlier_messages, note_reached_before, without_rows
from campaign.sending.rounds.compared_in_words import ComparedInWords
from campaign.sending.rounds.compared_plan import ComparedPlan, spread
from campaign.sending.rounds.comparison import (
    AS_CORRECTED,
    ASKED,
    CHANGED,
    SHARED,
    UNDER_ANOTHER_NUMBER,
    UNKNOWN,
    Comparison,
    Knowledge,
)
from campaign.sending.rounds.kept_alternatives import order_in_file
from campaign.sending.rounds.left_out_before import advice_on_opted_out
from campaign.sending.rounds.other_texts import examples_of, old_and_new
from campaign.sending.rounds.plan_comparison import numbers_of_excluded
from campaign.sending.rounds.record import CampaignRecord, first_pieces
from campaign.sending.store.round_content import RoundContent
from campaign.text import agreeing, counted
from campaign.values import replace

_SHOWN = 3  # rows whose old and new text an error shows
_LENGTH = 60  # of each text
_CHANGE = "{old} is now {new}"
_CHANGES = {
    SHARED: "this phone got {old}, and {new} is for this row",
    AS_CORRECTED: "{old}, as corrected in a follow-up file; in this table it is {new}",
}


def choose_content(
    compared: ComparedPlan, *, changed: Changed, gone: Gone, opted_out: OptedOut
) -> RoundContent:
    """What a round of this plan holds, and which of its messages go out.

    Raises `ConfirmationError` with the choices where a person has to decide first.
    """
    waiting_gone = len(compared.waiting_gone)
    if waiting_gone and gone == "ask":
        raise ConfirmationError(_ask_about_gone(waiting_gone))
    asked = np.flatnonzero(np.isin(compared.comparison.knowledge, ASKED))
    if len(asked) and changed == "ask":
        raise ConfirmationError(_ask_about_changed(compared, asked))
    if changed == "skip":
        compared = leave_out_sharing(compared.answered(changed))
    others = np.isin(compared.comparison.knowledge, (CHANGED, *UNDER_ANOTHER_NUMBER))
    settled = compared.comparison.knowledge >= UNKNOWN
    plan, batch_of_row, starts = compared.plan, compared.comparison.batches, compared.starts
    if others.any() and changed == "skip":
        plan, starts = _keep_earlier(compared, np.flatnonzero(others))
        settled |= others
    if opted_out == "ask":
        _check_nobody_opted_out(compared, ~settled)
    reached_before = compared.comparison.reached_before
    batch_of_message = spread(np.where(settled, batch_of_row, 0), starts, plan.totals.messages)
    return RoundContent(
        plan=note_reached_before(plan, reached_before, compared.corrected, compared.has_earlier_text),
        given=compared.given,
        outgoing=np.flatnonzero(batch_of_message == 0),
        batch_of_message=batch_of_message,
        batch_of_excluded=reached_before,
    )


def _keep_earlier(compared: ComparedPlan, places: Ints) -> tuple[Plan, Ints]:
    """The plan in which some rows keep what they got, and the position of each row's first message."""
    plan = compared.plan
    rows = rows_of_messages(plan)[compared.starts[places]]
    plan = keep_earlier_messages(
        plan, rows, compared.earlier_messages(places), compared.comparison.knowledge[places]
    )
    return plan, first_pieces(rows_of_messages(plan))


def _ask_about_gone(count: int) -> str:
    people = counted(count, "person", "people")
    return (
        f"{people} of this campaign still {agreeing(count, 'waits', 'wait')} for a message, but "
        f"{agreeing(count, 'is', 'are')} no longer in the table. Nothing was sent. Finish the earlier table "
        'first with resume, or give gone="withdraw" to leave them out, or give another name if this is '
        "another campaign."
    )


def _check_nobody_opted_out(compared: ComparedPlan, leaving: Bools) -> None:
    """Raise `ConfirmationError` if people are about to be written to who were left out before."""
    if about_them := ComparedInWords(compared).about_opted_out(leaving):
        advice = advice_on_opted_out(int((compared.opted_out & leaving).sum()))
        raise ConfirmationError(f"{about_them} Nothing was sent. {advice}")


def _ask_about_changed(compared: ComparedPlan, places: Ints) -> str:
    """How many people would get a second text, some of them, and the choices."""
    knowledge = compared.comparison.knowledge[places]
    shown = places[examples_of(knowledge, _SHOWN)]
    examples, choices = _examples(compared, shown), _choices(knowledge)
    question = f"{ComparedInWords(compared).reached_otherwise} Nothing was sent.\n{examples}\n{choices}"
    return f"{question}{_about_left_behind(compared)}"


def _about_left_behind(compared: ComparedPlan) -> str:
    """What the answers mean for rows that get nothing and were reached with another text, after a space."""
    rows = len(compared.rows_left_behind)
    if not rows:
        return ""
    count = agreeing(rows, "this row counts", "these rows count")
    return f'{ComparedInWords(compared).about_left_behind} With "skip", {count} as reached.'


def _choices(knowledge: Knowledge) -> str:
    """The answers for people of whom this is known."""
    shares = knowledge == SHARED
    if shares.all():
        them = agreeing(len(shares), "this person nothing", "these people nothing")
        phone = agreeing(len(shares), "this phone", "these phones")
        return (
            f'Give changed="skip" to send {them}, or changed="send" to send the new text to {phone} as well.'
        )
    about_sharing = _about_sharing(int(shares.sum()))
    return (
        'Give changed="skip" to let them keep what they got, or changed="send" to send the new text as '
        f"well.{about_sharing}{_about_corrected(int((knowledge == AS_CORRECTED).sum()))}"
    )


def _about_sharing(rows: int) -> str:
    """What "skip" means for so many rows whose phone got somebody else's text, after a space; "" for none."""
    if not rows:
        return ""
    whose, gets = agreeing(rows, "person", "people"), agreeing(rows, "gets", "get")
    return f' With "skip", {rows:,} {whose} whose phone got somebody else\'s text {gets} nothing.'


def _about_corrected(rows: int) -> str:
    """What "send" means for so many rows that lack the number of a follow-up file, after a space."""
    if not rows:
        return ""
    number, that = agreeing(rows, "number", "numbers"), agreeing(rows, "that", "those")
    return (
        f' With "send", the text goes to the {number} of this table: to use {that} of the follow-up file, '
        f"put the {agreeing(rows, 'correction', 'corrections')} into your own spreadsheet first."
    )


def _examples(compared: ComparedPlan, places: Ints) -> str:
    """What some rows got and what they would get now, a line each."""
    texts = old_and_new(compared, places, length=_LENGTH)
    return "\n".join(
        f"{ComparedInWords(compared).name_row(row)}: {_CHANGES.get(state, _CHANGE).format(old=old, new=new)}"
        for state, (row, old, new) in zip(compared.comparison.knowledge[places], texts, strict=True)
    )


def leave_out_sharing(compared: ComparedPlan) -> ComparedPlan:
    """The compared plan in which these rows get nothing."""
    shares = compared.comparison.knowledge == SHARED
    if not shares.any() or compared.record is None:
        return compared
    rows = rows_of_messages(compared.plan)[compared.starts[shares]]
    plan = _left_out(compared.plan, rows)
    comparison = compared.comparison
    return replace(
        compared,
        plan=plan,
        starts=first_pieces(rows_of_messages(plan)),
        comparison=replace(
            comparison,
            knowledge=comparison.knowledge[~shares],
            batches=comparison.batches[~shares],
            recorded_rows=comparison.recorded_rows[~shares],
            reached_before=_reached_before(plan, comparison, compared.record),
        ),
        opted_out=compared.opted_out[~shares],
    )


def _left_out(plan: Plan, rows: Ints) -> Plan:
    """The plan in which these rows are left out, as others are that share a phone."""

    def beside(part: PlanPart, _: int = 0) -> PlanPart:
        if not np.isin(part.rows_of_messages, rows).any():
            return part
        messages, others = part.messages, part.alternatives
        theirs = messages[messages["row"].isin(rows)]
        joined = pd.concat([others, theirs])
        joined = joined.iloc[order_in_file(part, joined["row"].to_numpy())].reset_index(drop=True)
        return amended_part(part, alternatives=joined)

    alternatives = pd.concat([beside(part).alternatives for part in plan.parts()], ignore_index=True)
    plan = with_alternatives(amended(plan, beside), alternatives)
    leaving = np.isin(labels_of_contacts(plan), rows)
    return without_rows(plan, leaving, "duplicate", "shared_phone", "error", PHONE_WAS_REACHED)


def _reached_before(plan: Plan, comparison: Comparison, record: CampaignRecord) -> Ints:
    """For each row of the contacts that gets nothing the batch that reached its number, also where no row
    with this number gets anything any more."""
    numbers, before = numbers_of_excluded(plan), comparison.reached_before
    replaced = comparison.replaced
    is_theirs = np.isin(replaced.numbers, numbers[before == 0])
    batches = replaced.batches[is_theirs]
    best = pd.DataFrame(
        {"number": replaced.numbers[is_theirs], "batch": batches, "state": record.knowledge[batches]}
    ).sort_values(["state", "batch"])
    by_number = best.drop_duplicates("number", keep="last").set_index("number")["batch"]
    found = pd.Series(numbers).map(by_number).fillna(0).to_numpy(dtype=np.int64)
    return np.where(before > 0, before, found)
