"""The numbers of batches: which of all a table shows, and why some are skipped."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.text import counted, listed_words

_LISTED = 5


def which_batches(batches: pd.DataFrame) -> str:
    """Which of all batches a table has that leaves out the end of these, as `markup.table` has to know."""
    return "last" if batches["batch"].is_monotonic_decreasing else ""


def skipped_numbers(batches: pd.DataFrame) -> str:
    """Why a table of all batches has no batch of some number, as a sentence; "" if it skips none."""
    numbers = batches["batch"].to_numpy()
    skipped = np.setdiff1d(np.arange(1, numbers.max(initial=0)), numbers)
    if not len(skipped):
        return ""
    if len(skipped) > _LISTED:
        which = f"The {counted(len(skipped), 'batch', 'batches')} whose numbers are skipped here"
    else:
        which = f"{'Batch' if len(skipped) == 1 else 'Batches'} {listed_words(map(str, skipped))}"
    return f"{which} never left: a later round put what was still to be sent into new batches."
