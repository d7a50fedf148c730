"""The costs of batches, shared out to groups of messages: to clinics, senders or countries."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

_DECIMALS = 2  # of a share that is no exact amount, such as a third of a cost


class CostShares(Struct, frozen=True, eq=False):
    """The cost of each group, and how many of its messages have none though they may have been charged.

    A cost is None where nothing is known of any message. The last group is what the batches have
    besides the messages of the others.
    """

    costs: Sequence[Decimal | None]
    unpriced: npt.NDArray[np.int64]


def share_costs(messages: pd.DataFrame, count: int, batches: pd.DataFrame) -> CostShares:
    """Share the costs of the batches out to `count` groups: all messages of a batch cost the same.

    `messages` has a row for each group with messages in a batch: group, place (of the batch in the table) and
    messages. The shares add up to the costs exactly: what cannot be divided goes to those who lose most by
    rounding.
    """
    pairs = _with_elsewhere(messages, count, batches)
    costs = batches["cost"].tolist()
    is_priced = np.array([isinstance(cost, Decimal) for cost in costs], dtype=bool)
    may_be_charged = batches["status"].isin(["accepted", "unknown"]).to_numpy() & ~is_priced
    unpriced = _add_up(pairs[may_be_charged[pairs["place"]]], count + 1)
    priced = pairs[is_priced[pairs["place"]]]
    shares = [Fraction(0)] * (count + 1)
    sizes = batches["messages"].tolist()
    for group, place, messages in priced.itertuples(index=False):
        shares[group] += Fraction(costs[place]) * messages / sizes[place]
    known = _add_up(priced, count + 1)
    rounded = _rounded(shares, [cost for cost in costs if isinstance(cost, Decimal)])
    return CostShares(
        [
            None if unknown and not sure else share
            for share, unknown, sure in zip(rounded, unpriced.tolist(), known.tolist(), strict=True)
        ],
        unpriced,
    )


def count_pairs(groups: npt.NDArray[np.int64], places: npt.NDArray[np.intp]) -> pd.DataFrame:
    """How many messages each group has in each batch, as `share_costs` takes it.

    `groups` has the group of each message, `places` the place of its batch.
    """
    size = int(places.max(initial=0)) + 1
    keys, messages = np.unique(groups * size + places, return_counts=True)
    return pd.DataFrame({"group": keys // size, "place": keys % size, "messages": messages})


def _with_elsewhere(pairs: pd.DataFrame, count: int, batches: pd.DataFrame) -> pd.DataFrame:
    """The pairs, and in the group after the last what the batches hold beyond the table."""
    in_table = np.bincount(pairs["place"].astype("int64"), weights=pairs["messages"], minlength=len(batches))
    elsewhere = (batches["messages"].to_numpy() - in_table.astype(np.int64)).clip(0)
    others = np.flatnonzero(elsewhere)
    return pd.DataFrame(
        {
            "group": np.concatenate([pairs["group"], np.full(len(others), count)]),
            "place": np.concatenate([pairs["place"], others]),
            "messages": np.concatenate([pairs["messages"], elsewhere[others]]),
        }
    ).astype("int64")


def _add_up(pairs: pd.DataFrame, count: int) -> npt.NDArray[np.int64]:
    """The messages of each group."""
    return np.bincount(pairs["group"], weights=pairs["messages"], minlength=count).astype(np.int64)


def _rounded(shares: Sequence[Fraction], costs: Sequence[Decimal]) -> list[Decimal]:
    """The shares with as many decimals as the costs have, or two where one is no such amount."""
    decimals = max([0, *(-_exponent(cost) for cost in costs)])
    if any((share * 10**decimals).denominator != 1 for share in shares):
        decimals = max(decimals, _DECIMALS)
    scaled = [share * 10**decimals for share in shares]
    units = [share.numerator // share.denominator for share in scaled]
    left = int(sum(scaled)) - sum(units)
    losses = sorted(range(len(shares)), key=lambda place: units[place] - scaled[place])
    for place in losses[:left]:
        units[place] += 1
    return [Decimal(unit).scaleb(-decimals) for unit in units]


def _exponent(cost: Decimal) -> int:
    exponent: Any = cost.as_tuple().exponent  # a word for NaN, which no cost is
    return int(exponent)
