"""The valve that keeps a campaign within a budget."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import cast

from campaign.argument_checks import check_amount, check_count
from campaign.public_calls import public_call, public_class
from campaign.results.totals import cost_in_words
from campaign.sending.engine.hold import Hold
from campaign.sending.engine.tally import Size, Snapshot, Tally
from campaign.text import counted, rounded_up
from campaign.words.finding import Finding


@public_class
@dataclass(frozen=True, slots=True)
class Budget:
    """A limit for what a campaign costs, over its whole life. `Budget()` lifts one.

    Parameters
    ----------
    cost
        Cost units at most.
    messages
        Messages at most.

    Raises
    ------
    UsageError
        An amount or a number cannot be meant.

    Notes
    -----
    A batch is paid for in advance: what is under way, unknown, or accepted without a readable cost counts
    at the highest price of an SMS part so far. Until there is a price, batches go out one at a time, the
    first one whatever it costs. More is spent only where the service raises its price: then the run ends at
    once. A batch whose cost cannot be read pauses it.

    Examples
    --------
    >>> campaign.Budget(cost=20_000, messages=500)
    Budget(cost=Decimal('20000'), messages=500)
    """

    cost: Decimal | None = None
    messages: int | None = None

    def __post_init__(self) -> None:
        if self.cost is not None:
            object.__setattr__(self, "cost", _amount(self.cost))
        if self.messages is not None:
            object.__setattr__(self, "messages", _limit(self.messages))

    @classmethod
    @public_call
    def of(cls, budget: Budget | Decimal | float | str | None) -> Budget:
        """A budget as the user gave it: a number is cost units."""
        if isinstance(budget, Budget):
            return budget
        return cls() if budget is None else cls(_amount(budget))

    @classmethod
    def from_record(cls, record: str) -> Budget:
        """A budget of what `record` wrote; "" is one without a limit."""
        return cls(**json.loads(record)) if record else cls()

    @property
    def record(self) -> str:
        """The budget as the ledger keeps it."""
        return json.dumps({"cost": None if self.cost is None else str(self.cost), "messages": self.messages})

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        return self._look_at_messages(tally, batch) or self._look_at_cost(tally, batch)

    def _look_at_messages(self, tally: Tally, batch: Size | None) -> Hold | None:
        if self.messages is None or batch is None or tally.committed + batch.messages <= self.messages:
            return None
        return self._end(tally, "message_budget_reached", self.messages, patient=True)

    def _look_at_cost(self, tally: Tally, batch: Size | None) -> Hold | None:
        if self.cost is None:
            return None
        if tally.accepted_here and tally.spending.price_per_part is None:
            return self._end(tally, "no_costs", self.cost)
        if tally.unpriced_batches:
            return Hold(Finding("cost_unreadable", {"budget": self.cost}))
        if tally.in_flight and tally.committed_cost > self.cost:
            return self._end(tally, "price_raised", self.cost)
        if batch is None:
            return None
        # A price of nothing may be that of a free trial: it reserves nothing for what comes after it.
        no_price = not tally.spending.price_per_part and tally.in_flight
        if no_price or _is_full(self.cost, tally.cost, tally.cost_with(batch.parts)):
            return self._end(tally, "budget_reached", self.cost, patient=True)
        return None

    def _end(self, tally: Tally, code: str, budget: Decimal | int, *, patient: bool = False) -> Hold:
        """End the run; the facts name a budget that is large enough at the price so far, if there is one."""
        is_priced = bool(tally.spending.price_per_part)
        enough = self._cost_of_all(tally) if is_priced else None
        facts = {"currency": tally.currency, "spent": tally.cost, "budget": budget, "enough": enough}
        if isinstance(budget, int):
            facts = {"budget": budget, "enough": self._messages_of_all(tally)}
        option = self._for_the_rest(tally)
        finding = Finding(code, {**facts, "option": option})
        return Hold(finding, final=True, patient=patient, needs_change=True, option=option)

    def _messages_of_all(self, tally: Tally) -> int:
        """How many messages the whole campaign may send."""
        return max(tally.committed + tally.waiting + tally.refused, self.messages or 0)

    def _cost_of_all(self, tally: Tally) -> Decimal:
        """What the whole campaign may cost, at the price so far."""
        return max(rounded_up(tally.cost_of_all), self.cost or Decimal(0))

    def _for_the_rest(self, tally: Tally) -> str:
        """The option of `resume` with which all that is left fits, at the price so far."""
        messages = self._messages_of_all(tally)
        if self.cost is None or tally.spending.price_per_part is None:
            return f"budget=campaign.Budget(messages={messages})"
        cost = self._cost_of_all(tally)
        if self.messages is None:
            return f"budget={cost}"
        return f"budget=campaign.Budget(cost={cost}, messages={messages})"


def _is_full(limit: Decimal, cost: Decimal, cost_with_batch: Fraction) -> bool:
    """Whether a limit has no room for a batch, after what was spent."""
    return cost_with_batch > limit or cost >= limit


def expected_cost(counts: Snapshot, budget: Budget) -> Decimal | None:
    """What the campaign will have cost when its budget ends the run, or when all is sent."""
    if budget.cost is None or counts.expected_cost is None:
        return counts.expected_cost
    return max(counts.cost, min(counts.expected_cost, budget.cost))


def share_of_rest(counts: Snapshot, budget: Budget) -> float:
    """Which share of what is left is sent before the budget ends the run: 0 to 1."""
    shares, rest, cost = [1.0], counts.waiting + counts.in_flight, counts.expected_cost
    if budget.messages is not None and rest:
        shares.append((budget.messages - counts.accepted - counts.unknown) / rest)
    if budget.cost is not None and cost is not None and cost > max(budget.cost, counts.cost):
        shares.append(float((budget.cost - counts.cost) / (cost - counts.cost)))
    return max(0.0, min(shares))


def budget_in_words(budget: Budget, currency: str) -> str:
    """A budget as a person says it: "UGX 500", "8 messages" or both with "and"; "" without a limit.

    `currency` is the account's, "" if it was not given.
    """
    cost = "" if budget.cost is None else cost_in_words(budget.cost, currency=currency)
    messages = "" if budget.messages is None else counted(budget.messages, "message", "messages")
    return " and ".join(filter(None, (cost, messages)))


def _amount(cost: object) -> Decimal:
    """Cost units as the user gave them: a number, or a text with one."""
    check_amount(cost, subject="budget", write="budget=5000 in cost units, or Budget(messages=1000)")
    return Decimal(str(cost))


def _limit(messages: object) -> int:
    check_count(messages, subject="messages", write="Budget(messages=1000)", least=0)
    return int(cast("int", messages))
