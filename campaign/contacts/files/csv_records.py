"""The records of a text file: one strict reading of its quotes, by Arrow where it reads them the same way."""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from msgspec import Struct

from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import SHORTEN, refuse_beyond_budget, refuse_long_cell
from campaign.contacts.files.octets import Octets
from campaign.errors import FileError

QUOTE = ord('"')
BLOCK = 1 << 20  # bytes that are parsed together, unless a record is longer
# No more fits into a sheet: https://support.microsoft.com/office/excel-specifications-and-limits
WIDEST, MOST_LINES = 16_384, 1_048_576
LONGEST_RECORD = 1 << 24  # bytes; as long as a record of many full cells
SPARSE = 20_000_000, 4  # blank cells that a file may leave out, and more for each of its bytes
TOO_SPARSE = (
    "The table has {:,} rows, and nearly all of its cells are blank. Delete the blank lines and the columns "
    "that do not belong to it, then read the file again."
)


class MalformedError(FileError):
    """A quote that is not closed, or is followed by text. `is_open`: it may be closed after the end."""

    def __init__(self, row: int, is_open: bool) -> None:
        super().__init__(
            f"Row {row}: a quotation mark opens a cell, but the cell does not end with one. "
            'Write it twice ("") inside a quoted cell, or close the cell, then read the file again.'
        )
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
        raise FileError(
            f"A row has more than {WIDEST:,} cells, the most that a sheet can have: row {row}. "
            "Delete the columns that do not belong to the table, then read the file again."
        )


class Block(Struct, frozen=True):
    """Consecutive records as columns of one width, from the row number `first` on.

    The `short` ones had fewer cells than they may have, and were filled up with blanks (Excel drops the
    delimiters at the end of a line). The `long` ones hold something beyond the last column.
    """

    columns: list[TextChunks]
    first: int
    short: list[int]
    long: list[int]

    @property
    def rows(self) -> int:
        return len(self.columns[0])


class Shape(Struct, frozen=True):
    """What is known of the records of a file: cells as a rule, columns of the table, cells of a full record,
    and cells of the whole table at most."""

    usual: int
    columns: int
    least: int
    max_cells: int


def read_blocks(data: Octets, start: int, delimiter: str, shape: Shape) -> Iterator[Block]:
    """The records that begin at `start`, block by block.

    Raises FileError where quotes do not match, and for more rows or cells than a table has.
    """
    at, row, size = start, 1, BLOCK
    while at < len(data):
        piece, is_end = data[at : at + size], at + size >= len(data)
        if end := _strict_end(piece, delimiter, is_end):
            block = _strict_block(piece[:end], delimiter, row, shape, len(data))
        else:
            lines, end = _followed(piece, delimiter, row, is_end)
            if not end:
                _refuse_record(piece, delimiter, row)
                size *= 4
                continue
            block = _of_lines(lines, row, shape, len(data))
        yield block
        at, row, size = at + end, row + block.rows, BLOCK
        if row > MOST_LINES and at < 6 * row:
            raise FileError(
                f"The file has more than {MOST_LINES:,} lines, and hardly any of them holds anything. "
                "Delete the blank lines, then read the file again."
            )


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


def _strict_block(piece: bytes, delimiter: str, first: int, shape: Shape, size: int) -> Block:
    """Whole records, in which quotes can be read in one way only."""
    if not _fits(first + piece.count(b"\n") + piece.count(b"\r"), shape, size):  # there may be fewer
        return _of_lines(
            [cells for cells, _ in records(str(piece, "utf-8"), delimiter, first)], first, shape, size
        )
    others: list[tuple[int, list[str]]] = []

    def set_aside(row: pa_csv.InvalidRow) -> Literal["skip"]:
        is_plain = '"' not in row.text
        cells = row.text.split(delimiter, WIDEST) if is_plain else next(records(row.text, delimiter))[0]
        others.append((cast(int, row.number) - 1, cells))  # known, as there is only one thread
        return "skip"

    names = [str(place) for place in range(shape.usual)]
    table = pa_csv.read_csv(
        io.BytesIO(piece),
        pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=len(piece) + 1),
        pa_csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=True,
            ignore_empty_lines=False,
            invalid_row_handler=set_aside,
        ),
        pa_csv.ConvertOptions(
            check_utf8=False,  # checked when the encoding was detected
            column_types=dict.fromkeys(names, TEXT),
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    return _assembled(table.columns, others, first, shape)


def _followed(piece: bytes, delimiter: str, row: int, is_end: bool) -> tuple[list[list[str]], int]:
    """Records whose quotes have to be followed one by one, but for the last if it may go on behind the piece;
    and how many bytes they are. Some forty times slower."""
    text = str(piece, "utf-8", "strict" if is_end else "ignore")
    lines, ends = list[list[str]](), [0]
    try:
        for cells, end in records(text, delimiter, row):
            if is_end or end < len(text):
                lines.append(cells)
                ends.append(end)
    except MalformedError as problem:
        if is_end or not problem.is_open:
            raise
    return lines, len(text[: ends[-1]].encode())


def _refuse_record(piece: bytes, delimiter: str, row: int) -> None:
    """Refuse a record that is as long as a piece, if that is too long."""
    if len(piece) >= LONGEST_RECORD:
        list(records(str(piece, "utf-8", "ignore"), delimiter, row))  # which names the cell
        raise FileError(f"Row {row} has more than {LONGEST_RECORD:,} bytes, {SHORTEN}")


def _of_lines(lines: Sequence[list[str]], first: int, shape: Shape, size: int) -> Block:
    rows = first + len(lines) - 1
    if not _fits(rows, shape, size):
        refuse_beyond_budget(rows, shape.columns, shape.max_cells)
        raise FileError(TOO_SPARSE.format(rows))
    return _assembled([pa.chunked_array([], TEXT)] * shape.usual, [*enumerate(lines)], first, shape)


def _assembled(
    columns: list[TextChunks], others: list[tuple[int, list[str]]], first: int, shape: Shape
) -> Block:
    """Records of the usual width, and others, each with its place among all of them."""
    places = np.array([place for place, _ in others], np.int64)
    usual = np.delete(np.arange(len(columns[0]) + len(others)), places)
    short, long, width = list[int](), list[int](), shape.columns
    for place, cells in others:
        _refuse_width(first + place, len(cells))
        short += [first + place] if len(cells) < shape.least and cells != [""] else []
        long += [first + place] if any(map(str.strip, cells[width:])) else []
    for column in columns[width:]:
        long += (np.delete(usual, blank_rows([column], len(column))) + first).tolist()
    columns = columns[:width]
    if others:
        order = np.argsort(np.concatenate([usual, places]))
        square = zip(*((cells + [""] * width)[:width] for _, cells in others), strict=True)
        columns = [
            pa.chunked_array([*column.chunks, pa.array(texts, TEXT)]).take(order)
            for column, texts in zip(columns, square, strict=True)
        ]
    return Block(columns, first, short, sorted(set(long)))


def _fits(rows: int, shape: Shape, size: int) -> bool:
    """Whether a table may have so many rows; the file has `size` bytes."""
    return rows * shape.columns <= min(shape.max_cells, SPARSE[0] + SPARSE[1] * size)
