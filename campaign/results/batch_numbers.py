"""The numbers of batches: which of all a table shows, which say nothing, and why some are skipped."""

from __future__ import annotations

import pandas as pd

from campaign.text import counted, listed_words

_LISTED = 5


def which_batches(batches: pd.DataFrame) -> str:
    """Which of all batches a table has that leaves out the end of these, as `markup.table` has to know."""
    return "last" if batches["batch"].is_monotonic_decreasing else ""


def without_unsent(batches: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The batches without those of which there is nothing to say but that they were not sent, and a sentence
    about these; "" where there is one at most."""
    is_unsent = (batches["status"] == "not_sent") & (batches["error"] == "")
    unsent = batches[is_unsent]
    if len(unsent) < 2:
        return batches, ""
    numbers = unsent["batch"].sort_values()
    spans = [
        str(group.iloc[0]) if len(group) == 1 else f"{group.iloc[0]}–{group.iloc[-1]}"
        for _, group in numbers.groupby(numbers.diff().ne(1).cumsum())
    ]
    which = f": {listed_words(spans)}" if len(spans) <= _LISTED else ""
    messages = counted(int(unsent["messages"].sum()), "message")
    return batches[~is_unsent], f"{len(unsent):,} batches, with {messages}, were not sent{which}."
