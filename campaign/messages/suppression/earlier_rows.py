"""Whose text a shared phone got from an earlier campaign, as far as the rows of then tell it.

Numbers alone do not. A brother's text reached the phone of the family, and his sister, who was left out for
sharing it, has got nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.rows_alike import pairs_of_rows


class EarlierRows(Struct, frozen=True, eq=False):
    """The rows of a campaign with numbers that several of them had: those that were reached, and the others.

    - `columns`: those that say whose row it is, in the order of their cells.
    - `rows`: columns number and is_reached, with the cells as `rows_alike` takes them. Of those that were
      not reached, only people who shared a phone when the campaign ended, and no copies.
    """

    columns: tuple[str, ...]
    rows: pd.DataFrame

    def recognise(self, contacts: pd.DataFrame, numbers: Ints) -> tuple[Bools, Bools]:
        """Which rows of a table are of people who were reached, and which of people who were not.

        A row is neither where no other row had its number, where it is as much like the rows of the others,
        and where it is so unlike the row that was reached that it may be somebody new.
        """
        places = [place for place, name in enumerate(self.columns) if name in contacts.columns]
        chosen = np.flatnonzero(np.isin(numbers, self.rows["number"]))
        are_reached, are_others = np.zeros((2, len(numbers)), dtype=bool)
        if len(chosen) and places:
            cells = contacts.iloc[chosen][[self.columns[place] for place in places]]
            candidates = cells.set_axis(places, axis=1).reset_index(drop=True)
            pairs = pairs_of_rows(candidates.assign(row=chosen, number=numbers[chosen]), self.rows)
            equal, is_reached = pairs["equal"], pairs["is_reached"]
            most = {
                "of reached": equal.where(is_reached, 0),
                "of certain": equal.where(is_reached & pairs["is_certain"], 0),
                "of others": equal.where(~is_reached, 0),
            }
            likeness = pd.DataFrame(most).groupby(pairs["row"]).max()
            are_others[likeness.index[likeness["of others"] > likeness["of reached"]]] = True
            are_reached[likeness.index[likeness["of certain"] > likeness["of others"]]] = True
        return are_reached, are_others
