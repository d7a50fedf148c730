"""Text files: csv, tsv, txt. Which delimiter, which lines are records, and each record's row number."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from campaign.arrow_types import TEXT
from campaign.contacts.cells.grid import Grid, refuse_long_cells
from campaign.contacts.cells.headers import (
    LOOKED_AT,
    Header,
    header_place,
    is_number,
    locate_header,
    looks_like_contact,
)
from campaign.contacts.exports import column_names, likely_number_columns
from campaign.contacts.files.csv_records import MalformedError, read_blocks, records
from campaign.contacts.files.encodings import to_text
from campaign.contacts.files.octets import PIECE, Octets, pieces_of
from campaign.errors import FileError
from campaign.values import replace
from campaign.words.finding import Finding

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 1 << 18  # bytes looked at to detect the delimiter and the width
MOST = 0.9  # of the rows
_DATE = re.compile(r"\d{1,4}([-/.])\d\d?\1\d{1,4}(?:[ T][\d:]+)?")
_CONTROLS = [chr(code) for code in range(31, 0, -1) if chr(code) not in "\t\n\r"]


def text_grids(
    data: Octets,
    *,
    max_cells: int,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: Header = None,
) -> Iterator[Grid]:
    """The records of a text file as grids of some rows each, and then a grid without rows for what was
    guessed or filled in.

    A row number counts the records, blank ones too, as a spreadsheet program shows them; a quoted line
    break starts no new row. Raises FileError, with the row numbers, for quotes that do not match and for
    rows with more cells than the header: an unquoted delimiter has shifted them.
    """
    text = to_text(data, encoding)
    start, declared = _declaration(text.data)
    _refuse_zero_bytes(text.data)
    delimiter = delimiter or declared or find_delimiter(text.data, start)
    splits_at = delimiter or _unused(text.data)
    above, width = _place_and_width(
        sample(text.data, start, splits_at, header if isinstance(header, int) else 0), header
    )
    empty = Grid(
        "tsv" if delimiter == "\t" else "csv", [pa.chunked_array([], TEXT)] * width,
        np.array([], np.int64), range(width), encoding=text.encoding, delimiter=delimiter,
    )  # fmt: skip
    short, long = list[int](), list[int]()
    for block in read_blocks(text.data, start, splits_at, width, max_cells):
        short += [row for row in block.short if row > above]
        long += [row for row in block.long if row > above]
        rows = np.arange(block.first, block.first + block.rows, dtype=np.int64)
        grid = replace(empty, columns=block.columns, rows=rows)
        refuse_long_cells(grid)
        yield grid
    if long:
        raise FileError("rows_too_wide", rows=long, columns=width)
    filled = [Finding("rows_filled", {"count": len(short), "first": short[0]}, "info")] if short else []
    yield replace(empty, notices=[*text.notices, *filled])


def _place_and_width(lines: Sequence[Sequence[str]], header: Header) -> tuple[int, int]:
    """How many records end with the header, 0 without one; and how many columns the table has."""
    place = header_place(lines, header)
    if place is None:
        return 0, _usual_width(filter(any, lines))
    column_names(_trimmed(lines[place]))  # problems of columns are reported before those of rows
    return place + 1, _named_width(lines[place], lines[place + 1 :])


def _declaration(data: Octets) -> tuple[int, str | None]:
    """Where the records begin, behind a byte order mark and Excel's own first line "sep=;", which is no row
    of the sheet; and the delimiter that this line names."""
    top = re.match(rb'(?:\xef\xbb\xbf)?("?sep=([^"\r\n])"?(?:\r\n|\r|\n|\Z))?', data[:16], re.IGNORECASE)
    return (top.end(), top[2].decode("ascii", "replace") if top[2] else None) if top else (0, None)


def _refuse_zero_bytes(data: Octets) -> None:
    for number, piece in enumerate(pieces_of(data)):
        if (at := piece.find(b"\0")) >= 0:
            line = data[: number * PIECE + at].count(b"\n") + 1
            raise FileError("not_text", line=line)


def _unused(data: Octets) -> str:
    """A character that the text does not have: it stands for the delimiter where there is a single column."""
    for mark in _CONTROLS:
        if not any(mark.encode() in piece for piece in pieces_of(data)):
            return mark
    raise FileError("not_text")


# --- the first records --------------------------------------------------------------------------------


def sample(data: Octets, start: int, delimiter: str, needed: int = 0) -> list[list[str]]:
    """The first records: at least 50, or `needed`, or all there are up to a quote that makes no sense."""
    size, enough = SAMPLE, max(LOOKED_AT, needed)
    while True:
        lines: list[list[str]] = []
        is_end = start + size >= len(data)
        try:
            for line, _ in records(data[start : start + size].decode("utf-8", "ignore"), delimiter):
                lines.append(line)
                if len(lines) > enough:
                    return lines[:enough]
        except MalformedError as problem:
            if lines and (is_end or not problem.is_open):
                return lines
            if is_end or not problem.is_open:
                raise
        if is_end:
            return lines
        size *= 8


def find_delimiter(data: Octets, start: int) -> str | None:
    """The delimiter of a text, or None for a single column.

    It splits the header in two at least; of several, the one under which most rows are as wide as the header,
    the header has no gap, stands higher up and has more cells.
    """
    best, chosen = (0.0, False, 0, 0), None
    problems: dict[str, FileError] = {}
    for delimiter in DELIMITERS:
        try:
            lines = [line for line in sample(data, start, delimiter) if any(cell.strip() for cell in line)]
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


def _usual_width(lines: Iterable[Sequence[str]]) -> int:
    widths = Counter(map(len, lines))
    return max(widths, key=lambda count: (widths[count], count), default=1)


def _named_width(head: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """How many columns belong to the table: those with a name, and those behind them that most rows have.

    An unquoted delimiter in a text makes rows wider, too, and moves what is behind it. So the numbers have to
    be below their header, and the cells before the first without a name cannot be the first half of a text.
    """
    named, lines = len(_trimmed(head)) or 1, [line for line in map(_trimmed, below) if line]
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
