"""Numbers in the hidden part of a sheet: who reads a list must not miss them."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Bools, TextArray, combine_chunks, matches
from campaign.contacts.cells.grid import Grid
from campaign.contacts.columns import column_letter
from campaign.words.finding import Finding

_NUMBER = r"\p{Nd}(?:[\s().\-/]*\p{Nd}){6}"  # seven digits with usual punctuation, also beside words
_DATE = r"^\s*(?:\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-]\d{4})(?:[ T][\d:.]+)?\s*$"


def hidden_numbers(grid: Grid, seen: Bools) -> Iterator[Finding]:
    """The hidden rows, and the hidden columns, with cells that may be phone numbers."""
    hidden, mask = np.flatnonzero(~seen), pa.array(~seen)
    have_numbers = np.zeros(len(hidden), dtype=bool)
    for column in grid.columns if len(hidden) else ():
        have_numbers |= may_be_numbers(combine_chunks(column.filter(mask)))
    if have_numbers.any():
        rows = list(map(str, grid.rows[hidden[have_numbers]]))
        yield Finding("numbers_hidden", {"what": "rows", "places": rows}, "warning")
    columns = [
        column_letter(position)
        for column, position in zip(grid.columns, grid.positions, strict=True)
        if position in grid.hidden_columns and may_be_numbers(combine_chunks(column)).any()
    ]
    if columns:
        yield Finding("numbers_hidden", {"what": "columns", "places": columns}, "warning")


def may_be_numbers(cells: TextArray) -> Bools:
    """Which cells have as many digits as a phone number, and are no date."""
    return matches(cells, _NUMBER) & ~matches(cells, _DATE)
