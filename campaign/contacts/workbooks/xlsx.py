"""Excel workbooks (.xlsx, .xlsm) through calamine. The only module that imports it.

Calamine ends the process for files that claim more than there is, which is why workbooks are opened in a
process of their own. What it does not report comes from a scan of the sheet's XML.
"""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import python_calamine

from campaign.contacts.workbooks.archives import Archive, packed_again
from campaign.contacts.workbooks.sheet_cells import Column, SheetCells, text_columns
from campaign.contacts.workbooks.sheet_choice import (
    SheetFacts,
    choose_sheet,
    refuse_beyond_rectangle,
    sheet_cells,
)
from campaign.contacts.workbooks.xlsx_facts import FORMULA, scan_sheet
from campaign.contacts.workbooks.xlsx_outline import Outline, read_outline
from campaign.errors import FileError

_HAS_VALUE = re.compile(rb"<(?:\w+:)?(?:v|is)>")


def read_xlsx(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet of an .xlsx or .xlsm file.

    Macros are never run, links to other files never followed: the values last saved with them are read.
    """
    archive = Archive(data, max_bytes=max_bytes)
    outline = read_outline(archive)
    choice = choose_sheet(outline.sheets, sheet)
    xml, facts = scan_sheet(archive.read(choice.sheet.part), outline)
    refuse_beyond_rectangle(facts.last_row, facts.last_column, facts.cells, max_cells)
    parts = {part: archive.read(part) for part in outline.parts}
    parts[choice.sheet.part] = _without_moments(xml, outline)
    columns, left = _cells(packed_again(parts), choice.sheet.name, facts)
    return sheet_cells(
        "xlsx", columns, facts, choice, lambda other: bool(_HAS_VALUE.search(archive.read(other.part))), left
    )


def _without_moments(xml: bytes, outline: Outline) -> bytes:
    """The sheet with no format on numbers that are no date, time or length of time, though formatted as one.

    Calamine would make a time of day of a negative one, and fail for one of nine digits, which as a rule is a
    phone number.
    """
    moments = outline.moments if b"<v>-" in xml else ()
    for styles, numbers in ((moments, rb"-"), (outline.spans, rb"-?(?:\d{9}|[\d.]+[Ee]\+?\d)")):
        if styles:
            style = rb'\ss="(?:%s)"' % b"|".join(styles)
            cell = rb'(<c r="[A-Z]{1,3}\d{1,8}"[^<>]*?)%s([^<>]*>%s?<v>%s)' % (style, FORMULA, numbers)
            xml = re.sub(cell, rb"\1\2", xml)
    return xml


def _cells(data: bytes, name: str, facts: SheetFacts) -> tuple[list[Column], int]:
    """The cells of a sheet from row 1 on as text columns, and the position of the first column."""
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            sheet = book.get_sheet_by_name(name)
            left = sheet.start[1] if sheet.start else 0
            for (top, first), (bottom, last) in sheet.merged_cell_ranges or ():
                facts.merges.append((top + 1, first, bottom + 1, last))
            lines = _as_shown(sheet.iter_rows(), left, facts) if facts.shown else sheet.iter_rows()
            return text_columns(lines, sheet.width), left
    except python_calamine.PasswordError:
        raise FileError("password_protected") from None
    except (python_calamine.CalamineError, OverflowError):
        raise FileError("file_damaged") from None
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # a panic in calamine is not an Exception
            raise
        raise FileError("file_damaged") from None


def _as_shown(lines: Iterator[list[Any]], left: int, facts: SheetFacts) -> Iterator[Sequence[Any]]:
    """The lines of a sheet with the text that their formats show."""
    for row, cells in enumerate(lines, 1):
        for column, shows in facts.shown.get(row, ()):
            if 0 <= column - left < len(cells):
                cells[column - left] = shows(cells[column - left])
        yield cells
