"""Which values of a spreadsheet are lost where texts are cut."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, series_to_array
from campaign.contacts.contact_parts import RowsOfTable
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.campaign_texts import CampaignTexts, choose_campaign_texts
from campaign.messages.templates.template import Placeholder, Template
from campaign.messages.text.segments import measure
from campaign.values import replace

_ANY_SENDER = "SENDER"


def values_cut_off(
    contacts: pd.DataFrame,
    cut: "pd.Series[str]",
    message: str | Mapping[str, str],
    language: str | None,
    *,
    ellipsis: str = "...",
) -> dict[str, "pd.Index[Any]"]:
    """The rows that lose a value of a column to the cut, by column, in the order of the text.

    `cut` has the cut text of some rows of `contacts`, each ending in `ellipsis`; `message` and `language` are
    those of `prepare`. A value is lost if the text ends before it or within it; the first one of its column
    in a text counts.
    """
    rows = contacts.loc[cut.index]
    texts = choose_campaign_texts(
        RowsOfTable.of(rows, contacts), message, language, _ANY_SENDER, None, downgrade=True, as_written=False
    )
    kept = measure(series_to_array(cut)).units - len(ellipsis)
    columns = dict.fromkeys(one.column for text in texts.texts.values() for one in text.placeholders)
    lost = {}
    for column in columns:
        start, end = (_units_up_to(column, texts, rows, including=including) for including in (False, True))
        lost[column] = cut.index[(end > start) & (end > kept)]
    return {column: index for column, index in lost.items() if len(index)}


def _units_up_to(column: str, texts: CampaignTexts, rows: pd.DataFrame, *, including: bool) -> Ints:
    """How long each text is up to the first value of a column; 0 for a text without one."""
    beginnings = {name: _beginning(text, column, including) for name, text in texts.texts.items()}
    rendered = replace(texts, texts=beginnings).render(rows, IssueCollector(len(rows)))
    return np.asarray(rendered.lengths.units)


def _beginning(text: Template, column: str, including: bool) -> Template:
    """A text up to the first placeholder of a column, or with it; without one nothing."""
    for place, piece in enumerate(text.pieces):
        if isinstance(piece, Placeholder) and piece.column == column:
            return Template(("", *text.pieces[: place + including]))
    return Template(("",))
