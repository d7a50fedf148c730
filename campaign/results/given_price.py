"""The price of one SMS that a person gave a rehearsal, so that no report calls its cost made up.

Where a service named the cost, that is the cost: a price that somebody typed was an estimate.
"""

from __future__ import annotations

from copy import copy
from decimal import Decimal

from campaign.environments import words_for
from campaign.results.tables import Result


def with_given_price(result: Result, price: Decimal | None) -> Result:
    """The same result, whose reports name the price that its cost is at; as it was, where that is another."""
    has_made_up_costs = words_for(result.environment).has_made_up_costs
    if price is None or not has_made_up_costs or not _is_at_price(result, price):
        return result
    priced = copy(result)
    vars(priced)["given_price"] = price
    return priced


def _is_at_price(result: Result, price: Decimal) -> bool:
    """Whether every batch cost as much as its SMS parts do at this price.

    Batches some of whose messages are in no row of today's table are not looked at.
    """
    sizes = result.messages.groupby("batch")["parts"].agg(["size", "sum"])
    batches = result.batches.set_index("batch").join(sizes, how="inner")
    batches = batches[(batches["messages"] == batches["size"]) & batches["cost"].notna()]
    paid = batches[batches["status"] == "accepted"]
    return len(paid) > 0 and all(
        cost == price * parts for cost, parts in zip(paid["cost"], paid["sum"].tolist(), strict=True)
    )
