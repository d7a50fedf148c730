"""The grid of a sheet: what the process that opened the workbook delivered, as Arrow columns."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from campaign.arrow_text import array_from_buffers
from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.cell_text import float_texts
from campaign.contacts.cells.grid import Grid, refuse_long_cells
from campaign.contacts.workbooks.sheet_cells import NumberBlock, Place, SheetCells, TextBlock, TextColumn
from campaign.values import replace

CLOCK = re.compile(r"^\d\d:\d\d(?::\d\d)?$")  # a time of day, as `clock_text` writes it


def grid_of(sheet: SheetCells) -> Grid:
    """The sheet with its rows numbered from 1. Raises ValueError for columns that do not fit together."""
    columns = list(map(_arrow_column, sheet.columns))
    facts = sheet._asdict() | {"columns": columns}
    left, negatives, zeros = (facts.pop(name) for name in ("left", "negatives", "zero_formulas"))
    rows = np.arange(1, len(columns[0]) + 1 if columns else 1, dtype=np.int64)
    grid = Grid(**facts, rows=rows, positions=range(left, left + len(columns)))
    refuse_long_cells(grid)
    return _without_zeros(_with_negatives(grid, negatives), zeros)


def _arrow_column(column: TextColumn) -> TextChunks:
    return pa.chunked_array([_arrow_block(block) for block in column.blocks], TEXT)


def _arrow_block(block: TextBlock | NumberBlock) -> TextArray:
    if isinstance(block, NumberBlock):
        return float_texts(np.frombuffer(block.numbers))
    offsets = np.zeros(len(block.lengths) + 1, np.int64)
    np.cumsum(np.frombuffer(block.lengths, np.intc), out=offsets[1:])
    texts = array_from_buffers(offsets, block.data)
    texts.validate(full=True)  # another process wrote it
    return texts


def _with_negatives(grid: Grid, numbers: Sequence[tuple[int, int, str]]) -> Grid:
    """Negative numbers with a date format are not dates, but calamine turns them into times of day."""
    cells: dict[int, dict[int, str]] = {}
    for row, position, text in numbers:
        place = position - grid.positions[0]
        if CLOCK.fullmatch(grid.columns[place][row - 1].as_py() or ""):
            cells.setdefault(place, {})[row - 1] = text
    return _put(grid, cells)


def _without_zeros(grid: Grid, formulas: Sequence[Place]) -> Grid:
    """Formulas that show 0 in a workbook that no spreadsheet program has calculated have no value yet."""
    cells: dict[int, dict[int, str]] = {}
    for row, position in formulas:
        cells.setdefault(position - grid.positions[0], {})[row - 1] = ""
    return replace(_put(grid, cells), uncalculated=[*grid.uncalculated, *formulas])


def _put(grid: Grid, cells: dict[int, dict[int, str]]) -> Grid:
    for place, texts in cells.items():
        grid = grid.put(place, texts)
    return grid
