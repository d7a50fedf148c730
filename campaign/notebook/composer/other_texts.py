"""Whom the question about another text is about: what they got, and what they would get now."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from campaign.notebook.composer.row_list import RowList, add_column, numbered_rows
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.other_texts import then_and_now

_LENGTH = 120  # of each text


class OtherTexts(RowList):
    """A list of these rows. It is open from the start: nobody can answer for people who are not shown."""

    def __init__(self) -> None:
        super().__init__(is_open=True)
        self.add_class("campaign-other-texts")

    def show_asked(self, compared: ComparedPlan) -> None:
        """Show the rows of a plan whose numbers got another text, or that were reached under another one."""
        rows = pd.Index(compared.labels_of_rows[compared.asked])
        self.offer(rows, partial(_texts_of, compared))


def _texts_of(compared: ComparedPlan, rows: pd.Index[Any]) -> pd.DataFrame:
    """Some of the rows, with both texts; those of a file of rows to correct as both files number them."""
    places = pd.Index(compared.labels_of_rows).get_indexer(rows)
    texts = then_and_now(
        compared, compared.batches[places], compared.labels[places], rows.to_numpy(), length=_LENGTH
    )
    table = numbered_rows(compared.plan, rows)
    _, _, old, new = zip(*texts, strict=True)
    add_column(table, "what they got", old)
    add_column(table, "what they would get", new)
    return table if compared.file is None else compared.file.numbered(table)
