"""What the columns of the number said in the rows of a round: read a part of its table at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd

from campaign.arrow_text import Ints, TextArray, join_texts, series_to_array
from campaign.sending.store.frame_files import count_parts, read_frame

_BETWEEN_CELLS = "\x1f"


class RecordedCells:
    """The cells of some columns of a frozen table, of which only the parts are read that are asked for."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._columns = columns
        # Messages leave in the order of the table, so that the next ones are mostly in the same part.
        self._part: Callable[[int], pd.DataFrame] = lru_cache(2)(
            lambda part: read_frame(path, columns, part=part)
        )
        labels = (read_frame(path, [], part=part).index for part in range(count_parts(path)))
        self._spans = [(own.min(), own.max()) for own in labels]

    def of(self, rows: Ints) -> TextArray:
        """The cells of some rows, one text for each; there is one row at least."""
        first, last = rows.min(), rows.max()
        parts = [part for part, (low, high) in enumerate(self._spans) if low <= last and high >= first]
        frames = [self._part(part) for part in parts]
        return number_cells(
            pd.concat([frame[frame.index.isin(rows)] for frame in frames]), self._columns, rows
        )


def number_cells(contacts: pd.DataFrame, columns: Sequence[str], rows: Ints) -> TextArray:
    """What the columns of the numbers say in some rows."""
    places = contacts.index.get_indexer(pd.Index(rows))
    first, *others = (series_to_array(contacts[name].iloc[places]) for name in columns)
    for cells in others:
        first = join_texts(first, _BETWEEN_CELLS, cells)
    return first
