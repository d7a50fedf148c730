"""How long a campaign has been sending, over all its runs and rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

# From when on (UTC) a campaign was limited to how many messages a second, in order; None for no limit.
Paces = Sequence[tuple[str, float | None]]
Seconds = npt.NDArray[np.floating[Any]]
_PATIENCE = 1.0  # seconds between two batches that a run under way may take, besides what its pace asks for


def seconds_spent(batches: pd.DataFrame, rates: Mapping[int, float | None], paces: Paces = ()) -> float:
    """The seconds during which batches of a campaign were sent: no pauses, nothing between runs and rounds.

    `batches` is a frame like `Result.batches`, and `rates` has the messages a second that each round was
    limited to: to wait for the next place in the pace is a part of sending. `paces` are those of its runs, as
    far as they are known. The ledger keeps when each batch left, and not when a program began or paused.
    """
    left = batches[batches["submitted_at"].notna()].sort_values("submitted_at", kind="stable")
    if left.empty:
        return 0.0
    starts = left["submitted_at"].dt.as_unit("us").astype("int64").to_numpy() / 1e6
    ends = np.maximum.accumulate(starts + left["seconds"].fillna(0).to_numpy())
    idle = (starts[1:] - ends[:-1]).clip(0)
    by_round = left["round"].map({number: rate or np.inf for number, rate in rates.items()}).fillna(np.inf)
    paced = (left["messages"].to_numpy() / _limits(starts, by_round.to_numpy(), paces))[:-1]
    rounds = left["round"].to_numpy()
    is_break = (idle > paced + _PATIENCE) | (rounds[1:] != rounds[:-1])
    return float(ends[-1] - starts[0] - idle[is_break].sum())


def _limits(starts: Seconds, by_round: Seconds, paces: Paces) -> Seconds:
    """The messages a second that each batch was limited to when it left: by its run, or else by its round."""
    since = [datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() for at, _ in paces]
    run = np.searchsorted(np.array(since), starts, side="right") - 1
    by_run = np.array([*(rate or np.inf for _, rate in paces), np.inf])
    return np.where(run < 0, by_round, by_run[run])
