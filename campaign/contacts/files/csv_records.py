"""The records of a text file: one strict reading of its quotes, by Arrow where it reads them the same way."""

import io
import itertools
import re
from collections.abc import Iterator
from typing import IO, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from msgspec import Struct
from numpy.typing import NDArray

from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.grid import SHORTEN, refuse_beyond_budget, refuse_long_cell
from campaign.contacts.files.octets import PIECE, Octets, find_byte, pieces_of
from campaign.errors import FileError

Bytes = NDArray[np.uint8]
QUOTE = ord('"')
STRETCH = 1000  # bytes of which the first line end is looked at: lines are shorter as a rule
BLOCK = 1 << 20  # bytes that Arrow parses together, unless a record is longer
# No more fits into a sheet: https://support.microsoft.com/office/excel-specifications-and-limits
WIDEST, MOST_LINES = 16_384, 1_048_576
LONGEST_RECORD = 1 << 24  # bytes; as long as a record of many full cells
BY_HAND = 1 << 16  # records that are held as lists of cells


class MalformedError(Exception):
    """A quote that is not closed, or is followed by text.

    `row` counts from 1; `is_open`: the quote may be closed after the end of the text.
    """

    def __init__(self, row: int, is_open: bool) -> None:
        self.row, self.is_open = row, is_open


_OPEN = re.compile(r'"(?:[^"]++|"")*+"?\Z')


def records(text: str, delimiter: str, row: int = 1) -> Iterator[list[str]]:
    """The records of a text, strictly: a cell is quoted as a whole or not at all. The first is in `row`.

    Spaces around a quoted cell do not count. Quotes inside an unquoted cell are characters (5" pipe).
    Raises MalformedError where a cell starts with a quote and does not end with one, FileError where a cell,
    a record or the number of blank lines is larger than in any sheet.
    """
    d, space = re.escape(delimiter), "[" + " \t\xa0".replace(delimiter, "") + "]*+"
    match = re.compile(
        rf'(?:{space}"((?:[^"]++|"")*+)"{space}|([^"{d}\r\n][^{d}\r\n]*+)?)({d}|\r\n|\r|\n|\Z)'
    ).match
    at, end, stop = 0, len(text), ""
    cells: list[str] = []
    while at < end:
        cell = match(text, at)
        if cell is None:
            raise MalformedError(row, _OPEN.match(text, at) is not None)
        quoted, plain, stop = cell.groups()
        cells.append(plain or "" if quoted is None else quoted.replace('""', '"'))
        at = cell.end()
        _refuse_width(row, len(cells))
        refuse_long_cell(row, len(cells) - 1, len(cells[-1]))
        if stop != delimiter:
            yield cells
            cells, row = [], row + 1
            refuse_blank_lines(row, at)
    if stop == delimiter:
        yield [*cells, ""]


def _refuse_width(row: int, cells: int) -> None:
    """Refuse a row that no sheet can have."""
    if cells > WIDEST:
        raise FileError(
            f"A row has more than {WIDEST:,} cells, the most that a sheet can have: row {row}. "
            "Delete the columns that do not belong to the table, then read the file again."
        )


def refuse_blank_lines(lines: int, size: int) -> None:
    """Refuse more lines than a sheet has if they hold hardly anything, `size` bytes together."""
    if lines > MOST_LINES and size < 6 * lines:
        much = f"The file has more than {MOST_LINES:,} lines, and hardly any of them holds anything."
        raise FileError(f"{much} Delete the blank lines, then read the file again.")


class Survey(Struct, frozen=True):
    """What one pass over the bytes shows.

    `quotes`: there are none; or each opens a cell at its start, closes it at its end or stands doubled inside
    (strict: the file cannot be read in two ways); or none opens a cell, so that they are ordinary characters
    (literal: 5" pipe); or they are tangled and have to be followed. Unless they are, no record has more than
    `longest` bytes, and there are at most `rows` of them (line ends inside quotes are counted, too).
    """

    quotes: Literal["none", "strict", "literal", "tangled"]
    rows: int = 0
    longest: int = 0


def survey(data: Octets, delimiter: str) -> Survey:
    """Look for quotes and line ends."""
    if find_byte(data, b'"') < 0:
        return _measured(data, delimiter, "none")
    try:
        return _measured(data, delimiter, "strict")
    except _TangledError:
        return _measured(data, delimiter, "literal") if _opens_no_cell(data, delimiter) else Survey("tangled")


class _TangledError(Exception):
    """A quote inside an unquoted cell, or behind a closing one."""


def _measured(data: Octets, delimiter: str, quotes: Literal["none", "strict", "literal"]) -> Survey:
    has_returns = find_byte(data, b"\r") >= 0
    inside, rows, longest, last = False, 0, 0, -1
    for start in range(0, len(data), PIECE):
        refuse_blank_lines(rows, start)
        if start - last > LONGEST_RECORD:
            _refuse_record(data[last + 1 : start], delimiter, rows, quotes)
        around = _around(data, start)
        is_end = _line_ends(around, has_returns)
        rows += int(np.count_nonzero(is_end))
        ends = _some(is_end)
        if quotes == "strict":
            places = _outside(around, inside, delimiter)
            ends = ends[(np.searchsorted(places, ends) + inside) % 2 == 0]
            inside ^= bool(len(places) % 2)
        if len(ends):
            longest = max(longest, start + int(ends[0]) - last, int(np.diff(ends).max(initial=0)))
            last = start + int(ends[-1])
    if inside:
        raise _TangledError
    rows += not data[-1:].endswith((b"\n", b"\r"))
    return Survey(quotes, rows, max(longest, len(data) - 1 - last))


def _refuse_record(data: bytes, delimiter: str, rows: int, quotes: str) -> None:
    """Refuse a record that is too long, after all `rows` that end; none if quotes do not match."""
    if quotes == "strict":
        raise _TangledError
    row = rows + 1 - (data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n"))
    list(records(str(data, "utf-8", "ignore"), delimiter, row))  # which names the cell
    raise FileError(f"Row {row} has more than {LONGEST_RECORD:,} bytes, {SHORTEN}")


def _around(data: Octets, start: int) -> Bytes:
    """A piece with one byte more on either side; the file itself begins and ends like a line."""
    stop = start + PIECE
    before, after = b"" if start else b"\r", b"" if stop < len(data) else b"\r"
    return np.frombuffer(before + data[max(start - 1, 0) : stop + 1] + after, np.uint8)


def _outside(around: Bytes, inside: bool, delimiter: str) -> NDArray[np.int64]:
    """The places of the quotes in a piece, if each has a delimiter, a line end or another on its outer side.

    Counted from the start of the file, quotes open and close in turns, so the byte before an opening and the
    one after a closing quote decide, without following every cell.
    """
    quotes = np.flatnonzero(around[1:-1] == QUOTE)
    touched = (around == QUOTE) | _bounds(around, delimiter)
    if not (touched[quotes[inside::2]].all() and touched[quotes[not inside :: 2] + 2].all()):
        raise _TangledError
    return quotes


def _opens_no_cell(data: Octets, delimiter: str) -> bool:
    """Whether no quote is the first in its cell but for spaces; those at the start of a piece may be."""
    space = b" \t\xa0\xc2".replace(delimiter.encode(), b"")
    opening = re.compile(rb"(?:\A|[\r\n%b])[%b]*+\"" % (re.escape(delimiter.encode()), space)).search
    return not any(opening(piece) for piece in pieces_of(data))


def _bounds(octets: Bytes, delimiter: str) -> NDArray[np.bool_]:
    """Where a cell ends."""
    ends: NDArray[np.bool_] = (octets == ord(delimiter)) | (octets == 10) | (octets == 13)
    return ends


def _line_ends(around: Bytes, has_returns: bool) -> NDArray[np.bool_]:
    """The line feeds of a piece, and the carriage returns without one."""
    ends: NDArray[np.bool_] = around[1:-1] == 10
    return ends | ((around[1:-1] == 13) & (around[2:] != 10)) if has_returns else ends


def _some(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The positions of the marks; if there are many, only the first in every thousand bytes."""
    end = len(marks) // STRETCH * STRETCH
    first = marks[:end].reshape(-1, STRETCH).argmax(axis=1) + np.arange(0, end, STRETCH)
    return np.concatenate([first[marks[first]], end + np.flatnonzero(marks[end:])])


class ParsedRecords(Struct, frozen=True):
    """Records of the usual width as columns, and the others (row number, cells) beside them.

    `first` is the row number of the first of them.
    """

    columns: list[TextChunks]
    others: list[tuple[int, list[str]]]
    first: int = 1

    @property
    def rows(self) -> int:
        """All records."""
        return len(self.columns[0]) + len(self.others)


def pieces_to_parse(data: Octets, size: int) -> Iterator[bytes]:
    """The bytes in pieces of `size` bytes.

    A piece is one byte shorter rather than end between a carriage return and its line feed: there Arrow drops
    the line feed, even inside quotes.
    """
    at = 0
    while at < len(data):
        piece = data[at : at + size + 1]
        end = size - (piece[size - 1 :] == b"\r\n" and size > 1)
        yield piece[:end]
        at += end


def released(pieces: list[bytes]) -> Iterator[bytes]:
    """Pieces that are released one by one, so that the columns can take their place in memory."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()


class _PieceFile(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return next(self._pieces, b"")


def by_arrow(
    pieces: Iterator[bytes], block: int, delimiter: str, width: int, *, quoted: bool, most: int = WIDEST
) -> Iterator[ParsedRecords]:
    """Arrow's parser, in one thread: with more, it does not know the numbers of refused records.

    A piece holds `block` bytes, not less than the longest record. Unless the text is `quoted`, quotes are
    ordinary characters. Gives the records in several parts, in order; what a record has beyond its first
    `most` cells is joined.
    """
    names = [str(i) for i in range(width)]
    others: list[tuple[int, list[str]]] = []

    def set_aside(row: pa_csv.InvalidRow) -> Literal["skip", "error"]:
        cells = next(records(row.text, delimiter)) if quoted else row.text.split(delimiter, most)
        cells[most:] = ["".join(cells[most:]).replace(delimiter, "")] if cells[most:] else []
        others.append((cast(int, row.number), cells))  # not None, as there is only one thread
        return "skip"

    first = 1
    try:
        for batch in pa_csv.open_csv(
            cast("IO[bytes]", pa.PythonFile(_PieceFile(pieces), mode="r")),  # the stubs forget Arrow's files
            pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=block),
            pa_csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,
                ignore_empty_lines=False,
                invalid_row_handler=set_aside,
            ),
            pa_csv.ConvertOptions(
                check_utf8=False,  # checked when the encoding was detected
                column_types=dict.fromkeys(names, TEXT),
                null_values=[],
                strings_can_be_null=False,
            ),
        ):
            columns: list[TextChunks] = [pa.chunked_array([column], TEXT) for column in batch.columns]
            count = _others_before_the_next(first, batch.num_rows, others)
            yield ParsedRecords(columns, others[:count], first)
            first += batch.num_rows + count
            del others[:count]
    except pa.ArrowException:
        raise FileError("The file cannot be read as a table of text.") from None
    yield ParsedRecords([pa.chunked_array([], TEXT)] * width, others, first)


def _others_before_the_next(first: int, usual: int, others: list[tuple[int, list[str]]]) -> int:
    """How many of the others stand before the record that follows some usual ones, from `first` on."""
    after, count = first + usual, 0
    while count < len(others) and others[count][0] <= after:
        after, count = after + 1, count + 1
    return count


def by_hand(data: bytes, delimiter: str, width: int, max_cells: int) -> Iterator[ParsedRecords]:
    """For files whose quotes have to be followed: exact, but some forty times slower."""
    rows = enumerate(records(str(data, "utf-8"), delimiter), start=1)
    blank = [""] * width
    try:
        for first in itertools.count(1, BY_HAND):
            usual: list[list[str]] = []
            others: list[tuple[int, list[str]]] = []
            for row, cells in itertools.islice(rows, BY_HAND):
                if len(cells) == width or cells == [""]:
                    usual.append(cells if cells != [""] else blank)
                else:
                    others.append((row, cells))
                refuse_beyond_budget(row, width, max_cells)
            columns: list[TextChunks] = [
                pa.chunked_array([pa.array(column, TEXT)], TEXT) for column in zip(*usual, strict=True)
            ]
            yield ParsedRecords(columns or [pa.chunked_array([], TEXT)] * width, others, first)
            if len(usual) + len(others) < BY_HAND:
                break
    except MalformedError as problem:
        raise FileError(
            f"Row {problem.row}: a quotation mark opens a cell, but the cell does not end with one. "
            'Write it twice ("") inside a quoted cell, or close the cell, then read the file again.'
        ) from None
