"""To whom and from whom a campaign has sent: also what earlier rounds sent and the table does not have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from campaign.results.recorded import read_recorded
from campaign.results.tables import Result


def sent_messages(result: Result) -> Iterator[pd.DataFrame]:
    """The messages of a result part by part: number, sender, and place of the batch in the table of batches.

    A batch that left with more messages than the table has of it is told as its round has recorded it: a row
    that was corrected in a follow-up file has another number in the table, or none. Where that was erased,
    only the messages of the table are told.
    """
    batches = result.batches
    has_left = batches["status"].isin(["accepted", "unknown"]).to_numpy()
    is_fuller = has_left & (batches["messages"].to_numpy() > result.messages_by_batch)
    numbers = batches["batch"].to_numpy()
    recorded = read_recorded(result.recorded, numbers[is_fuller], "sender") if is_fuller.any() else None
    for part in result.parts():
        messages = part.messages[["number", "sender"]].assign(place=part.places)
        yield messages if recorded is None else messages[~is_fuller[part.places]]
    if recorded is not None:
        places = np.searchsorted(numbers, recorded["batch"].to_numpy())
        yield recorded.assign(number=recorded["number"].astype("str"), place=places)
