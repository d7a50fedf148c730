"""Rows of a follow-up file, found again in a table that was sorted, extended or corrected since."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contacts.table_version import row_digests


def find_again(
    file: pd.DataFrame,
    origins: "pd.Series[int]",
    before: pd.DataFrame | None,
    today: pd.DataFrame,
    number_columns: Collection[str],
) -> pd.DataFrame:
    """Where the rows of a follow-up file are in the table of today.

    `origins` has for rows of the file their row in `before`, the table that the file was written from, which
    may not be known any more. A row is found by what it said there beside its number, or says in the file,
    as long as one row of today and no other row of `before` says it.

    The result has the rows of `origins`. Its columns: row (0 where it was not found), is_as_before (all cells
    of that row are as in `before`, the number included), is_untouched (so are those of the file).
    """
    tables = [table for table in (before, today) if table is not None]
    shared = [name for name in file.columns if all(name in table.columns for table in tables)]
    beside = [name for name in shared if name not in number_columns]
    rows = file.loc[origins.index]
    nothing = np.zeros(len(rows), dtype=bool)
    found = pd.DataFrame({"row": 0, "is_as_before": nothing, "is_untouched": nothing}, index=origins.index)
    if not beside:
        return found
    in_file, in_today = _Said(rows, beside), _Said(today, beside)
    by_file = in_today.row_of(in_file.digests)
    if before is None:
        return found.assign(row=_distinct(by_file))
    in_before = _Said(before, beside)
    by_origin = in_today.row_of(in_before.by_row(origins, alone=True))
    # What another row said before is no sign of this one.
    by_file = np.where(np.isin(in_file.digests, in_before.digests), 0, by_file)
    row = _distinct(np.where((by_origin > 0) & (by_file > 0), 0, by_origin + by_file))
    original = _Said(before, shared).by_row(origins)
    return found.assign(
        row=row,
        is_as_before=(row > 0) & (_Said(today, shared).by_row(row) == original),
        is_untouched=_Said(rows, shared).digests == original,
    )


class _Said:
    """What the rows of a table say in some columns, each as a number; 0 stands for no row."""

    def __init__(self, table: pd.DataFrame, columns: Sequence[str]) -> None:
        self.digests: npt.NDArray[np.uint64] = np.asarray(row_digests(table[[*columns]]), np.uint64)
        self._labels = table.index
        self._is_alone: Bools = ~pd.Series(self.digests).duplicated(keep=False).to_numpy()
        self._is_alone &= (table[[*columns]] != "").any(axis=1).to_numpy(dtype=bool)

    def by_row(self, labels: Any, *, alone: bool = False) -> npt.NDArray[np.uint64]:
        """What some rows say, or only those that no other row equals."""
        digests = np.where(self._is_alone, self.digests, 0) if alone else self.digests
        return np.append(digests, np.uint64(0))[self._labels.get_indexer(pd.Index(labels))]

    def row_of(self, digests: npt.NDArray[np.uint64]) -> Ints:
        """The one row that says each of these."""
        places = pd.Index(self.digests[self._is_alone]).get_indexer(pd.Index(digests))
        labels: Ints = np.append(self._labels[self._is_alone].to_numpy(np.int64), 0)[places]
        return labels


def _distinct(rows: Ints) -> Ints:
    """The rows without those that were found more than once."""
    return np.where(pd.Series(rows).duplicated(keep=False), 0, rows)
