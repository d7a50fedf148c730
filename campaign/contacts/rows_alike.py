"""How much rows say what other rows with their number said then: whose row it is, as far as cells tell.

Cells are in columns that are called by their position. Frames of rows then also have the column `is_reached`,
whether the text of the row reached its number, and say of each cell whether it is alone (`which_are_alone`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np
import pandas as pd

_LEAST_TELLING = 2  # cells: all that is known of a person may have been corrected in a single one
_MOST_PAIRS = 10_000  # of rows now and then with one number: that of a front desk may stand in all rows


def which_are_alone(rows: pd.DataFrame) -> pd.DataFrame:
    """Whether each cell is alone among those of all rows with its number: a column of True and False for each
    place."""
    alone = {_alone(place): ~rows.duplicated(["number", place], keep=False) for place in _places(rows)}
    return pd.DataFrame(alone, index=rows.index)


def _places(rows: pd.DataFrame) -> list[int]:
    """The columns of the cells."""
    names: list[Hashable] = [*rows.columns]
    return [name for name in names if isinstance(name, int)]


def _alone(place: int) -> str:
    """The column that tells whether the cell at a position is alone among those of its number."""
    return f"is alone in {place}"


def pairs_of_rows(
    candidates: pd.DataFrame, then: pd.DataFrame, identifying: Collection[int] = ()
) -> pd.DataFrame:
    """Each row now with each row then of the same number, and `equal`, in how many cells they agree. Numbers
    of very many rows are left out.

    `is_alike`: they agree in at least half of the cells that told the row then from the others of its number,
    as a village that a family shares does not, or a single cell does: what was corrected there is not known.
    `is_certain`: they agree in at least half of those cells and in one of them, or in one whose column is
    `identifying`, or in everything.
    """
    counts = candidates["number"].value_counts().mul(then["number"].value_counts(), fill_value=0)
    candidates = candidates[candidates["number"].isin(counts.index[counts <= _MOST_PAIRS])]
    pairs = candidates.merge(then, on="number", suffixes=("", " then"))
    equal, telling, told, filled, identified = np.zeros((5, len(pairs)), np.int64)
    for place in _places(candidates):
        own, others = pairs[f"{place}"], pairs[f"{place} then"]
        is_equal = ((own == others) & (own != "")).to_numpy()
        is_filled = (others != "").to_numpy()
        is_telling = pairs[_alone(place)].to_numpy(bool) & is_filled
        equal += is_equal
        telling += is_telling
        told += is_equal & is_telling
        filled += is_filled
        identified += is_equal & is_telling & (place in identifying)
    tells_it = 2 * told >= telling
    return pairs.assign(
        equal=equal,
        is_alike=tells_it | (telling < _LEAST_TELLING),
        is_certain=(tells_it & (told > 0)) | (identified > 0) | ((equal == filled) & (filled > 0)),
    )


def likeness(candidates: pd.DataFrame, then: pd.DataFrame) -> pd.DataFrame:
    """The candidates that are most like a row that was reached, and less like any that was left out: columns
    row, number, is_kept and `equal`, in how many cells. Numbers of very many rows are left out."""
    pairs = pairs_of_rows(candidates, then)
    most = pairs.groupby(["row", "number", "is_kept", "is_reached"], sort=True)["equal"]
    by_kind = most.max().unstack("is_reached", fill_value=0).reindex(columns=[False, True], fill_value=0)
    by_kind = by_kind[by_kind[True] > by_kind[False]]
    return by_kind[True].rename("equal").reset_index()
