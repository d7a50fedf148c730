"""The records of an old workbook (.xls): checked one by one, and only those with cells in them passed on.

Calamine reads all sheets of such a file at once, sets room aside for what their records claim, and ends the
process where there is not so much. So it is given a fresh stream instead: one sheet, plain values in place of
formulas, no claims. Source: [MS-XLS]; BIFF8 (Excel 97 and later) and BIFF5 (Excel 5 and 95).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from campaign.contacts.cells.grid import Merge
from campaign.contacts.workbooks.archives import DAMAGED, LOCKED
from campaign.contacts.workbooks.sheets import Sheet, SheetFacts
from campaign.errors import FileError

BOF, EOF, CONTINUE, BOUNDSHEET, SST, FILEPASS = 0x809, 0x0A, 0x3C, 0x85, 0xFC, 0x2F
NUMBER, LABEL, BOOLERR, STRING = 0x203, 0x204, 0x205, 0x207
RK, MULRK, LABELSST, RSTRING = 0x27E, 0xBD, 0xFD, 0xD6
FORMULAS = (0x06, 0x206, 0x406)
ROW, COLINFO, MERGEDCELLS = 0x208, 0x7D, 0xE5
# Code page, date system, number formats: what values need to be understood.
GLOBALS = (0x42, 0x22, 0x41E, 0x1E, 0xE0)
# The least bytes of each record with a cell in it.
CELLS = {NUMBER: 14, LABEL: 8, BOOLERR: 8, RK: 10, MULRK: 12, LABELSST: 10, RSTRING: 8}
ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
COLUMNS = 256
BIFF8 = b"\0\6"

Record = tuple[int, bytes]


@dataclass
class Workbook:
    """The sheets of a stream, and the records that stand before them."""

    stream: bytes
    head: list[Record] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)  # the BOUNDSHEET record of each sheet


def open_workbook(stream: bytes) -> Workbook:
    """The first part of the stream: which sheets there are. Raises FileError for a protected one."""
    book = Workbook(stream)
    for kind, body in _records(stream, 0):
        if kind == FILEPASS:
            raise FileError(LOCKED)
        if kind == BOUNDSHEET:
            _add_sheet(book, body)
        elif kind == SST:
            texts = struct.unpack_from("<I", _long_enough(body, 8), 4)[0]
            if texts * 3 > len(stream):
                raise FileError(DAMAGED.format("it claims more texts than fit into it"))
            book.head.append((kind, body))
        elif kind == BOF or kind in GLOBALS or (kind == CONTINUE and book.head[-1][0] in (SST, CONTINUE)):
            book.head.append((kind, body))
    return book


def _add_sheet(book: Workbook, body: bytes) -> None:
    state, kind, length, flags = struct.unpack_from("<4B", _long_enough(body, 8), 4)
    if book.head[0][1][:2] != BIFF8:
        name = body[7 : 7 + length].decode("cp1252", "replace")
    elif flags & 1:
        name = body[8 : 8 + length * 2].decode("utf-16-le", "replace")
    else:
        name = body[8 : 8 + length].decode("latin-1")
    if kind == 0:  # not a chart, not a module
        book.sheets.append(Sheet(name, state & 3 == 0, str(len(book.sheets))))
        book.entries.append(body)


def _records(stream: bytes, at: int) -> Iterator[Record]:
    """The records from one BOF to its EOF, without what is nested in them (charts)."""
    depth = 0
    while True:
        if at + 4 > len(stream):
            raise FileError(DAMAGED.format("it is cut off"))
        kind, length = struct.unpack_from("<2H", stream, at)
        if (kind != BOF and not depth) or at + 4 + length > len(stream):
            raise FileError(DAMAGED.format("its records do not fit together"))
        depth += (kind == BOF) - (kind == EOF)
        if not depth:
            return
        if depth == 1:
            yield kind, stream[at + 4 : at + 4 + length]
        at += 4 + length


def _long_enough(body: bytes, length: int) -> bytes:
    if len(body) < length:
        raise FileError(DAMAGED.format("a record is too short"))
    return body


def single_sheet(book: Workbook, sheet: Sheet) -> tuple[bytes, SheetFacts]:
    """A fresh stream with that sheet alone, and the facts about it."""
    entry, cells, opening = book.entries[int(sheet.part)], _Cells(), b""
    for kind, body in _records(book.stream, struct.unpack_from("<I", entry)[0]):
        if kind == BOF:
            opening = body
        else:
            cells.take(kind, body)
    cells.take(EOF, b"")
    # Where the sheet begins: behind the head, its own entry and the end of the first part.
    place = sum(len(body) + 4 for _, body in book.head) + len(entry) + 4 + 4
    visible = struct.pack("<I", place) + b"\0" + entry[5:]
    first, *head = book.head
    records = [first, (BOUNDSHEET, visible), *head, (EOF, b""), (BOF, opening), *cells.records, (EOF, b"")]
    return b"".join(struct.pack("<2H", kind, len(body)) + body for kind, body in records), cells.facts


class _Cells:
    """The records with cells in them, formulas turned into their values."""

    def __init__(self) -> None:
        self.facts = SheetFacts()
        self.records: list[Record] = []
        self._awaited: bytes | None = None  # place and format of a formula whose text comes next
        self._text = b""

    def take(self, kind: int, body: bytes) -> None:
        if kind == STRING and self._awaited is not None:
            self._text = body
            return
        if kind == CONTINUE and self._text:
            self._text = _continued(self._text, body)
            return
        if self._text and self._awaited is not None:
            self._cell(LABEL, self._awaited + self._text)
            self._awaited, self._text = None, b""
        if kind in CELLS:
            self._cell(kind, body)
        elif kind in FORMULAS:
            self._formula(_long_enough(body, 16))
        elif kind == ROW and _long_enough(body, 14)[12] & 0x20:
            self.facts.hidden_rows.add(struct.unpack_from("<H", body)[0] + 1)
        elif kind == COLINFO and _long_enough(body, 10)[8] & 1:
            first, last = struct.unpack_from("<2H", body)
            self.facts.hidden_spans.append((first, min(last, COLUMNS)))
        elif kind == MERGEDCELLS:
            self._merges(_long_enough(body, 2))

    def _cell(self, kind: int, body: bytes) -> None:
        row, column = struct.unpack_from("<2H", _long_enough(body, CELLS[kind]))
        last = column + (len(body) - 6) // 6 - 1 if kind == MULRK else column
        if last >= COLUMNS:
            raise FileError(DAMAGED.format("it has a cell beyond the end of any sheet"))
        if kind == BOOLERR and body[7]:
            self.facts.errors.append((row + 1, column, ERRORS.get(body[6], "#ERROR")))
            return
        self.facts.cells += last - column + 1
        self.facts.reach(row + 1, last)
        self.records.append((kind, body))

    def _formula(self, body: bytes) -> None:
        place, value, flags = body[:6], body[6:14], body[14]
        row, column = struct.unpack_from("<2H", place)
        if value[6:] != b"\xff\xff":
            if flags & 2 and not any(value):  # to be calculated when opened, and 0 until then
                self.facts.uncalculated.append((row + 1, column))
            else:
                self._cell(NUMBER, place + value)
        elif value[0] == 0:
            self._awaited = place
        elif value[0] == 1:
            self._cell(BOOLERR, place + value[2:3] + b"\0")
        elif value[0] == 2:
            self._cell(BOOLERR, place + value[2:3] + b"\1")

    def _merges(self, body: bytes) -> None:
        count = min(struct.unpack_from("<H", body)[0], (len(body) - 2) // 8)
        for i in range(count):
            top, bottom, left, right = struct.unpack_from("<4H", body, 2 + i * 8)
            self.facts.merges.append(Merge(top + 1, left, bottom + 1, right))


def _continued(text: bytes, more: bytes) -> bytes:
    """A BIFF8 text and its next part; each says for itself whether its signs take one byte or two."""
    wide, body, rest = text[2:3] == b"\1", text[3:], more[1:]
    if wide or more[:1] == b"\1":
        body = body if wide else body.decode("latin-1").encode("utf-16-le")
        rest = rest if more[:1] == b"\1" else rest.decode("latin-1").encode("utf-16-le")
        return text[:2] + b"\1" + body + rest
    return text + rest
