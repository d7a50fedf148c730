"""The sheets of a workbook of any format: which one is read, the facts about it, and how large it may be."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from campaign.contacts.columns import column_letter, fold
from campaign.contacts.workbooks.sheet_cells import Area, Column, Place, SheetCells
from campaign.errors import FileError, UsageError
from campaign.suggestions import closest
from campaign.text import clean
from campaign.words.finding import Finding

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # Excel's own limits
SPARSE = 50  # empty cells in the rectangle for each that is filled; a stray far cell makes it thousands
SPARSE_FROM = 2_000_000  # cells: smaller rectangles are read however few of their cells are filled

Shows: TypeAlias = Callable[[object], object]  # what a cell shows for its value


class SheetOfWorkbook(NamedTuple):
    """A sheet as the workbook lists it, and the part that holds it."""

    name: str
    visible: bool
    part: str = ""


class SheetFacts:
    """What a scan of a sheet collects. Row numbers count from 1, columns from 0.

    `shown`: what cells show that is not their value alone, by row number.
    """

    def __init__(self) -> None:
        self.cells, self.last_row, self.last_column = 0, 0, -1
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.merges: list[Area] = []
        self.uncalculated: list[Place] = []
        self.errors: list[tuple[int, int, str]] = []
        self.has_collapsed = False  # a group of rows
        self.shown: dict[int, list[tuple[int, Shows]]] = {}

    def hide_columns(self, first: int, last: int) -> None:
        """Note that columns are hidden."""
        self.hidden_columns.update(range(max(first, 0), min(last, LAST_COLUMN - 1) + 1))

    def show(self, row: int, column: int, shows: Shows) -> None:
        """Note that a cell shows something else than its value."""
        self.shown.setdefault(row, []).append((column, shows))

    def reach(self, row: int, column: int) -> None:
        """Extend the rectangle in use to a cell."""
        self.last_row, self.last_column = max(self.last_row, row), max(self.last_column, column)


class SheetChoice(NamedTuple):
    """The sheet to read among those of a workbook, whether it was asked for, and notices."""

    sheet: SheetOfWorkbook
    sheets: Sequence[SheetOfWorkbook]
    is_wanted: bool
    notices: list[Finding]


def choose_sheet(sheets: Sequence[SheetOfWorkbook], wanted: str | None) -> SheetChoice:
    """The sheet of that name, hidden or not, else the first visible one."""
    names = [clean(sheet.name) for sheet in sheets]
    if not sheets:
        raise FileError("table_empty")
    if wanted is not None:
        similar = [sheet for sheet in sheets if fold(sheet.name) == fold(wanted)]
        matches = [sheet for sheet in sheets if sheet.name == wanted] or similar
        if len(matches) != 1:
            suggestion = closest(wanted, names)
            given, choices = repr(clean(wanted)), [*map(repr, names)]
            raise UsageError(
                "wrong_choice", argument="sheet", given=given, choices=choices, suggestion=suggestion
            )
        hidden = Finding("sheet_hidden", {"sheet": clean(matches[0].name)}, "info")
        return SheetChoice(matches[0], sheets, True, [] if matches[0].visible else [hidden])
    chosen = next((sheet for sheet in sheets if sheet.visible), None)
    if chosen is None:
        raise FileError("all_hidden", what="sheets", option=f"sheet={json.dumps(names[0])}")
    others = [clean(sheet.name) for sheet in sheets if sheet is not chosen]
    skipped = Finding("sheets_not_read", {"sheet": clean(chosen.name), "others": others}, "info")
    return SheetChoice(chosen, sheets, False, [skipped] if others else [])


def sheet_cells(
    kind: str,
    columns: Sequence[Column],
    facts: SheetFacts,
    choice: SheetChoice,
    has_cells: Callable[[SheetOfWorkbook], bool],
    left: int = 0,
) -> SheetCells:
    """The sheet that was chosen; `left` is the position of its first column.

    One without text that was chosen for being the first is refused if others have cells.
    """
    has_text = any(not block.lengths or block.data.strip() for column in columns for block in column)
    if not (choice.is_wanted or has_text or facts.uncalculated or facts.errors):
        _refuse_empty(choice, [other for other in choice.sheets if has_cells(other)])
    if facts.has_collapsed and not facts.hidden_rows and not facts.hidden_columns:
        choice.notices.append(Finding("rows_collapsed", {}, "info"))
    return SheetCells(
        kind,
        columns,
        sheet=clean(choice.sheet.name),
        sheets=[clean(one.name) for one in choice.sheets],
        left=left,
        hidden_rows=facts.hidden_rows,
        hidden_columns=facts.hidden_columns,
        merges=facts.merges,
        uncalculated=facts.uncalculated,
        errors=facts.errors,
        notices=choice.notices,
    )


def _refuse_empty(choice: SheetChoice, filled: Sequence[SheetOfWorkbook]) -> None:
    others = [clean(sheet.name) for sheet in filled if sheet is not choice.sheet]
    if others:
        raise FileError("sheet_empty", sheet=clean(choice.sheet.name), others=others)


def refuse_beyond_rectangle(last_row: int, last_column: int, filled: int, max_cells: int) -> None:
    """Refuse a sheet whose rectangle from A1 to the last cell is beyond the budget or almost all empty."""
    corner = f"{column_letter(max(last_column, 0))}{last_row}"
    if last_row > LAST_ROW or last_column >= LAST_COLUMN:
        raise FileError("file_damaged", reason=corner)
    cells = last_row * (last_column + 1)
    if cells > SPARSE_FROM and cells > SPARSE * filled:
        raise FileError("mostly_blank", corner=corner)
    if cells > max_cells:
        raise FileError("file_too_large", most=max_cells, unit="cells", option="cells")
