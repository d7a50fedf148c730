"""A text that is still being written: how long it would be in each row, and where that is too long."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, array_to_series
from campaign.contacts.contact_parts import RowsOfTable
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.contract import TEXT_LIMIT
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import as_integers
from campaign.messages.templates.campaign_texts import CampaignTexts, choose_campaign_texts
from campaign.messages.templates.rendering import Rendered

_ANY_SENDER = "SENDER"


def text_lengths(contacts: pd.DataFrame, message: str, *, whole: pd.DataFrame | None = None) -> pd.DataFrame:
    """The lengths of a message after filling it in, for every row; much faster than a whole `prepare`.

    `whole` is the table that the rows are from, if they are not all of it.

    Columns: characters (int32, UTF-16 units), parts (int32), text (str) and complete (bool, whether no value
    is missing or unreadable). The index is that of `contacts`. Values that are missing count as empty.

    Raises `TemplateError` as `prepare` does.
    """
    issues = IssueCollector(len(contacts))
    rendered = _render(contacts, message, whole, issues)
    lengths = rendered.lengths
    return pd.DataFrame(
        {
            "characters": lengths.units, "parts": lengths.parts,
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


def numbers_of(cells: "pd.Series[Any]", *, region: str | None, several: str) -> "pd.Series[int]":
    """The number of each row as an integer, 0 where there is none to send to."""
    numbers = as_integers(clean_numbers(cells, region=region, several=several)["number"])
    return pd.Series(numbers, index=cells.index)


def are_too_long(lengths: pd.DataFrame, numbers: "pd.Series[int]") -> Bools:
    """Which rows would get a text that is too long: they have a number and all values.

    `lengths` is what `text_lengths` makes of some rows, `numbers` has all rows of their table.
    """
    has_number = numbers.reindex(lengths.index).to_numpy() > 0
    is_long = lengths["characters"].to_numpy() > TEXT_LIMIT
    return np.asarray(has_number & lengths["complete"].to_numpy() & is_long)
