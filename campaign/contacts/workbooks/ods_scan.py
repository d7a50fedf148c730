"""One light pass over the sheets of an .ods file, for what calamine does not report or reads otherwise:
hidden rows and columns, merged areas, formulas without a value, errors, and cells of unusual content.

One expression steps over the tags of ordinary cells, as spreadsheet programs write them, and stops at the
others. A row or a cell may be repeated a million times: that is counted here, before calamine lays it out.
"""

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from html import unescape
from typing import NamedTuple

from campaign.contacts.cells.merge import Merge
from campaign.contacts.workbooks.archives import complete_rows
from campaign.contacts.workbooks.number_formats import CellFormat
from campaign.contacts.workbooks.ods_styles import Styles
from campaign.contacts.workbooks.sheet_cells import Place
from campaign.contacts.workbooks.sheet_choice import LAST_ROW, SheetFacts

_TAG = re.compile(rb"""<(/?)([\w.:-]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*+)>""")
_ATTRIBUTE = re.compile(rb"""([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ROW, _CELL, _COVERED = b"<table:table-row", b"<table:table-cell", b"<table:covered-table-cell"
_AFTER_CELL = b"able-cell>"
_NAMESPACES = [
    b'xmlns:%s="urn:oasis:names:tc:opendocument:xmlns:%s:1.0"' % (name, name)
    for name in (b"office", b"table", b"text")
]
_OTHER_ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["'](?!(?i:utf-8))""")
_GROUPS = ("table:table-row-group", "table:table-column-group")

# What calamine reads exactly. A time of more than a day, or with a fraction, is not among it, nor is day 0.
_KIND = rb'office:value-type="(?:string|float|currency|date|time|boolean)"'
_VALUE = (
    rb'office:(?:(?:value|currency|string-value)="[^"]*"|boolean-value="(?:true|false)"'
    rb'|date-value="(?!1899-12-30|\d{4}-(?:02-(?:29|3)|(?:04|06|09|11)-31))'
    rb'\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?)?"'
    rb'|time-value="PT(?:[01]\d|2[0-3])H[0-5]\dM[0-5]\dS")|calcext:value-type="(?!error)\w+"'
)
_USUAL = re.compile(rb"(?: (?:" + _KIND + rb"|" + _VALUE + rb'|(?!office:|calcext:)[\w:-]+="[^"]*"))*+/?')


@cache
def _unordinary(styles: frozenset[str], *, is_styled: bool, has_breaks: bool) -> re.Pattern[bytes]:
    """Finds the tags that are not those of ordinary cells.

    `styles` are unusual ones; if `is_styled`, a cell that names none is unusual; if `has_breaks`, there are
    line breaks or tabs, which count as spaces in a text.
    """
    names = b"|".join(re.escape(style.encode()) for style in sorted(styles))
    style = rb'table:style-name="(?!(?:' + names + rb')")[^"]*"'
    values = rb"(?: (?:" + _VALUE + rb"|" + style + rb"))*+"
    needed = rb"(?=[^>]*table:style-name=)" if is_styled else b""
    blank = rb"(?: " + style + rb')?(?: table:number-columns-repeated="\d+"/></table:table-row>|/>)'
    unbroken = rb"(?![^<\t\r\n]*[\t\r\n])" if has_breaks else b""
    tags = (
        rb"/t(?:ext:p|able:table-(?:cell|row))>|text:p>" + unbroken,
        rb"table:table-(?:cell(?:" + needed + values + rb" " + _KIND + values + rb">|" + blank + rb")",
        rb"row(?: " + style + rb")?>)|table:covered-table-cell(?: " + style + rb")?/>",
        rb"(?:text:(?:p|span|a) [^<>]*|text:span|/text:(?:span|a))>" + unbroken,
        rb'text:(?:p|span|s|s text:c="\d{1,3}")/>|/text:s>',
    )
    return re.compile(rb"<(?!" + rb"|".join(tags) + rb")")


class UnusualError(Exception):
    """XML that this pass does not understand."""


class InexactCell(NamedTuple):
    """A cell that calamine does not read exactly: its place in the XML, how many columns it fills, its
    format, and its place in the sheet if it is an error.
    """

    start: int
    end: int
    repeated: int
    number_format: CellFormat | None
    error: Place | None


class Table:
    """A sheet: its place in the XML, and what was found in it. `repeated` counts the bytes of repetitions."""

    def __init__(self, name: str | None, style: str, start: int) -> None:
        self.name, self.style, self.start, self.end, self.repeated = name, style, start, start, 0
        self.facts = SheetFacts()
        self.inexact: list[InexactCell] = []


def scan_tables(pieces: Iterable[bytes], styles: Styles) -> list[Table]:
    """All sheets of the file, and tables outside of them, which have no name.

    Raises UnusualError for XML that spreadsheet programs do not write.
    """
    scan = _Scan(styles.number_formats(), styles.no_extent)
    for stretch in complete_rows(pieces, _ROW):
        scan.read(stretch)
    return scan.tables


class _Scan:
    def __init__(self, formats: Mapping[str, CellFormat], no_extent: AbstractSet[str]) -> None:
        self.tables: list[Table] = []
        self._formats, self._no_extent = formats, no_extent
        self._is_styled = False  # whether a cell without a style may have an unusual one
        self._table: Table | None = None
        self._base = 0  # bytes before this stretch
        self._row = self._more_rows = self._columns = 0  # rows up to here, its repetitions, declared columns
        self._times = 1  # how often this row is repeated
        self._groups: list[bool] = []  # around this place; whether they are hidden
        self._first_hidden = 0
        self._column_formats: list[tuple[int, int, CellFormat]] = []
        self._xml, self._cell = b"", (-1, 0)  # this stretch; the last unusual cell in it and its position
        # Places in it: up to where it was read, its last row, and the cells up to the third place.
        self._seen = self._row_start = self._counted = self._column = 0

    def read(self, xml: bytes) -> None:
        """Read one stretch."""
        self._xml, self._seen, self._row_start, self._cell = xml, 0, -1, (-1, 0)
        at = 0
        if not self._base:
            at = xml.find(b"<office:spreadsheet")
            if at < 0 or _OTHER_ENCODING.match(xml) or not all(space in xml[:at] for space in _NAMESPACES):
                raise UnusualError
        has_breaks = any(character in xml for character in (b"\t", b"\r", b"\n"))
        names = frozenset([*self._formats, *self._no_extent])
        while match := _unordinary(names, is_styled=self._is_styled, has_breaks=has_breaks).search(xml, at):
            tag = _tag_at(xml, match.start())
            at = tag.end()
            self._advance(at)
            self._read_tag(tag)
        self._advance(len(xml))
        self._base += len(xml)

    def _advance(self, to: int) -> None:
        """Count the rows and cells up to a place."""
        if self._table is not None:
            rows = self._xml.count(_ROW, self._seen, to)
            facts = self._table.facts
            facts.cells += self._xml.count(_CELL, self._seen, to)
            if rows:
                self._row, self._more_rows, self._times = self._row + rows + self._more_rows, 0, 1
                self._row_start = self._counted = self._xml.rfind(_ROW, self._seen, to)
                self._column = 0
            if self._xml.find(b" office:", self._seen, to) >= 0:
                facts.reach(self._row, 0)
        self._seen = to

    def _read_tag(self, tag: re.Match[bytes]) -> None:
        name = tag[2].decode()
        attributes = _attributes(tag)
        if name == "table:table":
            self._end_table(tag) if tag[1] else self._start_table(tag, attributes)
        elif self._table is None:
            return
        elif name in _GROUPS:
            self._group(attributes, is_end=bool(tag[1]), is_rows=name == _GROUPS[0])
        elif tag[1]:
            return
        elif name == "table:table-rows":
            self._row -= 1  # it was counted as one
        elif name == "table:table-column":
            self._read_columns(self._table.facts, attributes)
        elif name == "table:table-row":
            self._read_row(self._table, tag, attributes)
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._read_cell(self._table, tag, attributes)
        else:
            self._read_content(self._table, tag.start())

    def _start_table(self, tag: re.Match[bytes], attributes: dict[str, str]) -> None:
        if self._table is not None:
            raise UnusualError  # a table in a cell
        name, style = attributes.get("table:name"), attributes.get("table:style-name", "")
        self._table = Table(name, style, self._base + tag.start())
        self.tables.append(self._table)
        self._row = self._more_rows = self._columns = 0
        self._groups, self._column_formats = [], []

    def _end_table(self, tag: re.Match[bytes]) -> None:
        if self._table is not None:
            self._table.end = self._base + tag.end()
        self._table = None

    def _group(self, attributes: dict[str, str], *, is_end: bool, is_rows: bool) -> None:
        """The rows or columns of a collapsed group are hidden."""
        before = any(self._groups)
        if is_end:
            self._groups = self._groups[:-1]
        else:
            self._row -= is_rows  # it was counted as one
            self._groups.append(attributes.get("table:display") == "false")
        if is_rows and self._table is not None and before != any(self._groups):
            following = self._row + self._more_rows + 1
            if before:
                self._table.facts.hidden_rows.update(range(self._first_hidden, min(following, LAST_ROW + 1)))
            self._first_hidden = following

    def _read_columns(self, facts: SheetFacts, attributes: dict[str, str]) -> None:
        count = _count(attributes, "number-columns-repeated")
        first, last = self._columns, self._columns + count - 1
        self._columns += count
        if self._is_hidden(attributes) or any(self._groups):
            facts.hidden_spans.append((first, last))
        shows = self._formats.get(attributes.get("table:default-cell-style-name", ""))
        if shows is not None:
            self._column_formats.append((first, last, shows))
            self._is_styled = True

    def _is_hidden(self, attributes: dict[str, str]) -> bool:
        is_flat = attributes.get("table:style-name") in self._no_extent
        return is_flat or attributes.get("table:visibility") in ("collapse", "filter")

    def _read_row(self, table: Table, tag: re.Match[bytes], attributes: dict[str, str]) -> None:
        self._times = _count(attributes, "number-rows-repeated")
        self._more_rows = self._times - 1
        if self._is_hidden(attributes):
            table.facts.hidden_rows.update(range(self._row, min(self._row + self._more_rows, LAST_ROW) + 1))
        if self._more_rows and not tag[3].endswith(b"/"):
            row = self._xml[tag.end() : self._xml.find(b"</table:table-row>", tag.end())]
            if b" office:" in row or b":formula=" in row:
                table.facts.reach(self._row + self._more_rows, 0)
                table.facts.cells += self._more_rows * row.count(_CELL)
                table.repeated += self._more_rows * len(row)

    def _read_cell(self, table: Table, tag: re.Match[bytes], attributes: dict[str, str]) -> None:
        facts, column = table.facts, self._column_of(tag.start())
        count = _count(attributes, "number-columns-repeated")
        self._cell, self._column, self._counted = (tag.start(), column), column + count, tag.end()
        has_value, has_formula = "office:value-type" in attributes, "table:formula" in attributes
        down, right = (_count(attributes, f"number-{what}-spanned") for what in ("rows", "columns"))
        if down > 1 or right > 1:
            facts.merges.append(Merge(self._row, column, self._row + down - 1, column + right - 1))
        if has_formula and not has_value and "calcext:value-type" not in attributes:
            facts.uncalculated.append((self._row, column))
        is_empty, end = tag[3].endswith(b"/"), tag.end()
        if not is_empty:
            end = self._xml.find(_AFTER_CELL, end) + len(_AFTER_CELL)
        if has_value or has_formula or not is_empty:
            facts.reach(self._row, column + count - 1)
            facts.cells += (count - 1) * self._times
            table.repeated += (count - 1) * self._times * (end - tag.start())
            is_usual = has_value and tag[2] == b"table:table-cell" and _USUAL.fullmatch(tag[3])
            self._add_inexact(table, tag, end, column, attributes, is_usual=bool(is_usual))

    def _add_inexact(
        self,
        table: Table,
        tag: re.Match[bytes],
        end: int,
        column: int,
        attributes: dict[str, str],
        *,
        is_usual: bool,
    ) -> None:
        style = attributes.get("table:style-name")
        by_column = (shows for first, last, shows in self._column_formats if first <= column <= last)
        shows = next(by_column, None) if style is None else self._formats.get(style)
        if shows is not None or not is_usual:
            is_error = attributes.get("calcext:value-type") == "error"
            place = (self._row, column) if is_error else None
            count = _count(attributes, "number-columns-repeated")
            cell = InexactCell(self._base + tag.start(), self._base + end, count, shows, place)
            table.inexact.append(cell)

    def _column_of(self, start: int) -> int:
        """The position of the cell that starts here."""
        cells = (self._xml.count(cell, self._counted, start) for cell in (_CELL, _COVERED))
        return self._column + sum(cells)

    def _read_content(self, table: Table, at: int) -> None:
        """Something unusual in a cell: a tab, a comment, a drawing."""
        start = self._xml.rfind(_CELL, max(self._row_start, 0), at)
        if start < 0 or (table.inexact and table.inexact[-1].start == self._base + start):
            return  # between rows, or the second such thing in a cell
        tag, end = _tag_at(self._xml, start), self._xml.find(_AFTER_CELL, start) + len(_AFTER_CELL)
        if at < end and not tag[3].endswith(b"/"):
            column = self._cell[1] if start == self._cell[0] else self._column_of(start)
            self._add_inexact(table, tag, end, column, _attributes(tag), is_usual=False)


def _tag_at(xml: bytes, at: int) -> re.Match[bytes]:
    tag = _TAG.match(xml, at)
    if tag is None:
        raise UnusualError
    return tag


def _attributes(tag: re.Match[bytes]) -> dict[str, str]:
    found = _ATTRIBUTE.findall(tag[3])
    return {name.decode(): unescape((quoted or single).decode()) for name, quoted, single in found}


def _count(attributes: dict[str, str], name: str) -> int:
    return max(int(attributes.get("table:" + name, "1")), 1)
