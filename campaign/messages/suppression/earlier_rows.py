"""Whose text a shared phone got from an earlier campaign, as far as the rows of then tell it.

Numbers alone do not. A brother's text reached the phone of the family, and his sister, who was left out for
sharing it, has got nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contacts.rows_alike import pairs_of_rows

# Whose the text was that reached the number of a row. Of several campaigns, the greatest counts.
NOT_REACHED = 0  # none did
LEFT_OUT = 1  # somebody else's: this row was left out for sharing the phone
DOUBTFUL = 2  # others shared the phone then, and the rows do not tell
NOT_SHARED = 3  # theirs, unless others have the number now with another text
THEIRS = 4
Whose: TypeAlias = npt.NDArray[np.int8]


class EarlierRows(Struct, frozen=True, eq=False):
    """The rows of a campaign with numbers that several of them had with different texts.

    - `columns`: those that say whose row it is, in the order of their cells.
    - `identifying`: the positions of those in which most rows differ, such as names.
    - `rows`: columns number and is_reached, with the cells as `rows_alike` takes them: those that were
      reached, and those that were left out when the campaign ended.
    """

    columns: tuple[str, ...]
    identifying: tuple[int, ...]
    rows: pd.DataFrame

    def whose(self, contacts: pd.DataFrame, numbers: Ints) -> Whose:
        """Whose text reached the numbers of the rows of a table, all of which were reached."""
        chosen = np.flatnonzero(np.isin(numbers, self.rows["number"]))
        whose = np.full(len(numbers), NOT_SHARED, np.int8)
        whose[chosen] = DOUBTFUL
        places = [place for place, name in enumerate(self.columns) if name in contacts.columns]
        if len(chosen) and places:
            cells = contacts.iloc[chosen][[self.columns[place] for place in places]]
            candidates = cells.set_axis(places, axis=1).reset_index(drop=True)
            candidates = candidates.assign(row=chosen, number=numbers[chosen])
            pairs = pairs_of_rows(candidates, self.rows, self.identifying)
            for owner, are_theirs in _owners(pairs).items():
                whose[are_theirs.index[are_theirs]] = owner
        return whose


def _owners(pairs: pd.DataFrame) -> dict[int, pd.Series[bool]]:
    """Which rows of some pairs are of whom, by row, as far as their cells tell it."""
    equal, is_reached = pairs["equal"], pairs["is_reached"]
    most = {
        "of reached": equal.where(is_reached, 0),
        "of certain": equal.where(is_reached & pairs["is_certain"], 0),
        "of others": equal.where(~is_reached, 0),
    }
    rows = pd.DataFrame(most).groupby(pairs["row"]).max()
    return {
        THEIRS: rows["of certain"] > rows["of others"],
        LEFT_OUT: rows["of others"] > rows["of reached"],
    }
