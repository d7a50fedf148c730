"""How long a text would be in each row of a contact table, while it is still being written."""

import numpy as np
import pandas as pd

from campaign.arrow_text import array_to_series
from campaign.contacts.contact_parts import RowsOfTable
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.campaign_texts import choose_campaign_texts
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


def filled_in(contacts: pd.DataFrame, message: str, *, whole: pd.DataFrame | None = None) -> list[str]:
    """What a message becomes in each of a few rows, whether they can get it or not."""
    rendered = _render(contacts, message, whole, IssueCollector(len(contacts)))
    return [str(text) for text in rendered.texts.to_pylist()]


def _render(
    contacts: pd.DataFrame, message: str, whole: pd.DataFrame | None, issues: IssueCollector
) -> Rendered:
    rows = RowsOfTable.of(contacts, contacts if whole is None else whole)
    texts = choose_campaign_texts(rows, message, None, _ANY_SENDER, None, downgrade=True, as_written=False)
    return texts.render(contacts, issues)
