"""A spreadsheet becomes a contact table: every cell text, every row under the number it has in the sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.contacts.columns import check_headers, column_letter
from campaign.contacts.delimited import read_delimited
from campaign.contacts.encodings import to_text
from campaign.contacts.grid import Grid
from campaign.contacts.headers import LOOKED_AT, header_place
from campaign.contacts.sources import find_format, open_source
from campaign.contacts.texts import blank_rows
from campaign.contacts.workbooks import read_xlsx
from campaign.display import figure
from campaign.errors import FileError, UsageError

MAX_BYTES = 2_000_000_000  # of the file, and of each of its parts unpacked
MAX_CELLS = 200_000_000  # of the table: ten million rows of twenty columns


@dataclass(frozen=True)
class Reading:
    """What was read and how: shown by plans and reports.

    `rows` counts the contact rows (blank ones included), `hidden_rows` those left out, `blank_rows` those
    in which no cell holds anything; `notices` are sentences about all that was found, repaired or left out.
    """

    source: str
    format: str
    sheet: str | None
    header_row: int | None
    encoding: str | None
    delimiter: str | None
    rows: int
    hidden_rows: int
    blank_rows: int
    notices: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was read, in plain words."""
        sheet = f', sheet "{self.sheet}"' if self.sheet else ""
        header = f"header in row {self.header_row}" if self.header_row else "no header"
        tail = f"; {figure(self.hidden_rows)} hidden" if self.hidden_rows else ""
        tail += f"; {figure(self.blank_rows)} blank" if self.blank_rows else ""
        noun = "row" if self.rows == 1 else "rows"
        return f"{figure(self.rows)} {noun} from {self.source}{sheet} ({self.format}, {header}{tail})."

    def __deepcopy__(self, memo: dict[int, Any]) -> "Reading":
        return self  # pandas copies .attrs with every step; what cannot change need not be copied


def read_contacts(
    source: Any,
    *,
    sheet: str | None = None,
    header: int | Literal[False] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    hidden: Literal["skip", "include"] = "skip",
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> pd.DataFrame:
    """A contact table from a spreadsheet: csv, tsv, txt, xlsx, xlsm, or a DataFrame.

    `source` is a path, bytes, an open file or a DataFrame. All columns are text (dtype str), a blank cell is
    "". The index `row` (int64) is the row number that the sheet shows. `.attrs["reading"]` is a `Reading`.

    `sheet`: its name; by default the first visible one. `header`: the row number of the header; by default
    it is found; False if there is none. `hidden`: "skip" leaves hidden rows and columns out. `max_bytes` and
    `max_cells` stop what is no contact list.

    Raises FileError if the file cannot be read or could be read in two ways, ColumnError for headers that
    are the same, UsageError for arguments that do not fit.
    """
    if hidden not in ("skip", "include"):
        raise UsageError(f'hidden= is "skip" or "include", not {hidden!r}.')
    opened = open_source(source, max_bytes=max_bytes)
    kind = find_format(opened)
    if kind == "text":
        text = to_text(opened.data, encoding)
        grid = read_delimited(text, delimiter=delimiter, header=header, max_cells=max_cells)
    elif kind == "xlsx":
        grid = read_xlsx(opened.data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
    else:
        raise FileError(f'"{opened.name}" cannot be read.')
    return _table(grid, opened.name, header=header, skip=hidden == "skip")


def _table(grid: Grid, name: str, *, header: int | Literal[False] | None, skip: bool) -> pd.DataFrame:
    """The grid under its header: the contact table."""
    notices = list(grid.notices)
    hidden = 0
    if skip and grid.hidden_columns:
        kept = [i for i, at in enumerate(grid.positions) if at not in grid.hidden_columns]
        left = [column_letter(at) for at in grid.positions if at in grid.hidden_columns]
        notices.append(f"Hidden columns were left out: {', '.join(left)}.")
        grid = grid.select(kept)
    if skip and grid.hidden_rows:
        seen = ~np.isin(grid.rows, np.fromiter(grid.hidden_rows, np.int64))
        hidden = int((~seen).sum())
        grid = grid.take(np.flatnonzero(seen))
    place = _place(grid, header)
    header_row = None if place is None else int(grid.rows[place])
    below = grid.take(slice(0 if place is None else place + 1, None))
    heads = [""] * len(grid.columns) if place is None else [column[place].as_py() for column in grid.columns]
    kept = [i for i, head in enumerate(heads) if head.strip() or not below.is_empty(i)]
    below, heads = below.select(kept), [heads[i] for i in kept]
    names = check_headers(heads, letters=[column_letter(at) for at in below.positions])
    blank = blank_rows(below.columns, len(below))
    end = len(below)
    while len(blank) and blank[-1] == end - 1:
        blank, end = blank[:-1], end - 1
    below = below.take(slice(0, end))
    if hidden:
        notices.append(f"{figure(hidden)} hidden rows were left out.")
    reading = Reading(
        name,
        grid.format,
        grid.sheet,
        header_row,
        grid.encoding,
        grid.delimiter,
        end,
        hidden,
        len(blank),
        tuple(notices),
    )
    return _frame(below, names, reading)


def _place(grid: Grid, header: int | Literal[False] | None) -> int | None:
    lines = grid.head(LOOKED_AT)
    if header is None or header is False:
        return header_place(lines, header)
    at = np.flatnonzero(grid.rows == header)
    if not len(at):
        raise UsageError(f"There is no row {header} for the header.")
    return int(at[0])


def _frame(grid: Grid, names: Sequence[str], reading: Reading) -> pd.DataFrame:
    table = pa.table(dict(zip(names, grid.columns, strict=True)))
    frame: pd.DataFrame = table.to_pandas()
    frame.index = pd.Index(grid.rows, dtype="int64", name="row")
    frame.attrs["reading"] = reading
    return frame
