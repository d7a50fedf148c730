"""`resolve`: what a person says of batches: what became of them; or what one of them cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import pandas as pd
from msgspec import Struct

from campaign.argument_checks import check_amount, check_choice, check_count, check_path, check_text, wrong
from campaign.contract import GIVEN_BY_HAND
from campaign.errors import ConfirmationError, UsageError
from campaign.public_calls import public_call
from campaign.results.calls_to_settle import batches_in_words, call_to_settle
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.afterwards.settled_batches import SETTLED, changeable_outcomes, settle
from campaign.sending.afterwards.unknown_batches import evidence
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import FOUND, LATE_ANSWER, LedgerSnapshot, journal_frame, snapshot
from campaign.sending.options import Money, Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.runs_here import is_held_here
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted, money
from campaign.values import replace
from campaign.words.finding import Finding

_BY_HAND = (FOUND, "priced")  # what the journal calls other decisions than those about what was unknown
# What a batch is that is not unknown, as a label.
_STATES = {"accepted": "accepted", "refused": "refused", "again": "ordered again", "not_sent": "not sent"}
_BATCHES = "the number of one batch, for example batches=2, or a list of some: batches=[2, 3]"


@public_call
def resolve(
    folder: Place,
    batches: int | Iterable[int],
    outcome: Literal["accepted", "refused", "again"],
    *,
    cost: Money | None = None,
    confirm: str | None = None,
    note: str = "",
) -> Result:
    """Settle batches whose fate is unknown, once you have found out about them.

    Parameters
    ----------
    folder
        The campaign's folder.
    batches
        Number of a batch, or several of the same fate.
    outcome
        "accepted" (the service has it), "refused" (it does not), or "again": nobody knows, and `resume`
        sends it once more, perhaps for the second time.
    cost
        What the service charged for one batch, in the account's units; also later.
    confirm
        The phrase that the error shows, with the evidence.
    note
        How you know; the journal keeps it.

    Returns
    -------
    Result
        The whole table. An answer cannot be taken back, but what was settled as "refused" or "again" can
        become accepted while none of it was cut into another batch.

    Raises
    ------
    ConfirmationError
        With the evidence and the phrase.
    UsageError
        The batch cannot be settled so.
    LockedError
        A run is under way.

    Examples
    --------
    >>> campaign.resolve(result.folder, 1, "accepted")
    Traceback (most recent call last):
    campaign.errors.UsageError: ...
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    numbers = _checked_batches(batches)
    check_choice(outcome, ("accepted", "refused", "again"), subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    amount = None if cost is None else _checked_cost(cost, numbers, outcome)
    place = open_folder(folder)
    decision = _Decision(place, place.snapshot(), numbers, outcome, confirm, note, amount)
    if made := decision.made_before:
        return place.load_result(ending=made)
    if is_held_here(place):
        decision.check()  # a question must not end the run
    with opened_ledger(place) as ledger:
        decision = replace(decision, contents=snapshot(place.ledger_place))
        decision.check()
        decision.record(ledger)
    return place.load_result()


def _checked_cost(cost: Any, batches: tuple[int, ...], outcome: str) -> Decimal:
    check_amount(cost, subject="cost", write="cost=350, what the service charged for the batch")
    if outcome == "refused" or len(batches) > 1:
        raise UsageError("cost_not_allowed")
    return Decimal(str(cost))


def _checked_batches(batches: Any) -> tuple[int, ...]:
    """The numbers of these batches, each once, in order."""
    is_list = isinstance(batches, Iterable) and not isinstance(batches, str | bytes)
    several: list[Any] = [*batches] if is_list else [batches]
    if not several:
        raise wrong(batches, subject="batches", needs="a whole number of 1 or more", write=_BATCHES)
    for one in several:
        check_count(one, subject="batches", write=_BATCHES)
    return tuple(sorted({int(one) for one in several}))  # one of numpy's cannot be looked up


class _Decision(Struct, frozen=True, dict=True):
    """What a person says of these batches, all the same; a cost is that of a single one.

    `contents` are those of the ledger before that.
    """

    place: Folder
    contents: LedgerSnapshot
    batches: tuple[int, ...]
    outcome: str
    confirm: str | None
    note: str
    cost: Decimal | None

    @property
    def made_before(self) -> Finding | None:
        """A finding if the journal has this very decision, as when a notebook is run again."""
        made = self._moves[self._moves["now"] == self.outcome]
        if made["batch"].nunique() < len(self.batches):
            return None
        cost = self._facts["cost"].get(self.batches[0])
        is_other_cost = self.cost not in (None, cost)
        if is_other_cost and (cost is None or self.confirm != self._settling_phrase):
            return None
        facts = {"batches": [*map(str, self.batches)], "count": len(self.batches)}
        facts |= {"settled": SETTLED[self.outcome], "cost": cost if is_other_cost else None}
        return Finding("settled_already", facts, "info")

    def check(self) -> None:
        """Raise what is wrong with the decision, or the question that confirms it."""
        if not self._is_price:
            self._check_can_be_settled()
        if self.confirm == self.phrase:
            return
        findings = evidence(self._record, self.batches)
        if not self._is_price:
            findings.append(Finding("answer_final"))
        asked: Any = {"findings": findings, "phrase": self.phrase, "call": self._call}
        raise ConfirmationError("confirmation_needed", given=self.confirm, **asked)

    def record(self, ledger: Ledger) -> None:
        """Record it in the ledger; the journal keeps who decided it, and why."""
        cost = [] if self.cost is None else [f"cost {money(self.cost)} {GIVEN_BY_HAND}"]
        said = ", ".join([*([] if self._is_price else [self.outcome]), *cost, *filter(None, [self.note])])
        note, batch = f"{user_name()}: {said}", self.batches[0]
        if self._is_price and self.cost is not None:
            ledger.record_cost(batch, self.cost, note, instead_of=self._facts["cost"][batch])
            return
        costs = {} if self.cost is None else {batch: self.cost}
        settle(ledger, self.contents, dict.fromkeys(self.batches, self.outcome), costs, note)

    @property
    def phrase(self) -> str:
        """What a person types. That of a cost has a mark of the journal, so that no line which is run again
        brings back a cost that was corrected since."""
        if not self._is_price:
            return self._settling_phrase
        cost = money(self.cost)
        mark = hashlib.sha256(repr((self.batches, cost, self.contents.moves)).encode()).hexdigest()[:4]
        return f"batch {self.batches[0]} cost {cost} {mark}"

    @property
    def _settling_phrase(self) -> str:
        if self.outcome != "again":
            return f"{self._named} {self.outcome}"
        messages = int(self._facts["messages"].reindex(self.batches, fill_value=0).sum())
        named = batches_in_words(self.batches, shown=None)
        return f"send {named} again, {counted(messages, 'message')} may arrive twice"

    @property
    def _named(self) -> str:
        return f"{batches_in_words(self.batches, shown=None)} {agreeing(len(self.batches), 'was', 'were')}"

    # --- what can be done ---

    @property
    def _is_price(self) -> bool:
        """Whether this gives a settled batch a cost: it has none, or one that a person gave.

        What the service itself named is not a person's to change.
        """
        batch = self.batches[0]
        if self.cost is None or batch not in self._facts.index or self._outcome_of(batch) != self.outcome:
            return False
        last_note = next(iter(self._moves.loc[self._moves["batch"] == batch, "note"][::-1]), "")
        return self._facts["cost"][batch] is None or GIVEN_BY_HAND in last_note

    def _check_can_be_settled(self) -> None:
        """Raise `UsageError` unless they are unknown; or a person has settled them otherwise, and they were
        accepted after all, while none of their texts was cut again."""
        if self.cost is not None and self.outcome == "again":
            raise UsageError("cost_not_allowed")
        unknown = [one.batch for one in self.contents.batches if one.state == "unknown"]
        changeable = changeable_outcomes(self._record).index if self.outcome == "accepted" else ()
        others = [batch for batch in self.batches if batch not in {*unknown, *changeable}]
        if not others:
            return
        own = self._outcome_of(others[0]) if others[0] in self._facts.index else ""
        is_cut_again = self.outcome == "accepted" and own in ("refused", "again")
        state = f"{_STATES.get(own, 'no such batch')}{', and sent again since' if is_cut_again else ''}"
        raise UsageError("batch_not_unknown", batch=others[0], state=state, unknown=[*map(str, unknown)])

    def _outcome_of(self, batch: int) -> str:
        """What this batch was settled as, or else its status."""
        is_again = self._facts["why"][batch] == "ordered_again"
        return "again" if is_again else str(self._facts["status"][batch])

    @cached_property
    def _facts(self) -> pd.DataFrame:
        return self.contents.outcomes.set_index("batch")

    @cached_property
    def _moves(self) -> pd.DataFrame:
        """What people have decided of these batches, oldest first, with the outcome as `now`."""
        moves = journal_frame(self.place.ledger_place)
        is_decision = (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER) | moves["now"].isin(
            _BY_HAND
        )
        return moves[is_decision & moves["batch"].isin(self.batches)].replace({"now": {FOUND: "accepted"}})

    @property
    def _record(self) -> CampaignRecord:
        return CampaignRecord(self.place.manifest.name, self.place.rounds(self.contents), self.contents)

    @property
    def _call(self) -> str:
        """The lines that decide it, with the phrase, and show what came of it."""
        options = {"confirm": self.phrase, "note": self.note, "cost": self.cost}
        given = {name: value for name, value in options.items() if value not in ("", None)}
        return f"{call_to_settle(self.place.path, self.batches, self.outcome, **given)}\nresult"
