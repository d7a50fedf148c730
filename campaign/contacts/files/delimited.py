"""Text files: csv, tsv, txt. Which delimiter, which lines are records, and each record's row number."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.cell_text import blank_rows
from campaign.contacts.cells.grid import Grid, name_rows, refuse_beyond_budget
from campaign.contacts.cells.headers import LOOKED_AT, Header, header_place, locate_header
from campaign.contacts.exports import column_names
from campaign.contacts.files.csv_records import (
    BLOCK,
    MalformedError,
    ParsedRecords,
    Pieces,
    by_arrow,
    by_hand,
    records,
    survey,
)
from campaign.contacts.files.encodings import Text
from campaign.errors import FileError

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 1 << 18  # bytes looked at to detect the delimiter and the width
WIDEST = 16_384  # columns, as in Excel
UNUSED = "\x1f\x1e\x1d\x1c"  # what can stand for a delimiter where the file has a single column


def read_delimited(text: Text, *, delimiter: str | None, header: Header, max_cells: int) -> Grid:
    """The records of a text file as a grid.

    A row number counts the records, blank ones too, as a spreadsheet program shows them; a quoted line
    break starts no new row. Raises FileError, with the row numbers, for quotes that do not match and for
    rows with more cells than the header: an unquoted delimiter has shifted them.
    """
    text.data, declared = _declaration(text.data)
    _refuse_zero_bytes(text.data)
    detected = delimiter or declared or find_delimiter(text.data)
    splitter = detected or next((c for c in UNUSED if c.encode() not in text.data), UNUSED[0])
    lines = sample(text.data, splitter, header if isinstance(header, int) else 0)
    if not lines:
        by_hand(text.data, splitter, 1, max_cells)  # raises for the quote that makes no sense
    _refuse_wide(lines)
    place = header_place(lines, header)
    if place is not None:
        column_names(_trimmed(lines[place]))  # problems of columns are reported before those of rows
    widths = Counter(len(line) for line in lines if line != [""])
    width = max(widths, key=lambda count: (widths[count], count), default=1)
    named = width if place is None else len(_trimmed(lines[place]))
    parsed = _parse(text, splitter, width, max_cells)
    refuse_beyond_budget(parsed.rows, named, max_cells)
    columns, short = _squared(parsed, named, place)
    filled = f"{name_rows(short)}: fewer cells than the header; the missing ones are blank." if short else ""
    kind, rows = "tsv" if detected == "\t" else "csv", np.arange(1, parsed.rows + 1, dtype=np.int64)
    grid = Grid(kind, columns, rows, range(named), notices=[*text.notices, *filter(None, [filled])])
    return replace(grid, encoding=text.encoding, delimiter=detected)


def _declaration(data: bytes) -> tuple[bytes, str | None]:
    """Excel's own first line "sep=;": it names the delimiter and is not a row of the sheet."""
    line = re.match(rb'"?sep=([^"\r\n])"?(?:\r\n|\r|\n|\Z)', data[:16], re.IGNORECASE)
    return (data[line.end() :], line[1].decode("ascii", "replace")) if line else (data, None)


def _refuse_wide(lines: Sequence[Sequence[str]]) -> None:
    widest = max(map(len, lines), default=0)
    if widest > WIDEST:
        raise FileError(
            f"A row has more than {WIDEST:,} cells, the most that a sheet can have. "
            "Delete the columns that do not belong to the table, then read the file again."
        )


def _refuse_zero_bytes(data: bytes) -> None:
    if (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise FileError(
            f"Line {line} holds a zero byte: the file is damaged, or it is neither a spreadsheet nor text."
        )


# --- the first records --------------------------------------------------------------------------------


def sample(data: bytes, delimiter: str, needed: int = 0) -> list[list[str]]:
    """The first records: at least 50, or `needed`, or all there are up to a quote that makes no sense.

    A record with more cells than a sheet has columns comes alone.
    """
    size, enough = SAMPLE, max(LOOKED_AT, needed)
    while True:
        lines: list[list[str]] = []
        try:
            for line in records(data[:size].decode("utf-8", "ignore"), delimiter):
                lines.append(line)
                if len(lines) > enough or len(line) > WIDEST:
                    return lines[-1:] if len(line) > WIDEST else lines[:enough]
        except MalformedError as problem:
            if not problem.is_open:
                return lines
        if size >= len(data):
            return lines
        size *= 8


def find_delimiter(data: bytes) -> str | None:
    """The delimiter of a text, or None for a single column.

    It splits the header in two at least; of several, the one under which most rows are as wide as the header,
    the header has no gap, stands higher up and has more cells.
    """
    best, chosen = (0.0, False, 0, 0), None
    for delimiter in DELIMITERS:
        lines = [line for line in sample(data, delimiter) if any(cell.strip() for cell in line)]
        if not lines:
            continue
        _refuse_wide(lines)
        place = locate_header(lines) or 0
        names, below = _trimmed(lines[place]), lines[place + 1 :]
        if len(names) < 2:
            continue
        fitting = sum(len(_trimmed(line)) <= len(names) <= len(line) for line in below)
        score = (fitting / (len(below) or 1), all(map(str.strip, names)), -place, len(names))
        if chosen is None or score > best:
            best, chosen = score, delimiter
    return chosen


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Without the empty cells at the end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


# --- all records --------------------------------------------------------------------------------------


def _parse(text: Text, delimiter: str, width: int, max_cells: int) -> ParsedRecords:
    """All records; the text is released while Arrow parses it."""
    seen = survey(text.data, delimiter)
    if seen.quotes == "tangled":
        return by_hand(text.data, delimiter, width, max_cells)
    quoted = seen.quotes == "strict"
    lines = 4 if quoted else 1  # in a cell; the exact number of cells is checked again
    refuse_beyond_budget(seen.rows // lines, width, max_cells)
    block = max(BLOCK, seen.longest + 2)
    return by_arrow(Pieces(text.give(), block), block, delimiter, width, quoted=quoted)


def _squared(parsed: ParsedRecords, named: int, place: int | None) -> tuple[list[TextChunks], list[int]]:
    """All records in their order, `named` cells each; and the numbers of those that had fewer.

    Short ones are filled up with blanks (Excel drops delimiters at the end of a line); cells beyond the
    named ones must be blank.
    """
    columns = parsed.columns
    columns = [*columns, *[_blanks(parsed.rows - len(parsed.others))] * (named - len(columns))]
    below = 0 if place is None else place + 1
    shifted = [row for row, cells in parsed.others if row > below and len(_trimmed(cells)) > named]
    short = [row for row, cells in parsed.others if row > below and len(cells) < named]
    if parsed.others:
        columns = _in_order(columns, parsed.others)
    for column in columns[named:]:
        filled = np.ones(parsed.rows, bool)
        filled[blank_rows([column], parsed.rows)] = False
        shifted += (np.flatnonzero(filled[below:]) + below + 1).tolist()
    if shifted:
        rows, than = sorted(set(shifted)), "others, which have" if place is None else "header, which has"
        raise FileError(
            f"{name_rows(rows)} {'has' if len(rows) == 1 else 'have'} more cells than the {than} {named}: "
            "a delimiter inside a text has shifted them. "
            "Put that text in quotation marks, or save the sheet as .xlsx."
        )
    return columns[:named], short


def _in_order(columns: list[TextChunks], others: list[tuple[int, list[str]]]) -> list[TextChunks]:
    """The records of the usual width and the others, each at its place."""
    unusual = np.array([row - 1 for row, _ in others], dtype=np.int64)
    usual = np.ones(len(columns[0]) + len(unusual), bool)
    usual[unusual] = False
    order = np.empty(len(usual), np.int64)
    order[usual] = np.arange(len(columns[0]))
    order[unusual] = len(columns[0]) + np.arange(len(unusual))
    placed = []
    for i, column in enumerate(columns):
        texts = pa.array([line[i] if i < len(line) else "" for _, line in others], TEXT)
        placed.append(pa.chunked_array([*column.chunks, texts], TEXT).take(order))
    return placed


def _blanks(count: int) -> TextChunks:
    return pa.chunked_array([pa.repeat(pa.scalar("", TEXT), count)], TEXT)
