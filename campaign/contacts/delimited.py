"""Text files: csv, tsv, txt. Which delimiter, which lines are records, and each record's row number."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from campaign.contacts.encodings import Text
from campaign.contacts.grid import Grid, name_rows
from campaign.contacts.headers import LOOKED_AT, Header, header_place, locate_header
from campaign.contacts.texts import TEXT, blank_rows
from campaign.errors import FileError, UsageError

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 1 << 18  # bytes looked at to tell the delimiter and the width
PIECE = 1 << 22  # bytes whose quotes are looked at in one go: memory stays flat
BLOCK = 1 << 20  # bytes that Arrow parses in one go; a longer record gets a longer block
UNUSED = "\x1f\x1e\x1d\x1c"  # what can stand for a delimiter where the file has a single column


def read_delimited(text: Text, *, delimiter: str | None, header: Header, max_cells: int) -> Grid:
    """The records of a text file as a grid.

    A row number counts the records, blank ones too, as a spreadsheet program shows them; a quoted line
    break starts no new row. Raises FileError, with the row numbers, for quotes that do not match and for
    rows with more cells than the header: an unquoted delimiter has shifted them.
    """
    if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n\0'):
        raise UsageError('delimiter= takes one character such as ",", ";", "|" or "\\t".')
    data, declared = _declaration(text.data)
    _refuse_zero_bytes(data)
    found = delimiter or declared or find_delimiter(data)
    splitter = found or next((c for c in UNUSED if c.encode() not in data), UNUSED[0])
    lines = sample(data, splitter, header if isinstance(header, int) else 0)
    if not lines:
        _by_hand(data, splitter, 1, max_cells)  # says which quote it is
    place = header_place(lines, header)
    cells = Counter(len(line) for line in lines if line != [""])
    width = max(cells, key=lambda count: (cells[count], count), default=1)
    _hold_lines(data, width, max_cells)
    read = _by_arrow if well_quoted(data, splitter) else _by_hand
    table = read(data, splitter, width, max_cells)
    named = width if place is None else len(_trimmed(lines[place]))
    hold_budget(table.rows, named, max_cells)
    columns, short = _squared(table, named, place)
    notices = [*text.notices]
    if short:
        notices.append(f"{name_rows(short)}: fewer cells than the header; the missing ones are blank.")
    rows = np.arange(1, table.rows + 1, dtype=np.int64)
    return Grid(
        "tsv" if found == "\t" else "csv",
        columns,
        rows,
        range(named),
        None,
        text.encoding,
        found,
        notices=notices,
    )


def _declaration(data: bytes) -> tuple[bytes, str | None]:
    """Excel's own first line "sep=;": it names the delimiter and is no row of the sheet."""
    line = re.match(rb'"?sep=([^"\r\n])"?(?:\r\n|\r|\n|\Z)', data[:16], re.IGNORECASE)
    return (data[line.end() :], line[1].decode("ascii", "replace")) if line else (data, None)


def _refuse_zero_bytes(data: bytes) -> None:
    if (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise FileError(
            f"Line {line} holds a zero byte: the file is damaged, or it is no spreadsheet and no text."
        )


# --- records ------------------------------------------------------------------------------------------


class _MalformedError(Exception):
    """A quote that is not closed, or is followed by text; `row` counts from 1."""

    def __init__(self, row: int) -> None:
        self.row = row


def records(text: str, delimiter: str) -> Iterator[list[str]]:
    """The records of a text, strictly: a cell is quoted as a whole or not at all.

    Quotes inside an unquoted cell are ordinary signs (5" pipe). Raises _MalformedError where a cell starts
    with a quote and does not end with one.
    """
    d = re.escape(delimiter)
    match = re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^"{d}\r\n][^{d}\r\n]*+)?)({d}|\r\n|\r|\n|\Z)').match
    at, end, row, stop = 0, len(text), 1, ""
    cells: list[str] = []
    while at < end:
        cell = match(text, at)
        if cell is None:
            raise _MalformedError(row)
        quoted, plain, stop = cell.groups()
        cells.append(plain or "" if quoted is None else quoted.replace('""', '"'))
        at = cell.end()
        if stop != delimiter:
            yield cells
            cells, row = [], row + 1
    if stop == delimiter:
        yield [*cells, ""]


def sample(data: bytes, delimiter: str, needed: int = 0) -> list[list[str]]:
    """The first records: at least 50, or `needed`, or all there are."""
    size = SAMPLE
    while True:
        lines: list[list[str]] = []
        whole = size >= len(data)
        try:
            for line in records(data[:size].decode("utf-8", "ignore"), delimiter):
                lines.append(line)
                if len(lines) > max(LOOKED_AT, needed):
                    return lines[:-1]
        except _MalformedError:
            whole = whole and bool(lines)
        if size >= len(data):
            return lines
        size *= 8


def find_delimiter(data: bytes) -> str | None:
    """The delimiter of a text, or None for a single column.

    It splits the header in two at least; of several, the one under which most rows are as wide as the header.
    """
    best, found = (0.0, 0), None
    for delimiter in DELIMITERS:
        lines = [line for line in sample(data, delimiter) if any(cell.strip() for cell in line)]
        if not lines:
            continue
        place = locate_header(lines) or 0
        width, below = len(_trimmed(lines[place])), lines[place + 1 :]
        if width < 2:
            continue
        fits = sum(len(_trimmed(line)) <= width and len(line) >= width for line in below) / (len(below) or 1)
        if (fits, width) > best:
            best, found = (fits, width), delimiter
    return found


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Without the empty cells at the end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def well_quoted(data: bytes, delimiter: str) -> bool:
    """Whether each quote opens a cell at its start, closes it at its end or stands doubled inside.

    Then nobody can read the file in two ways. Counted from the start, quotes open and close in turns, so
    looking at the byte before an opening and after a closing one decides, without following every cell.
    """
    signs, inside = np.frombuffer(data, np.uint8), False
    neighbours = np.zeros(256, bool)
    neighbours[[ord('"'), ord(delimiter), 10, 13]] = True
    for start in range(0, len(signs), PIECE):
        quotes = start + np.flatnonzero(signs[start : start + PIECE] == ord('"'))
        opening, closing = quotes[inside::2], quotes[not inside :: 2]
        before, after = opening[opening > 0] - 1, closing[closing < len(signs) - 1] + 1
        if not (neighbours[signs[before]].all() and neighbours[signs[after]].all()):
            return False
        inside ^= bool(len(quotes) % 2)
    return not inside


# --- the whole file -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """Records of the usual width as columns, and the others (row number, cells) beside them."""

    columns: list[pa.ChunkedArray]
    others: list[tuple[int, list[str]]]

    @property
    def rows(self) -> int:
        return len(self.columns[0]) + len(self.others)


def _by_arrow(data: bytes, delimiter: str, width: int, max_cells: int, block: int = BLOCK) -> _Table:
    """Arrow's parser, in one thread: only so does it know the number of a record that it will not take."""
    names = [str(i) for i in range(width)]
    others: list[tuple[int, list[str]]] = []
    batches: list[pa.RecordBatch] = []
    rows = 0

    def set_aside(row: pa_csv.InvalidRow) -> str:
        others.append((row.number, next(records(row.text, delimiter))))
        return "skip"

    try:
        for batch in pa_csv.open_csv(
            pa.BufferReader(data),
            pa_csv.ReadOptions(use_threads=False, column_names=names, block_size=block),
            pa_csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=b'"' in data,
                ignore_empty_lines=False,
                invalid_row_handler=set_aside,
            ),
            pa_csv.ConvertOptions(
                check_utf8=False,  # checked when the encoding was found
                column_types=dict.fromkeys(names, TEXT),
                null_values=[],
                strings_can_be_null=False,
            ),
        ):
            batches.append(batch)
            rows += len(batch)
    except pa.ArrowInvalid:
        if block > len(data):
            raise FileError("The file cannot be read as a table of text.") from None
        return _by_arrow(data, delimiter, width, max_cells, block * 16)  # a record longer than a block
    hold_budget(rows + len(others), width, max_cells)
    columns = [pa.chunked_array([batch.column(i) for batch in batches], TEXT) for i in range(width)]
    return _Table(columns, others)


def _by_hand(data: bytes, delimiter: str, width: int, max_cells: int) -> _Table:
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
    except _MalformedError as problem:
        raise FileError(
            f"Row {problem.row}: a quotation mark opens a cell and does not close it at its end. "
            'Write it twice ("") inside a quoted cell, or close the cell, then read the file again.'
        ) from None
    columns = [pa.chunked_array([pa.array(column, TEXT)]) for column in zip(*usual, strict=True)]
    return _Table(columns or [pa.chunked_array([], TEXT)] * width, others)


def _hold_lines(data: bytes, width: int, max_cells: int) -> None:
    """A blank line becomes a row of blank cells, so a small file can ask for a table of any size."""
    if len(data) * width <= max_cells:
        return
    signs, breaks, returns = np.frombuffer(data, np.uint8), 0, 0
    for start in range(0, len(signs), PIECE):
        piece = signs[start : start + PIECE]
        breaks += int(np.count_nonzero(piece == 10))
        returns += int(np.count_nonzero(piece == 13))
    lines_in_cells = 4 if b'"' in data else 1  # a text of four lines is long for a message
    hold_budget(max(breaks, returns) // lines_in_cells, width, max_cells)


def hold_budget(rows: int, width: int, max_cells: int) -> None:
    """Refuse a table of more cells than allowed."""
    if rows * width > max_cells:
        raise FileError(
            f"The table has more than {max_cells:,} cells. If it is meant, give a larger max_cells=."
        )


def _squared(table: _Table, named: int, place: int | None) -> tuple[list[pa.ChunkedArray], list[int]]:
    """All records in their order, `named` cells each; and the numbers of those that had fewer.

    Short ones are filled up with blanks (Excel drops delimiters at the end of a line); cells beyond the
    named ones must be blank.
    """
    columns = table.columns
    columns = [*columns, *[_blanks(table.rows - len(table.others))] * (named - len(columns))]
    below = 0 if place is None else place + 1
    shifted = [row for row, cells in table.others if row > below and len(_trimmed(cells)) > named]
    short = [row for row, cells in table.others if row > below and len(cells) < named]
    if table.others:
        columns = _in_order(columns, table.others)
    for column in columns[named:]:
        filled = np.ones(table.rows, bool)
        filled[blank_rows([column], table.rows)] = False
        shifted += (np.flatnonzero(filled[below:]) + below + 1).tolist()
    if shifted:
        rows, than = sorted(set(shifted)), "others, which have" if place is None else "header, which has"
        raise FileError(
            f"{name_rows(rows)} {'has' if len(rows) == 1 else 'have'} more cells than the {than} {named}: "
            "a delimiter inside a text has shifted them. "
            "Put that text in quotation marks, or save the sheet as .xlsx."
        )
    return columns[:named], short


def _in_order(columns: list[pa.ChunkedArray], others: list[tuple[int, list[str]]]) -> list[pa.ChunkedArray]:
    """The records of the usual width and the others, each at its place."""
    odd = np.array([row - 1 for row, _ in others], dtype=np.int64)
    usual = np.ones(len(columns[0]) + len(odd), bool)
    usual[odd] = False
    order = np.empty(len(usual), np.int64)
    order[usual] = np.arange(len(columns[0]))
    order[odd] = len(columns[0]) + np.arange(len(odd))
    placed = []
    for i, column in enumerate(columns):
        texts = pa.array([line[i] if i < len(line) else "" for _, line in others], TEXT)
        placed.append(pa.chunked_array([*column.chunks, texts], TEXT).take(pa.array(order)))
    return placed


def _blanks(count: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([""], TEXT).take(pa.array(np.zeros(count, np.int64)))])
