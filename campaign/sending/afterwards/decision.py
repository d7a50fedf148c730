"""What a person says of unknown batches: what became of them; or what one of them cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN
from campaign.errors import ConfirmationError, UsageError
from campaign.paths import seen_from_here
from campaign.results.calls_to_settle import batches_in_words
from campaign.results.totals import lack_their_cost
from campaign.sending.afterwards.earlier_decision import EarlierDecision, GivenCosts, cost_by_hand
from campaign.sending.afterwards.unknown_batches import evidence
from campaign.sending.ledger.ledger import Ledger, Move
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.folder import Folder
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted, money

NO_COST = "cost= is for a batch that was accepted, or that was ordered to be sent again before. Leave it out."


class Decision(Struct, frozen=True, dict=True):
    """What a person says of these batches, all the same; a cost is that of a single one."""

    place: Folder
    batches: tuple[int, ...]
    outcome: str
    confirm: str | None
    note: str
    cost: Decimal | None

    def made_before(self, contents: LedgerSnapshot) -> str:
        """A sentence if the same was decided before, as when a notebook is run again; else ""."""
        if self._settleable(contents) or self._lacks_this_cost(contents):
            return ""
        earlier = EarlierDecision.of(self.place.ledger_place, self.batches)
        if earlier is None or earlier.outcome != self.outcome:
            return ""
        phrases = [self._phrase(contents)]
        if self.cost is not None:
            phrases += [self._given_costs.phrase(self.cost), *self._given_costs.phrases_of(self.cost)]
        cost = self._facts(contents)["cost"].iloc[0]
        if self.cost in (None, cost):
            return earlier.sentence if self.confirm in (None, *phrases) else ""
        # A cost that was corrected since does not come back because its line is run again.
        was_given = self.cost is not None and self._given_costs.phrases_of(self.cost)
        if not was_given or self.confirm not in (phrases[0], *was_given):
            return ""
        return f"{earlier.sentence} Its cost was corrected since: it is {money(cost)}."

    def checked(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        """What settles the batches, or gives one its cost; raises where that cannot be."""
        if self._settleable(contents):
            return self._settlement(contents)
        if self._lacks_this_cost(contents):
            return self._pricing(contents)
        if self._corrects_cost(contents):
            return self._correction(contents)
        unknown = _unknown(contents)
        batch = next(batch for batch in self.batches if batch not in unknown)
        earlier = EarlierDecision.of(self.place.ledger_place, (batch,))
        if earlier is not None:
            raise UsageError(f"{earlier.sentence}{self._about_cost(contents)}")
        raise UsageError(f"Batch {batch} is not unknown. The unknown batches are: {_listed(unknown)}.")

    def about_correction(self, contents: LedgerSnapshot) -> str:
        """What this changes of a cost that was given before, in a sentence; "" where it gives none another.

        `contents` are those of the ledger before that.
        """
        if not self._corrects_cost(contents):
            return ""
        before = money(self._facts(contents)["cost"].iloc[0])
        return f"The cost of batch {self.batches[0]} is {money(self.cost)} now. It was {before}."

    def _about_cost(self, contents: LedgerSnapshot) -> str:
        """The end of a refusal, with what can be said of the cost where one was given."""
        if len(self.batches) > 1:
            return " That cannot be changed: leave it out of the list."
        facts = self._facts(contents).iloc[0]
        own = "again" if facts["error"] == ORDERED_AGAIN else "accepted"
        is_known = facts["cost"] is not None
        its_cost = f" Its cost is {money(facts['cost'])}." if is_known else ""
        if self.cost is None or (is_known and not self._given_costs.costs):
            told = its_cost if self.cost is not None else ""
            return f"{told} That cannot be changed: leave this line out."
        if self.outcome != own and facts["status"] != "refused":
            verb = "change" if is_known else "add"
            return f'{its_cost} That cannot be changed. To {verb} its cost, write "{own}" in this line.'
        return f"{its_cost} That cannot be changed: leave this line out."

    def _settleable(self, contents: LedgerSnapshot) -> bool:
        return set(self.batches) <= set(_unknown(contents))

    def _lacks_this_cost(self, contents: LedgerSnapshot) -> bool:
        """Whether the batch was settled as this says, and this gives the cost that it has not."""
        outcomes = contents.outcomes
        lacking = outcomes["batch"][lack_their_cost(outcomes) & self._are_settled_so(outcomes)]
        return self.cost is not None and set(self.batches) <= set(lacking)

    def _corrects_cost(self, contents: LedgerSnapshot) -> bool:
        """Whether the batch was settled as this says, and this gives another cost than a person gave before.

        What the service itself or its list named is not a person's to change.
        """
        facts = self._facts(contents)
        cost = facts["cost"].iloc[0] if len(facts) == 1 else None
        if self.cost is None or cost is None or cost == self.cost or self.outcome == "refused":
            return False
        is_settled_so = bool(self._are_settled_so(facts).all())
        return is_settled_so and self._given_costs.costs[-1:] == (money(cost),)

    def _are_settled_so(self, outcomes: pd.DataFrame) -> pd.Series[bool]:
        return (outcomes["error"] == ORDERED_AGAIN) == (self.outcome == "again")

    @cached_property
    def _given_costs(self) -> GivenCosts:
        """What people said before that the batch cost."""
        return GivenCosts.of(self.place.ledger_place, self.batches[0])

    def _facts(self, contents: LedgerSnapshot) -> pd.DataFrame:
        outcomes = contents.outcomes
        return outcomes[outcomes["batch"].isin(self.batches)]

    def _settlement(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        if self.cost is not None and self.outcome == "again":
            raise UsageError(NO_COST)
        at_cost = "" if self.cost is None else f" at a cost of {money(self.cost)}"
        purpose = f"settle {agreeing(len(self.batches), 'it', 'them')}{at_cost}"
        self._check_confirmed(
            self._phrase(contents), partial(evidence, self.place, contents, self.batches), purpose
        )
        facts: dict[str, Any] = {"note": self._said(self.outcome)}
        if self.cost is not None:
            facts["cost"] = self.cost
        errors = self._facts(contents).set_index("batch")["error"]
        moves = [
            Move(batch, self.outcome, facts | {"error": "" if self.outcome == "accepted" else errors[batch]})
            for batch in self.batches
        ]
        return partial(_record, moves)

    def _pricing(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        cost, said = self._confirmed_cost(contents, "and its cost is not known.", "give it"), self._said()
        return lambda ledger: ledger.record_cost(self.batches[0], cost, said)

    def _correction(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        before = self._facts(contents)["cost"].iloc[0]
        known = f"and its cost is {money(before)}: a person gave it."
        cost, said = self._confirmed_cost(contents, known, "correct it"), self._said(instead_of=money(before))
        return lambda ledger: ledger.record_cost(self.batches[0], cost, said, instead_of=before)

    def _confirmed_cost(self, contents: LedgerSnapshot, known: str, purpose: str) -> Decimal:
        """The cost of the single batch; `known` is what is known of it until now."""
        cost = self.cost
        assert cost is not None  # noqa: S101 - looked at by `checked`
        ((batch, messages),) = self._facts(contents)[["batch", "messages"]].itertuples(index=False)
        was = "accepted" if self.outcome == "accepted" else "ordered to be sent again"
        sentence = f"Batch {batch} ({counted(messages, 'message')}) was {was}, {known}"
        self._check_confirmed(self._given_costs.phrase(cost), lambda: sentence, purpose)
        return cost

    def _phrase(self, contents: LedgerSnapshot) -> str:
        """What a person types to settle these batches."""
        named = batches_in_words(self.batches, shown=None)
        if self.outcome != "again":
            return f"{named} {agreeing(len(self.batches), 'was', 'were')} {self.outcome}"
        messages = int(self._facts(contents)["messages"].sum())
        return f"send {named} again, {counted(messages, 'message')} may arrive twice"

    def _said(self, outcome: str = "", instead_of: str = "") -> str:
        """Who decided what, and why, as the journal and reports have it."""
        cost = "" if self.cost is None else cost_by_hand(self.cost, instead_of)
        first, *others = filter(None, [outcome, cost, self.note])
        return ", ".join([f"{user_name()}: {first}", *others])

    def _check_confirmed(self, phrase: str, question: Callable[[], str], purpose: str) -> None:
        if self.confirm != phrase:
            raise ConfirmationError(
                question(), phrase=phrase, purpose=purpose, call=self._call(phrase), given=self.confirm
            )

    def _call(self, phrase: str) -> str:
        """The lines that settle the batches, with the phrase, and show the result in a notebook."""
        texts = {"confirm": phrase, "note": self.note}
        given = [f"{name}={json.dumps(text, ensure_ascii=False)}" for name, text in texts.items() if text]
        if self.cost is not None:
            given.append(f"cost={self.cost}")
        folder = json.dumps(seen_from_here(self.place.path), ensure_ascii=False)
        which = str(self.batches[0] if len(self.batches) == 1 else [*self.batches])
        arguments = ", ".join([folder, which, json.dumps(self.outcome), *given])
        return f"result = campaign.resolve({arguments})\nresult"


def _record(moves: list[Move], ledger: Ledger) -> None:
    for refusal in ledger.commit(moves):
        if refusal is not None:
            raise refusal


def _unknown(contents: LedgerSnapshot) -> list[int]:
    return [one.batch for one in contents.batches if one.state == "unknown"]


def _listed(batches: list[int]) -> str:
    return ", ".join(map(str, batches[:20])) + (" …" if len(batches) > 20 else "") if batches else "none"
