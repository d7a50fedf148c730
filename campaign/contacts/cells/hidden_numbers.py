"""Numbers in the hidden part of a sheet: who reads a list must not miss them."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Bools, TextArray, combine_chunks, matches
from campaign.contacts.cells.grid import Grid, name_rows
from campaign.contacts.columns import column_letter

_NUMBER = r"\p{Nd}(?:[\s().\-/]*\p{Nd}){6}"  # seven digits with usual punctuation, also beside words
_DATE = r"^\s*(?:\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4})(?:[ T][\d:.]+)?\s*$"


def hidden_numbers(grid: Grid, seen: Bools) -> Iterator[str]:
    """Which rows that are not seen, and which hidden columns, have cells that may be phone numbers."""
    hidden, mask = np.flatnonzero(~seen), pa.array(~seen)
    have_numbers = np.zeros(len(hidden), dtype=bool)
    for column in grid.columns if len(hidden) else ():
        have_numbers |= may_be_numbers(combine_chunks(column.filter(mask)))
    if have_numbers.any():
        rows = grid.rows[hidden[have_numbers]].tolist()
        yield f"{name_rows(rows).lower()} {'is' if len(rows) == 1 else 'are'} hidden"
    for column, position in zip(grid.columns, grid.positions, strict=True):
        if position in grid.hidden_columns and may_be_numbers(combine_chunks(column)).any():
            yield f"column {column_letter(position)} is hidden"


def may_be_numbers(cells: TextArray) -> Bools:
    """Which cells have as many digits as a phone number, and are no date."""
    return matches(cells, _NUMBER) & ~matches(cells, _DATE)
