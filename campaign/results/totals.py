"""The counts of a result: rows by final status, and what the sending cost."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

from campaign.messages.totals import Totals


class ResultTotals(Totals):
    """The totals of the plan with the final statuses, and of the sending `batches` and `cost`. Immutable.

    `cost` is the sum of what the service named, in its own units; None when it named nothing for batches that
    it may have charged. `unpriced` is the number of such batches: with any, `cost` is a lower bound.
    """

    __slots__ = ("_batches", "_cost", "_unpriced")

    def __init__(
        self,
        statuses: Mapping[str, int],
        *,
        batches: int = 0,
        cost: Decimal | None = None,
        unpriced: int = 0,
        **figures: Any,
    ) -> None:
        super().__init__(statuses, **figures)
        self._batches = batches
        self._cost = cost
        self._unpriced = unpriced

    @classmethod
    def of(cls, planned: Totals, statuses: "pd.Series[str]", batches: pd.DataFrame) -> "ResultTotals":
        """Count the final statuses of the rows, and add up the batches."""
        named = [cost for cost in batches["cost"] if isinstance(cost, Decimal)]
        charged = batches["status"].isin(["accepted", "unknown"]) & batches["cost"].isna()
        cost = None if charged.any() and not named else sum(named, Decimal(0))
        figures = {name: value for name, value in planned.as_record().items() if name != "statuses"}
        counts = {str(status): int(count) for status, count in statuses.value_counts().items()}
        return cls(counts, batches=len(batches), cost=cost, unpriced=int(charged.sum()), **figures)

    @property
    def batches(self) -> int:
        return self._batches

    @property
    def cost(self) -> Decimal | None:
        return self._cost

    @property
    def unpriced(self) -> int:
        return self._unpriced
