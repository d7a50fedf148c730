"""The rows of a sheet of an .ods file, in one pass over its XML: cells, hidden rows and columns, merged
areas, formulas without a value and errors.

It knows XML as spreadsheet programs write it. A row or a cell may be repeated a million times: rows are laid
out only when the sheet is known to be of a usual size.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from campaign.contacts.cells.merge import Merge
from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.number_formats import CellFormat
from campaign.contacts.workbooks.ods_cells import cell_value, shown_text
from campaign.contacts.workbooks.ods_styles import Styles
from campaign.contacts.workbooks.sheet_choice import (
    LAST_COLUMN,
    LAST_ROW,
    SheetFacts,
    refuse_beyond_rectangle,
)
from campaign.contacts.workbooks.xml_parts import UnusualError
from campaign.errors import FileError

ROW = "<table:table-row"
_ROW = re.compile(ROW + r"(?=[\s/>])([^<>]*)>")
_CELL = re.compile(
    r"<table:(covered-)?table-cell(?=[\s/>])([^<>]*)(?:(?<=/)>|>"
    r"(?:<text:p>([^<\t\r\n]*)</text:p>|((?:[^<]|<(?!/?table:))*+))</table:(?:covered-)?table-cell>)"
)
_TAG = re.compile(r"<(/?)table:([\w-]+)([^<>]*)>")
_FORMULA = re.compile(r'table:formula="[^"]*"')
_USUAL = re.compile(r'(?:\s+[\w:.-]+="[^"]*")*\s*/?')
_ATTRIBUTE = re.compile(r'([\w:.-]+)="([^"]*)"')
_GROUPS = ("table-row-group", "table-column-group")


class _CellKind(NamedTuple):
    """What the attributes of a cell say but for its value.

    `is_text`, `is_number`: a text or a number alone is all there is; `is_blank`: there is nothing.
    """

    type: str
    repeated: int
    spans: tuple[int, int]
    style: str | None
    is_error: bool
    is_uncalculated: bool
    is_text: bool
    is_number: bool
    is_blank: bool


class OpenRows:
    """The rows of one sheet, and the facts about it."""

    def __init__(self, pieces: Iterable[bytes], styles: Styles, max_bytes: int, max_cells: int) -> None:
        self.facts = SheetFacts()
        self._formats, self._no_extent = styles.number_formats(), styles.no_extent
        self._max_bytes, self._max_cells = max_bytes, max_cells
        self._kinds: dict[str, _CellKind] = {}
        self._column_formats: list[tuple[int, int, CellFormat]] = []
        self._groups: list[bool] = []  # around this place; whether they are hidden
        self._row, self._columns = 1, 0  # the next row, and how many columns were declared
        self._lines: list[tuple[int, int, list[object]]] = []  # row number, how often, cells
        self.left = LAST_COLUMN  # the first column that is filled
        self._repeated = 0  # bytes of text that are repeated
        try:
            for piece in pieces:
                self._read(piece.decode())
        except ValueError:  # a count that is no number, bytes that are no text
            raise FileError(DAMAGED.format("its XML makes no sense")) from None
        self._refuse_large()

    def lines(self) -> Iterator[list[object]]:
        """The cells of each row from row 1 on, without those behind the last that is filled."""
        following = 1
        for row, times, cells in self._lines:
            yield from ([] for _ in range(row - following))
            yield from (cells for _ in range(times))
            following = row + times

    def _refuse_large(self) -> None:
        """Refuse a sheet that would be too large once its rows and cells are repeated."""
        facts = self.facts
        if (
            self._repeated > self._max_bytes
            and facts.last_row <= LAST_ROW
            and facts.last_column < LAST_COLUMN
        ):
            raise FileError("The sheet repeats more text than max_bytes= allows; it was not read.")
        refuse_beyond_rectangle(facts.last_row, facts.last_column, facts.cells, self._max_cells)

    def _read(self, xml: str) -> None:
        head, *rows = _ROW.split(xml)
        self._read_tags(head)
        for attributes, content in zip(rows[::2], rows[1::2], strict=True):
            is_empty = attributes.endswith("/")
            cells, _, rest = ("", "", content) if is_empty else content.partition("</table:table-row>")
            self._read_row(read_attributes(attributes), cells)
            if rest:
                self._read_tags(rest)

    def _read_tags(self, xml: str) -> None:
        """What stands between rows."""
        for is_end, name, text in _TAG.findall(xml):
            if name in _GROUPS and is_end:
                del self._groups[-1:]
            elif name in _GROUPS:
                self._groups.append(read_attributes(text).get("table:display") == "false")
            elif name == "table-column":
                self._read_columns(read_attributes(text))
            elif "cell" in name:
                raise UnusualError

    def _read_columns(self, attributes: dict[str, str]) -> None:
        first = self._columns
        self._columns += _count(attributes, "number-columns-repeated")
        if self._is_hidden(attributes):
            self.facts.hidden_spans.append((first, self._columns - 1))
        shows = self._formats.get(attributes.get("table:default-cell-style-name", ""))
        if shows is not None:
            self._column_formats.append((first, self._columns - 1, shows))

    def _is_hidden(self, attributes: dict[str, str]) -> bool:
        """Rows and columns of a collapsed group are hidden."""
        is_flat = attributes.get("table:style-name") in self._no_extent
        return is_flat or any(self._groups) or attributes.get("table:visibility") in ("collapse", "filter")

    def _read_row(self, attributes: dict[str, str], xml: str) -> None:
        facts, row, times = self.facts, self._row, _count(attributes, "number-rows-repeated")
        self._row += times
        before = self._repeated
        cells, filled = self._cells(row, xml) if "<" in xml else ([], 0)
        if cells:
            self._lines.append((row, times, cells))
            self._repeated += (times - 1) * (len(xml) + self._repeated - before)
            facts.cells += times * filled
            facts.reach(row + times - 1, len(cells) - 1)
            if self.left:
                first = next((i for i, cell in enumerate(cells) if cell != ""), LAST_COLUMN)
                self.left = min(self.left, first)
        if self._is_hidden(attributes):
            facts.hidden_rows.update(range(row, min(row + times, LAST_ROW + 1)))
        if facts.cells > self._max_cells:
            self._refuse_large()

    def _cells(self, row: int, xml: str) -> tuple[list[object], int]:
        """The cells of a row up to the last one that is filled, and how many are filled."""
        cells: list[object] = []
        found, kinds, column, filled = _CELL.findall(xml), self._kinds, 0, 0
        if xml.count("<table:") != len(found):
            raise UnusualError
        for covered, attributes, shown, content in found:
            kind, value = kinds.get(attributes), ""
            if kind is None:
                kind, value = self._kind(attributes)
            cell: object = None
            if covered:
                pass
            elif kind.is_text and shown:
                cell = unescape(shown) if "&" in shown else shown
            elif kind.is_number and value:
                cell = float(value)
            elif shown or content or not kind.is_blank:
                shown = shown_text(content) if content else unescape(shown)
                cell = self._cell(row, column, kind, value, shown)
            if cell is not None:
                if column > len(cells):
                    cells += [""] * (min(column, LAST_COLUMN) - len(cells))
                cells.append(cell)
                if kind.repeated > 1:
                    cells += [cell] * min(kind.repeated - 1, LAST_COLUMN)
                filled += kind.repeated
            column += kind.repeated
        if column > LAST_COLUMN and cells:
            self.facts.reach(row, column - 1)
        return cells, filled

    def _cell(self, row: int, column: int, kind: _CellKind, value: str, shown: str) -> object:
        """A cell that is neither a text nor a number alone; None if it is empty."""
        self._repeated += (kind.repeated - 1) * len(shown + value)
        down, right = kind.spans
        if down > 1 or right > 1:
            self.facts.merges.append(Merge(row, column, row + down - 1, column + right - 1))
        if kind.is_error:
            self.facts.errors.append((row, column, shown[:20]))
            return ""
        if kind.is_uncalculated:
            self.facts.uncalculated.append((row, column))
        by_column = (shows for first, last, shows in self._column_formats if first <= column <= last)
        shows = next(by_column, None) if kind.style is None else self._formats.get(kind.style)
        result = cell_value(kind.type, value, shown, shows)
        return None if result == "" and not kind.is_uncalculated else result

    def _kind(self, text: str) -> tuple[_CellKind, str]:
        """What the attributes of a cell say, and its value."""
        if "table:formula=" in text:
            text = _FORMULA.sub('table:formula=""', text)
        head, start, rest = text.partition('value="')
        value, end, tail = rest.partition('"')
        usual = head + start + end + tail
        kind = self._kinds.get(usual)
        if kind is None:
            kind = self._kinds[usual] = self._new_kind(read_attributes(usual))
        return kind, value

    def _new_kind(self, attributes: dict[str, str]) -> _CellKind:
        kind, style = attributes.get("office:value-type", ""), attributes.get("table:style-name")
        repeated = _count(attributes, "number-columns-repeated")
        spans = _count(attributes, "number-rows-spanned"), _count(attributes, "number-columns-spanned")
        value_type = attributes.get("calcext:value-type", kind)
        is_uncalculated = "table:formula" in attributes and not (kind or value_type)
        is_error, is_single = value_type == "error", spans == (1, 1) and repeated == 1
        has_format = style in self._formats or (style is None and bool(self._column_formats))
        is_alone = is_single and not (has_format or is_error or is_uncalculated)
        is_text = is_alone and kind in ("", "string") and "office:string-value" not in attributes
        is_number = is_alone and kind in ("float", "currency")
        is_blank = spans == (1, 1) and not (kind or value_type or is_uncalculated)
        return _CellKind(
            kind, repeated, spans, style, is_error, is_uncalculated, is_text, is_number, is_blank
        )  # fmt: skip


@lru_cache(1024)
def read_attributes(text: str) -> dict[str, str]:
    """The attributes of an element by their names."""
    if _USUAL.fullmatch(text) is None:
        raise UnusualError
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}


def _count(attributes: dict[str, str], name: str) -> int:
    return max(int(attributes.get("table:" + name, "1")), 1)
