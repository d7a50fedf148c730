"""A spreadsheet becomes a contact table: every cell text, every row under the number it has in the sheet."""

from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from campaign.contacts.contact_table import Finding, make_table
from campaign.contacts.delimited import read_delimited
from campaign.contacts.encodings import to_text
from campaign.contacts.grid import Grid
from campaign.contacts.sources import Source, find_format, open_source
from campaign.contacts.workbooks import read_xlsx
from campaign.display import figure
from campaign.errors import UsageError

MAX_BYTES = 2_000_000_000  # of the file, and of each of its parts unpacked
MAX_CELLS = 200_000_000  # of the table: ten million rows of twenty columns


@dataclass(frozen=True)
class Reading:
    """What was read and how: shown by plans and reports.

    `rows` counts the contact rows (blank ones included), `hidden_rows` those left out, `blank_rows` those
    in which no cell holds anything; `notices` are sentences about all that was found, repaired or left out,
    `findings` the same for each single cell.
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
    findings: tuple[Finding, ...] = ()

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
    grid = _grid(opened, sheet, header, delimiter, encoding, max_bytes, max_cells)
    table = make_table(grid, header=header, skip_hidden=hidden == "skip")
    frame = table.frame
    frame.attrs["reading"] = Reading(
        source=opened.name,
        format=grid.format,
        sheet=grid.sheet,
        header_row=table.header_row,
        encoding=grid.encoding,
        delimiter=grid.delimiter,
        rows=len(frame),
        hidden_rows=table.hidden_rows,
        blank_rows=table.blank_rows,
        notices=table.notices,
        findings=table.findings,
    )
    return frame


def _grid(
    opened: Source,
    sheet: str | None,
    header: int | Literal[False] | None,
    delimiter: str | None,
    encoding: str | None,
    max_bytes: int,
    max_cells: int,
) -> Grid:
    kind = find_format(opened)
    if kind == "text":
        text = to_text(opened.data, encoding)
        return read_delimited(text, delimiter=delimiter, header=header, max_cells=max_cells)
    return read_xlsx(opened.data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
