"""The records of a text file: one strict reading of its quotes, by Arrow where it reads them the same way."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice, zip_longest

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from msgspec import Struct

from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.grid import refuse_beyond_budget, refuse_long_cell
from campaign.contacts.columns import column_letter
from campaign.contacts.files.octets import Octets
from campaign.errors import FileError

QUOTE = ord('"')
BLOCK = 1 << 20  # bytes that are parsed together, unless a record is longer
WIDEST = 16_384  # cells: https://support.microsoft.com/office/excel-specifications-and-limits
LONGEST_RECORD = 1 << 24  # bytes; as long as a record of many full cells
MOST_CELLS = 4  # for each byte, where Arrow fills up blank lines
SPARSE = 20_000_000  # cells that a file need not have a byte for
ROW = 4  # cells that a row counts for beside its own


class MalformedError(FileError):
    """A quote that is not closed, or is followed by text. `is_open`: it may be closed after the end."""

    def __init__(self, row: int, is_open: bool) -> None:
        super().__init__("quote_unclosed", row=row)
        self.is_open = is_open


_OPEN = re.compile(r'[ \t\xa0]*+"(?:[^"]++|"")*+"?\Z')


def records(text: str, delimiter: str, row: int = 1) -> Iterator[tuple[list[str], int]]:
    """The records of a text, strictly, and where each ends: a cell is quoted as a whole or not at all. The
    first is in `row`.

    Spaces around a quoted cell do not count. Quotes inside an unquoted cell are characters (5" pipe).
    Raises MalformedError where a cell starts with a quote and does not end with one, FileError where a cell
    or a record is larger than in any sheet.
    """
    d, space = re.escape(delimiter), "[" + " \t\xa0".replace(delimiter, "") + "]*+"
    match = re.compile(
        rf'(?:{space}"((?:[^"]++|"")*+)"{space}|([^"{d}\r\n][^{d}\r\n]*+)?)({d}|\r\n|\r|\n|\Z)'
    ).match
    at, end, stop = 0, len(text), ""
    cells: list[str] = []
    while at < end:
        cell = match(text, at)
        if cell is None or (cell[2] and '"' in cell[2] and _OPEN.match(text, at)):
            raise MalformedError(row, _OPEN.match(text, at) is not None)
        quoted, plain, stop = cell.groups()
        cells.append(plain or "" if quoted is None else quoted.replace('""', '"'))
        at = cell.end()
        _refuse_width(row, len(cells))
        refuse_long_cell(row, len(cells) - 1, len(cells[-1]))
        if stop != delimiter:
            yield cells, at
            cells, row = [], row + 1
    if stop == delimiter:
        yield [*cells, ""], at


def _refuse_width(row: int, cells: int) -> None:
    """Refuse a row that no sheet can have."""
    if cells > WIDEST:
        raise FileError("beyond_sheet", row=row, most=WIDEST, unit="cells")


class Block(Struct, frozen=True):
    """Consecutive records as columns of one width, from the row number `first` on.

    The `short` ones had fewer cells and were filled up with blanks (Excel drops the delimiters at the end of
    a line). The `long` ones hold something beyond the last column.
    """

    columns: list[TextChunks]
    first: int
    short: list[int]
    long: list[int]

    @property
    def rows(self) -> int:
        return len(self.columns[0])


def read_blocks(data: Octets, start: int, delimiter: str, width: int, max_cells: int) -> Iterator[Block]:
    """The records that begin at `start` as columns, so many of them, block by block.

    Raises FileError where quotes do not match, and for more rows or cells than a table has.
    """
    at, row, size = start, 1, BLOCK
    check_rows = partial(_check_rows, width=width, size=len(data), max_cells=max_cells)
    while at < len(data):
        piece, is_end = data[at : at + size], at + size >= len(data)
        end = _strict_end(piece, delimiter, is_end)
        block = _parsed(piece[:end], delimiter, row, width)
        if block is None:
            lines, end = _followed(piece, end, delimiter, row, is_end)
            if not end and size >= LONGEST_RECORD:
                raise FileError("beyond_sheet", row=row, most=LONGEST_RECORD, unit="bytes")
            if not end:
                size *= 4
                continue
            check_rows(row + len(lines) - 1)
            block = _filled_up(lines, row, width)
        at, row, size = at + end, row + block.rows, BLOCK
        check_rows(row - 1)
        yield block


def _check_rows(rows: int, *, width: int, size: int, max_cells: int) -> None:
    """Refuse more rows than a table of that width may have whose file has `size` bytes."""
    refuse_beyond_budget(rows, width, max_cells)
    if rows * (width + ROW) > SPARSE + size:
        raise FileError("mostly_blank", corner=f"{column_letter(width - 1)}{rows}")


def _strict_end(piece: bytes, delimiter: str, is_end: bool) -> int:
    """The end of the last record before the first quote that Arrow may read in another way.

    Counted from the start of a record, quotes open and close in turns; each has to have a delimiter, a line
    end or another quote on its outer side.
    """
    octets = np.frombuffer(b"\n" + piece + b"\n", np.uint8)
    quotes = np.flatnonzero(octets == QUOTE)
    if not len(quotes):
        return (
            len(piece) if is_end else _after(piece, max(piece.rfind(b"\n", 0, -1), piece.rfind(b"\r", 0, -1)))
        )
    outer = quotes.copy()
    outer[::2] -= 1
    outer[1::2] += 1
    is_bound = np.zeros(256, bool)
    is_bound[[*b'\r\n"', ord(delimiter)]] = True
    wrong = quotes[~is_bound[octets[outer]]][:1]
    if is_end and not len(wrong) and len(quotes) % 2 == 0:
        return len(piece)
    before = octets[1 : wrong[0] if len(wrong) else -2]
    ends = np.flatnonzero((before == 10) | (before == 13))
    ends = ends[np.searchsorted(quotes, ends + 1) % 2 == 0]
    return _after(piece, int(ends[-1])) if len(ends) else 0


def _after(piece: bytes, line_end: int) -> int:
    return line_end + 1 + (piece[line_end : line_end + 2] == b"\r\n")


def _parsed(lines: bytes, delimiter: str, first: int, width: int) -> Block | None:
    """Whole records, in which quotes can be read in one way only; None if not all have so many cells."""
    most_cells = (lines.count(b"\n") + lines.count(b"\r")) * width
    if not lines or most_cells > MOST_CELLS * len(lines):  # Arrow fills up blank lines
        return None
    names = [str(place) for place in range(width)]
    try:
        table = pa_csv.read_csv(
            io.BytesIO(lines),
            pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=len(lines) + 1),
            pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False),
            pa_csv.ConvertOptions(
                check_utf8=False,  # checked when the encoding was detected
                column_types=dict.fromkeys(names, TEXT),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        return None
    return Block(table.columns, first, [], [])


def _followed(
    piece: bytes, strict_end: int, delimiter: str, row: int, is_end: bool
) -> tuple[list[list[str]], int]:
    """The records up to the end of the strict ones, or where there are none those whose quotes have to be
    followed one by one, forty times slower, but for the last if it may go on behind the piece; and how many
    bytes they are."""
    if strict_end:
        strict = io.StringIO(str(piece[:strict_end], "utf-8"), newline="")
        with suppress(csv.Error):  # a long cell, which is refused below
            return [*csv.reader(strict, delimiter=delimiter)], strict_end
    text = str(piece, "utf-8", "strict" if is_end else "ignore")
    lines, ends = list[list[str]](), [0]
    try:
        for cells, end in records(text, delimiter, row):
            if is_end or end < len(text):
                lines.append(cells)
                ends.append(end)
    except MalformedError as problem:
        if is_end or not problem.is_open or len(piece) >= LONGEST_RECORD:
            raise
    return lines, len(text[: ends[-1]].encode())


def _filled_up(lines: list[list[str]], first: int, width: int) -> Block:
    """Records of any width as columns of one."""
    widths = list(map(len, lines))
    _refuse_width(first + widths.index(max(widths)), max(widths))
    short = [row for row, cells in enumerate(lines, first) if len(cells) < width and any(cells)]
    long = [
        row
        for row, cells in enumerate(lines, first)
        if len(cells) > width and any(map(str.strip, cells[width:]))
    ]
    columns = islice(zip_longest(*lines, [""] * width, fillvalue=""), width)  # one more, of that width
    return Block([pa.chunked_array([cells[:-1]], TEXT) for cells in columns], first, short, long)
