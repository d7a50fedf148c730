"""Excel's workbooks through calamine: .xlsx, .xlsm, .xls. The only module that imports it."""

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pyarrow as pa
import python_calamine
from numpy.typing import NDArray

from campaign.contacts.cells.cell_text import TEXT, column_text
from campaign.contacts.cells.grid import Grid
from campaign.contacts.workbooks.archives import DAMAGED, LOCKED, Archive, packed_again
from campaign.contacts.workbooks.biff import open_workbook, single_sheet
from campaign.contacts.workbooks.compound import Compound, written
from campaign.contacts.workbooks.outline import read_outline
from campaign.contacts.workbooks.shared_texts import hold_texts, text_lengths
from campaign.contacts.workbooks.sheet_xml import scan_sheet
from campaign.contacts.workbooks.sheets import Sheet, SheetFacts, choose_sheet, hold_rectangle
from campaign.contacts.workbooks.xml_parts import parse_xml
from campaign.errors import FileError
from campaign.text import clean

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
