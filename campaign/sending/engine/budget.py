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

_IN_FORCE = "a budget stays in force until you give another one, also for rows that you correct later."


@public_class
@dataclass(frozen=True, slots=True)
class Budget:
    """Ends the run before a campaign costs more than `cost` units or sends more than `messages` messages.

    A batch is paid for in advance: what is under way, unknown, or accepted without a readable cost counts at
    the highest price of one SMS part seen so far, earlier runs included. When the next batch does not fit,
    it waits for the answers to those under way, since they may make room. Until there is a price, batches go
    out one at a time, and the first one whatever it costs: one message with the canary, else a whole batch.
    So a budget that is smaller than its cost is exceeded by it.

    What is under way can only exceed the budget when the service raises its price: then the run ends at once.
    A batch whose cost cannot be read pauses it, because what was spent is no longer known.

    It stays in force for the campaign until another one is given; `Budget()`, which has no limit, lifts it.

    Raises `UsageError` for an amount or a number that cannot be meant.
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
        return Hold(
            f"The next batch would exceed the budget of {counted(self.messages, 'message', 'messages')}. "
            f"Resume with a larger budget to send the rest; {_IN_FORCE}",
            final=True,
            patient=True,
            needs_change=True,
            option=self._for_the_rest(tally),
        )

    def _look_at_cost(self, tally: Tally, batch: Size | None) -> Hold | None:
        if self.cost is None:
            return None
        if tally.accepted_here and tally.spending.price_per_part is None:
            return Hold(
                "The service names no cost that can be read, so a budget in cost units cannot be kept. "
                "Resume with a budget of messages, for example Budget(messages=1000).",
                final=True,
                needs_change=True,
                option=self._for_the_rest(tally),
            )
        if tally.unpriced_batches:
            return Hold(
                "A cost cannot be read, so the budget cannot be kept. Check what it cost, then resume."
            )
        costs = (cost_in_words(cost, currency=tally.currency) for cost in (tally.cost, self.cost))
        spent = f"{' of '.join(costs)} are spent"
        if tally.in_flight and tally.committed_cost > self.cost:
            return Hold(
                f"The service raised its price, so what is under way may exceed the budget: {spent}. "
                f"{self._larger(tally)}",
                final=True,
                needs_change=True,
                option=self._for_the_rest(tally),
            )
        if batch is None:
            return None
        # A price of nothing may be that of a free trial: it reserves nothing for what comes after it.
        no_price = not tally.spending.price_per_part and tally.in_flight
        if no_price or _is_full(self.cost, tally.cost, tally.cost_with(batch.parts)):
            is_exceeded = tally.cost > self.cost
            what = "The budget is exceeded" if is_exceeded else "The next batch would exceed the budget"
            return Hold(
                f"{what}: {spent}{_needs(tally, batch)}. {self._larger(tally)}",
                final=True,
                patient=True,
                needs_change=True,
                option=self._for_the_rest(tally),
            )
        return None

    def _larger(self, tally: Tally) -> str:
        """What to do about a budget in cost units that is too small, with the one that is large enough."""
        price = tally.spending.price_per_part
        enough = cost_in_words(self._cost_of_all(tally), currency=tally.currency)
        budget = f"a budget of {enough}" if price else "a larger budget"
        return f"Resume with {budget} to send the rest; {_IN_FORCE}"

    def _cost_of_all(self, tally: Tally) -> Decimal:
        """What the whole campaign may cost, at the price so far."""
        return max(rounded_up(tally.cost_of_all), self.cost or Decimal(0))

    def _for_the_rest(self, tally: Tally) -> str:
        """The option of `resume` with which all that is left fits, at the price so far."""
        messages = tally.committed + tally.waiting + tally.refused
        if self.messages is not None:
            messages = max(messages, self.messages)
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


def _needs(tally: Tally, batch: Size) -> str:
    """How much the budget has to hold besides what is spent, as the end of a sentence; "" without a price."""
    price = tally.spending.price_per_part
    if not price:
        return ""
    reserved = tally.committed_cost - Fraction(tally.cost)
    unknown, next_cost = (_in_words(cost, tally.currency) for cost in (reserved, price * batch.parts))
    others = f", what has no known cost may cost {unknown}" if reserved else ""
    parts = counted(batch.parts, "SMS part")
    return f"{others}, and the next batch ({parts}) may cost {next_cost}"


def _in_words(cost: Fraction, currency: str) -> str:
    return cost_in_words(Decimal(cost.numerator) / Decimal(cost.denominator), currency=currency)


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
