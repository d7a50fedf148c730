"""Which rows would get a text that is still being written."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.messages.recipients import as_integers


def numbers_of(cells: "pd.Series[Any]", *, region: str | None, several: str) -> "pd.Series[int]":
    """The number of each row as an integer, 0 where there is none to send to."""
    cleaned = clean_numbers(cells, region=region, several=several)
    return pd.Series(as_integers(cleaned["number"]), index=cells.index)


def get_text(
    lengths: pd.DataFrame, numbers: "pd.Series[int]", *, every_text: bool, preferred: Collection[int] = ()
) -> Bools:
    """Which rows get their text: they have a number and all values, and no row before them gets it there.

    `lengths` is what `text_lengths` makes of some rows, `numbers` has all rows of their table; the others
    count as having all values. With `every_text` a number gets each text once. `preferred` rows come before
    those with the same number.
    """
    values, places = numbers.to_numpy(), numbers.index.get_indexer(lengths.index)
    sendable = values > 0
    sendable[places] &= lengths["complete"].to_numpy()
    rows = np.flatnonzero(sendable)
    if len(preferred):
        rows = rows[np.argsort(~numbers.index[rows].isin(preferred), kind="stable")]
    table = pd.DataFrame({"number": values[rows]}, index=rows)
    table = table[table["number"].duplicated(keep=False)]
    if every_text:
        texts = lengths["text"].set_axis(places)
        table = table.loc[table.index.isin(places)].assign(text=texts)
    sendable[table.index[table.duplicated()]] = False
    return np.asarray(sendable[places])
