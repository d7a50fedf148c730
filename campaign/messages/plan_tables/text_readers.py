"""Which rows would get a text that is still being written."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.messages.recipients import as_integers, is_on_list
from campaign.messages.suppression.suppression_lists import SuppressionRules


def numbers_of(
    cells: "pd.Series[Any]", *, region: str | None, several: str, opt_outs: Any = None
) -> "pd.Series[int]":
    """The number of each row as an integer, 0 where there is none to send to.

    To those on a list of `opt_outs`, or on one of several, nothing is sent; what cannot be read has nobody
    on it.
    """
    numbers = as_integers(clean_numbers(cells, region=region, several=several)["number"])
    if opt_outs is not None:
        with suppress(CampaignError):
            opted_out = SuppressionRules.of(opt_outs, None).read([region]).opted_out
            numbers = np.where(is_on_list(numbers, opted_out), 0, numbers)
    return pd.Series(numbers, index=cells.index)


def are_too_long(lengths: pd.DataFrame, numbers: "pd.Series[int]") -> Bools:
    """Which rows would get a text that is too long: they have a number and all values.

    The arguments are those of `get_text`.
    """
    has_number = numbers.reindex(lengths.index).to_numpy() > 0
    is_long = lengths["characters"].to_numpy() > TEXT_LIMIT
    return np.asarray(has_number & lengths["complete"].to_numpy() & is_long)


def get_text(
    lengths: pd.DataFrame,
    numbers: "pd.Series[int]",
    *,
    every_text: bool,
    with_too_long: bool = True,
    preferred: Collection[int] = (),
) -> Bools:
    """Which rows get their text: they have a number and all values, and no row before them gets it there.

    `lengths` is what `text_lengths` makes of some rows, `numbers` has all rows of their table; the others
    count as having all values. With `every_text` a number gets each text once. Without `with_too_long` a text
    that is too long goes to nobody. `preferred` rows come before those with the same number.
    """
    values, places = numbers.to_numpy(), numbers.index.get_indexer(lengths.index)
    sendable = values > 0
    sendable[places] &= lengths["complete"].to_numpy()
    if not with_too_long:
        sendable[places] &= lengths["characters"].to_numpy() <= TEXT_LIMIT
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
