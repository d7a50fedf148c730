"""Excel workbooks (.xlsx, .xlsm) through calamine. The only module that imports it.

Calamine ends the process for files that claim more than there is, which is why workbooks are opened in a
process of their own. It does not report hidden rows and columns, merged areas, formulas without a value or
errors: those come from a scan of the sheet's XML.
"""

import gc
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import python_calamine

from campaign.contacts.cells.value_text import number_text
from campaign.contacts.workbooks.archives import (
    DAMAGED,
    LOCKED,
    Archive,
    Member,
    packed_again,
    stored_member,
)
from campaign.contacts.workbooks.number_formats import CellFormat
from campaign.contacts.workbooks.sheet_cells import SheetCells, TextColumn, text_columns
from campaign.contacts.workbooks.sheet_choice import (
    Sheet,
    SheetFacts,
    choose_sheet,
    refuse_beyond_rectangle,
    refuse_empty,
    sheet_cells,
)
from campaign.contacts.workbooks.xlsx_facts_events import column_position, scan_events
from campaign.contacts.workbooks.xlsx_outline import read_outline
from campaign.contacts.workbooks.xml_parts import refuse_document_type
from campaign.errors import FileError

# The cells whose formats show more than a plain number, by row number: column position and format.
Formats: TypeAlias = Mapping[int, Sequence[tuple[int, CellFormat]]]
_HAS_VALUE = re.compile(rb"<(?:\w+:)?(?:v|is)>")
SMALL_SHEET = 500_000  # bytes of XML that are gone through one by one before numpy would be loaded


def read_xlsx(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .xlsx or .xlsm file. Macros are never run, links to other files never followed."""
    archive = Archive(data, max_bytes=max_bytes)
    outline = read_outline(archive)
    chosen, notices = choose_sheet(outline.sheets, sheet)
    facts = _scan(archive, chosen.part, outline.formats)
    refuse_beyond_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    for part in outline.shared:
        refuse_document_type(archive.pieces(part))
    members = [archive.member(part) for part in (*outline.parts, *outline.shared)]
    formats: dict[int, list[tuple[int, CellFormat]]] = {}
    for row, column, style in facts.styled:
        formats.setdefault(row, []).append((column, outline.formats[style]))
    columns, left = _cells(archive, members, chosen, formats)
    if sheet is None:
        filled = (
            other for other in outline.sheets if any(map(_HAS_VALUE.search, archive.pieces(other.part)))
        )
        refuse_empty(chosen, columns, facts, filled)
    if outline.has_links:
        notices.append("The workbook refers to other workbooks: the values last saved with it were read.")
    return sheet_cells(
        "xlsm" if outline.has_macros else "xlsx",
        columns,
        facts,
        chosen,
        outline.sheets,
        left=left,
        notices=notices,
        negatives=list(_negatives(archive, chosen, facts, columns, left)),
        zero_formulas=facts.zero_formulas if outline.never_calculated else (),
    )


def _scan(archive: Archive, part: str, styles: Collection[int]) -> SheetFacts:
    if archive.member(part).size <= SMALL_SHEET:
        return scan_events(archive.pieces(part), styles)
    from campaign.contacts.workbooks.xlsx_facts_scan import scan_sheet  # through numpy, which takes 40 ms

    return scan_sheet(lambda: archive.pieces(part), styles)


def _negatives(
    archive: Archive, sheet: Sheet, facts: SheetFacts, columns: list[TextColumn], left: int
) -> Iterator[tuple[int, int, str]]:
    """The negative numbers in columns with times of day: calamine takes those with a date format for one."""
    clocks = {left + place for place, column in enumerate(columns) if column.has_clock}
    if facts.has_negatives and clocks:
        for row, position, number in facts.negatives or negative_numbers(archive.pieces(sheet.part)):
            if position in clocks:
                yield row, position, number_text(number)


# --- calamine -----------------------------------------------------------------------------------------


def _cells(
    archive: Archive, members: list[Member], sheet: Sheet, formats: Formats
) -> tuple[list[TextColumn], int]:
    """The cells of the sheet; calamine is given only the parts that were looked at here."""
    try:
        return by_calamine(packed_again([*members, archive.member(sheet.part)]), sheet.name, formats)
    except OverflowError:  # a phone number, as a rule, under a format for lengths of time
        plain = without_formats(b"".join(archive.pieces(sheet.part)))
    try:
        return by_calamine(packed_again([*members, stored_member(sheet.part, plain)]), sheet.name, formats)
    except OverflowError:
        raise FileError(
            "A number in the sheet is too large for its format, a length of time ([h]:mm). "
            "Format its column as a plain number or as text, save, then read the file again."
        ) from None


def by_calamine(data: bytes, name: str | None, formats: Formats) -> tuple[list[TextColumn], int]:
    """The cells of a sheet (without a name, the first) from row 1 on as text columns, and the position of the
    first column.
    """
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book, _collector_paused():
            sheet = book.get_sheet_by_index(0) if name is None else book.get_sheet_by_name(name)
            lines = _as_shown(sheet, formats) if formats else sheet.iter_rows()
            return text_columns(lines), _left(sheet)
    except python_calamine.PasswordError:
        raise FileError(LOCKED) from None
    except python_calamine.CalamineError:
        raise FileError(DAMAGED.format("its cells cannot be read")) from None
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # a panic in calamine is not an Exception
            raise
        raise FileError(DAMAGED.format("its cells make no sense")) from None


def _left(sheet: Any) -> int:
    return sheet.start[1] if sheet.start else 0


def _as_shown(sheet: Any, formats: Formats) -> Iterator[list[Any]]:
    """The lines of a sheet with the text that their formats show."""
    left = _left(sheet)
    for row, line in enumerate(sheet.iter_rows(), 1):
        cells: list[Any] = line
        for column, number_format in formats.get(row, ()):
            if 0 <= column - left < len(cells):
                cells[column - left] = number_format.shown(cells[column - left])
        yield cells


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


_FORMULA = rb"(?:<f(?:\s[^<>]*)?>(?:(?<=/>)|[^<]*</f>)\s*)?"
_NEGATIVE = re.compile(
    rb'<c r="([A-Z]{1,3})(\d{1,8})"[^<>]*>' + _FORMULA + rb"<v>(-[\d.]+(?:[Ee][+-]?\d+)?)</v>"
)
# Of ten digits or more, or with an exponent; Python has no duration of so many days.
_HUGE = re.compile(
    rb'(<c r="[A-Z]{1,3}\d{1,8}"[^<>]*?)\ss="\d+"([^<>]*>' + _FORMULA + rb"<v>-?(?:\d{9}|[\d.]+[Ee]\+?\d))"
)


def negative_numbers(pieces: Iterable[bytes]) -> Iterator[tuple[int, int, float]]:
    """Row number, column position and value of each cell with a negative number."""
    rest = b""
    for piece in pieces:
        xml = rest + piece
        cut = xml.rfind(b"<c ")  # the last cell may be cut in two
        rest = xml[cut:] if cut > 0 else xml
        for cell in _NEGATIVE.finditer(xml, 0, max(cut, 0)):
            yield int(cell[2]), column_position(cell[1]), float(cell[3])
    for cell in _NEGATIVE.finditer(rest):
        yield int(cell[2]), column_position(cell[1]), float(cell[3])


def without_formats(xml: bytes) -> bytes:
    """The sheet with no format on numbers that are too large for a date or a length of time."""
    return _HUGE.sub(rb"\1\2", xml)
