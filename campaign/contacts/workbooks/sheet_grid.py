"""The grid of a sheet: what the process that opened the workbook delivered, as Arrow columns."""

import numpy as np
import pyarrow as pa

from campaign.arrow_text import array_from_buffers
from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.cell_text import float_texts
from campaign.contacts.cells.grid import Grid, Merge, refuse_long_cells
from campaign.contacts.workbooks.sheet_cells import CellBlock, Column, SheetCells


def grid_of(sheet: SheetCells) -> Grid:
    """The sheet with its rows numbered from 1. Raises ValueError for columns that do not fit together."""
    columns = list(map(_arrow_column, sheet.columns))
    facts = sheet._asdict() | {
        "columns": columns,
        "hidden_rows": frozenset(sheet.hidden_rows),
        "hidden_columns": frozenset(sheet.hidden_columns),
        "merges": [Merge(*area) for area in sheet.merges],
    }
    left = facts.pop("left")
    rows = np.arange(1, len(columns[0]) + 1 if columns else 1, dtype=np.int64)
    grid = Grid(**facts, rows=rows, positions=range(left, left + len(columns)))
    refuse_long_cells(grid)
    return grid


def _arrow_column(column: Column) -> TextChunks:
    return pa.chunked_array([_arrow_block(block) for block in column], TEXT)


def _arrow_block(block: CellBlock) -> TextArray:
    if not block.lengths:
        return float_texts(np.frombuffer(block.data))
    lengths = np.frombuffer(block.lengths, np.intc)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    texts = array_from_buffers(offsets, block.data)
    texts.validate(full=True)  # another process wrote it
    return texts
