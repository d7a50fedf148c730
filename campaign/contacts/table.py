"""A grid under its header: hidden lines out, merged cells filled, columns named, all of it said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid, Merge, name_rows
from campaign.contacts.cells.headers import LOOKED_AT, Header, header_place
from campaign.contacts.columns import check_headers, column_letter, listed
from campaign.errors import FileError, UsageError
from campaign.text import clean, figure

FILLED = 1_000_000  # cells that merged areas may fill: a table of contacts has some dozens of them


Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Finding:
    """One thing found about one cell: where, what it holds now, a code, how grave, and a sentence."""

    row: int
    column: str
    value: str
    code: str
    severity: Severity
    detail: str


@dataclass(frozen=True, eq=False)
class ContactTable:
    """The rows under their header, and what was done on the way."""

    frame: pd.DataFrame
    header_row: int | None
    hidden_rows: int
    blank_rows: int
    notices: tuple[str, ...]
    findings: tuple[Finding, ...]


def make_table(grid: Grid, *, header: Header, skip_hidden: bool, trim: bool) -> ContactTable:
    """The contact table that a grid holds; `trim` takes the blank rows at its end off.

    Raises FileError where there is no header or no cell at all, ColumnError for headers that are the same,
    UsageError for a header row that does not exist.
    """
    seen, notices = np.ones(len(grid), bool), list(grid.notices)
    if skip_hidden:
        seen = ~np.isin(grid.rows, np.fromiter(grid.hidden_rows, np.int64, len(grid.hidden_rows)))
        grid, left_out = _without_hidden_columns(grid)
        notices += left_out
    header_row, heads = _find_header(grid, seen, header)
    grid, filled = _fill_merges(grid, header_row or 0)
    start = int(np.searchsorted(grid.rows, header_row or 0, side="right"))
    below = grid.cut(start, len(grid)).only(seen[start:])
    used = [i for i, head in enumerate(heads) if head.strip() or not below.is_empty(i)]
    if not used:
        raise FileError("The table is empty: not one cell holds anything.")
    names = check_headers([heads[i] for i in used], letters=[column_letter(grid.positions[i]) for i in used])
    below = below.select(used)
    blank, end = _blank(below, trim)
    below = below.cut(0, end)
    notices += _header_notices(grid, header_row, heads, used, end)
    if header_row is not None and (above := int(seen[: start - 1].sum())):
        were = "row above it was" if above == 1 else f"{above} rows above it were"
        notices.append(f"The header was found in row {header_row}; the {were} left out.")
    if skipped := int((~seen[start:]).sum()):
        were, them = ("row was", "it") if skipped == 1 else ("rows were", "them")
        notices.append(f'{figure(skipped)} hidden {were} left out; hidden="include" reads {them}.')
    findings = tuple(_findings(grid, below, names, filled))
    notices += _finding_notices(findings)
    return ContactTable(_frame(below, names), header_row, skipped, blank, tuple(notices), findings)


def _without_hidden_columns(grid: Grid) -> tuple[Grid, list[str]]:
    kept = [i for i, at in enumerate(grid.positions) if at not in grid.hidden_columns]
    out = [column_letter(at) for at in grid.positions if at in grid.hidden_columns]
    if not out:
        return grid, []
    were, them = ("A hidden column was", "it") if len(out) == 1 else ("Hidden columns were", "them")
    letters = ", ".join(out[:30])
    return grid.select(kept), [f'{were} left out ({letters}); hidden="include" reads {them}.']


# --- the header ---------------------------------------------------------------------------------------


def _find_header(grid: Grid, seen: NDArray[np.bool_], header: Header) -> tuple[int | None, list[str]]:
    """The row number of the header, and its cells."""
    given = isinstance(header, int) and header is not False
    if given:
        seen = grid.rows == header
        if not seen.any():
            last = int(grid.rows[-1]) if len(grid) else 0
            raise UsageError(f"There is no row {header} for the header: the table ends in row {last}.")
    first = np.flatnonzero(seen)[:LOOKED_AT]
    end = int(first[-1]) + 1 if len(first) else 0
    top = grid.cut(0, end).only(seen[:end])
    lines = top.head(LOOKED_AT)
    banners = _fill_lines(lines, top)
    place = 0 if given else header_place(lines, header, banners=banners)
    return (None, [""] * len(grid.columns)) if place is None else (int(top.rows[place]), lines[place])


def _fill_lines(lines: list[list[str]], top: Grid) -> frozenset[int]:
    """Merged cells of the first lines filled downwards, in place; and the lines with some merged sideways."""
    place = {position: i for i, position in enumerate(top.positions)}
    banners: set[int] = set()
    for merge in top.merges:
        at = np.flatnonzero((top.rows >= merge.top) & (top.rows <= merge.bottom)).tolist()
        if merge.right > merge.left:
            banners.update(at)
        elif merge.left in place:
            for i in at[1:]:
                lines[i][place[merge.left]] = lines[at[0]][place[merge.left]]
    return frozenset(banners)


def _header_notices(
    grid: Grid, header_row: int | None, heads: Sequence[str], used: Sequence[int], rows: int
) -> Iterator[str]:
    letters = [column_letter(at) for at in grid.positions]
    unnamed = [f"column {letters[i]}" for i in used if not heads[i].strip()]
    if header_row is None:
        yield f"The table has no header; its columns are called {listed(unnamed)}."
    elif unnamed:
        yield f"Without a header, and called after their place: {listed(unnamed)}."
    empty = sorted(set(range(used[-1])) - set(used))
    if header_row is not None and empty:
        yield f"Empty columns were left out: {', '.join(letters[i] for i in empty[:30])}."
    if not rows:
        yield "The table has a header and no rows."


# --- cells --------------------------------------------------------------------------------------------


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
        column = grid.columns[place[merge.left]]
        text = column[merge.top - first].as_py()
        count += bottom - merge.top
        if count > FILLED:
            raise FileError("The sheet has far more merged cells than a table of contacts; it is not read.")
        if text.strip():
            filled.append(replace(merge, bottom=bottom))
            lines = range(merge.top + 1 - first, bottom + 1 - first)
            cells.setdefault(place[merge.left], {}).update(dict.fromkeys(lines, text))
    for i, texts in cells.items():
        grid = grid.put(i, texts)
    return grid, filled


def _blank(grid: Grid, trim: bool) -> tuple[int, int]:
    """How many rows are blank, and where the table ends: trimmed, before the blank rows at its end."""
    blank, end = blank_rows(grid.columns, len(grid)), len(grid)
    if not trim:
        return len(blank), end
    trailing = int((blank[::-1] == end - 1 - np.arange(len(blank))).cumprod().sum())
    return len(blank) - trailing, end - trailing


def _findings(grid: Grid, below: Grid, names: Sequence[str], filled: Sequence[Merge]) -> Iterator[Finding]:
    if not (filled or grid.uncalculated or grid.errors):
        return
    line = {int(row): i for i, row in enumerate(below.rows)}
    place = {position: i for i, position in enumerate(below.positions)}

    def finding(row: int, position: int, code: str, severity: Severity, detail: str) -> Iterator[Finding]:
        if row in line and position in place:
            value = below.columns[place[position]][line[row]].as_py()
            yield Finding(row, names[place[position]], value, code, severity, detail)

    for merge in filled:
        detail = f"Filled with the value of row {merge.top}: the cells are merged."
        for row in range(merge.top + 1, merge.bottom + 1):
            yield from finding(row, merge.left, "merged_cell", "info", detail)
    for row, position in grid.uncalculated:
        detail = "A formula without a value: open the file in your spreadsheet program and save it again."
        yield from finding(row, position, "formula_without_value", "warning", detail)
    for row, position, error in grid.errors:
        detail = f"The cell shows the error {clean(error)}; it is taken as blank."
        yield from finding(row, position, "cell_error", "warning", detail)


def _finding_notices(findings: Sequence[Finding]) -> Iterator[str]:
    said = {
        "merged_cell": "merged cells were filled with the value above them",
        "formula_without_value": "formulas have no value, so their cells are blank "
        "(open the file in your spreadsheet program, save it, and read it again)",
        "cell_error": "cells show an error such as #N/A and are taken as blank",
    }
    for code, words in said.items():
        rows: dict[str, list[int]] = {}
        for finding in findings:
            if finding.code == code:
                rows.setdefault(finding.column, []).append(finding.row)
        for column, at in rows.items():
            yield f'{name_rows(at)}, column "{column}": {words}.'


def _frame(grid: Grid, names: Sequence[str]) -> pd.DataFrame:
    table = pa.table(dict(zip(names, grid.columns, strict=True)))
    frame: pd.DataFrame = table.to_pandas()
    frame.index = pd.Index(grid.rows, dtype="int64", name="row")
    return frame
