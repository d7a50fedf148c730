"""`resolve`: a person settles a batch whose fate is unknown."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Literal

from campaign.argument_checks import check_amount, check_choice, check_count, check_path, check_text
from campaign.contract import ORDERED_AGAIN
from campaign.errors import ConfirmationError, UsageError
from campaign.paths import seen_from_here
from campaign.public_calls import public_call
from campaign.results.advice import ADVICE
from campaign.results.tables import Result
from campaign.results.totals import lack_their_cost
from campaign.sending.afterwards.earlier_decision import EarlierDecision
from campaign.sending.afterwards.evidence import evidence
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import LedgerSnapshot, snapshot
from campaign.sending.options import Money, Place
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.runs_here import is_held_here
from campaign.sending.store.user_state import user_name
from campaign.text import counted, money

_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_OUTCOMES = ("accepted", "refused", "again")
_NO_COST = (
    "cost= is for a batch that was accepted, or that was ordered to be sent again before. Leave it out."
)


@public_call
def resolve(
    folder: Place,
    batch: int,
    outcome: Literal["accepted", "refused", "again"],
    *,
    confirm: str | None = None,
    note: str = "",
    cost: Money | None = None,
) -> Result:
    """Settle a batch whose fate is unknown, after you have found out what became of it.

    `outcome` is "accepted" (the service has it), "refused" (the service does not have it), or "again": nobody
    knows, and `resume` is to send it once more, so that people may get it twice. In a closed campaign, only
    sending the plan again does that. `confirm` is the phrase that the error shows together with the evidence;
    `note` says how you know. The journal keeps who decided, when and why; reports say so beside the batch.
    `cost` is what the service charged for an accepted batch, if you know it: a number in the account's units,
    which counts as the cost of the batch from then on. It can be given later, too, once, to any batch without
    one that was accepted, or that was ordered to be sent again ("again" once more): that changes no outcome.

    Run again, a line that settled a batch only says so. Raises `ConfirmationError` with the evidence and the
    phrase, `UsageError` for a batch that is not unknown or was settled otherwise, `LockedError` while a run
    is under way. One that a valve holds in this process is ended once the phrase is given.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_count(batch, subject="batch", write="the number of one batch, for example batch=2")
    batch = int(batch)  # one of numpy's cannot be looked up
    check_choice(outcome, _OUTCOMES, subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    if cost is not None:
        check_amount(cost, subject="cost", write="cost=350, what the service charged for the batch")
        if outcome == "refused":
            raise UsageError(_NO_COST)
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    decision = _Decision(place, batch, outcome, confirm, note, None if cost is None else Decimal(str(cost)))
    contents = place.snapshot()
    if sentence := decision.made_before(contents):
        result = place.load_result()
        waits = result.totals["not_sent"] and not contents.is_closed and not result.open_in
        return place.load_result(sentence=f"{sentence} {ADVICE['not_sent']}" if waits else sentence)
    if is_held_here(place):
        decision.checked(contents)  # a question must not end the run
    with opened_ledger(place) as ledger:
        record = decision.checked(snapshot(place.ledger_place))
        record(ledger)
    return place.load_result()


@dataclass(frozen=True)
class _Decision:
    """What a person says of a batch: what became of it, or what it cost."""

    place: Folder
    batch: int
    outcome: str
    confirm: str | None
    note: str
    cost: Decimal | None

    def made_before(self, contents: LedgerSnapshot) -> str:
        """A sentence if the same was decided before, as when a notebook is run again; else ""."""
        if self._can_be_made(contents):
            return ""
        earlier = EarlierDecision.of(self.place.ledger_place, self.batch)
        if earlier is None or earlier.outcome != self.outcome:
            return ""
        facts = self._facts(contents)
        phrases = [None, _phrase(self.batch, facts["messages"], self.outcome)]
        if self.cost is not None:
            phrases.append(self._phrase_of_cost)
        if self.confirm not in phrases or self.cost not in (None, facts["cost"]):
            return ""
        return earlier.sentence

    def checked(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        """What settles the batch, or gives an accepted one its cost; raises where that cannot be."""
        if self._settleable(contents):
            return self._settlement(contents)
        if self._lacks_this_cost(contents):
            return self._pricing(contents)
        earlier = EarlierDecision.of(self.place.ledger_place, self.batch)
        if earlier is not None:
            raise UsageError(f"{earlier.sentence}{self._about_cost(contents)}")
        unknown = [one.batch for one in contents.batches if one.state == "unknown"]
        raise UsageError(f"Batch {self.batch} is not unknown. The unknown batches are: {_listed(unknown)}.")

    def _about_cost(self, contents: LedgerSnapshot) -> str:
        """The end of a refusal, with what can be said of the cost where one was given."""
        facts = self._facts(contents)
        if self.cost is not None and facts["cost"] is not None:
            return f" Its cost is {money(facts['cost'])}. That cannot be changed: leave this line out."
        if self.cost is not None and facts["error"] == ORDERED_AGAIN:
            return ' That cannot be changed. To add its cost, write "again" in this line.'
        return " That cannot be changed: leave this line out."

    def _can_be_made(self, contents: LedgerSnapshot) -> bool:
        return self._settleable(contents) or self._lacks_this_cost(contents)

    def _settleable(self, contents: LedgerSnapshot) -> bool:
        return any(one.batch == self.batch and one.state == "unknown" for one in contents.batches)

    def _lacks_this_cost(self, contents: LedgerSnapshot) -> bool:
        """Whether the batch was settled as this says, and this gives the cost that it has not."""
        outcomes = contents.outcomes
        is_settled_so = (outcomes["error"] == ORDERED_AGAIN) == (self.outcome == "again")
        lacking = outcomes["batch"][lack_their_cost(outcomes) & is_settled_so]
        return self.cost is not None and self.batch in set(lacking)

    def _facts(self, contents: LedgerSnapshot) -> dict[Hashable, Any]:
        outcomes = contents.outcomes
        return outcomes[outcomes["batch"] == self.batch].to_dict("records")[0]

    def _settlement(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        if self.cost is not None and self.outcome == "again":
            raise UsageError(_NO_COST)
        facts = self._facts(contents)
        phrase = _phrase(self.batch, facts["messages"], self.outcome)
        self._check_confirmed(phrase, partial(evidence, self.place, contents, self.batch), "settle it")
        values: dict[str, Any] = {} if self.cost is None else {"cost": self.cost}
        error = "" if self.outcome == "accepted" else facts["error"]
        note = self._said(self.outcome)
        return lambda ledger: ledger.move(self.batch, self.outcome, error=error, note=note, **values)

    def _pricing(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        cost = self.cost
        assert cost is not None  # noqa: S101 - looked at by `checked`
        messages = counted(self._facts(contents)["messages"], "message")
        was = "accepted" if self.outcome == "accepted" else "ordered to be sent again"
        sentence = f"Batch {self.batch} ({messages}) was {was}, and its cost is not known."
        self._check_confirmed(self._phrase_of_cost, lambda: sentence, "give it")
        return lambda ledger: ledger.record_cost(self.batch, cost, self._said())

    @property
    def _phrase_of_cost(self) -> str:
        return f"batch {self.batch} cost {'' if self.cost is None else money(self.cost)}"

    def _said(self, outcome: str = "") -> str:
        """Who decided what, and why, as the journal and reports have it."""
        cost = "" if self.cost is None else f"cost {money(self.cost)} given by hand"
        first, *others = filter(None, [outcome, cost, self.note])
        return ", ".join([f"{user_name()}: {first}", *others])

    def _check_confirmed(self, phrase: str, question: Callable[[], str], purpose: str) -> None:
        if self.confirm != phrase:
            call = _call(self.place, self.batch, self.outcome, phrase, self.note, self.cost)
            raise ConfirmationError(question(), phrase=phrase, purpose=purpose, call=call, given=self.confirm)


def _phrase(batch: int, messages: int, outcome: str) -> str:
    """What a person types to settle a batch."""
    if outcome != "again":
        return f"batch {batch} was {outcome}"
    return f"send batch {batch} again, {counted(messages, 'message')} may arrive twice"


def _call(place: Folder, batch: int, outcome: str, phrase: str, note: str, cost: Money | None) -> str:
    """The lines that settle a batch, with the phrase, and show the result in a notebook."""
    texts = {"confirm": phrase, "note": note}
    given = [f"{name}={json.dumps(text, ensure_ascii=False)}" for name, text in texts.items() if text]
    if cost is not None:
        given.append(f"cost={cost}")
    folder = json.dumps(seen_from_here(place.path), ensure_ascii=False)
    return (
        f"result = campaign.resolve({', '.join([folder, str(batch), json.dumps(outcome), *given])})\nresult"
    )


def _listed(batches: list[int]) -> str:
    return ", ".join(map(str, batches[:20])) + (" …" if len(batches) > 20 else "") if batches else "none"
