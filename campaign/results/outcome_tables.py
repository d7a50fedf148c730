"""The messages and the rows of a plan, joined with what came of their batches."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contract import SETTLED_BY, STATUSES
from campaign.results.reached_earlier import ReachedEarlier

# A row that was sent as several messages gets the status that most needs attention.
WORST_FIRST = ("unknown", "refused", "not_sent", "accepted")

# What became of rows, in words: the statuses, and three that a status does not tell. Reached before: by
# another campaign, or as a list says (`not_again`). Reached earlier: in an earlier round of this one.
SHARING_A_PHONE, REACHED_BEFORE = "sharing a phone", "reached before"
OUTCOMES = (*STATUSES, SHARING_A_PHONE, REACHED_BEFORE, "reached earlier")

_REASONS = {
    "unknown": "The request may have reached the service, and no readable answer came.",
    "refused": "The service refused the batch.",
    "not_sent": "Not sent yet.",
    "accepted": "",
}


def by_urgency(batches: pd.DataFrame, planned: Ints) -> npt.NDArray[np.int64]:
    """The positions of batches in the order in which people look at them, each kind with the newest first.

    Unknown and refused ones, those that a person has settled, accepted ones, those that were not sent, and at
    the end what was refused or not sent and whose messages are all in later batches: `planned` counts those
    that are in no later one.
    """
    status = batches["status"]
    is_left_behind = status.isin(["refused", "not_sent"]) & (planned == 0)
    is_settled = batches["error"].str.startswith(SETTLED_BY)
    kinds = [is_left_behind, status == "unknown", status == "refused", is_settled, status == "accepted"]
    urgency = np.select([kind.to_numpy() for kind in kinds], [5, 0, 1, 2, 3], 4)
    return np.lexsort([-batches["batch"].to_numpy(), urgency])


def final_statuses(
    planned: pd.Series[str], rows: Ints, batches: pd.DataFrame, places: npt.NDArray[np.intp]
) -> pd.Series[str]:
    """The final status of each row of a plan; `rows` has that of each message, whose batch is at its place.

    No text is read for it, so that a large table is counted in a fraction of the time and memory.
    """
    ranks = pd.Categorical(batches["status"], categories=WORST_FIRST).codes.astype(np.int64)
    worst = np.full(len(planned), len(WORST_FIRST), np.int64)
    np.minimum.at(worst, planned.index.get_indexer(pd.Index(rows)), ranks.take(places))
    outcomes = np.array([*WORST_FIRST, ""], dtype=object)
    has_message = worst < len(WORST_FIRST)
    return planned.where(~has_message, pd.Series(outcomes.take(worst), index=planned.index, dtype="str"))


def outcomes_of(
    statuses: pd.Series[str], sharing: Ints, left_out: Ints, reached: ReachedEarlier | None
) -> pd.Series[str]:
    """What became of rows with these statuses, as one of `OUTCOMES`.

    `sharing` are the rows of people who share a phone, `left_out` those that `not_again` leaves out, and
    `reached` says who was reached in an earlier round.
    """
    outcomes = statuses.astype("str")  # a copy
    outcomes[outcomes.index.isin(left_out)] = REACHED_BEFORE
    outcomes[outcomes.index.isin(sharing)] = SHARING_A_PHONE
    if reached is not None:
        outcomes[outcomes.index.isin(reached.doubtful)] = "unknown"
        outcomes[outcomes.index.isin(reached.rows)] = "reached earlier"
    return outcomes


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
    contacts: pd.DataFrame,
    status: pd.Series[str],
    messages: pd.DataFrame,
    batches: pd.DataFrame,
    places: npt.NDArray[np.intp],
    batch_of_excluded: npt.NDArray[np.int64],
) -> pd.DataFrame:
    """The rows with status, reason, batch and code: `status` is that of `final_statuses`, and `messages` are
    those of `join_messages`.
    """
    reasons = _reasons(batches).array.take(places)
    outcomes = messages[["row", "status", "batch", "code"]].assign(reason=reasons)
    by_row = worst_by_row(outcomes).reindex(contacts.index)
    has_message = by_row["status"].notna()
    batch, code = by_row["batch"].astype("Int64"), by_row["code"].fillna("")
    reason = contacts["reason"].where(~has_message, by_row["reason"])
    reached = batch_of_excluded > 0
    if reached.any():
        reason = _with_earlier_messages(reason, status, batches, batch_of_excluded)
        codes = batches.set_index("batch")["code"].reindex(batch_of_excluded[reached])
        batch[reached], code[reached] = batch_of_excluded[reached], codes.to_numpy()
    return contacts.assign(
        status=status,
        reason=reason,
        batch=batch,
        code=code,
    )


def _with_earlier_messages(
    reasons: pd.Series[str],
    status: pd.Series[str],
    batches: pd.DataFrame,
    batch_of_excluded: npt.NDArray[np.int64],
) -> pd.Series[str]:
    """The reasons in which whoever wants no messages by now is said to have got one before, or perhaps."""
    states = batches.set_index("batch")["status"].reindex(batch_of_excluded)
    numbers = pd.Series(batch_of_excluded, reasons.index).astype("str")
    for state, verb in (("accepted", "was"), ("unknown", "may have been")):
        sentences = reasons + f" This number {verb} reached before, by batch " + numbers + "."
        chosen = (status == "opted_out").to_numpy() & (states == state).to_numpy()
        reasons = reasons.mask(chosen, sentences)
    return reasons


def worst_by_row(messages: pd.DataFrame) -> pd.DataFrame:
    """One message for each row of the file, by row: of several, the one that most needs attention."""
    if not messages["row"].is_unique:
        rank = pd.Categorical(messages["status"], categories=WORST_FIRST).codes
        order = np.lexsort((rank, messages["row"].to_numpy()))
        messages = messages.take(order).drop_duplicates("row")
    return messages.set_index("row")


def _reasons(batches: pd.DataFrame) -> pd.Series[str]:
    """The reason for the status of each batch: the service's error, or else what the status means."""
    meanings = batches["status"].map(_REASONS).astype("str")
    without_error = (batches["error"] == "") | (batches["status"] == "accepted")
    return batches["error"].where(~without_error, meanings)


def _shares(costs: pd.Series[Any], messages: pd.Series[int]) -> npt.NDArray[np.object_]:
    """The cost of one message in each batch: the batch's cost divided by its messages."""
    shares = np.empty(len(costs), dtype=object)
    shares[:] = [
        None if not isinstance(cost, Decimal) else cost / count
        for cost, count in zip(costs, messages.tolist(), strict=True)
    ]
    return shares
