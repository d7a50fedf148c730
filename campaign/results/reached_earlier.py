"""People who were reached earlier in the campaign, though their row has a mistake today."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan

REASON = (
    "The row gets nothing, but its number was reached earlier in the campaign. Correct the row in your own "
    "spreadsheet too."
)


def rows_reached_earlier(plan: Plan, batches: pd.DataFrame, batch_of_excluded: Ints) -> Ints:
    """The invalid rows whose number was accepted in an earlier round, as after a follow-up file was sent.

    Where several rows have the number it is not known which of them was reached, so none of them counts.
    """
    accepted = batches.loc[batches["status"] == "accepted", "batch"].to_numpy()
    is_reached = np.isin(batch_of_excluded, accepted[accepted > 0])
    if not is_reached.any():
        return np.empty(0, np.int64)
    contacts, numbers = plan.contacts, plan.addressing.numbers
    distinct, counts = np.unique(numbers[numbers > 0], return_counts=True)
    is_reached &= (contacts["status"] == "invalid").to_numpy() & np.isin(numbers, distinct[counts == 1])
    return contacts.index.to_numpy(dtype=np.int64)[is_reached]
