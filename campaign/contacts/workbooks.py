"""Workbooks through calamine: .xlsx, .xlsm, .xls. The only module that imports it."""

import gc
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pyarrow as pa
import python_calamine
from numpy.typing import NDArray

from campaign.contacts.archives import DAMAGED, LOCKED, Archive, packed_again
from campaign.contacts.biff import open_workbook, single_sheet
from campaign.contacts.columns import column_letter, fold, listed
from campaign.contacts.compound import Compound, written
from campaign.contacts.grid import Grid
from campaign.contacts.outline import Sheet, read_outline
from campaign.contacts.shared_texts import hold_texts, text_lengths
from campaign.contacts.sheet_events import LAST_COLUMN, LAST_ROW, SheetFacts
from campaign.contacts.sheet_xml import scan_sheet
from campaign.contacts.texts import TEXT, column_text
from campaign.contacts.xml_parts import parse_xml
from campaign.display import clean
from campaign.errors import FileError, UsageError

SPARSE = 50  # empty cells in the rectangle for each that is filled; a stray far cell makes it thousands
SPARSE_FROM = 2_000_000  # cells that cost no more than a blink, however few are filled
LINES = 10_000  # rows that are Python objects at a time


def read_xlsx(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> Grid:
    """One sheet of an .xlsx or .xlsm file. Macros are never run, links to other files never followed."""
    archive = Archive(data, max_bytes=max_bytes)
    outline = read_outline(archive)
    chosen, notices = choose_sheet(outline.sheets, sheet)
    facts = scan_sheet(lambda: archive.pieces(chosen.part))
    hold_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    for kind, part in outline.shared.items():
        if kind == "sharedStrings":
            lengths = text_lengths(archive.pieces(part))
            hold_texts(lengths, facts.cells, archive.pieces(chosen.part), max_bytes)
        else:
            parse_xml([archive.read(part)], lambda *_: None)  # refuses document types
    parts = [*outline.parts, chosen.part, *outline.shared.values()]
    columns, rows, left = by_calamine(packed_again(archive.member(part) for part in parts), chosen.name)
    if outline.has_links:
        notices.append("The workbook refers to other workbooks: the values last saved with it were read.")
    grid = _grid("xlsm" if outline.has_macros else "xlsx", columns, rows, left, chosen, facts, notices)
    return _without_zeros(grid, facts) if outline.never_calculated else grid


def read_xls(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> Grid:
    """One sheet of an .xls file (Excel 5 to 2003)."""
    container = Compound(data)
    if "encryptedpackage" in container.names:
        raise FileError(LOCKED)
    stream = next((name for name in ("workbook", "book") if name in container.names), None)
    if stream is None:
        raise FileError(
            "The file is an old Office document, but no workbook. Save the table as .xlsx or .csv."
        )
    book = open_workbook(container.stream(stream))
    chosen, notices = choose_sheet(book.sheets, sheet)
    fresh, facts = single_sheet(book, chosen)
    hold_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    columns, rows, left = by_calamine(written("Workbook", fresh))
    return _grid("xls", columns, rows, left, chosen, facts, notices)


def choose_sheet(sheets: Sequence[Sheet], wanted: str | None) -> tuple[Sheet, list[str]]:
    """The sheet of that name, hidden or not, else the first one that is visible; and what to say of it."""
    names = listed([sheet.name for sheet in sheets])
    if not sheets:
        raise FileError("The workbook has no sheet with cells.")
    if wanted is not None:
        alike = [sheet for sheet in sheets if fold(sheet.name) == fold(str(wanted))]
        same = [sheet for sheet in sheets if sheet.name == wanted] or alike
        if len(same) != 1:
            raise UsageError(f'There is no one sheet "{wanted}". The sheets are: {names}.')
        said = f"The sheet {listed([same[0].name])} is hidden in the workbook."
        return same[0], [] if same[0].visible else [said]
    chosen = next((sheet for sheet in sheets if sheet.visible), None)
    if chosen is None:
        raise FileError(f"All sheets are hidden: {names}. Name the one to read with sheet=.")
    others = [sheet.name + ("" if sheet.visible else " (hidden)") for sheet in sheets if sheet is not chosen]
    said = f"Only the sheet {listed([chosen.name])} was read, not {listed(others)}."
    return chosen, [said] if others else []


def _grid(
    kind: str,
    columns: list[pa.ChunkedArray],
    rows: NDArray[np.int64],
    left: int,
    sheet: Sheet,
    facts: SheetFacts,
    notices: list[str],
) -> Grid:
    return Grid(
        kind,
        columns,
        rows,
        range(left, left + len(columns)),
        sheet=clean(sheet.name),
        hidden_rows=frozenset(facts.hidden_rows),
        hidden_columns=facts.hidden_columns,
        merges=facts.merges,
        uncalculated=facts.uncalculated,
        errors=facts.errors,
        notices=notices,
    )


def _without_zeros(grid: Grid, facts: SheetFacts) -> Grid:
    """Formulas that show 0 in a workbook that no spreadsheet program has calculated have no value yet."""
    cells: dict[int, dict[int, str]] = {}
    for row, position in facts.zero_formulas:
        cells.setdefault(position - grid.positions[0], {})[row - 1] = ""
    for place, texts in cells.items():
        grid = grid.put(place, texts)
    return grid.with_uncalculated(facts.zero_formulas)


# --- guards -------------------------------------------------------------------------------------------


def hold_rectangle(last_row: int, last_column: int, filled: int, max_cells: int) -> None:
    """Refuse a sheet whose rectangle from A1 to the last cell is beyond the budget or almost all empty."""
    corner = f"{column_letter(max(last_column, 0))}{last_row}"
    if last_row > LAST_ROW or last_column >= LAST_COLUMN:
        raise FileError(DAMAGED.format(f"it has a cell {corner}, beyond the end of any sheet"))
    cells = last_row * (last_column + 1)
    if cells > SPARSE_FROM and cells > SPARSE * filled:
        raise FileError(
            f"The sheet reaches to {corner}, but almost all of its cells are empty: a stray cell is far out. "
            "Delete the rows below and the columns to the right of the table, save, then read the file again."
        )
    if cells > max_cells:
        raise FileError(
            f"The sheet has {cells:,} cells, more than {max_cells:,}. "
            "If it is meant, give a larger max_cells=."
        )


# --- calamine -----------------------------------------------------------------------------------------


def by_calamine(data: bytes, name: str | None = None) -> tuple[list[pa.ChunkedArray], NDArray[np.int64], int]:
    """The cells of a sheet, or of the only one: text columns, row numbers, place of the first column."""
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book, _collector_paused():
            sheet = book.get_sheet_by_index(0) if name is None else book.get_sheet_by_name(name)
            chunks: list[list[pa.Array]] = []
            lines = sheet.iter_rows()
            while block := list(islice(lines, LINES)):
                chunks.append([column_text(column) for column in zip(*block, strict=True)])
    except python_calamine.PasswordError:
        raise FileError(LOCKED) from None
    except python_calamine.CalamineError:
        raise FileError(DAMAGED.format("its cells cannot be read")) from None
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # what calamine's own checks become: no Exception
            raise
        raise FileError(DAMAGED.format("its cells make no sense")) from None
    columns = [pa.chunked_array(parts, TEXT) for parts in zip(*chunks, strict=True)]
    count = len(columns[0]) if columns else 0
    return columns, np.arange(1, count + 1, dtype=np.int64), sheet.start[1] if sheet.start else 0


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's collector, which looks at every new row in vain: a third of the time of reading."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
