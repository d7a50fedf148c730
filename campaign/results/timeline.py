"""When the batches of a campaign left: how many messages were accepted by when, and when nothing was sent."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.results.sent_rounds import as_counted

_SHORTEST = timedelta(seconds=10)  # a shorter gap is nothing that a reader looks for
_TIMES_USUAL = 5  # a slow pace has long waits between batches, and they are no pauses


class Gap(Struct, frozen=True):
    """A time in which nothing was under way. `round` is the one that began at its end, 0 within a round."""

    start: datetime
    end: datetime
    round: int

    @property
    def length(self) -> timedelta:
        return self.end - self.start


class Timeline(Struct, frozen=True, eq=False):
    """The batches that left, by time.

    `accepted` has the messages accepted by each moment (index: UTC). `first` and `last` are when the first
    batch left and when the last answer came.
    """

    first: datetime
    last: datetime
    accepted: pd.Series[int]
    gaps: tuple[Gap, ...]

    @classmethod
    def of(cls, batches: pd.DataFrame) -> Timeline | None:
        """The timeline of `Result.batches`; None when nothing has left."""
        batches = as_counted(batches)
        sent = batches[batches["submitted_at"].notna() & batches["status"].isin(["accepted", "unknown"])]
        if sent.empty:
            return None
        sent = sent.sort_values("submitted_at", kind="stable")
        starts = sent["submitted_at"]
        ends = starts + pd.to_timedelta(sent["seconds"].fillna(0), unit="s")
        is_accepted = sent["status"] == "accepted"
        by_end = sent["messages"].where(is_accepted, 0).set_axis(pd.DatetimeIndex(ends)).sort_index()
        accepted = by_end.groupby(level=0).sum().cumsum()
        return cls(
            starts.iloc[0].to_pydatetime(),
            ends.max().to_pydatetime(),
            accepted,
            _gaps(starts, ends, sent["round"]),
        )

    @property
    def length(self) -> timedelta:
        return self.last - self.first

    @property
    def pauses(self) -> tuple[Gap, ...]:
        """The gaps inside a round; between two rounds nothing was to be sent, so that is no pause."""
        return tuple(gap for gap in self.gaps if not gap.round)

    @property
    def total(self) -> int:
        return int(self.accepted.iloc[-1])


def _gaps(
    starts: pd.Series[pd.Timestamp], ends: pd.Series[pd.Timestamp], rounds: pd.Series[int]
) -> tuple[Gap, ...]:
    """The gaps: between two rounds every one, in a round those that are long for its pace."""
    idle_since = ends.cummax().shift()
    begins_round = rounds.ne(rounds.shift())
    usual = starts.diff()[~begins_round].median()
    shortest = max(_SHORTEST, _TIMES_USUAL * usual) if pd.notna(usual) and len(starts) > 3 else _SHORTEST
    is_gap = (starts - idle_since).ge(shortest) | (begins_round & starts.gt(idle_since))
    places = np.flatnonzero(is_gap.to_numpy())
    numbers = rounds.to_numpy()
    return tuple(
        Gap(
            idle_since.iloc[place].to_pydatetime(),
            starts.iloc[place].to_pydatetime(),
            int(numbers[place]) if numbers[place] != numbers[place - 1] else 0,
        )
        for place in places
    )
