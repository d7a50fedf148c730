"""The sheets of a workbook of any format: which one is read, the facts about it, and how large it may be."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from campaign.contacts.cells.merge import Merge
from campaign.contacts.columns import column_letter, fold, listed
from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.sheet_cells import NumberBlock, SheetCells, TextColumn
from campaign.errors import FileError, UsageError
from campaign.text import clean

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384  # Excel's own limits
SPARSE = 50  # empty cells in the rectangle for each that is filled; a stray far cell makes it thousands
SPARSE_FROM = 2_000_000  # cells: smaller rectangles are read however few of their cells are filled

Shows: TypeAlias = Callable[[object], object]  # what a cell shows for its value


class Sheet(NamedTuple):
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
        self.hidden_spans: list[tuple[int, int]] = []
        self.merges: list[Merge] = []
        self.uncalculated: list[tuple[int, int]] = []
        self.errors: list[tuple[int, int, str]] = []
        self.shown: dict[int, list[tuple[int, Shows]]] = {}
        self.summary_below = True  # whether the row that stands for a collapsed group is below it
        self._details: list[tuple[int, int]] = []  # rows of groups right above, and how deep they are in them
        self._collapsed: int | None = None
        self._outlined_to = 0

    @property
    def hidden_columns(self) -> frozenset[int]:
        """Hidden columns among those that are in use."""
        is_hidden = bytearray(self.last_column + 1)
        for first, last in self.hidden_spans:
            first, after_last = max(first, 0), min(last + 1, len(is_hidden))
            is_hidden[first:after_last] = bytes([1]) * (after_last - first)
        return frozenset(i for i, hidden in enumerate(is_hidden) if hidden)

    def note_outline(self, row: int, level: int, *, is_collapsed: bool) -> None:
        """Rows of a collapsed group are hidden, also where the file does not call them so."""
        if not level and not is_collapsed:
            return  # in no group: the next row that is in one does not follow the last
        if row != self._outlined_to + 1:
            self._details, self._collapsed = [], None
        self._outlined_to = row
        while is_collapsed and self.summary_below and self._details and self._details[-1][1] > level:
            self.hidden_rows.add(self._details.pop()[0])
        if level:
            self._details.append((row, level))
        if not self.summary_below and self._collapsed is not None and level > self._collapsed:
            self.hidden_rows.add(row)
        else:
            self._collapsed = level if is_collapsed else None

    def show(self, row: int, column: int, shows: Shows) -> None:
        """Note that a cell shows something else than its value."""
        self.shown.setdefault(row, []).append((column, shows))

    def reach(self, row: int, column: int) -> None:
        """Extend the rectangle in use to a cell."""
        self.last_row, self.last_column = max(self.last_row, row), max(self.last_column, column)


def choose_sheet(sheets: Sequence[Sheet], wanted: str | None) -> tuple[Sheet, list[str]]:
    """The sheet of that name, hidden or not, else the first visible one; and the notices about the choice."""
    names = listed([sheet.name for sheet in sheets])
    if not sheets:
        raise FileError("The workbook has no sheet with cells.")
    if wanted is not None:
        similar = [sheet for sheet in sheets if fold(sheet.name) == fold(wanted)]
        matches = [sheet for sheet in sheets if sheet.name == wanted] or similar
        if len(matches) != 1:
            there_are = "There are several sheets like" if matches else "There is no sheet"
            raise UsageError(f'{there_are} "{clean(wanted)}". The sheets are: {names}.')
        hidden = f"The sheet {listed([matches[0].name])} is hidden in the workbook."
        return matches[0], [] if matches[0].visible else [hidden]
    chosen = next((sheet for sheet in sheets if sheet.visible), None)
    if chosen is None:
        raise FileError(f"All sheets are hidden: {names}. Name the one to read with sheet=.")
    others = [sheet.name + ("" if sheet.visible else " (hidden)") for sheet in sheets if sheet is not chosen]
    skipped = f"Only the sheet {listed([chosen.name])} was read, not {listed(others)}."
    return chosen, [skipped] if others else []


def sheet_cells(
    kind: str,
    columns: Sequence[TextColumn],
    facts: SheetFacts,
    chosen: Sheet,
    sheets: Sequence[Sheet],
    **others: Any,
) -> SheetCells:
    """The sheet that was chosen, with the facts about it and other fields of `SheetCells`."""
    return SheetCells(
        kind,
        columns,
        sheet=clean(chosen.name),
        sheets=[clean(one.name) for one in sheets],
        hidden_rows=frozenset(facts.hidden_rows),
        hidden_columns=facts.hidden_columns,
        merges=facts.merges,
        uncalculated=facts.uncalculated,
        errors=facts.errors,
        **others,
    )


def refuse_empty(
    sheet: Sheet, columns: Sequence[TextColumn], facts: SheetFacts, filled: Iterable[Sheet]
) -> None:
    """Refuse a sheet without text that was chosen for being the first, if others have cells (`filled`)."""
    blocks = [block for column in columns for block in column]
    has_text = any(isinstance(block, NumberBlock) or block.data.strip() for block in blocks)
    if has_text or facts.uncalculated or facts.errors:
        return
    others = [other.name + ("" if other.visible else " (hidden)") for other in filled if other is not sheet]
    if others:
        raise FileError(
            f"The sheet {listed([sheet.name])} is empty, and there are cells in {listed(others)}. "
            f"Say which sheet to read: sheet={listed(others[:1])}."
        )


def refuse_beyond_rectangle(last_row: int, last_column: int, filled: int, max_cells: int) -> None:
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
            "If that is intended, give a larger max_cells=."
        )
