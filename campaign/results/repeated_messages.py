"""Messages that may arrive twice, because a person ordered their batches to be sent again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, array_to_series, series_to_array
from campaign.messages.text.folding import folded

# What such a message is: its text has left once more, or waits to, because the service refused it, say.
REPEATED, TO_REPEAT = "repeated", "to_repeat"


def kinds_of_repeated(
    ordered: pd.DataFrame, own: pd.DataFrame, texts_of: Callable[[Ints], pd.DataFrame | None]
) -> pd.Series[str]:
    """Which of these kinds the messages are whose batches were ordered to be sent again.

    Left out are those for whose number the table has another text, or it is not known. `ordered` has these
    messages (number, batch), `own` those of the table (number, batch, and status if they have left), and
    `texts_of` reads the texts of the messages of some batches.
    """
    is_later = own["number"].isin(ordered["number"]) & ~own["batch"].isin(ordered["batch"])
    own, keys = own.loc[is_later, ["number", "batch", "status"]], ["number", "batch"]
    if own.empty or (texts := texts_of(np.union1d(ordered["batch"], own["batch"]))) is None:
        return pd.Series([], dtype="str")
    texts = texts.assign(message=array_to_series(folded(series_to_array(texts["message"])), texts.index))
    sent = ordered[keys].rename_axis("place").reset_index().merge(texts, on=keys)
    pairs = sent.merge(own.merge(texts, on=keys)[["number", "message", "status"]], on=["number", "message"])
    has_left = pairs["status"].notna().groupby(pairs["place"]).any()
    return has_left.map({True: REPEATED, False: TO_REPEAT}).astype("str")
