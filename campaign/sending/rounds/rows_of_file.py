"""The rows of a follow-up file, and where they are in the table of its campaign."""

from __future__ import annotations

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.contacts.reserved_columns import FILE_ROW, OWN_ROW
from campaign.messages.plan import Plan


class RowsOfFile(Struct, frozen=True, eq=False):
    """Where the rows of a follow-up file are in the table of its campaign.

    - `places`: by row of the file the row of that table. A row that was added by hand has the one that it
      gets there; a row that is in the table no more is missing.
    - `offered`: the rows of the table that the file has a message for, and that somebody has touched in it.
    - `added`: the rows of the table that the own spreadsheet does not have.
    """

    places: pd.Series[int]
    offered: pd.Index[int]
    added: pd.Index[int]

    @classmethod
    def of(cls, whole: Plan, part: Plan, rows: pd.Series[int]) -> RowsOfFile:
        """Those of a file whose rows are `rows` in the table of `whole`, 0 for none; `part` has what somebody
        has touched in it."""
        offered = rows[rows.index.isin(part.messages["row"])]
        places = rows[rows > 0]
        return cls(places, pd.Index(offered), pd.Index(places[~places.isin(whole.contacts.index)]))

    def in_file(self, rows: pd.Series[int]) -> pd.Series[float]:
        """For some rows of the table those of the file; missing where it does not have them."""
        places = self.places.drop_duplicates()
        return rows.map(pd.Series(places.index, index=places.to_numpy()))

    def name_row(self, row: int) -> str:
        """A row of the table in a sentence: as it is in the file, or else in the own spreadsheet."""
        in_file = self.in_file(pd.Series([row])).iloc[0]
        return (
            f"row {row} of your own spreadsheet" if np.isnan(in_file) else f"row {in_file:.0f} of this file"
        )

    def numbered(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of rows of the campaign, whose column `row` says which: numbered as in both files."""
        rows = table["row"]
        own = rows.astype("Int64").mask(rows.isin(self.added))
        columns = {FILE_ROW: self.in_file(rows).astype("Int64"), OWN_ROW: own}
        texts = {name: numbers.astype("str").replace("<NA>", "") for name, numbers in columns.items()}
        return pd.concat([pd.DataFrame(texts, index=table.index), table.drop(columns="row")], axis=1)
