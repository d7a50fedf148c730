"""The counts of a result: rows by final status, and what the sending cost."""

from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from campaign.messages.totals import Totals


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ResultTotals(Totals):
    """The totals of the plan with the final statuses, and the `batches` and `cost` of sending. Immutable.

    `cost` is the sum of the costs that the service reported, in its own units; None if it reported none for
    batches that it may have charged. `unpriced` counts those batches: with any, `cost` is a lower bound.
    """

    batches: int = 0
    cost: Decimal | None = None
    unpriced: int = 0

    @classmethod
    def of(cls, planned: Totals, statuses: "pd.Series[str]", batches: pd.DataFrame) -> "ResultTotals":
        """Count the final statuses of the rows, and add up the batches."""
        costs = [cost for cost in batches["cost"] if isinstance(cost, Decimal)]
        unpriced = batches["status"].isin(["accepted", "unknown"]) & batches["cost"].isna()
        cost = None if unpriced.any() and not costs else sum(costs, Decimal(0))
        figures = {name: value for name, value in planned.as_record().items() if name != "statuses"}
        counts = {str(status): int(count) for status, count in statuses.value_counts().items()}
        return cls(counts, batches=len(batches), cost=cost, unpriced=int(unpriced.sum()), **figures)
