"""What a person says of batches: what became of them; or what one of them cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property, partial

import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN
from campaign.errors import ConfirmationError, UsageError
from campaign.paths import seen_from_here
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.afterwards.earlier_decision import cost_by_hand, costs_given, earlier_decision
from campaign.sending.afterwards.settled_batches import rows_cut_again, settle, settled_outcomes
from campaign.sending.afterwards.unknown_batches import evidence
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted, money

_SHOWN = 20  # batches
NO_COST = "cost= is for a batch that was accepted, or that was ordered to be sent again before. Leave it out."


class Decision(Struct, frozen=True, dict=True):
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
        """A sentence if the same was decided before, as when a notebook is run again; else ""."""
        earlier = earlier_decision(self.place.ledger_place, self.batches, self.outcome)
        if not earlier or self.cost in (None, self._known_cost):
            return earlier
        # A cost that was corrected since does not come back because its line is run again.
        if money(self.cost) not in self._given_costs or self.confirm in (None, self._price_phrase):
            return ""
        return f"{earlier} Its cost was corrected since: it is {money(self._known_cost)}."

    def checked(self) -> Callable[[Ledger], None]:
        """What records the decision; raises where that cannot be, or where a person has to confirm it."""
        others = [batch for batch in self.batches if batch not in self._settleable]
        if not others:
            return self._settlement()
        if self._is_price:
            return self._pricing()
        raise UsageError(self._why_not(others[0]))

    def _settlement(self) -> Callable[[Ledger], None]:
        if self.cost is not None and self.outcome == "again":
            raise UsageError(NO_COST)
        at_cost = "" if self.cost is None else f" at a cost of {money(self.cost)}"
        purpose = f"settle {agreeing(len(self.batches), 'it', 'them')}{at_cost}"
        question = partial(evidence, self.place, self.contents, self.batches)
        self._check_confirmed(self._phrase, question, purpose)
        outcomes = dict.fromkeys(self.batches, self.outcome)
        costs = {} if self.cost is None else {self.batches[0]: self.cost}
        said = self._said(self.outcome)
        return lambda ledger: settle(ledger, self.contents, outcomes, costs, said)

    def _pricing(self) -> Callable[[Ledger], None]:
        before, cost = self._known_cost, self.cost
        purpose = "give it" if before is None else "correct it"
        self._check_confirmed(self._price_phrase, self._about_cost, purpose)
        assert cost is not None  # noqa: S101 - else it would be no price
        said = self._said()
        return lambda ledger: ledger.record_cost(self.batches[0], cost, said, instead_of=before)

    # --- what can be done ---

    @cached_property
    def _settleable(self) -> set[int]:
        """The batches that can be settled as this says: unknown ones, and those that a person has settled
        otherwise and that were accepted after all, while nothing of them was cut into another batch."""
        unknown = {one.batch for one in self.contents.batches if one.state == "unknown"}
        return unknown | (self._settled - self._cut_again if self.outcome == "accepted" else set())

    @cached_property
    def _settled(self) -> set[int]:
        return {*settled_outcomes(self.contents.outcomes).index} & {*self.batches}

    @cached_property
    def _cut_again(self) -> set[int]:
        record = CampaignRecord("", self.place.rounds(self.contents), self.contents)
        rows = rows_cut_again(record, pd.Index(sorted(self._settled)))
        return {*rows.loc[rows["again"] != "", "batch"]} | self._settled - {*rows["batch"]}

    @cached_property
    def _is_price(self) -> bool:
        """Whether the batch was settled as this says, and this gives a cost that it has not.

        What the service itself or its list named is not a person's to change.
        """
        before = self._known_cost
        if self.cost in (None, before) or self._own_outcome(self.batches[0]) != self.outcome:
            return False
        return before is None or self._given_costs[-1:] == [money(before)]

    def _own_outcome(self, batch: int) -> str:
        """What this batch was settled as, and would be given its cost as; "" for one that waits."""
        facts = self._facts.loc[batch] if batch in self._facts.index else {"status": "", "error": ""}
        return "again" if facts["error"] == ORDERED_AGAIN else str(facts["status"])

    @cached_property
    def _facts(self) -> pd.DataFrame:
        return self.contents.outcomes.set_index("batch")

    @cached_property
    def _known_cost(self) -> Decimal | None:
        """What the first batch cost, as far as that is known."""
        cost: Decimal | None = self._facts["cost"].get(self.batches[0])
        return cost

    @cached_property
    def _given_costs(self) -> list[str]:
        """What people said before that the batch cost."""
        return costs_given(self.place.ledger_place, self.batches[0])

    def _why_not(self, batch: int) -> str:
        """Why this batch cannot be settled so, and what can be done."""
        earlier = earlier_decision(self.place.ledger_place, (batch,))
        if not earlier:
            unknown = [one.batch for one in self.contents.batches if one.state == "unknown"]
            listed = ", ".join(map(str, unknown[:_SHOWN])) or "none"
            return f"Batch {batch} is not unknown. The unknown batches are: {listed}."
        is_priced = self.cost is not None and self._known_cost is not None
        its_cost = f" Its cost is {money(self._known_cost)}." if is_priced else ""
        is_late = self.outcome == "accepted" and batch in self._settled
        since = ": its messages were cut into other batches since" if is_late else ""
        own, verb = self._own_outcome(batch), "change" if is_priced else "add"
        way = f'To {verb} its cost, write "{own}" in this line.'
        if self.cost is None or own in ("refused", self.outcome):
            way = f"Leave {agreeing(len(self.batches), 'this line out', 'it out of the list')}."
        return f"{earlier}{its_cost} That cannot be changed{since}. {way}"

    # --- what is asked, and what is kept ---

    @property
    def _phrase(self) -> str:
        """What a person types to settle these batches."""
        named = batches_in_words(self.batches, shown=None)
        if self.outcome != "again":
            return f"{named} {agreeing(len(self.batches), 'was', 'were')} {self.outcome}"
        messages = int(self._facts.loc[[*self.batches], "messages"].sum())
        return f"send {named} again, {counted(messages, 'message')} may arrive twice"

    @property
    def _price_phrase(self) -> str:
        """What a person types to give the batch this cost.

        A correction names what it replaces, and the second one its number: so no phrase of an earlier one
        gives the batch its old cost back when a notebook is run again.
        """
        given = self._given_costs
        instead = f", not {given[-1]}" if given else ""
        number = f", correction {len(given)}" if len(given) > 1 else ""
        return f"batch {self.batches[0]} cost {money(self.cost)}{instead}{number}"

    def _about_cost(self) -> str:
        batch, cost = self.batches[0], self._known_cost
        messages = counted(int(self._facts["messages"][batch]), "message")
        was = "accepted" if self.outcome == "accepted" else "ordered to be sent again"
        known = "is not known." if cost is None else f"is {money(cost)}: a person gave it."
        return f"Batch {batch} ({messages}) was {was}, and its cost {known}"

    def _said(self, outcome: str = "") -> str:
        """Who decided what, and why, as the journal and reports have it."""
        cost = "" if self.cost is None else cost_by_hand(self.cost, self._known_cost)
        return f"{user_name()}: {', '.join(filter(None, [outcome, cost, self.note]))}"

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
