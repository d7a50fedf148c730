"""People who share a phone: left out, because another row has their number and another text."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan

_WHOSE_TEXT = {
    "accepted": "went out",
    "unknown": "may have gone out",
    "refused": "was refused",
    "not_sent": "has not gone out yet",
}


def rows_that_share(plan: Plan) -> Ints:
    """The rows of people who get nothing because their number is in another row with another text.

    Rows whose number was opted out are not among them: nobody is to be written to there.
    """
    rows = plan.addressing.alternatives["row"].unique()
    if not len(rows):
        return np.empty(0, np.int64)
    contacts, numbers = plan.contacts, plan.addressing.numbers
    places = contacts.index.get_indexer(pd.Index(rows))
    status = contacts["status"].to_numpy()
    opted_out = numbers[status == "opted_out"]
    left_out = (status[places] == "duplicate") & ~np.isin(numbers[places], opted_out[opted_out > 0])
    return np.asarray(rows[left_out], dtype=np.int64)


def reasons_of_shared(plan: Plan, rows: Ints, statuses: pd.Series[str]) -> pd.Series[str]:
    """For each of these rows why it got nothing: which row has its number, and what became of that one.

    `statuses` are those of all rows. A row whose number no message has any more is left out.
    """
    numbers = pd.Series(plan.addressing.numbers, index=plan.contacts.index).loc[pd.Index(rows)].astype("str")
    messages = plan.messages[["number", "row"]]
    owners = messages[messages["number"].isin(numbers)].drop_duplicates("number").set_index("number")["row"]
    owner = numbers.map(owners).dropna().astype("int64")
    fates = owner.map(statuses).map(_WHOSE_TEXT)
    return (
        "Shares a phone with row " + owner.astype("str") + ", whose text " + fates + ". To reach this person "
        "too, enter another number."
    )
