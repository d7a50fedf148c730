"""Who gets a text though the file on the desk does not have them: it continues a campaign that has them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from campaign.contacts.reserved_columns import OWN_ROW
from campaign.masking import mask_texts
from campaign.notebook.composer.row_list import RowList, add_column, numbered_rows
from campaign.sending.rounds.compared_plan import ComparedPlan


class PeopleBeside(RowList):
    """A list of these people with their texts; nothing where there are none."""

    def __init__(self) -> None:
        super().__init__(called="{} that are not in this file")
        self.add_class("campaign-people-beside")

    def show(self, compared: ComparedPlan | None) -> None:
        """Show those of a compared plan; None where nothing can be compared."""
        if compared is None:
            self.offer(pd.Index([], dtype="int64"), lambda _: pd.DataFrame())
        else:
            self.offer(pd.Index(compared.beside_file), partial(_texts_of, compared))


def _texts_of(compared: ComparedPlan, rows: pd.Index[Any]) -> pd.DataFrame:
    messages = compared.plan.messages
    texts = messages[messages["row"].isin(rows)].groupby("row")["message"].agg("\n".join).reindex(rows)
    table = numbered_rows(compared.plan, rows).rename(columns={"row": OWN_ROW})
    add_column(table, "what they get", mask_texts(texts).to_numpy())
    return table
