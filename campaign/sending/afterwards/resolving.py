"""`resolve`: a person settles a batch whose fate is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Literal

from campaign.argument_checks import check_amount, check_choice, check_count, check_path, check_text, wrong
from campaign.errors import UsageError
from campaign.public_calls import public_call
from campaign.results.advice import ADVICE
from campaign.results.tables import Result
from campaign.sending.afterwards.decision import NO_COST, Decision
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.ledger.views import snapshot
from campaign.sending.options import Money, Place
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.runs_here import is_held_here
from campaign.values import replace

_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_OUTCOMES = ("accepted", "refused", "again")
_BATCHES = "the number of one batch, for example batch=2, or a list of some: batch=[2, 3]"


@public_call
def resolve(
    folder: Place,
    batch: int | Iterable[int],
    outcome: Literal["accepted", "refused", "again"],
    *,
    confirm: str | None = None,
    note: str = "",
    cost: Money | None = None,
) -> Result:
    """Settle a batch whose fate is unknown, or several of the same fate, after you have found out about it.

    `batch` is the number of one, or a list of some, which one phrase then names all. `outcome` is "accepted"
    (the service has it), "refused" (the service does not have it), or "again": nobody knows, and `resume` is
    to send it once more, so that people may get it twice. In a closed campaign, only sending the plan again
    does that. `confirm` is the phrase that the error shows together with the evidence; `note` says how you
    know. The journal keeps who decided, when and why; reports say so beside the batch.
    An answer cannot be taken back. Only what was settled as refused or ordered again can still become
    accepted, here or by `reconcile`, while none of it was cut into another batch.
    `cost` is what the service charged for a single accepted batch, in the account's units. It can be given
    later, too, to any batch without one that was accepted, or that was ordered to be sent again ("again" once
    more), and a cost that was given so can be corrected in the same way: the last one counts, and the journal
    keeps all. What the service itself or its list named cannot be changed.

    Run again, a line that settled a batch only says so. Raises `ConfirmationError` with the evidence and the
    phrase, `UsageError` for what cannot be settled so, `LockedError` while a run is under way. One that a
    valve holds in this process is ended once the phrase is given.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    batches = _checked_batches(batch)
    check_choice(outcome, _OUTCOMES, subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    if cost is not None:
        check_amount(cost, subject="cost", write="cost=350, what the service charged for the batch")
        if outcome == "refused":
            raise UsageError(NO_COST)
        if len(batches) > 1:
            raise UsageError("cost= is for a single batch. Give each batch its own, in a line of its own.")
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    amount = None if cost is None else Decimal(str(cost))
    decision = Decision(place, place.snapshot(), batches, outcome, confirm, note, amount)
    if sentence := decision.made_before:
        return _result_with(sentence, place)
    if is_held_here(place):
        decision.checked()  # a question must not end the run
    with opened_ledger(place) as ledger:
        decision = replace(decision, contents=snapshot(place.ledger_place))
        decision.checked()(ledger)
    return place.load_result()


def _result_with(sentence: str, place: Folder) -> Result:
    """What is known now, with a sentence about an earlier decision."""
    result = place.load_result()
    waits = result.totals["not_sent"] and not result.is_closed and not result.open_in
    return place.load_result(sentence=f"{sentence} {ADVICE['not_sent']}" if waits else sentence)


def _checked_batches(batch: Any) -> tuple[int, ...]:
    """The numbers of these batches, each once, in order."""
    is_list = isinstance(batch, Iterable) and not isinstance(batch, str | bytes)
    several: list[Any] = [*batch] if is_list else [batch]
    if not several:
        raise wrong(batch, subject="batch", needs="a whole number of 1 or more", write=_BATCHES)
    for one in several:
        check_count(one, subject="batch", write=_BATCHES)
    return tuple(sorted({int(one) for one in several}))  # one of numpy's cannot be looked up
