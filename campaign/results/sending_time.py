"""How long a campaign has been sending, over all its runs and rounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

_PATIENCE = 1.0  # seconds between two batches that a run under way may take, besides what its pace asks for


def seconds_spent(batches: pd.DataFrame, rates: Mapping[int, float | None]) -> float:
    """The seconds during which batches of a campaign were sent: no pauses, nothing between runs and rounds.

    `batches` is a frame like `Result.batches`, and `rates` has the messages a second that each round was
    limited to: to wait for the next place in the pace is a part of sending. The ledger keeps when each batch
    left, and not when a program began or paused.
    """
    left = batches.dropna(subset=["submitted_at"]).sort_values("submitted_at", kind="stable")
    if left.empty:
        return 0.0
    starts = left["submitted_at"].dt.as_unit("us").astype("int64").to_numpy() / 1e6
    ends = np.maximum.accumulate(starts + left["seconds"].fillna(0).to_numpy())
    idle = (starts[1:] - ends[:-1]).clip(0)
    limits = left["round"].map({number: rate or np.inf for number, rate in rates.items()}).fillna(np.inf)
    paced = (left["messages"] / limits).to_numpy()[:-1]
    rounds = left["round"].to_numpy()
    is_break = (idle > paced + _PATIENCE) | (rounds[1:] != rounds[:-1])
    return float(ends[-1] - starts[0] - idle[is_break].sum())
