"""The rows of a sheet of an .ods file, in one pass: cells, hidden rows and columns, merged areas, formulas
without a value and errors.

A row or a cell may be repeated a million times: rows are laid out only when the sheet is known to be of a
usual size.
"""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from campaign.contacts.workbooks.ods_cells import NUMBERS, OFFICE, cell_value, shown_text
from campaign.contacts.workbooks.sheet_choice import (
    LAST_COLUMN,
    LAST_ROW,
    SheetFacts,
    refuse_beyond_rectangle,
)
from campaign.errors import FileError

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
ROW, COLUMN = TABLE + "table-row", TABLE + "table-column"
GROUPS = (TABLE + "table-row-group", TABLE + "table-column-group")
_CELL, _COVERED = TABLE + "table-cell", TABLE + "covered-table-cell"
_FORMULA = TABLE + "formula"
_REPEATED = TABLE + "number-columns-repeated"
_DOWN, _RIGHT = TABLE + "number-rows-spanned", TABLE + "number-columns-spanned"
_KIND = OFFICE + "value-type"
_OWN_KIND = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"


class OpenRows:
    """The rows of one sheet, and the facts about it; of a sheet that is not wanted, whether it has values."""

    def __init__(self, no_extent: set[str], max_bytes: int, max_cells: int, *, is_wanted: bool) -> None:
        self.facts = SheetFacts()
        self.is_filled = self.has_unshown = False
        self.left = LAST_COLUMN  # the first column that is filled
        self._no_extent, self._is_wanted = no_extent, is_wanted
        self._max_bytes, self._max_cells = max_bytes, max_cells
        self._groups: list[bool] = []  # around this place; whether they are hidden
        self._row, self._columns = 1, 0  # the next row, and how many columns were declared
        self._lines: list[tuple[int, int, list[object]]] = []  # row number, how often, cells
        self._repeated = 0  # characters of rows in which something is repeated

    def lines(self) -> Iterator[list[object]]:
        """The cells of each row from row 1 on, without those behind the last that is filled."""
        following = 1
        for row, times, cells in self._lines:
            yield from ([] for _ in range(row - following))
            yield from (cells for _ in range(times))
            following = row + times

    def refuse_large(self) -> None:
        """Refuse a sheet that would be too large once its rows and cells are repeated."""
        last_row, last_column = self.facts.last_row, self.facts.last_column
        if self._repeated > self._max_bytes and last_row <= LAST_ROW and last_column < LAST_COLUMN:
            raise FileError("file_too_large", most=self._max_bytes, unit="bytes unpacked", option="bytes")
        refuse_beyond_rectangle(last_row, last_column, self.facts.cells, self._max_cells)

    def start(self, element: Element) -> None:
        """A group of rows or of columns, whose content follows; or columns."""
        if element.tag in GROUPS:
            self._groups.append(element.get(TABLE + "display") == "false")
        elif element.tag == COLUMN:
            first = self._columns
            self._columns += _count(element, _REPEATED)
            if self._is_hidden(element):
                self.facts.hide_columns(first, self._columns - 1)

    def end(self, element: Element) -> None:
        """A row with its cells, or the end of a group."""
        if element.tag in GROUPS:
            self._groups.pop()
        elif element.tag == ROW:
            self.is_filled = self.is_filled or any(_KIND in cell.attrib for cell in element)
            if self._is_wanted:
                self._read_row(element)

    def _is_hidden(self, element: Element) -> bool:
        """Rows and columns of a collapsed group are hidden."""
        is_flat = element.get(TABLE + "style-name") in self._no_extent
        return is_flat or any(self._groups) or element.get(TABLE + "visibility") in ("collapse", "filter")

    def _read_row(self, element: Element) -> None:
        facts, row, times = self.facts, self._row, _count(element, TABLE + "number-rows-repeated")
        self._row += times
        cells, filled = self._cells(row, element)
        if cells:
            self._lines.append((row, times, cells))
            facts.cells += times * filled
            facts.reach(row + times - 1, len(cells) - 1)
            if self.left:
                first = next((i for i, cell in enumerate(cells) if cell != ""), LAST_COLUMN)
                self.left = min(self.left, first)
            if times > 1 or len(cells) > len(element):
                self._repeated += times * sum(len(cell) for cell in cells if isinstance(cell, str))
        if self._is_hidden(element):
            facts.hidden_rows.update(range(row, min(row + times, LAST_ROW + 1)))
        if facts.cells > self._max_cells:
            self.refuse_large()

    def _cells(self, row: int, element: Element) -> tuple[list[object], int]:
        """The cells of a row up to the last one that is filled, and how many are filled."""
        cells: list[object] = []
        column = filled = 0
        for cell in element:
            if cell.tag != _CELL and cell.tag != _COVERED:
                continue
            repeated = _count(cell, _REPEATED) if _REPEATED in cell.attrib else 1
            value = None if cell.tag == _COVERED else self._cell(row, column, cell)
            if value is not None:
                if column > len(cells):
                    cells += [""] * (min(column, LAST_COLUMN) - len(cells))
                cells += [value] * min(repeated, LAST_COLUMN)
                filled += repeated
            column += repeated
        if column > LAST_COLUMN and cells:
            self.facts.reach(row, column - 1)
        return cells, filled

    def _cell(self, row: int, column: int, cell: Element) -> object:
        """The value of a cell; None if it is empty."""
        attributes, shown = cell.attrib, shown_text(cell)
        if _DOWN in attributes or _RIGHT in attributes:
            down, right = _count(cell, _DOWN), _count(cell, _RIGHT)
            if down > 1 or right > 1:
                self.facts.merges.append((row, column, row + down - 1, column + right - 1))
        kind = attributes.get(_KIND, "")
        own_kind = attributes.get(_OWN_KIND, kind)
        if own_kind == "error":
            self.facts.errors.append((row, column, shown[:20]))
            return ""
        if not own_kind and _FORMULA in attributes:
            self.facts.uncalculated.append((row, column))
            return shown
        if not len(cell) and kind in NUMBERS:
            self.has_unshown = True
        value = cell_value(kind, attributes, shown)
        return None if value == "" else value


def _count(element: Element, name: str) -> int:
    return max(int(element.get(name, "1")), 1)
