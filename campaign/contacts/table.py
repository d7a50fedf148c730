"""Grids become the rows of a contact table: header found, hidden rows left out, merged cells filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct, field

from campaign.arrow_text import Bools
from campaign.arrow_types import TEXT
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid, Merge, join_grids
from campaign.contacts.cells.headers import LOOKED_AT, Header, header_place
from campaign.contacts.cells.hidden_numbers import hidden_numbers
from campaign.contacts.cells.repairs import LISTED, repaired
from campaign.contacts.columns import column_letter
from campaign.contacts.exports import column_names, find_export
from campaign.contacts.header_lines import HeaderLines
from campaign.errors import FileError, UsageError
from campaign.values import replace
from campaign.words.finding import Finding

FILLED = 1_000_000  # cells that merged areas may fill; a contact table has some dozens


class TableFacts(Struct, eq=False):
    """What was noticed of the rows of a table; that of its parts can be added up.

    `height` counts all rows below the header, `rows` those of the table, `blank` those in which no cell holds
    anything. `is_used` says which columns hold anything. `missing` cells held a text for "no value". `above`
    the header are so many rows, and `lines` are rows that belong to it. An issue names a column's place until
    the columns have names.
    """

    is_used: list[bool]
    height: int = 0
    rows: int = 0
    blank: int = 0
    missing: int = 0
    above: int = 0
    hidden: list[int] = field(default_factory=list)
    lines: list[tuple[str, list[int]]] = field(default_factory=list)
    issues: list[tuple[int, Finding]] = field(default_factory=list)
    notices: list[Finding] = field(default_factory=list)

    def add(self, other: TableFacts) -> None:
        """Take the facts of the part that follows."""
        start = self.height
        for name in ("height", "rows", "blank", "missing"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.is_used = [used or more for used, more in zip(self.is_used, other.is_used, strict=True)]
        self.lines += [(kind, [row + start for row in rows]) for kind, rows in other.lines]
        moved = ((place, replace(issue, row=(issue.row or 0) + start)) for place, issue in other.issues)
        self.issues = [*self.issues, *moved][:LISTED]


class TableRows:
    """The rows of a sheet under its header, taken grid by grid; the facts are those of the rows taken so far.

    `trim` leaves the blank rows at the end out. Cells that hold one of the texts `missing` are blank. Hidden
    rows and columns and merged cells are those of a workbook, which is one grid.

    Raises FileError where there is no header or no cell at all, UsageError for a header row that does not
    exist.
    """

    def __init__(
        self,
        grids: Iterable[Grid],
        *,
        header: Header,
        trim: bool,
        skip_hidden: bool = False,
        missing: Sequence[str] = (),
        is_top: bool = True,
    ) -> None:
        rest = (repaired(grid, missing) for grid in grids)
        grid = _first_lines(rest)
        self._seen, self.left_out = np.ones(len(grid), bool), list[Finding]()
        notices = list[Finding]()
        if skip_hidden:
            self._seen = ~np.isin(grid.rows, np.fromiter(grid.hidden_rows, np.int64, len(grid.hidden_rows)))
            self.left_out = [*hidden_numbers(grid, self._seen)]
            grid, notices = _without_hidden_columns(grid)
        self.header_row, self.heads = _find_header(grid, self._seen, header)
        self.top, self._filled = _fill_merges(grid, self.header_row or 0)
        self._grids, self._trim = chain([self.top], rest), trim
        lost = {*(row for row, _ in grid.uncalculated), *(row for row, _, _ in grid.errors)}
        self._lost = sorted(lost - grid.hidden_rows if skip_hidden else lost)
        self.export = find_export(self.heads)
        self.missing = [*missing, *self.export.missing]
        self._lines = HeaderLines(self.heads, self.export, is_top=is_top)
        self.facts = TableFacts(
            [bool(head.strip()) for head in self.heads], notices=[*self.top.notices, *notices]
        )

    def parts(self) -> Iterator[Grid]:
        """The rows, once; there is one grid at least."""
        yield self.top.cut(0, 0)
        for grid in self._without_end(self._rows()):
            self.facts.rows += len(grid)
            yield grid
        self.facts.lines = [*self._lines.rows.items()]

    def columns(self) -> tuple[list[int], list[str]]:
        """The places and the names of the columns that are used. Raises ColumnError for two of one name."""
        used = [place for place, one in enumerate(self.facts.is_used) if one]
        if not used:
            raise FileError("table_empty")
        letters = [column_letter(self.top.positions[place]) for place in used]
        return used, column_names([self.heads[place] for place in used], letters=letters)

    def _below(self, grid: Grid) -> Grid:
        """The rows of a grid below the header, with those after its end whose values are not in the file."""
        start = int(np.searchsorted(grid.rows, self.header_row or 0, side="right"))
        below = grid.cut(start, len(grid))
        if grid is not self.top:
            return below
        self.facts.above = int(self._seen[: max(start - 1, 0)].sum())
        self.facts.hidden = below.rows[~self._seen[start:]].tolist()
        return _with_rows(below.only(self._seen[start:]), self._lost, self.header_row or 0)

    def _rows(self) -> Iterator[Grid]:
        """The rows without lines of the header, and without texts for "no value"."""
        facts = self.facts
        for grid in self._grids:
            below = self._below(grid)
            facts.height += len(below)
            filled = self._filled if grid is self.top else ()
            facts.issues += _cell_issues(grid, below, filled) if len(facts.issues) < LISTED else ()
            facts.notices += grid.notices if grid is not self.top else ()
            if not len(below):
                continue
            facts.is_used = [used or not below.is_empty(i) for i, used in enumerate(facts.is_used)]
            below = self._lines.taken_out(below)
            below, missing = _without_texts(below, self.missing)
            facts.missing += missing
            yield below

    def _without_end(self, grids: Iterable[Grid]) -> Iterator[Grid]:
        """The rows but for blank ones at the end, if they are trimmed; blank ones are counted."""
        waiting: list[Grid] = []
        for grid in grids:
            blank = blank_rows(grid.columns, len(grid))
            filled = np.delete(np.arange(len(grid)), blank) if len(blank) else [len(grid) - 1]
            end = int(filled[-1]) + 1 if len(filled) else 0
            end = max(end, int(np.searchsorted(grid.rows, self._lost[-1:], "right").sum()))
            if not self._trim:
                end = len(grid)
            if end:
                yield from waiting
                self.facts.blank += sum(map(len, waiting)) + int(np.count_nonzero(blank < end))
                waiting = []
                yield grid.cut(0, end)
            if end < len(grid):
                waiting.append(grid.cut(end, len(grid)))


def _first_lines(grids: Iterator[Grid]) -> Grid:
    """The first grids as one that has all lines in which a header is looked for."""
    taken = [next(grids)]
    while sum(map(len, taken)) < LOOKED_AT and (grid := next(grids, None)) is not None:
        taken.append(grid)
    return join_grids(taken)


def _without_hidden_columns(grid: Grid) -> tuple[Grid, list[Finding]]:
    kept = [i for i, at in enumerate(grid.positions) if at not in grid.hidden_columns]
    out = [column_letter(at) for at in grid.positions if at in grid.hidden_columns]
    if not out:
        return grid, []
    if not kept:
        raise FileError("all_hidden", what="columns", option='hidden="include"')
    return grid.select(kept), [Finding("columns_hidden", {"letters": out}, "info")]


# --- the header ---------------------------------------------------------------------------------------


def _find_header(grid: Grid, seen: Bools, header: Header) -> tuple[int | None, list[str]]:
    """The row number of the header, and its cells."""
    is_given = isinstance(header, int) and header is not False
    if is_given:
        seen = grid.rows == header
        if not seen.any():
            last = int(grid.rows[-1]) if len(grid) else 0
            raise UsageError("header_row_missing", row=header, last=last)
    first = np.flatnonzero(seen)[:LOOKED_AT]
    end = int(first[-1]) + 1 if len(first) else 0
    top = grid.cut(0, end).only(seen[:end])
    lines = top.head(LOOKED_AT)
    banners = _fill_lines(lines, top)
    place = 0 if is_given else header_place(lines, header, banners=banners)
    return (None, [""] * len(grid.columns)) if place is None else (int(top.rows[place]), lines[place])


def _fill_lines(lines: list[list[str]], top: Grid) -> frozenset[int]:
    """Fill merged cells of the first lines downwards, in place; the lines with cells merged sideways."""
    place = {position: i for i, position in enumerate(top.positions)}
    banners: set[int] = set()
    for merge in top.merges:
        covered = np.flatnonzero((top.rows >= merge.top) & (top.rows <= merge.bottom)).tolist()
        if merge.right > merge.left:
            banners.update(covered)
        elif merge.left in place:
            for i in covered[1:]:
                lines[i][place[merge.left]] = lines[covered[0]][place[merge.left]]
    return frozenset(banners)


# --- cells --------------------------------------------------------------------------------------------


def _without_texts(grid: Grid, texts: Sequence[str]) -> tuple[Grid, int]:
    """The grid with cells that hold one of these texts blank, and how many there were."""
    if not texts:
        return grid, 0
    import pyarrow.compute as pc  # see cell_text

    columns, emptied = [], 0
    for column in grid.columns:
        found = pc.is_in(pc.ascii_trim_whitespace(column), value_set=pa.array(texts, TEXT))
        count = pc.sum(found).as_py() or 0  # type: ignore[type-var] # the stubs know numbers only
        columns.append(pc.if_else(found, pa.scalar("", TEXT), column) if count else column)
        emptied += count
    return replace(grid, columns=columns), emptied


def _fill_merges(grid: Grid, header_row: int) -> tuple[Grid, list[Merge]]:
    """Merged cells below the header, filled downwards: all people beside them share the one value."""
    place = {position: i for i, position in enumerate(grid.positions)}
    first, last = (int(grid.rows[0]), int(grid.rows[-1])) if len(grid) else (1, 0)
    cells: dict[int, dict[int, str]] = {}
    filled, count = [], 0
    for merge in grid.merges:
        bottom = min(merge.bottom, last)
        if merge.left not in place or not header_row < merge.top < bottom:
            continue
        text = grid.columns[place[merge.left]][merge.top - first].as_py()
        count += bottom - merge.top
        if count > FILLED:
            raise FileError("file_too_large", most=FILLED, unit="merged cells")
        if text.strip():
            filled.append(merge._replace(bottom=bottom))
            lines = range(merge.top + 1 - first, bottom + 1 - first)
            cells.setdefault(place[merge.left], {}).update(dict.fromkeys(lines, text))
    for i, texts in cells.items():
        grid = grid.put(i, texts)
    return grid, filled


def _with_rows(grid: Grid, rows: Sequence[int], header_row: int) -> Grid:
    """The grid with those rows that come after its end: their values are not in the file."""
    last = int(grid.rows[-1]) if len(grid) else header_row
    more = [row for row in rows if row > last]
    if not more:
        return grid
    blank = pa.array([""] * len(more), TEXT)
    columns = [pa.chunked_array([*column.chunks, blank], TEXT) for column in grid.columns]
    return replace(grid, columns=columns, rows=np.concatenate([grid.rows, np.array(more, np.int64)]))


def _cell_issues(grid: Grid, below: Grid, filled: Sequence[Merge]) -> Iterator[tuple[int, Finding]]:
    """The issues of cells below the header, each with the place of its column."""
    if not (filled or grid.uncalculated or grid.errors or grid.repairs):
        return
    line = {int(row): i for i, row in enumerate(below.rows)}
    place = {position: i for i, position in enumerate(below.positions)}
    merged = ((row, merge.left) for merge in filled for row in range(merge.top + 1, merge.bottom + 1))
    cells = chain(
        (("merged_cell", "info", row, position) for row, position in merged),
        (("formula_without_value", "warning", row, position) for row, position in grid.uncalculated),
        (("cell_error", "warning", row, position) for row, position, _ in grid.errors),
        (("repaired_text", "info", row, position) for row, position, _ in grid.repairs),
    )
    for code, severity, row, position in cells:
        if row in line and position in place:
            value = below.columns[place[position]][line[row]].as_py()
            yield place[position], Finding(code, {"value": value}, severity, row)


def table_of(grids: Iterable[Grid], places: Sequence[int], names: Sequence[str]) -> pd.DataFrame:
    """Rows as a contact table with some of their columns."""
    grid = join_grids([*grids]).select(places)
    frame: pd.DataFrame = pa.Table.from_arrays(list(grid.columns), names=list(names)).to_pandas()
    return frame.set_axis(pd.Index(grid.rows, dtype="int64", name="row"))
