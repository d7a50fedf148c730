"""Who gets a text once the answers are given: each with what it says, and what is known of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from campaign.masking import mask_text
from campaign.messages.text.segments import SINGLE
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.left_out import wanted_none
from campaign.notebook.composer.row_list import RowList, add_column, numbered_rows
from campaign.sending.rounds.compared_in_words import LABELS
from campaign.sending.rounds.difference import Difference, plan_behind
from campaign.text import clean, shorten

_WANTED_NONE = "wanted no texts before"


class WhoGets(RowList):
    """A list of these people, closed at first."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        super().__init__(called="who gets a text")
        self.add_class("campaign-who-gets")

    def show(self, difference: Difference, outgoing: pd.DataFrame) -> None:
        """Offer the rows of the messages that go out."""
        rows = pd.Index(outgoing["row"].unique()).astype("int64")
        self.offer(rows, partial(_what_they_get, self._desk, difference, outgoing))


def _what_they_get(
    desk: Desk, difference: Difference, outgoing: pd.DataFrame, rows: pd.Index[Any]
) -> pd.DataFrame:
    """Some of the rows; those of a file of rows to correct as both files number them."""
    compared, chosen = plan_behind(difference), outgoing[outgoing["row"].isin(rows)]
    why = chosen["recorded"].map(LABELS).astype("str")
    wanted = wanted_none(desk, chosen["number"].to_numpy(dtype=np.int64))
    chosen = chosen.assign(why=why.mask(wanted, _WANTED_NONE))
    by_row = chosen.groupby("row").agg({"message": " ".join, "why": "first"}).reindex(rows)
    table = numbered_rows(compared.plan, rows)
    # A single SMS is shown whole.
    texts = [f"“{shorten(mask_text(clean(text)), SINGLE)}”" for text in by_row["message"]]
    add_column(table, "what they get", texts)
    add_column(table, "why", by_row["why"].to_numpy())
    return table if compared.file is None else compared.file.numbered(table)
