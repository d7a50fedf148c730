"""The records of a text file: one strict reading of its quotes, by Arrow where it can be trusted with it."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from campaign.contacts.texts import TEXT
from campaign.errors import FileError

Signs = NDArray[np.uint8]
PIECE = 1 << 22  # bytes that are looked at in one go: memory stays flat
BLOCK = 1 << 20  # bytes that Arrow parses in one go, unless a record is longer


class MalformedError(Exception):
    """A quote that is not closed, or is followed by text; `row` counts from 1."""

    def __init__(self, row: int) -> None:
        self.row = row


def records(text: str, delimiter: str) -> Iterator[list[str]]:
    """The records of a text, strictly: a cell is quoted as a whole or not at all.

    Quotes inside an unquoted cell are ordinary signs (5" pipe). Raises MalformedError where a cell starts
    with a quote and does not end with one.
    """
    d = re.escape(delimiter)
    match = re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^"{d}\r\n][^{d}\r\n]*+)?)({d}|\r\n|\r|\n|\Z)').match
    at, end, row, stop = 0, len(text), 1, ""
    cells: list[str] = []
    while at < end:
        cell = match(text, at)
        if cell is None:
            raise MalformedError(row)
        quoted, plain, stop = cell.groups()
        cells.append(plain or "" if quoted is None else quoted.replace('""', '"'))
        at = cell.end()
        if stop != delimiter:
            yield cells
            cells, row = [], row + 1
    if stop == delimiter:
        yield [*cells, ""]


@dataclass(frozen=True)
class Survey:
    """What one look over the bytes tells.

    `well_quoted`: each quote opens a cell at its start, closes it at its end or stands doubled inside: then
    nobody can read the file in two ways. Then `rows` is the number of records, and `longest` the most bytes
    from one line end to the next.
    """

    well_quoted: bool
    has_quotes: bool
    rows: int
    longest: int


def survey(data: bytes, delimiter: str) -> Survey:
    """Look for quotes and line ends.

    Counted from the start, quotes open and close in turns, so the byte before an opening and the one after a
    closing quote decide, without following every cell; a line end is one if an even number stands before it.
    """
    signs = np.frombuffer(data, np.uint8)
    inside = has_quotes = False
    rows, longest, last = 0, 0, -1
    neighbours = np.zeros(256, bool)
    neighbours[[ord('"'), ord(delimiter), 10, 13]] = True
    for start in range(0, len(signs), PIECE):
        piece = signs[start : start + PIECE]
        ends = start + np.flatnonzero(_line_ends(piece, signs[start + 1 : start + PIECE + 1]))
        quotes = start + np.flatnonzero(piece == ord('"'))
        if len(quotes) or inside:
            has_quotes = True
            opening, closing = quotes[inside::2], quotes[not inside :: 2]
            before, after = opening[opening > 0] - 1, closing[closing < len(signs) - 1] + 1
            if not (neighbours[signs[before]].all() and neighbours[signs[after]].all()):
                return Survey(False, True, 0, 0)
            ends = ends[(np.searchsorted(quotes, ends) + inside) % 2 == 0]
            inside ^= bool(len(quotes) % 2)
        if len(ends):
            longest = max(longest, int(ends[0]) - last, int(np.diff(ends).max(initial=0)))
            rows, last = rows + len(ends), int(ends[-1])
    rest = len(signs) - 1 - last
    return Survey(not inside, has_quotes, rows + (rest > 0), max(longest, rest))


def _line_ends(signs: Signs, following: Signs) -> NDArray[np.bool_]:
    """A line feed, or a carriage return without one."""
    ends: NDArray[np.bool_] = signs == 10
    returns = signs == 13
    if returns.any():
        alone = returns.copy()
        alone[: len(following)] &= following != 10
        ends |= alone
    return ends


@dataclass(frozen=True)
class Table:
    """Records of the usual width as columns, and the others (row number, cells) beside them."""

    columns: list[pa.ChunkedArray]
    others: list[tuple[int, list[str]]]

    @property
    def rows(self) -> int:
        """All records."""
        return len(self.columns[0]) + len(self.others)


class Pieces(io.RawIOBase):
    """Bytes that are given away piece by piece, so that the table can take their place in memory."""

    def __init__(self, data: bytes, size: int) -> None:
        self._pieces = [data[at : at + size] for at in range(0, len(data), size)][::-1]

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._pieces.pop() if self._pieces else b""


def by_arrow(pieces: Pieces, block: int, delimiter: str, width: int, *, has_quotes: bool) -> Table:
    """Arrow's parser, in one thread: only so does it know the number of a record that it will not take.

    A piece holds `block` bytes, not less than the longest record.
    """
    names = [str(i) for i in range(width)]
    others: list[tuple[int, list[str]]] = []

    def set_aside(row: pa_csv.InvalidRow) -> str:
        others.append((row.number, next(records(row.text, delimiter))))
        return "skip"

    try:
        batches = list(
            pa_csv.open_csv(
                pa.PythonFile(pieces, mode="r"),
                pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=block),
                pa_csv.ParseOptions(
                    delimiter=delimiter,
                    newlines_in_values=has_quotes,
                    ignore_empty_lines=False,
                    invalid_row_handler=set_aside,
                ),
                pa_csv.ConvertOptions(
                    check_utf8=False,  # checked when the encoding was found
                    column_types=dict.fromkeys(names, TEXT),
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )
        )
    except pa.ArrowException:
        raise FileError("The file cannot be read as a table of text.") from None
    columns = [pa.chunked_array([batch.column(i) for batch in batches], TEXT) for i in range(width)]
    return Table(columns, others)


def by_hand(data: bytes, delimiter: str, width: int, max_cells: int) -> Table:
    """For the files whose quotes need following: about ten times slower, and exact."""
    usual: list[list[str]] = []
    others: list[tuple[int, list[str]]] = []
    blank = [""] * width
    try:
        for row, cells in enumerate(records(str(data, "utf-8"), delimiter), start=1):
            if len(cells) == width or cells == [""]:
                usual.append(cells if cells != [""] else blank)
            else:
                others.append((row, cells))
            hold_budget(row, width, max_cells)
    except MalformedError as problem:
        raise FileError(
            f"Row {problem.row}: a quotation mark opens a cell and does not close it at its end. "
            'Write it twice ("") inside a quoted cell, or close the cell, then read the file again.'
        ) from None
    columns = [pa.chunked_array([pa.array(column, TEXT)]) for column in zip(*usual, strict=True)]
    return Table(columns or [pa.chunked_array([], TEXT)] * width, others)


def hold_budget(rows: int, width: int, max_cells: int) -> None:
    """Refuse a table of more cells than allowed: each blank line becomes a row of blank cells."""
    if rows * width > max_cells:
        raise FileError(
            f"The table has more than {max_cells:,} cells. If it is meant, give a larger max_cells=."
        )
