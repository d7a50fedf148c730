"""Excel workbooks (.xlsx, .xlsm) through calamine. The only module that imports it.

Calamine ends the process for files that claim more than there is, which is why workbooks are opened in a
process of their own. It does not report hidden rows and columns, merged areas, formulas without a value or
errors: those come from a scan of the sheet's XML.
"""

import gc
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import numpy as np
import pyarrow as pa
import python_calamine

from campaign.arrow_types import TEXT, TextArray, TextChunks
from campaign.contacts.cells.cell_text import column_text, number_text
from campaign.contacts.cells.grid import Grid
from campaign.contacts.workbooks.archives import (
    DAMAGED,
    LOCKED,
    Archive,
    Member,
    packed_again,
    stored_member,
)
from campaign.contacts.workbooks.calamine_workarounds import negative_numbers, without_formats
from campaign.contacts.workbooks.sheet_choice import Sheet, SheetFacts, choose_sheet, refuse_beyond_rectangle
from campaign.contacts.workbooks.xlsx_facts_scan import scan_sheet
from campaign.contacts.workbooks.xlsx_outline import read_outline
from campaign.contacts.workbooks.xml_parts import refuse_document_type
from campaign.errors import FileError
from campaign.text import clean

CLOCK = re.compile(r"^\d\d:\d\d(?::\d\d)?$")  # a time of day, as `clock_text` writes it
LINES = 10_000  # rows that are Python objects at a time


def read_xlsx(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> Grid:
    """One sheet of an .xlsx or .xlsm file. Macros are never run, links to other files never followed."""
    archive = Archive(data, max_bytes=max_bytes)
    outline = read_outline(archive)
    chosen, notices = choose_sheet(outline.sheets, sheet)
    facts = scan_sheet(lambda: archive.pieces(chosen.part))
    refuse_beyond_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    for part in outline.shared:
        refuse_document_type(archive.pieces(part))
    members = [archive.member(part) for part in (*outline.parts, *outline.shared)]
    columns, left = _cells(archive, members, chosen)
    if outline.has_links:
        notices.append("The workbook refers to other workbooks: the values last saved with it were read.")
    grid = _grid("xlsm" if outline.has_macros else "xlsx", columns, left, chosen, facts, notices)
    grid = replace(grid, sheets=[clean(one.name) for one in outline.sheets])
    if facts.has_negatives:
        grid = _with_negatives(grid, facts.negatives or negative_numbers(archive.pieces(chosen.part)))
    return _without_zeros(grid, facts) if outline.never_calculated else grid


def _grid(
    kind: str,
    columns: list[TextChunks],
    left: int,
    sheet: Sheet,
    facts: SheetFacts,
    notices: list[str],
) -> Grid:
    return Grid(
        kind,
        columns,
        np.arange(1, len(columns[0]) + 1 if columns else 1, dtype=np.int64),
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


def _with_negatives(grid: Grid, numbers: Iterable[tuple[int, int, float]]) -> Grid:
    """Negative numbers with a date format are not dates, but calamine turns them into times of day."""
    clocks = {i for i, column in enumerate(grid.columns) if _has_clock(column)}
    cells: dict[int, dict[int, str]] = {}
    for row, position, number in numbers if clocks else ():
        place = position - grid.positions[0]
        if place in clocks and CLOCK.fullmatch(grid.columns[place][row - 1].as_py() or ""):
            cells.setdefault(place, {})[row - 1] = number_text(number)
    for place, texts in cells.items():
        grid = grid.put(place, texts)
    return grid


def _has_clock(column: TextChunks) -> bool:
    import pyarrow.compute as pc  # see cell_text

    return bool(pc.any(pc.match_substring_regex(column, CLOCK.pattern)).as_py())


# --- calamine -----------------------------------------------------------------------------------------


def _cells(archive: Archive, members: list[Member], sheet: Sheet) -> tuple[list[TextChunks], int]:
    """The cells of the sheet; calamine is given only the parts that were looked at here."""
    try:
        return by_calamine(packed_again([*members, archive.member(sheet.part)]), sheet.name)
    except OverflowError:  # a phone number, as a rule, under a format for lengths of time
        plain = without_formats(b"".join(archive.pieces(sheet.part)))
    try:
        return by_calamine(packed_again([*members, stored_member(sheet.part, plain)]), sheet.name)
    except OverflowError:
        raise FileError(
            "A number in the sheet is too large for its format, a length of time ([h]:mm). "
            "Format its column as a plain number or as text, save, then read the file again."
        ) from None


def by_calamine(data: bytes, name: str) -> tuple[list[TextChunks], int]:
    """The cells of a sheet from row 1 on as text columns, and the position of the first column."""
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book, _collector_paused():
            sheet = book.get_sheet_by_name(name)
            chunks: list[list[TextArray]] = []
            lines = sheet.iter_rows()
            while block := list(islice(lines, LINES)):
                chunks.append([column_text(column) for column in zip(*block, strict=True)])
    except python_calamine.PasswordError:
        raise FileError(LOCKED) from None
    except python_calamine.CalamineError:
        raise FileError(DAMAGED.format("its cells cannot be read")) from None
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # a panic in calamine is not an Exception
            raise
        raise FileError(DAMAGED.format("its cells make no sense")) from None
    columns: list[TextChunks] = [pa.chunked_array(parts, TEXT) for parts in zip(*chunks, strict=True)]
    return columns, sheet.start[1] if sheet.start else 0


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's garbage collector, which takes a third of the time and finds nothing."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
