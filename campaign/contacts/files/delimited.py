"""Text files: csv, tsv, txt. Which delimiter, which lines are records, and each record's row number."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import (
    Grid,
    join_grids,
    name_rows,
    refuse_beyond_budget,
    refuse_long_cells,
)
from campaign.contacts.cells.headers import (
    LOOKED_AT,
    Header,
    header_place,
    is_number,
    locate_header,
    looks_like_contact,
)
from campaign.contacts.cells.value_text import LONGEST_CELL
from campaign.contacts.exports import column_names, likely_number_columns
from campaign.contacts.files.csv_records import (
    BLOCK,
    MalformedError,
    ParsedRecords,
    by_arrow,
    by_hand,
    pieces_to_parse,
    records,
    released,
    survey,
)
from campaign.contacts.files.encodings import Text
from campaign.contacts.files.octets import Octets, find_byte, without_start
from campaign.errors import FileError
from campaign.values import replace

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 1 << 18  # bytes looked at to detect the delimiter and the width
SPARSE = 20_000_000, 4  # blank cells that a file may leave out, and more for each of its bytes
MOST = 0.9  # of the rows
_DATE = re.compile(r"\d{1,4}([-/.])\d\d?\1\d{1,4}(?:[ T][\d:]+)?")
TOO_SPARSE = (
    "The table has {:,} rows, and nearly all of its cells are blank. Delete the blank lines and the columns "
    "that do not belong to it, then read the file again."
)
UNUSED = "\x1f\x1e\x1d\x1c"  # what can stand for a delimiter where the file has a single column


def read_delimited(text: Text, *, delimiter: str | None, header: Header, max_cells: int) -> Grid:
    """The records of a text file as a grid.

    A row number counts the records, blank ones too, as a spreadsheet program shows them; a quoted line
    break starts no new row. Raises FileError, with the row numbers, for quotes that do not match and for
    rows with more cells than the header: an unquoted delimiter has shifted them.
    """
    records = DelimitedRecords(text, delimiter=delimiter, header=header, max_cells=max_cells)
    return replace(join_grids(list(records.grids())), notices=records.notices)


class DelimitedRecords:
    """The records of a text file as grids of some rows each; see `read_delimited`."""

    def __init__(self, text: Text, *, delimiter: str | None, header: Header, max_cells: int) -> None:
        """Find the delimiter, the header and the width; the text itself is read by `grids`."""
        text.data, declared = _declaration(text.data)
        _refuse_zero_bytes(text.data)
        self.delimiter = delimiter or declared or find_delimiter(text.data)
        self._splitter = self.delimiter or next(
            (c for c in UNUSED if find_byte(text.data, c.encode()) < 0), UNUSED[0]
        )
        lines = sample(text.data, self._splitter, header if isinstance(header, int) else 0)
        if not lines:
            list(by_hand(text.data[:], self._splitter, 1, max_cells))  # raises for the quote
        self._place = header_place(lines, header)
        self._width = self._named = self._least = _usual_width([line for line in lines if line != [""]])
        if self._place is not None:
            head = lines[self._place]
            column_names(_trimmed(head))  # problems of columns are reported before those of rows
            self._least, self._named = len(_trimmed(head)), _named_width(head, lines[self._place + 1 :])
        self._text, self._max_cells = text, max_cells
        self._longest, self._short = 0, list[int]()

    def grids(self) -> Iterator[Grid]:
        """All records in their order; they can be read once."""
        kind, shifted = "tsv" if self.delimiter == "\t" else "csv", []
        for parsed in self._parse():
            refuse_beyond_budget(parsed.first - 1 + parsed.rows, self._named, self._max_cells)
            squared = _squared(parsed, self._named, self._place, self._least)
            self._short += squared.short
            shifted += squared.shifted
            rows = np.arange(parsed.first, parsed.first + parsed.rows, dtype=np.int64)
            grid = Grid(
                kind, squared.columns, rows, range(self._named), encoding=self._text.encoding,
                delimiter=self.delimiter,
            )  # fmt: skip
            if self._longest > LONGEST_CELL:
                refuse_long_cells(grid)
            yield grid
        if shifted:
            raise FileError(_explain_shifted(shifted, self._named, self._place))

    @property
    def notices(self) -> list[str]:
        """What was guessed or filled in, once all records were read."""
        if not self._short:
            return [*self._text.notices]
        short = f"{name_rows(self._short)}: fewer cells than the header; the missing ones are blank."
        return [*self._text.notices, short]

    def _parse(self) -> Iterator[ParsedRecords]:
        """All records; a text in memory is released while Arrow parses it."""
        text, width = self._text, max(self._width, self._named)
        seen = survey(text.data, self._splitter)
        lines = 4 if seen.quotes == "strict" else 1  # in a cell; the exact number of cells is checked again
        refuse_beyond_budget(seen.rows // lines, width, self._max_cells)
        most = SPARSE[0] + SPARSE[1] * len(text.data)
        if seen.rows // lines * width > most:
            raise FileError(TOO_SPARSE.format(seen.rows))
        self._longest = seen.longest
        if seen.quotes == "tangled":
            return by_hand(text.data[:], self._splitter, self._width, min(self._max_cells, most))
        block = max(BLOCK, seen.longest + 2)
        data = text.give()
        pieces = pieces_to_parse(data, block)
        if isinstance(data, bytes):
            pieces = released(list(pieces))
        quoted = seen.quotes == "strict"
        return by_arrow(pieces, block, self._splitter, self._width, quoted=quoted, most=width + 1)


def _declaration(data: Octets) -> tuple[Octets, str | None]:
    """Excel's own first line "sep=;": it names the delimiter and is not a row of the sheet."""
    line = re.match(rb'"?sep=([^"\r\n])"?(?:\r\n|\r|\n|\Z)', data[:16], re.IGNORECASE)
    return (without_start(data, line.end()), line[1].decode("ascii", "replace")) if line else (data, None)


def _refuse_zero_bytes(data: Octets) -> None:
    if (at := find_byte(data, b"\0")) >= 0:
        line = data[:at].count(b"\n") + 1
        raise FileError(
            f"Line {line} holds a zero byte: the file is damaged, or it is neither a spreadsheet nor text."
        )


# --- the first records --------------------------------------------------------------------------------


def sample(data: Octets, delimiter: str, needed: int = 0) -> list[list[str]]:
    """The first records: at least 50, or `needed`, or all there are up to a quote that makes no sense."""
    size, enough = SAMPLE, max(LOOKED_AT, needed)
    while True:
        lines: list[list[str]] = []
        try:
            for line in records(data[:size].decode("utf-8", "ignore"), delimiter):
                lines.append(line)
                if len(lines) > enough:
                    return lines[:enough]
        except MalformedError as problem:
            if not problem.is_open:
                return lines
        if size >= len(data):
            return lines
        size *= 8


def find_delimiter(data: Octets) -> str | None:
    """The delimiter of a text, or None for a single column.

    It splits the header in two at least; of several, the one under which most rows are as wide as the header,
    the header has no gap, stands higher up and has more cells.
    """
    best, chosen = (0.0, False, 0, 0), None
    problems: dict[str, FileError] = {}
    for delimiter in DELIMITERS:
        try:
            lines = [line for line in sample(data, delimiter) if any(cell.strip() for cell in line)]
        except FileError as problem:  # a whole line is no cell under another delimiter
            problems[delimiter] = problem
            continue
        if not lines:
            continue
        place = locate_header(lines) or 0
        names, below = _trimmed(lines[place]), lines[place + 1 :]
        if len(names) < 2:
            continue
        fitting = sum(len(_trimmed(line)) <= len(names) <= len(line) for line in below)
        score = (fitting / (len(below) or 1), all(map(str.strip, names)), -place, len(names))
        if chosen is None or score > best:
            best, chosen = score, delimiter
    if chosen is None and problems:
        raise problems[max(problems, key=lambda delimiter: data[:SAMPLE].count(delimiter.encode()))]
    return chosen


def _usual_width(lines: Sequence[Sequence[str]]) -> int:
    widths = Counter(map(len, lines))
    return max(widths, key=lambda count: (widths[count], count), default=1)


def _named_width(head: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """How many columns belong to the table: those with a name, and those behind them that most rows have.

    An unquoted delimiter in a text makes rows wider, too, and moves what is behind it. So the numbers have to
    be below their header, and the cells before the first without a name cannot be the first half of a text.
    """
    named, lines = len(_trimmed(head)), [line for line in map(_trimmed, below) if line]
    wider, width = [line for line in lines if len(line) > named], _usual_width(lines)
    phones = likely_number_columns(head[:named])
    if width <= named or len(wider) * 2 <= len(lines) or not phones:
        return named
    numbers = [line[[*head].index(phones[0])] for line in wider]
    ends = [line[named - 1] for line in wider] if len(head) < width else []  # or the header has a blank cell
    is_whole = [looks_like_contact([cell]) or bool(_DATE.fullmatch(cell.strip())) for cell in ends]
    in_place = sum(map(is_number, numbers)) >= MOST * len(wider) and sum(is_whole) >= MOST * len(ends)
    return width if in_place else named


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Without the empty cells at the end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


# --- all records --------------------------------------------------------------------------------------


class SquaredRecords(NamedTuple):
    """Records as columns of one width, and the row numbers of those that had fewer cells or more."""

    columns: list[TextChunks]
    short: list[int]
    shifted: list[int]


def _squared(parsed: ParsedRecords, named: int, place: int | None, least: int = 0) -> SquaredRecords:
    """Records in their order, `named` cells each.

    Those with fewer than `least`, or `named`, are short. They are filled up with blanks (Excel drops
    delimiters at the end of a line); cells beyond the named ones must be blank.
    """
    columns = parsed.columns
    columns = [*columns, *[_blanks(parsed.rows - len(parsed.others))] * (named - len(columns))]
    below = 0 if place is None else place + 1
    shifted = [row for row, cells in parsed.others if row > below and len(_trimmed(cells)) > named]
    short = [row for row, cells in parsed.others if row > below and len(cells) < (least or named)]
    if parsed.others:
        columns = _in_order(columns, parsed.others, parsed.first)
    rows = np.arange(parsed.first, parsed.first + parsed.rows)
    for column in columns[named:]:
        filled = rows > below
        filled[blank_rows([column], parsed.rows)] = False
        shifted += rows[filled].tolist()
    return SquaredRecords(columns[:named], short, shifted)


def _explain_shifted(shifted: Sequence[int], named: int, place: int | None) -> str:
    rows, than = sorted(set(shifted)), "others, which have" if place is None else "header, which has"
    return (
        f"{name_rows(rows)} {'has' if len(rows) == 1 else 'have'} more cells than the {than} {named}: "
        "a delimiter inside a text has shifted them, or a column has no name. "
        "Put that text in quotation marks, write a name above each column, or save the sheet as .xlsx."
    )


def _in_order(columns: list[TextChunks], others: list[tuple[int, list[str]]], first: int) -> list[TextChunks]:
    """The records of the usual width and the others, each at its place."""
    unusual = np.array([row - first for row, _ in others], dtype=np.int64)
    usual = np.ones(len(columns[0]) + len(unusual), bool)
    usual[unusual] = False
    order = np.empty(len(usual), np.int64)
    order[usual] = np.arange(len(columns[0]))
    order[unusual] = len(columns[0]) + np.arange(len(unusual))
    placed, longest = [], max(len(line) for _, line in others)
    for i, column in enumerate(columns):
        texts = _blanks(len(others))
        if i < longest:
            texts = pa.chunked_array([[line[i] if i < len(line) else "" for _, line in others]], TEXT)
        placed.append(pa.chunked_array([*column.chunks, *texts.chunks], TEXT).take(order))
    return placed


def _blanks(count: int) -> TextChunks:
    return pa.chunked_array([pa.repeat(pa.scalar("", TEXT), count)], TEXT)
