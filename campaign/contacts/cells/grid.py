"""A grid: the sheet as every reader delivers it, as columns of text, before a header is looked for."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.value_text import LONGEST_CELL
from campaign.contacts.columns import column_letter
from campaign.errors import FileError
from campaign.values import replace
from campaign.words.finding import Finding

NAMED = 10  # rows listed in one sentence


class Merge(NamedTuple):
    """A merged area: row numbers as in the sheet, columns counted from 0, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int


class Grid(Struct, frozen=True, eq=False):
    """A sheet: one Arrow text array per column, all of one length and without nulls.

    `rows` holds each line's row number as the sheet shows it; `positions` each column's place in the sheet,
    counted from 0 (column A). Hidden lines and columns are still in, and named beside.
    """

    format: str
    columns: Sequence[TextChunks]
    rows: NDArray[np.int64]
    positions: Sequence[int]
    sheet: str | None = None
    sheets: Sequence[str] = ()  # all sheets of the workbook, in order
    encoding: str | None = None
    delimiter: str | None = None
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merges: Sequence[Merge] = ()
    uncalculated: Sequence[tuple[int, int]] = ()  # (row number, column position) of formulas without a value
    errors: Sequence[tuple[int, int, str]] = ()  # (row number, column position, "#N/A")
    repairs: Sequence[tuple[int, int, str]] = ()  # (row number, column position, "Jos&eacute;")
    notices: Sequence[Finding] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, count: int) -> list[list[str]]:
        """The first lines as lists of text."""
        tops = [cast("list[str]", column.slice(0, count).to_pylist()) for column in self.columns]
        return [list(line) for line in zip(*tops, strict=True)]

    def cut(self, start: int, stop: int) -> "Grid":
        """The lines from `start` to before `stop`; nothing is copied."""
        columns = [column.slice(start, max(stop - start, 0)) for column in self.columns]
        return replace(self, columns=columns, rows=self.rows[start:stop])

    def only(self, kept: NDArray[np.bool_]) -> "Grid":
        """The lines that are kept."""
        if kept.all():
            return self
        mask = pa.array(kept)
        return replace(self, columns=[column.filter(mask) for column in self.columns], rows=self.rows[kept])

    def select(self, places: Sequence[int]) -> "Grid":
        """Only the columns at these places in `columns`."""
        return replace(
            self, columns=[self.columns[i] for i in places], positions=[self.positions[i] for i in places]
        )

    def is_empty(self, place: int) -> bool:
        """Whether no cell of that column holds more than spaces."""
        import pyarrow.compute as pc  # see cell_text

        column = self.columns[place]
        if not len(column):
            return True
        longest = pc.max(pc.binary_length(column)).as_py()
        return not longest or not pc.max(pc.binary_length(pc.utf8_trim_whitespace(column))).as_py()

    def put(self, place: int, cells: dict[int, str]) -> "Grid":
        """With other texts in a few cells of one column (line -> text)."""
        import pyarrow.compute as pc  # see cell_text

        lines = np.fromiter(sorted(cells), dtype=np.int64)
        mask = np.zeros(len(self), dtype=bool)
        mask[lines] = True
        texts = pa.array([cells[int(line)] for line in lines], TEXT)
        column: TextChunks = pc.replace_with_mask(
            pa.chunked_array([self.columns[place].combine_chunks()]), pa.array(mask), texts
        )
        columns = list(self.columns)
        columns[place] = column
        return replace(self, columns=columns)


def join_grids(grids: Sequence[Grid]) -> Grid:
    """Grids of one sheet, one below the other; nothing is copied. The first has the facts of the sheet."""
    first = grids[0]
    of_cells: dict[str, Any] = {
        name: [*chain.from_iterable(getattr(grid, name) for grid in grids)]
        for name in ("errors", "repairs", "notices")
    }
    columns = [
        pa.chunked_array([chunk for grid in grids for chunk in grid.columns[place].chunks], TEXT)
        for place in range(len(first.columns))
    ]
    return replace(first, columns=columns, rows=np.concatenate([grid.rows for grid in grids]), **of_cells)


def chunked(array: TextArray | TextChunks) -> TextChunks:
    """One kind of column for all readers."""
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array], TEXT)


def name_rows(rows: Sequence[int]) -> str:
    """ "Row 3", "Rows 3, 7 and 12", "Rows 3, 7, … and 90 more": at most 10 of them are listed."""
    shown = [str(row) for row in rows[:NAMED]]
    if len(rows) > NAMED:
        return f"Rows {', '.join(shown)} and {len(rows) - NAMED:,} more"
    return f"Row {shown[0]}" if len(shown) == 1 else f"Rows {', '.join(shown[:-1])} and {shown[-1]}"


def refuse_beyond_budget(rows: int, width: int, max_cells: int) -> None:
    """Refuse a table of more cells than allowed: each blank line becomes a row of blank cells."""
    if rows * width > max_cells:
        raise FileError("file_too_large", most=max_cells, unit="cells", option="cells")


def refuse_long_cells(grid: Grid) -> None:
    """Refuse cells that no sheet can have: everything that reads texts would take long."""
    import pyarrow.compute as pc  # see cell_text

    for position, column in zip(grid.positions, grid.columns, strict=True):
        for place in np.flatnonzero(pc.binary_length(column).to_numpy() > LONGEST_CELL).tolist():
            refuse_long_cell(int(grid.rows[place]), position, len(str(column[place])))


def refuse_long_cell(row: int, position: int, characters: int) -> None:
    """Refuse a cell with so many characters if there are more than a sheet can have."""
    if characters > LONGEST_CELL:
        column = column_letter(position)
        raise FileError("beyond_sheet", row=row, column=column, most=LONGEST_CELL, unit="characters")
