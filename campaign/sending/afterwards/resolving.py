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
from campaign.contract import GIVEN_BY_HAND, ORDERED_AGAIN
from campaign.errors import ConfirmationError, UsageError
from campaign.public_calls import public_call
from campaign.results.calls_to_settle import batches_in_words, call_to_settle
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.afterwards.settled_batches import SETTLED_IN_WORDS, changeable_outcomes, settle
from campaign.sending.afterwards.unknown_batches import FINAL, evidence
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import FOUND, LATE_ANSWER, LedgerSnapshot, journal_frame, snapshot
from campaign.sending.options import Money, Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.runs_here import is_held_here
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, capitalised, counted, money
from campaign.values import replace

_SHOWN = 20  # batches
_BY_HAND = (FOUND, "priced")  # what the journal calls other decisions than those about what was unknown
_IS = {
    "accepted": "was accepted", "refused": "was refused", "again": "was ordered to be sent again",
    "not_sent": "was not sent",
}  # fmt: skip
NO_COST = "cost= is for a batch that was accepted, or that was ordered to be sent again before. Leave it out."
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
    """Settle a batch whose fate is unknown, or several of the same fate, after you have found out about it.

    `batches` is the number of one, or a list of some. `outcome` is "accepted" (the service has it), "refused"
    (the service does not have it), or "again": nobody knows, and `resume` is to send it once more, so that
    people may get it twice. In a closed campaign, only sending the plan again does that. `cost` is what the
    service charged for a single accepted batch, in the account's units. `confirm` is the phrase that the
    error shows together with the evidence; `note` says how you know. The journal keeps who decided, when and
    why; reports say so beside the batch.

    An answer cannot be taken back. Only what was settled as refused or ordered again can still become
    accepted, here or by `reconcile`, while none of it was cut into another batch. A cost can be given later,
    too, to any batch without one that was accepted or ordered again (with that as the outcome), and one that
    was given so can be corrected: the last one counts. What the service itself named stays.

    Run again, a line that settled a batch only says so. Raises `ConfirmationError` with the evidence and the
    phrase, `UsageError` for what cannot be settled so, `LockedError` while a run is under way. One that a
    valve holds in this process is ended once the phrase is given.
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    numbers = _checked_batches(batches)
    check_choice(outcome, ("accepted", "refused", "again"), subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    amount = None if cost is None else _checked_cost(cost, numbers, outcome)
    place = open_folder(folder)
    decision = _Decision(place, place.snapshot(), numbers, outcome, confirm, note, amount)
    if sentence := decision.made_before:
        return place.load_result(sentence=sentence)
    if is_held_here(place):
        decision.check()  # a question must not end the run
    with opened_ledger(place) as ledger:
        decision = replace(decision, contents=snapshot(place.ledger_place))
        decision.check()
        decision.record(ledger)
    return place.load_result()


def _checked_cost(cost: Any, batches: tuple[int, ...], outcome: str) -> Decimal:
    check_amount(cost, subject="cost", write="cost=350, what the service charged for the batch")
    if outcome == "refused":
        raise UsageError(NO_COST)
    if len(batches) > 1:
        raise UsageError("cost= is for a single batch. Give each batch its own, in a line of its own.")
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
    def made_before(self) -> str:
        """A sentence if the journal has this very decision, as when a notebook is run again; else ""."""
        made = self._moves[self._moves["now"] == self.outcome]
        if made["batch"].nunique() < len(self.batches):
            return ""
        cost = self._facts["cost"].get(self.batches[0])
        is_other_cost = self.cost not in (None, cost)
        if is_other_cost and (cost is None or self.confirm != self._settling_phrase):
            return ""
        its_cost = f" Its cost is {money(cost)}." if is_other_cost else ""
        return f"{capitalised(self._named)} {SETTLED_IN_WORDS[self.outcome]} already.{its_cost}"

    def check(self) -> None:
        """Raise what is wrong with the decision, or the question that confirms it."""
        if not self._is_price:
            self._check_can_be_settled()
        if self.confirm == self.phrase:
            return
        at_cost = "" if self.cost is None else f" at a cost of {money(self.cost)}"
        purpose = f"settle {agreeing(len(self.batches), 'it', 'them')}{at_cost}"
        known = evidence(self._record, self.place.path, self.batches)
        raise ConfirmationError(
            known if self._is_price else f"{known}\n{FINAL}",
            phrase=self.phrase,
            purpose=f"give it the cost {money(self.cost)}" if self._is_price else purpose,
            given=self.confirm,
            call=self._call,
        )

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
            raise UsageError(NO_COST)
        unknown = [one.batch for one in self.contents.batches if one.state == "unknown"]
        changeable = changeable_outcomes(self._record).index if self.outcome == "accepted" else ()
        others = [batch for batch in self.batches if batch not in {*unknown, *changeable}]
        if not others:
            return
        own = self._outcome_of(others[0]) if others[0] in self._facts.index else ""
        is_cut_again = self.outcome == "accepted" and own in ("refused", "again")
        since = ", and its messages were cut into other batches since" if is_cut_again else ""
        listed = ", ".join(map(str, unknown[:_SHOWN])) or "none"
        raise UsageError(
            f"Batch {others[0]} is not unknown: it {_IS.get(own, 'does not exist')}{since}. Leave it out. "
            f"The unknown batches are: {listed}."
        )

    def _outcome_of(self, batch: int) -> str:
        """What this batch was settled as, or else its status."""
        is_again = self._facts["error"][batch] == ORDERED_AGAIN
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
