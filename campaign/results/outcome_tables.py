"""The messages and the rows of a plan, joined with what came of their batches."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.arrow_text import Bools, Ints, array_to_series, replace_where, series_to_array
from campaign.service.wire import refusal_of
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

# A row that was sent as several messages gets the status that most needs attention.
WORST_FIRST = ("unknown", "refused", "not_sent", "accepted")

_CODES = {
    "unknown": "row_unknown", "refused": "row_refused", "not_sent": "row_not_sent",
    "settled": "row_settled_as_refused",
}  # fmt: skip
_REASONS = {status: PYTHON.headline(Finding(code)) for status, code in _CODES.items()} | {"accepted": ""}


def by_urgency(batches: pd.DataFrame, planned: Ints) -> npt.NDArray[np.int64]:
    """The positions of batches in the order in which people look at them, each kind with the newest first.

    Unknown and refused ones, those that a person has settled, accepted ones, those that were not sent, and at
    the end what was refused or not sent and whose messages are all in later batches: `planned` counts those
    that are in no later one.
    """
    status = batches["status"]
    is_left_behind = status.isin(["refused", "not_sent"]) & (planned == 0)
    is_settled = batches["why"] == "batch_settled"
    kinds = [is_left_behind, status == "unknown", status == "refused", is_settled, status == "accepted"]
    urgency = np.select([kind.to_numpy() for kind in kinds], [5, 0, 1, 2, 3], 4)
    return np.lexsort([-batches["batch"].to_numpy(), urgency])


def places_of_rows(count: int, positions: Ints, places: Ints, batches: pd.DataFrame) -> Ints:
    """For each of so many rows the place of the batch of its worst message, -1 where it has none.

    `positions` has the row of each message, and `places` that of its batch.
    """
    of_rows = np.full(count, -1)
    ranks = pd.Categorical(batches["status"], categories=WORST_FIRST).codes
    best_first = np.argsort(ranks[places], kind="stable")[::-1]
    of_rows[positions[best_first]] = places[best_first]  # the last assignment stands
    return of_rows


def texts_of_rows(
    planned: pd.Series[str], has_batch: Bools, of_batches: pd.Series[str], places: Ints
) -> pd.Series[str]:
    """The text of the batch of each row that has one, and what was planned for the others."""
    of_rows = series_to_array(of_batches).take(places[has_batch])
    if len(of_rows) < len(planned):
        of_rows = replace_where(series_to_array(planned), has_batch, of_rows)
    return array_to_series(of_rows, planned.index)


def join_messages(
    messages: pd.DataFrame, batches: pd.DataFrame, places: npt.NDArray[np.intp]
) -> pd.DataFrame:
    """The messages with the status, batch, code and share of the cost of the batch at each of the places."""
    shares = _shares(batches["cost"], batches["messages"])
    return messages.assign(
        status=batches["status"].array.take(places),
        batch=batches["batch"].array.take(places),
        code=batches["code"].array.take(places),
        cost_share=shares.take(places),
    )


def join_contacts(
    contacts: pd.DataFrame, status: pd.Series[str], batches: pd.DataFrame, is_joined: Bools, places: Ints
) -> pd.DataFrame:
    """The rows with status, why, reason, batch and code; `places` are those of `places_of_rows`.

    A row without a message has the place of the batch that reached its number, and its own reason.
    """
    has_batch = places >= 0
    numbers = np.append(batches["batch"].to_numpy(), 0)[places]  # 0 at -1
    nothing = pd.Series("", index=contacts.index, dtype="str")
    return contacts.assign(
        status=status,
        why=texts_of_rows(contacts["why"], is_joined, _why_of(batches), places),
        reason=texts_of_rows(contacts["reason"], is_joined, _reasons(batches), places),
        batch=pd.arrays.IntegerArray(numbers, ~has_batch),
        code=texts_of_rows(nothing, has_batch, batches["code"], places),
    )


def _why_of(batches: pd.DataFrame) -> pd.Series[str]:
    """Why the rows of each batch have its status, as a code: which kind of refusal it was, else ""."""
    codes = pd.Series("", index=batches.index, dtype="str")
    errors = batches.loc[batches["status"] == "refused", "error"]
    codes[errors.index] = errors.map({error: f"refused_{refusal_of(error)}" for error in errors.unique()})
    codes[_are_refused_by_hand(batches)] = "refused_by_hand"
    return codes


def _are_refused_by_hand(batches: pd.DataFrame) -> pd.Series[bool]:
    return (batches["status"] == "refused") & (batches["why"] == "batch_settled")


def _reasons(batches: pd.DataFrame) -> pd.Series[str]:
    """The reason for the status of each batch: its error, or else what the status means."""
    by_hand = _are_refused_by_hand(batches)
    meanings = batches["status"].mask(by_hand, "settled").map(_REASONS).astype("str")
    without_error = (batches["error"] == "") | (batches["status"] == "accepted") | by_hand
    return batches["error"].where(~without_error, meanings)


def _shares(costs: pd.Series[Any], messages: pd.Series[int]) -> npt.NDArray[np.object_]:
    """The cost of one message in each batch: the batch's cost divided by its messages."""
    shares = np.empty(len(costs), dtype=object)
    shares[:] = [
        None if not isinstance(cost, Decimal) else cost / count
        for cost, count in zip(costs, messages.tolist(), strict=True)
    ]
    return shares
