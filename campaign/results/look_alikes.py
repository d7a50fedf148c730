"""Rows whose numbers look like others once they are masked: 0772 000 017 and 0772 000 517 do."""

from __future__ import annotations

import pandas as pd

from campaign.masking import mask_numbers
from campaign.messages.plan import Plan


def rows_that_look_like(plan: Plan, masked: pd.Series[str]) -> pd.Series[int]:
    """For each masked number the first row of a plan whose own number looks like it; missing for none."""
    wanted, found = masked.unique(), [pd.Series([], index=pd.Index([], dtype="str"), dtype="int64")]
    for part in plan.parts():
        numbers = pd.Series(part.numbers)
        shown = mask_numbers(numbers.astype("str").set_axis(part.status.index))[(numbers > 0).to_numpy()]
        near = shown[shown.isin(wanted)].drop_duplicates()
        found.append(pd.Series(near.index, index=near.array))
    rows = pd.concat(found)
    return masked.map(rows[~rows.index.duplicated()])
