"""What a person says of unknown batches: what became of them; or what one of them cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN
from campaign.errors import ConfirmationError, UsageError
from campaign.paths import seen_from_here
from campaign.results.calls_to_settle import batches_in_words
from campaign.results.totals import lack_their_cost
from campaign.sending.afterwards.earlier_decision import EarlierDecision
from campaign.sending.afterwards.evidence import evidence
from campaign.sending.ledger.ledger import Ledger, Move
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.folder import Folder
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted, money

NO_COST = "cost= is for a batch that was accepted, or that was ordered to be sent again before. Leave it out."


class Decision(Struct, frozen=True):
    """What a person says of these batches, all the same; a cost is that of a single one."""

    place: Folder
    batches: tuple[int, ...]
    outcome: str
    confirm: str | None
    note: str
    cost: Decimal | None

    def made_before(self, contents: LedgerSnapshot) -> str:
        """A sentence if the same was decided before, as when a notebook is run again; else ""."""
        if self._can_be_made(contents):
            return ""
        earlier = EarlierDecision.of(self.place.ledger_place, self.batches)
        if earlier is None or earlier.outcome != self.outcome:
            return ""
        phrases = [None, self._phrase(contents)]
        if self.cost is not None:
            phrases.append(self._phrase_of_cost)
        if self.confirm not in phrases or self.cost not in (None, self._facts(contents)["cost"].iloc[0]):
            return ""
        return earlier.sentence

    def checked(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        """What settles the batches, or gives one its cost; raises where that cannot be."""
        if self._settleable(contents):
            return self._settlement(contents)
        if self._lacks_this_cost(contents):
            return self._pricing(contents)
        unknown = _unknown(contents)
        batch = next(batch for batch in self.batches if batch not in unknown)
        earlier = EarlierDecision.of(self.place.ledger_place, (batch,))
        if earlier is not None:
            raise UsageError(f"{earlier.sentence}{self._about_cost(contents)}")
        raise UsageError(f"Batch {batch} is not unknown. The unknown batches are: {_listed(unknown)}.")

    def _about_cost(self, contents: LedgerSnapshot) -> str:
        """The end of a refusal, with what can be said of the cost where one was given."""
        if len(self.batches) > 1:
            return " That cannot be changed: leave it out of the list."
        facts = self._facts(contents).iloc[0]
        if self.cost is not None and facts["cost"] is not None:
            return f" Its cost is {money(facts['cost'])}. That cannot be changed: leave this line out."
        if self.cost is not None and facts["error"] == ORDERED_AGAIN:
            return ' That cannot be changed. To add its cost, write "again" in this line.'
        return " That cannot be changed: leave this line out."

    def _can_be_made(self, contents: LedgerSnapshot) -> bool:
        return self._settleable(contents) or self._lacks_this_cost(contents)

    def _settleable(self, contents: LedgerSnapshot) -> bool:
        return set(self.batches) <= set(_unknown(contents))

    def _lacks_this_cost(self, contents: LedgerSnapshot) -> bool:
        """Whether the batch was settled as this says, and this gives the cost that it has not."""
        outcomes = contents.outcomes
        is_settled_so = (outcomes["error"] == ORDERED_AGAIN) == (self.outcome == "again")
        lacking = outcomes["batch"][lack_their_cost(outcomes) & is_settled_so]
        return self.cost is not None and set(self.batches) <= set(lacking)

    def _facts(self, contents: LedgerSnapshot) -> pd.DataFrame:
        outcomes = contents.outcomes
        return outcomes[outcomes["batch"].isin(self.batches)]

    def _settlement(self, contents: LedgerSnapshot) -> Callable[[Ledger], None]:
        if self.cost is not None and self.outcome == "again":
            raise UsageError(NO_COST)
        purpose = f"settle {agreeing(len(self.batches), 'it', 'them')}"
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
        ((batch, messages),) = self._facts(contents)[["batch", "messages"]].itertuples(index=False)
        cost, said = self.cost, self._said()
        assert cost is not None  # noqa: S101 - looked at by `checked`
        was = "accepted" if self.outcome == "accepted" else "ordered to be sent again"
        sentence = f"Batch {batch} ({counted(messages, 'message')}) was {was}, and its cost is not known."
        self._check_confirmed(self._phrase_of_cost, lambda: sentence, "give it")
        return lambda ledger: ledger.record_cost(batch, cost, said)

    def _phrase(self, contents: LedgerSnapshot) -> str:
        """What a person types to settle these batches."""
        named = batches_in_words(self.batches, shown=None)
        if self.outcome != "again":
            return f"{named} {agreeing(len(self.batches), 'was', 'were')} {self.outcome}"
        messages = int(self._facts(contents)["messages"].sum())
        return f"send {named} again, {counted(messages, 'message')} may arrive twice"

    @property
    def _phrase_of_cost(self) -> str:
        named = batches_in_words(self.batches)
        return f"{named} cost {'' if self.cost is None else money(self.cost)}"

    def _said(self, outcome: str = "") -> str:
        """Who decided what, and why, as the journal and reports have it."""
        cost = "" if self.cost is None else f"cost {money(self.cost)} given by hand"
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
