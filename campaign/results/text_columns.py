"""A table with other texts in its columns, whatever a file calls them."""

from collections.abc import Callable
from typing import Any

import pandas as pd


def with_texts(table: pd.DataFrame, change: Callable[["pd.Series[Any]"], "pd.Series[Any]"]) -> pd.DataFrame:
    """A new table in which each column of text is what `change` makes of it.

    Columns go by their place: `DataFrame.assign` refuses a column called "self", and a table with columns of
    ours beside those of a file may have two of one name.
    """
    changed = table.copy(deep=False)
    for place, (_, column) in enumerate(table.items()):
        if column.dtype == "str":
            changed.isetitem(place, change(column).array)
    return changed
