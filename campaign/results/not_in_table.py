"""What a campaign has sent, and no row of today's table names by number and batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Protocol

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import CampaignError
from campaign.results.cost_shares import count_pairs, share_costs
from campaign.results.result_part import ResultPart

COLUMNS = {"round": "int64", "batch": "int64", "number": "str", "text": "str"}
_PAIR = ["number", "batch"]
_NOTHING = pd.DataFrame({name: [] for name in COLUMNS}).astype(COLUMNS)


class Recorded(Protocol):
    """Reads whom the messages of some batches were for: columns number, batch and row, which is the row of
    then, and further columns of text that are asked for; None where that is not known."""

    def __call__(self, batches: Ints, *texts: str) -> pd.DataFrame | None: ...


def nothing_recorded(batches: Ints, *texts: str) -> None:
    """What a plan without a campaign folder knows of messages that are not its own."""


def read_recorded(recorded: Recorded, batches: Ints, *texts: str) -> pd.DataFrame | None:
    """What is recorded of these batches, None where it is not known any more."""
    try:
        return recorded(batches, *texts)
    except CampaignError:  # taken away since this was loaded: how many they are is still known
        return None


class NotInTable(Struct, frozen=True, eq=False):
    """The messages of accepted and unknown batches that no row of the table names by number and batch.

    `cost` is None where it is not known of any, and of `unpriced` ones it is not. `messages` has a line for
    each: round, batch, number and text; it is empty where they are not known.
    """

    count: int = 0
    cost: Decimal | None = Decimal(0)
    unpriced: int = 0
    messages: pd.DataFrame = _NOTHING


def excluded_rows(parts: Callable[[], Iterable[ResultPart]], batches: pd.DataFrame) -> pd.DataFrame:
    """The rows without a message that name one by number and batch which no other row names: columns row,
    number, and batch."""
    rows = pd.concat([part.excluded for part in parts()]).drop_duplicates(_PAIR)
    rows = rows[batches["status"].isin(["accepted", "unknown"]).to_numpy()[_places(rows["batch"], batches)]]
    if rows.empty:
        return rows
    are_asked = np.zeros(len(batches), dtype=bool)
    are_asked[_places(rows["batch"], batches)] = True
    return _without(rows, pd.concat([part.messages_in(are_asked) for part in parts()]))


def not_in_table(
    parts: Callable[[], Iterable[ResultPart]],
    batches: pd.DataFrame,
    messages_by_batch: Ints,
    excluded: pd.DataFrame,
    recorded: Recorded,
) -> NotInTable:
    """Find these messages. `batches` are those of a `Result`, of which the table has so many messages each,
    and `excluded` are the `excluded_rows`.

    Nothing is read where the batches hold no more messages than the table names.
    """
    named = np.bincount(_places(excluded["batch"], batches), minlength=len(batches))
    others = batches["messages"].to_numpy() - messages_by_batch - named
    others = np.where(batches["status"].isin(["accepted", "unknown"]), others, 0).clip(0)
    if not others.any():
        return NotInTable()
    known = read_recorded(recorded, batches["batch"].to_numpy()[others > 0], "message")
    if known is None:
        return _priced(np.repeat(np.arange(len(batches)), others), batches, _NOTHING)
    own = [part.messages_in(others > 0) for part in parts()]
    left = _without(known, pd.concat([*own, excluded[_PAIR]]))
    places = _places(left["batch"], batches)
    rounds = batches["round"].to_numpy()[places]
    messages = left.assign(round=rounds).rename(columns={"message": "text"})[[*COLUMNS]].astype(COLUMNS)
    return _priced(places, batches, messages.reset_index(drop=True))


def _priced(places: Ints, batches: pd.DataFrame, messages: pd.DataFrame) -> NotInTable:
    """The messages with what they cost; `places` has that of the batch of each."""
    shares = share_costs(count_pairs(np.zeros(len(places), np.int64), places), 1, batches)
    return NotInTable(len(places), shares.costs[0], int(shares.unpriced[0]), messages)


def _places(numbers: pd.Series[int], batches: pd.DataFrame) -> Ints:
    return np.searchsorted(batches["batch"].to_numpy(), numbers.to_numpy(dtype=np.int64))


def _without(messages: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
    """The messages whose number and batch are not among the named ones."""
    found = messages.merge(named[_PAIR].drop_duplicates(), on=_PAIR, how="left", indicator="found")
    return found.loc[(found["found"] == "left_only").to_numpy(dtype=bool), [*messages.columns]]
