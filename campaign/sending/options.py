"""How a campaign is sent: the options of `send`, checked once before anything is written or leaves."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from campaign.contract import BATCH_LIMIT
from campaign.errors import UsageError
from campaign.sending import valves

Money = Decimal | float | str


@dataclass(frozen=True, slots=True)
class Policy:
    """How fast, how far and when to hold; checked once, before anything is written or sent."""

    concurrency: int
    rate: float | None
    budget: valves.Budget
    hours: valves.Hours | None
    max_unknown: int
    batch_size: int
    canary: bool

    @classmethod
    def of(
        cls,
        concurrency: int,
        rate: float | None,
        budget: valves.Budget | Money | None,
        hours: valves.Hours | str | None,
        max_unknown: int,
        batch_size: int = BATCH_LIMIT,
        canary: bool = True,
    ) -> Policy:
        """The options as the user gave them; raises `UsageError` for one that cannot be meant."""
        if not 1 <= concurrency <= 256:
            raise UsageError(f"concurrency is {concurrency}; it can be 1 to 256 requests at a time.")
        if max_unknown < 1:
            raise UsageError(
                f"max_unknown is {max_unknown}; the run pauses at that many unknown batches: 1 or more."
            )
        if not 1 <= batch_size <= BATCH_LIMIT:
            raise UsageError(f"batch_size is {batch_size}; it can be 1 to {BATCH_LIMIT} messages.")
        valves.Pace(rate)
        window = None if hours is None else valves.Hours.of(hours)
        return cls(concurrency, rate, valves.Budget.of(budget), window, max_unknown, batch_size, canary)

    def valves(self, canary: bool) -> list[valves.Valve]:
        chosen: list[valves.Valve] = [
            valves.Funds(), valves.Credentials(), valves.Reach(), valves.Unknown(self.max_unknown),
            valves.Breaker(), self.budget,
        ]  # fmt: skip
        if canary:
            chosen.append(valves.Canary())
        if self.hours is not None:
            chosen.append(self.hours)
        return chosen
