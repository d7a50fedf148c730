"""What calamine does not report about an .xlsx sheet, from one pass over its XML: hidden rows and columns,
merged areas, formulas without a value, and how far the cells really reach.

Calamine allocates memory for the rectangle around all cells before it reads them, and aborts the process if
there is not enough, so the pass comes first. XML as programs usually write it is scanned as bytes (0.08 s for
600,000 cells); anything unusual goes through expat, which is exact but some thirty times slower.
"""

import re
from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from campaign.contacts.cells.merge import Merge
from campaign.contacts.workbooks.archives import complete_rows
from campaign.contacts.workbooks.sheet_choice import LAST_COLUMN, SheetFacts
from campaign.contacts.workbooks.xlsx_facts_events import column_position, scan_events


class _UnusualError(Exception):
    """XML that the byte scan does not understand."""


def scan_sheet(pieces: Callable[[], Iterable[bytes]], styles: Collection[int] = ()) -> SheetFacts:
    """The facts of one sheet, and its cells in these styles.

    `pieces` gives its XML from the start, as often as it is called.
    """
    pattern = re.compile(rb's="(%s)"' % b"|".join(b"%d" % style for style in styles)) if styles else None
    try:
        return _scan_bytes(pieces(), pattern)
    except _UnusualError:
        return scan_events(pieces(), styles)


# --- bytes --------------------------------------------------------------------------------------------

# Possessive (*+): no backtracking, so a hostile tag takes time in proportion to its length only.
_ATTRIBUTES = rb"""(?:[^<>"']|"[^"<]*"|'[^'<]*')*+"""
_ROW = re.compile(rb'<row r="(\d+)"')
_HIDDEN = re.compile(rb"""hidden\s*=\s*["'](?:1|true)["']""")
_FLAT = re.compile(rb"""\sht=["']0(?:\.0*)?["']""")  # rows and columns of no height and no width are not seen
_NARROW = re.compile(rb"""\swidth=["']0(?:\.0*)?["']""")
_LEVEL = re.compile(rb"""outlineLevel=["']([1-7])""")
_COLLAPSED = re.compile(rb"""collapsed=["'](?:1|true)""")
_SUMMARY_ABOVE = re.compile(rb"""\ssummaryBelow=["'](?:0|false)""")
_COLUMN = re.compile(rb"<col(\s" + _ATTRIBUTES + rb")>")
_ENDS = re.compile(rb"""\s(min|max)\s*=\s*["'](\d{1,6})["']""")
_MERGE = re.compile(rb"""<mergeCell\sref=["']([A-Z]{1,3})(\d{1,8}):([A-Z]{1,3})(\d{1,8})["']\s*/?>""")
_MORE_CELLS = re.compile(rb"<(?:[^\s<>/:]+:)?(?:c|row|sheetData)[\s/>]")
_PREFIX = re.compile(rb"<[^\s<>/:]+\Z")
_CELL = rb'<c r="([A-Z]{1,3})(\d+)"(' + _ATTRIBUTES + rb")>"
_FORMULA = rb"<f(?:\s" + _ATTRIBUTES + rb")?>(?:(?<=/>)|[^<]*</f>)\s*"
_EMPTY_FORMULA = re.compile(_CELL + _FORMULA + rb"(<v\s*/>|<v>\s*</v>|<v>0</v>)?\s*</c>")
_ERROR = re.compile(_CELL + rb"(?:" + _FORMULA + rb")?<v>([^<]*)</v>")
TAG = 200  # bytes in which a cell's tag with an error in it ends


def _scan_bytes(pieces: Iterable[bytes], styles: re.Pattern[bytes] | None) -> SheetFacts:
    facts, place = SheetFacts(), "head"
    for piece in complete_rows(pieces, b"<row ", b"<mergeCell "):
        if place == "head":
            start = piece.find(b"<sheetData")
            if start < 0 or not piece.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                raise _UnusualError
            _usual(piece[:start].partition(b"?>")[2] or piece[:start])
            _scan_columns(piece[:start], facts)
            facts.summary_below = _SUMMARY_ABOVE.search(piece[:start]) is None
            piece, place = piece[start:], "rows"
        if place == "rows":
            end = piece.rfind(b"</sheetData>")  # a search from the end takes half the time
            end = piece.find(b"</sheetData>") if end >= 0 else end
            _scan_rows(piece if end < 0 else piece[:end], facts, styles)
            piece, place = (b"", "rows") if end < 0 else (piece[end:], "tail")
        if place == "tail":
            _usual(piece)
            if _MORE_CELLS.search(piece):
                raise _UnusualError
            _scan_merges(piece, facts)
    if place == "head":
        raise _UnusualError
    return facts


def _usual(xml: bytes) -> None:
    if b"<!" in xml or b"<?" in xml:
        raise _UnusualError


def _scan_rows(xml: bytes, facts: SheetFacts, styles: re.Pattern[bytes] | None) -> None:
    octets = np.frombuffer(xml + b" " * 24, np.uint8)
    opens, following = octets[:-24] == ord("<"), octets[1:-23]
    if (opens & ((following == ord("!")) | (following == ord("?")))).any():
        raise _UnusualError
    prefixed = np.flatnonzero((octets[:-24] == ord(":")) & (following == ord("c")))
    if any(_PREFIX.search(xml[max(at - 64, 0) : at]) for at in prefixed.tolist()):
        raise _UnusualError
    here = np.flatnonzero(opens & (following == ord("c")))
    here = here[_ENDS_NAME[octets[here + 2]]]
    rows, columns = _references(octets, here)
    facts.cells += len(here)
    lines = np.flatnonzero(opens & (following == ord("r")))
    lines = lines[(octets[lines + 2] == ord("o")) & (octets[lines + 3] == ord("w"))]
    if not _spelled(octets, lines + 4, b' r="'):
        raise _UnusualError
    numbers, ends = _digits(octets, lines + 8)
    if (octets[ends] != ord('"')).any():
        raise _UnusualError
    for row_numbers in (rows, numbers):
        facts.last_row = max(facts.last_row, int(row_numbers.max(initial=0)))
    facts.last_column = max(facts.last_column, int(columns.max(initial=-1)))
    # LibreOffice writes hidden="false" on every row: not a match.
    for match in (*_HIDDEN.finditer(xml), *(_FLAT.finditer(xml) if xml.rfind(b'ht="0') >= 0 else ())):
        row = _ROW.match(xml, xml.rfind(b"<", 0, match.start()))
        if row is not None:
            facts.hidden_rows.add(int(row[1]))
    if _LEVEL.search(xml) is not None or _COLLAPSED.search(xml) is not None:
        for row in _ROW.finditer(xml):
            tag = xml[row.end() : xml.find(b">", row.end())]
            level = _LEVEL.search(tag)
            is_collapsed = _COLLAPSED.search(tag) is not None
            facts.note_outline(int(row[1]), int(level[1]) if level else 0, is_collapsed=is_collapsed)
    for match in styles.finditer(xml) if styles else ():
        place = int(here.searchsorted(match.start())) - 1
        is_name = xml[match.start() - 1 : match.start()].isspace()
        if is_name and place >= 0 and xml.find(b">", here[place], match.start()) < 0:
            facts.styled.append((int(rows[place]), int(columns[place]), int(match[1])))
    facts.has_negatives |= b"-" in xml and b"<v>-" in xml  # one byte is found thirty times as fast
    if (opens & (following == ord("f"))).any():
        _scan_formulas(xml, facts)
    if xml.rfind(b't="e"') >= 0:
        _scan_errors(xml, facts)


_ENDS_NAME = np.zeros(256, bool)
_ENDS_NAME[list(b" \t\r\n/>")] = True


def _spelled(octets: NDArray[np.uint8], at: NDArray[np.int64], text: bytes) -> bool:
    return all((octets[at + i] == octet).all() for i, octet in enumerate(text))


def _references(
    octets: NDArray[np.uint8], at: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of all cells that start at these places: `<c r="AB12"`."""
    if not _spelled(octets, at + 2, b' r="'):
        raise _UnusualError
    at, columns = at + 6, np.zeros(len(at), np.int64)
    for _ in range(3):
        letters = octets[at] - np.uint8(ord("A"))  # what is below wraps around to more than 26
        is_letter = letters < 26
        if not is_letter.any():
            break
        columns = np.where(is_letter, columns * 26 + letters + 1, columns)
        at = at + is_letter
    rows, ends = _digits(octets, at)
    if (columns == 0).any() or (rows == 0).any() or (octets[ends] != ord('"')).any():
        raise _UnusualError
    return rows, columns - 1


def _digits(octets: NDArray[np.uint8], at: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers that start at these places, of at most eight digits, and where they end."""
    numbers = np.zeros(len(at), np.int64)
    for _ in range(8):
        digits = octets[at] - np.uint8(ord("0"))  # what is below wraps around to more than 10
        is_digit = digits < 10
        if not is_digit.any():
            break
        numbers = np.where(is_digit, numbers * 10 + digits, numbers)
        at = at + is_digit
    return numbers, at


def _scan_columns(xml: bytes, facts: SheetFacts) -> None:
    for column in _COLUMN.finditer(xml):
        ends = {name: int(number) for name, number in _ENDS.findall(column[1])}
        is_hidden = _HIDDEN.search(column[1]) or _NARROW.search(column[1])
        if is_hidden and len(ends) == 2:
            facts.hidden_spans.append((ends[b"min"] - 1, min(ends[b"max"], LAST_COLUMN) - 1))


def _scan_merges(xml: bytes, facts: SheetFacts) -> None:
    for left, top, right, bottom in _MERGE.findall(xml):
        facts.merges.append(Merge(int(top), column_position(left), int(bottom), column_position(right)))
    if xml.count(b"<mergeCell ") != len(_MERGE.findall(xml)):
        raise _UnusualError


def _scan_formulas(xml: bytes, facts: SheetFacts) -> None:
    for cell in _EMPTY_FORMULA.finditer(xml):
        place, value = (int(cell[2]), column_position(cell[1])), cell[4]
        if value == b"<v>0</v>":
            facts.zero_formulas.append(place)
        elif value is None or b't="str"' not in cell[3]:  # a text formula may well come to an empty text
            facts.uncalculated.append(place)


def _scan_errors(xml: bytes, facts: SheetFacts) -> None:
    at = xml.find(b't="e"')
    while at >= 0:
        cell = _ERROR.match(xml, max(xml.rfind(b"<", max(at - TAG, 0), at), 0))
        if cell is not None:
            place = int(cell[2]), column_position(cell[1])
            facts.errors.append((*place, cell[4][:20].decode("ascii", "replace")))
        at = xml.find(b't="e"', at + 5)
