"""Workbooks: .xlsx and .xlsm through calamine. The only module that imports it."""

import io
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import python_calamine

from campaign.contacts.archives import DAMAGED, Archive, packed_again
from campaign.contacts.columns import column_letter, fold, listed
from campaign.contacts.grid import Grid, chunked
from campaign.contacts.sheet_xml import LAST_COLUMN, LAST_ROW, SheetFacts, parse_xml, scan_sheet
from campaign.contacts.texts import column_text
from campaign.errors import FileError, UsageError

SPARSE = 50  # empty cells in the rectangle for each that is filled; a stray far cell makes it thousands
SPARSE_FROM = 2_000_000  # cells that cost no more than a blink, however few are filled
LOCKED = "The workbook is protected by a password. Save it without one, then read that file."


@dataclass(frozen=True)
class Sheet:
    """A sheet as the workbook lists it, and the part that holds it."""

    name: str
    visible: bool
    part: str


def choose_sheet(sheets: Sequence[Sheet], wanted: str | None) -> Sheet:
    """The sheet of that name, hidden or not; else the first one that is visible."""
    if not sheets:
        raise FileError("The workbook has no sheet with cells.")
    if wanted is None:
        visible = [sheet for sheet in sheets if sheet.visible]
        if not visible:
            raise FileError(
                f"All sheets are hidden: {listed([s.name for s in sheets])}. Name one with sheet=."
            )
        return visible[0]
    same = [s for s in sheets if s.name == wanted] or [s for s in sheets if fold(s.name) == fold(wanted)]
    if len(same) != 1:
        raise UsageError(
            f'There is no one sheet "{wanted}". The sheets are: {listed([s.name for s in sheets])}.'
        )
    return same[0]


def read_xlsx(data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> Grid:
    """One sheet of an .xlsx or .xlsm file, from its first row and column on. Macros are never run."""
    archive = Archive(data, max_bytes=max_bytes)
    book = next((part for kind, part in _relations(archive, "").values() if kind == "officeDocument"), "")
    around = _relations(archive, book)
    chosen = choose_sheet(_sheets(archive, book, around), sheet)
    facts = scan_sheet(lambda: archive.pieces(chosen.part))
    _hold_rectangle(facts, max_cells)
    shared = [
        part
        for kind, part in around.values()
        if kind in ("sharedStrings", "styles") and part in archive.names
    ]
    for part in shared:
        _check_part(archive, part, facts.cells, max_bytes)
    parts = ["_rels/.rels", book, _relations_part(book), chosen.part, *dict.fromkeys(shared)]
    lines = _by_calamine(packed_again(archive.member(part) for part in parts), chosen.name)
    return _grid(lines, chosen.name, facts)


def _relations_part(part: str) -> str:
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _relations(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to inside the workbook: id -> (last word of the type, part)."""
    found: dict[str, tuple[str, str]] = {}
    folder = "/" + posixpath.dirname(part)

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = (
                posixpath.normpath(posixpath.join(folder, attributes.get("Target", ""))).lstrip("/").lower()
            )
            found[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], target)

    parse_xml([archive.read(_relations_part(part))], relation)
    return found


def _sheets(archive: Archive, book: str, around: dict[str, tuple[str, str]]) -> list[Sheet]:
    """The worksheets in their order; sheets that hold only a chart or a dialog are left out."""
    sheets: list[Sheet] = []

    def listing(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            reference = next((value for key, value in attributes.items() if key.endswith("}id")), "")
            kind, part = around.get(reference, ("", ""))
            if kind == "worksheet":
                sheets.append(
                    Sheet(attributes.get("name", ""), attributes.get("state", "visible") == "visible", part)
                )

    parse_xml([archive.read(book)], listing)
    return sheets


def _hold_rectangle(facts: SheetFacts, max_cells: int) -> None:
    corner = f"{column_letter(max(facts.last_column, 0))}{facts.last_row}"
    if facts.last_row > LAST_ROW or facts.last_column >= LAST_COLUMN:
        raise FileError(DAMAGED.format(f"it has a cell {corner}, beyond the end of any sheet"))
    cells = facts.last_row * (facts.last_column + 1)
    if cells > SPARSE_FROM and cells > SPARSE * facts.cells:
        raise FileError(
            f"The sheet reaches to {corner}, but almost all of its cells are empty: a stray cell is far out. "
            "Delete the rows below and the columns to the right of the table, save, then read the file again."
        )
    if cells > max_cells:
        raise FileError(
            f"The sheet has {cells:,} cells, more than {max_cells:,}. "
            "If it is meant, give a larger max_cells=."
        )


def _check_part(archive: Archive, part: str, cells: int, max_bytes: int) -> None:
    """No document type; and the longest shared text, were it in every cell, stays within the budget."""
    longest, rest = 0, b""
    for piece in archive.pieces(part):
        rest += piece
        if b"<!DOCTYPE" in rest or b"<!ENTITY" in rest:
            parse_xml([rest], lambda *_: None)
        texts = rest.split(b"</si>")
        longest, rest = max(longest, *map(len, texts)), texts[-1]
        if len(rest) > max_bytes // 16:
            break
    if part.endswith("sharedstrings.xml") and longest * cells > max_bytes * 16:
        raise FileError("The workbook repeats very long texts in very many cells; it is not read.")


def _by_calamine(data: bytes, name: str) -> list[list[Any]]:
    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            return book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except python_calamine.PasswordError:
        raise FileError(LOCKED) from None
    except python_calamine.CalamineError:
        raise FileError(DAMAGED.format("its cells cannot be read")) from None


def _grid(lines: list[list[Any]], name: str, facts: SheetFacts) -> Grid:
    columns = [chunked(column_text(column)) for column in zip(*lines, strict=True)]
    rows = np.arange(1, len(lines) + 1, dtype=np.int64)
    return Grid(
        "xlsx",
        columns,
        rows,
        range(len(columns)),
        sheet=name,
        hidden_rows=frozenset(facts.hidden_rows),
        hidden_columns=facts.hidden_columns,
        merges=facts.merges,
        uncalculated=facts.uncalculated,
    )
