"""What a person decides before a round is registered: other texts, missing people, a pilot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed, Gone
from campaign.errors import ConfirmationError
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import messages_at, rows_of_messages
from campaign.sending.rounds.amended_plan import keep_earlier_messages, note_reached_before
from campaign.sending.rounds.compared_plan import ComparedPlan, spread
from campaign.sending.rounds.comparison import CHANGED, MOVED, UNKNOWN
from campaign.sending.rounds.record import first_pieces
from campaign.sending.store.round_content import RoundContent
from campaign.text import agreeing, clean, counted, shorten

_SHOWN = 3  # rows whose old and new text an error shows


def choose_content(
    compared: ComparedPlan, *, changed: Changed, gone: Gone, kept: Sequence[int] = ()
) -> RoundContent:
    """What a round of this plan holds, and which of its messages go out.

    `kept` are rows that keep what they got in an earlier round. They get it no second time, whatever has
    become of it since: the table that the person gave says something else.

    Raises `ConfirmationError` with the choices where a person has to decide first.
    """
    waiting_gone = len(compared.waiting_gone)
    if waiting_gone and gone == "ask":
        raise ConfirmationError(_ask_about_gone(waiting_gone))
    others = np.isin(compared.comparison.knowledge, (CHANGED, MOVED))
    if others.any() and changed == "ask":
        raise ConfirmationError(_ask_about_changed(compared, np.flatnonzero(others)))
    settled = compared.comparison.knowledge >= UNKNOWN
    if len(kept):
        settled |= np.isin(rows_of_messages(compared.plan)[compared.starts], kept)
    plan, batch_of_row, starts = compared.plan, compared.comparison.batches, compared.starts
    if others.any() and changed == "skip":
        _check_kept(compared, np.flatnonzero(others))
        plan, starts = _keep_earlier(compared, np.flatnonzero(others))
        settled |= others
    reached_before = compared.comparison.reached_before
    batch_of_message = spread(np.where(settled, batch_of_row, 0), starts, plan.totals.messages)
    return RoundContent(
        plan=note_reached_before(plan, reached_before),
        given=compared.given,
        outgoing=np.flatnonzero(batch_of_message == 0),
        batch_of_message=batch_of_message,
        batch_of_excluded=reached_before,
    )


def _check_kept(compared: ComparedPlan, places: Ints) -> None:
    """Raise `ConfirmationError` if what some rows got was erased: then it cannot be kept in the table."""
    erased = int(_is_erased(compared, places).sum())
    if erased:
        raise ConfirmationError(
            f"{counted(erased, 'person was', 'people were')} reached with another text or under another "
            f"number by this {compared.words.campaign}, which was erased since, so that cannot be kept in "
            "the table. Nothing was sent. Leave these rows out, or give "
            'changed="send" to send the new text as well.'
        )


def _is_erased(compared: ComparedPlan, places: Ints) -> Bools:
    """The rows for which it is no longer known what they got before."""
    if compared.record is None:
        raise AssertionError("without a record nobody was reached")
    return compared.record.erased[compared.comparison.batches[places]]


def _keep_earlier(compared: ComparedPlan, places: Ints) -> tuple[Plan, Ints]:
    """The plan in which some rows keep what they got, and the position of each row's first message."""
    plan = compared.plan
    rows = rows_of_messages(plan)[compared.starts[places]]
    moved = compared.comparison.knowledge[places] == MOVED
    plan = keep_earlier_messages(plan, rows, _earlier_messages(compared, places), moved)
    return plan, first_pieces(rows_of_messages(plan))


def _earlier_messages(compared: ComparedPlan, places: Ints) -> pd.DataFrame:
    """What some rows of the plan got before."""
    if compared.record is None:
        raise AssertionError("without a record nobody was reached")
    comparison = compared.comparison
    return compared.record.messages(comparison.batches[places], comparison.recorded_rows[places])


def _ask_about_gone(count: int) -> str:
    people = counted(count, "person", "people")
    return (
        f"{people} of this campaign still {agreeing(count, 'waits', 'wait')} for a message, but "
        f"{agreeing(count, 'is', 'are')} no longer in the table. Nothing was sent. Finish the earlier table "
        'first with resume, or give gone="withdraw" to leave them out, or give another name if this is '
        "another campaign."
    )


def _ask_about_changed(compared: ComparedPlan, places: Ints) -> str:
    """How many people would get a second text, the first of them, and the choices."""
    erased, campaign = int(_is_erased(compared, places).sum()), compared.words.campaign
    ways = [
        f"{counted(count, 'person was', 'people were')} reached by this {campaign} {how}."
        for count, how in (
            (compared.count(CHANGED), "with another text"),
            (compared.count(MOVED), "under another number, which the same cell was read as"),
        )
        if count
    ]
    return f"{' '.join(ways)} Nothing was sent.\n{_examples(compared, places[:_SHOWN])}\n{_choices(erased)}"


def _choices(erased: int) -> str:
    if erased:
        return (
            "The campaign was erased, so what they got cannot be shown. Leave these rows out to let them "
            'keep it, or give changed="send" to send the new text as well.'
        )
    return (
        'Give changed="skip" to let them keep what they got, or changed="send" to send the new text as well.'
    )


def _examples(compared: ComparedPlan, places: Ints) -> str:
    """What some rows got and what they would get now, a line each."""
    messages = pd.concat([*messages_at(compared.plan, compared.starts[places])])
    earlier = _earlier_messages(compared, places).drop_duplicates("entry").set_index("entry")
    lines = []
    for entry, (row, number, text) in enumerate(
        zip(messages["row"], messages["number"], messages["message"], strict=True)
    ):
        moved = compared.comparison.knowledge[places[entry]] == MOVED
        if entry in earlier.index:
            old = earlier.loc[entry]
            before = _shown(str(old["number"])) if moved else f"“{_shown(str(old['message']))}”"
        else:
            before = f"another {'number' if moved else 'text'}, which was erased,"
        lines.append(f"row {row}: {before} is now {_shown(number) if moved else f'“{_shown(text)}”'}")
    return "\n".join(lines)


def _shown(text: str) -> str:
    return shorten(mask_text(clean(text)), 60)
