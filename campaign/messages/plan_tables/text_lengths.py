"""A text that is still being written: how long it would be in each row, which rows would get it, and which
values are lost where it is cut.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, array_to_series
from campaign.contacts.contact_parts import RowsOfTable
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import TEXT_LIMIT
from campaign.errors import CampaignError
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import are_among, as_integers
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.messages.templates.campaign_texts import CampaignTexts, choose_campaign_texts
from campaign.messages.templates.rendering import Rendered

_ANY_SENDER = "SENDER"


def text_lengths(contacts: pd.DataFrame, message: str, *, whole: pd.DataFrame | None = None) -> pd.DataFrame:
    """The lengths of a message after filling it in, for every row; much faster than a whole `prepare`.

    `whole` is the table that the rows are from, if they are not all of it.

    Columns: characters (int32, UTF-16 units), plain (bool, whether the GSM-7 alphabet is enough), parts
    (int32), text (str) and complete (bool, whether no value is missing or unreadable). The index is that of
    `contacts`. Values that are missing count as empty.

    Raises `TemplateError` as `prepare` does.
    """
    issues = IssueCollector(len(contacts))
    rendered = _render(contacts, message, whole, issues)
    lengths = rendered.lengths
    return pd.DataFrame(
        {
            "characters": lengths.units, "plain": np.logical_not(lengths.ucs2), "parts": lengths.parts,
            "text": array_to_series(rendered.texts, contacts.index), "complete": issues.sendable,
        },
        index=contacts.index,
    )  # fmt: skip


def _render(
    contacts: pd.DataFrame, message: str, whole: pd.DataFrame | None, issues: IssueCollector
) -> Rendered:
    texts = _texts(contacts, contacts if whole is None else whole, message, None)
    return texts.render(contacts, issues)


def _texts(
    rows: pd.DataFrame, whole: pd.DataFrame, message: str | Mapping[str, str], language: str | None
) -> CampaignTexts:
    table = RowsOfTable.of(rows, whole)
    return choose_campaign_texts(
        table, message, language, _ANY_SENDER, None, downgrade=True, as_written=False
    )


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
            numbers = np.where(are_among(numbers, opted_out), 0, numbers)
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
