"""A grid becomes a contact table: header found, hidden rows left out, merged cells filled, columns named."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from campaign.arrow_types import TEXT
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid, name_rows
from campaign.contacts.cells.headers import LOOKED_AT, Header, header_place
from campaign.contacts.cells.hidden_numbers import hidden_numbers
from campaign.contacts.cells.merge import Merge
from campaign.contacts.cells.repairs import LISTED, repaired
from campaign.contacts.columns import column_letter, listed
from campaign.contacts.exports import Export, column_names, export_notices, find_export, standing_column
from campaign.contacts.header_lines import HeaderLines
from campaign.errors import FileError, UsageError
from campaign.text import agreeing, capitalised, clean, counted, shorten
from campaign.values import replace

ALL_BLANK = "The table is empty: all of its cells are blank."
FILLED = 1_000_000  # cells that merged areas may fill; a contact table has some dozens

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class CellIssue:
    """One issue about one cell: its place, its present value, a code, a severity and a sentence."""

    row: int
    column: str
    value: str
    code: str
    severity: Severity
    detail: str


class ContactTable(Struct, frozen=True, eq=False):
    """The rows under their header, and what was noticed while they were made."""

    frame: pd.DataFrame
    header_row: int | None
    hidden_rows: int
    blank_rows: int
    notices: tuple[str, ...]
    issues: tuple[CellIssue, ...]
    left_out: tuple[str, ...] = ()  # hidden rows and columns with numbers


def make_table(
    grid: Grid, *, header: Header, skip_hidden: bool, trim: bool, missing: Sequence[str] = ()
) -> ContactTable:
    """The contact table that a grid holds; `trim` removes the blank rows at its end.

    Cells that hold one of the texts `missing` are blank.

    Raises FileError where there is no header or no cell at all, ColumnError for headers that are the same,
    UsageError for a header row that does not exist.
    """
    grid = repaired(grid, missing)
    seen, notices, with_numbers = np.ones(len(grid), bool), list(grid.notices), list[str]()
    if skip_hidden:
        seen = ~np.isin(grid.rows, np.fromiter(grid.hidden_rows, np.int64, len(grid.hidden_rows)))
        with_numbers += hidden_numbers(grid, seen)
        grid, left_out = _without_hidden_columns(grid)
        notices += left_out
    header_row, heads = find_header(grid, seen, header)
    grid, filled = _fill_merges(grid, header_row or 0)
    start = int(np.searchsorted(grid.rows, header_row or 0, side="right"))
    lost = {*(row for row, _ in grid.uncalculated), *(row for row, _, _ in grid.errors)}
    lost -= grid.hidden_rows if skip_hidden else {0}
    below = _with_rows(grid.cut(start, len(grid)).only(seen[start:]), lost, header_row or 0)
    is_used = [bool(head.strip()) or not below.is_empty(i) for i, head in enumerate(heads)]
    used, names = used_columns(heads, is_used, grid.positions)
    export = find_export(heads)
    lines = HeaderLines([heads[i] for i in used], export)
    below = lines.taken_out(below.select(used))
    below, said = _as_exported(below, names, export, missing)
    blank, end = _blank(below, trim, max(lost, default=0))
    below = below.cut(0, end)
    above = 0 if header_row is None else int(seen[: start - 1].sum())
    notices += header_notices(grid, header_row, heads, used, rows=end, above=above)
    hidden = grid.rows[start:][~seen[start:]]
    notices += _about_hidden(hidden.tolist())
    issues = tuple(cell_issues(grid, below, names, filled))
    notices += [*issue_notices(issues), *lines.notices, *said]
    return ContactTable(
        _frame(below, names),
        header_row,
        len(hidden),
        blank,
        tuple(notices),
        issues,
        tuple(with_numbers),
    )


def _about_hidden(rows: list[int]) -> list[str]:
    """The notice about hidden rows that were left out, if there are any."""
    if not rows:
        return []
    was, them = agreeing(len(rows), "was", "were"), agreeing(len(rows), "it", "them")
    named = name_rows(rows).lower()
    left_out = f"{counted(len(rows), 'hidden row')} {was} left out ({named})"
    return [f'{left_out}; hidden="include" reads {them}.']


def _without_hidden_columns(grid: Grid) -> tuple[Grid, list[str]]:
    kept = [i for i, at in enumerate(grid.positions) if at not in grid.hidden_columns]
    out = [column_letter(at) for at in grid.positions if at in grid.hidden_columns]
    if not out:
        return grid, []
    were, them = ("A hidden column was", "it") if len(out) == 1 else ("Hidden columns were", "them")
    letters = ", ".join(out[:30])
    return grid.select(kept), [f'{were} left out ({letters}); hidden="include" reads {them}.']


# --- the header ---------------------------------------------------------------------------------------


def find_header(grid: Grid, seen: NDArray[np.bool_], header: Header) -> tuple[int | None, list[str]]:
    """The row number of the header, and its cells."""
    is_given = isinstance(header, int) and header is not False
    if is_given:
        seen = grid.rows == header
        if not seen.any():
            last = int(grid.rows[-1]) if len(grid) else 0
            raise UsageError(f"There is no row {header} for the header: the table ends in row {last}.")
    first = np.flatnonzero(seen)[:LOOKED_AT]
    end = int(first[-1]) + 1 if len(first) else 0
    top = grid.cut(0, end).only(seen[:end])
    lines = top.head(LOOKED_AT)
    banners = _fill_lines(lines, top)
    place = 0 if is_given else header_place(lines, header, banners=banners)
    return (None, [""] * len(grid.columns)) if place is None else (int(top.rows[place]), lines[place])


def used_columns(
    heads: Sequence[str], is_used: Sequence[bool], positions: Sequence[int]
) -> tuple[list[int], list[str]]:
    """The places of the columns that are used, and their names; `positions` are those in the sheet."""
    used = [place for place, one in enumerate(is_used) if one]
    if not used:
        raise FileError(ALL_BLANK)
    letters = [column_letter(positions[place]) for place in used]
    return used, column_names([heads[place] for place in used], letters=letters)


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


def header_notices(
    grid: Grid, header_row: int | None, heads: Sequence[str], used: Sequence[int], *, rows: int, above: int
) -> Iterator[str]:
    """What is said of the header, of columns without one, and of the rows above it."""
    letters = [column_letter(at) for at in grid.positions]
    unnamed = [f"column {letters[i]}" for i in used if not heads[i].strip()]
    if header_row is None:
        yield f"The table has no header; its columns are called {listed(unnamed)}."
    elif unnamed:
        yield f"Columns without a header are named after their place: {listed(unnamed)}."
    if codes := [text for row, _, text in grid.repairs if row == header_row]:
        yield f"Headers that another program had written as codes were repaired: {listed(codes)}."
    empty = sorted(set(range(used[-1])) - set(used))
    if header_row is not None and empty:
        yield f"Empty columns were left out: {', '.join(letters[i] for i in empty[:30])}."
    if not rows:
        yield "The table has a header and no rows."
    if header_row is not None and above:
        were = "row above it was" if above == 1 else f"{above} rows above it were"
        yield f"The header was found in row {header_row}; the {were} left out."


# --- exports ------------------------------------------------------------------------------------------


def _as_exported(
    below: Grid, names: Sequence[str], export: Export, missing: Sequence[str]
) -> tuple[Grid, list[str]]:
    """The rows without texts that mean "no value", and what is said of that and of the export."""
    below, emptied = without_texts(below, export.missing)
    said = [*export_notices(export, names, emptied=emptied, unwanted=count_unwanted(below, names, export))]
    below, emptied = without_texts(below, missing)
    if missing:
        cells, count = capitalised(counted(emptied, "cell")), agreeing(emptied, "counts", "count")
        said.append(f"{cells} with {listed(missing)} {count} as empty: missing= says so.")
    return below, said


def count_unwanted(grid: Grid, names: Sequence[str], export: Export) -> int:
    """To how many rows of an export nothing is to be sent."""
    column = standing_column(names, export)
    if not column:
        return 0
    import pyarrow.compute as pc  # see cell_text

    cells: Any = pc.utf8_trim_whitespace(grid.columns[names.index(column)])
    unwanted: Any = pc.is_in(cells, value_set=pa.array(sorted(export.standing[1]), cells.type))
    return int(pc.sum(unwanted).as_py() or 0)


def without_texts(grid: Grid, texts: Sequence[str]) -> tuple[Grid, int]:
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
        text = grid.columns[place[merge.left]][merge.top - first].as_py()
        count += bottom - merge.top
        if count > FILLED:
            raise FileError(
                f"The sheet has more than {FILLED:,} merged cells, which no contact table has. "
                "Unmerge them, save, then read the file again."
            )
        if text.strip():
            filled.append(merge._replace(bottom=bottom))
            lines = range(merge.top + 1 - first, bottom + 1 - first)
            cells.setdefault(place[merge.left], {}).update(dict.fromkeys(lines, text))
    for i, texts in cells.items():
        grid = grid.put(i, texts)
    return grid, filled


def _with_rows(grid: Grid, rows: set[int], header_row: int) -> Grid:
    """The grid with those rows that come after its end: their values are not in the file."""
    last = int(grid.rows[-1]) if len(grid) else header_row
    more = sorted(row for row in rows if row > last)
    if not more:
        return grid
    blank = pa.array([""] * len(more), TEXT)
    columns = [pa.chunked_array([*column.chunks, blank], TEXT) for column in grid.columns]
    return replace(grid, columns=columns, rows=np.concatenate([grid.rows, np.array(more, np.int64)]))


def _blank(grid: Grid, trim: bool, last: int) -> tuple[int, int]:
    """How many rows are blank, and where the table ends: if trimmed, before the blank rows at its end, but
    not before the row `last`."""
    blank, end = blank_rows(grid.columns, len(grid)), len(grid)
    if not trim:
        return len(blank), end
    trailing = int((blank[::-1] == end - 1 - np.arange(len(blank))).cumprod().sum())
    trailing = min(trailing, int((grid.rows > last).sum()))
    return len(blank) - trailing, end - trailing


def cell_issues(
    grid: Grid, below: Grid, names: Sequence[str], filled: Sequence[Merge]
) -> Iterator[CellIssue]:
    if not (filled or grid.uncalculated or grid.errors or grid.repairs):
        return
    line = {int(row): i for i, row in enumerate(below.rows)}
    place = {position: i for i, position in enumerate(below.positions)}

    def issue(row: int, position: int, code: str, severity: Severity, detail: str) -> Iterator[CellIssue]:
        if row in line and position in place:
            value = below.columns[place[position]][line[row]].as_py()
            yield CellIssue(row, names[place[position]], value, code, severity, detail)

    for merge in filled:
        detail = f"Filled with the value of row {merge.top}: the cells are merged."
        for row in range(merge.top + 1, merge.bottom + 1):
            yield from issue(row, merge.left, "merged_cell", "info", detail)
    for row, position in grid.uncalculated:
        detail = "A formula without a value: open the file in your spreadsheet program and save it again."
        yield from issue(row, position, "formula_without_value", "warning", detail)
    for row, position, error in grid.errors:
        detail = f"The cell shows the error {clean(error)}; it is taken as blank."
        yield from issue(row, position, "cell_error", "warning", detail)
    for row, position, text in grid.repairs:
        detail = f'The cell holds "{shorten(clean(text), 100)}", which another program made of this text.'
        yield from issue(row, position, "repaired_text", "info", detail)


ISSUE_NOTICES = {
    "merged_cell": "merged cells were filled with the value above them",
    "formula_without_value": "formulas have no value, so their cells are blank "
    "(open the file in your spreadsheet program, save it, and read it again)",
    "cell_error": "cells show an error such as #N/A and are taken as blank",
    "repaired_text": "letters that another program had written as codes were repaired",
}


def issue_notices(issues: Sequence[CellIssue]) -> Iterator[str]:
    if len(issues) >= LISTED:
        yield f"Only the first {LISTED:,} issues of cells are listed. What is said of them is true of all."
    for code, sentence in ISSUE_NOTICES.items():
        rows: dict[str, list[int]] = {}
        for issue in issues:
            if issue.code == code:
                rows.setdefault(issue.column, []).append(issue.row)
        for column, affected in rows.items():
            yield f'{name_rows(affected)}, column "{column}": {sentence}.'


def _frame(grid: Grid, names: Sequence[str]) -> pd.DataFrame:
    frame: pd.DataFrame = pa.Table.from_arrays(list(grid.columns), names=list(names)).to_pandas()
    frame.index = pd.Index(grid.rows, dtype="int64", name="row")
    return frame
