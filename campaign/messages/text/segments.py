"""How long texts are: in UTF-16 units, in septets, in parts. Whole columns at a time.

Only characters outside plain GSM-7 are looked at one by one, by their bytes in the column: a column of plain
text costs one pass of a byte table (measured: 9 ns a name, 190 ns a whole message of 85 characters).
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, Ints, text_buffers
from campaign.messages.text import gsm7 as alphabet

SINGLE, JOINED = 160, 153  # septets; 7 of a joined part's 160 go to its header (3GPP TS 23.040, 9.2.3.24)
SINGLE_UCS2, JOINED_UCS2 = 70, 67  # UTF-16 units

BLOCK = 50_000  # rows looked at together: bounds the memory taken by texts in other scripts

# 1 for the first byte of a character that is not plain: ASCII outside the basic table, and all beyond ASCII.
_PLAIN_ASCII = {ord(character) for character in alphabet.BASIC if character.isascii()} - {ord("\r")}
_NOT_PLAIN = bytes(
    int(byte >= 0xC0 or (byte < 0x80 and byte not in _PLAIN_ASCII)) for byte in range(0x100)
)  # fmt: skip


Counts = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Scan:
    """What a column's texts hold beyond plain GSM-7, one entry per row."""

    excess: Counts  # UTF-8 bytes less UTF-16 units
    doubles: Counts  # characters of two septets
    pairs: Counts  # characters of two UTF-16 units
    foreign: Bools  # a character that only UCS-2 has
    twins: Bools  # a typographic character with a plain twin
    untidy: Bools  # a tab, a carriage return or their like
    refused: Bools  # a character that is never sent

    @classmethod
    def empty(cls, rows: int) -> "Scan":
        """The scan of plain texts."""
        zeros, none = np.zeros(rows, dtype=np.int32), np.zeros(rows, dtype=bool)
        return cls(zeros, zeros.copy(), zeros.copy(), none, none.copy(), none.copy(), none.copy())

    def fields(self) -> list[Any]:
        """The arrays in their order."""
        return [getattr(self, field.name) for field in fields(self)]

    def take(self, rows: Ints | slice) -> "Scan":
        """The entries of some rows; views for a slice."""
        return Scan(*(field[rows] for field in self.fields()))

    def put(self, rows: Ints, others: "Scan") -> None:
        """Set the entries of some rows, in place."""
        for mine, its in zip(self.fields(), others.fields(), strict=True):
            mine[rows] = its

    def add(self, other: "Scan") -> None:
        """Add what another piece of the texts holds, in place; a scan of one row is added to all."""
        for mine, its in zip(self.fields(), other.fields(), strict=True):
            np.add(mine, its, out=mine)  # for booleans: or

    def total(self) -> "Scan":
        """All rows put together, as a scan of one row."""
        return Scan(*(field.sum(keepdims=True, dtype=field.dtype) for field in self.fields()))


def scan(texts: pa.Array) -> Scan:
    """What the texts hold beyond plain GSM-7."""
    result = Scan.empty(len(texts))
    for start in range(0, len(texts), BLOCK):
        _scan_block(texts.slice(start, BLOCK), result.take(slice(start, start + BLOCK)))
    return result


class _Characters(NamedTuple):
    """The characters of a block that are not plain, in order."""

    rows: Ints
    places: Ints  # byte of the block's data at which the character begins
    widths: Ints  # UTF-8 bytes
    codes: Ints  # code points


def _scan_block(texts: pa.Array, result: Scan) -> None:
    offsets, data = text_buffers(texts)
    marks = np.frombuffer(data.tobytes().translate(_NOT_PLAIN), dtype=bool)
    places = np.flatnonzero(marks)
    if not len(places):
        return
    widths, codes = _decode(data, places)
    rows = np.searchsorted(offsets, places, side="right") - 1
    kinds = alphabet.classify(codes)
    found = _Characters(rows, places, widths, codes)
    _count(result.excess, rows, widths - 1 - (widths == 4))
    _count(result.doubles, rows[(kinds & alphabet.DOUBLE) > 0])
    _count(result.pairs, rows[widths == 4])
    result.foreign[rows[(kinds & alphabet.FOREIGN) > 0]] = True
    result.twins[rows[(kinds & alphabet.TWIN) > 0]] = True
    result.untidy[rows[(kinds & alphabet.UNTIDY) > 0]] = True
    result.refused[rows[((kinds & alphabet.REFUSED) > 0) | _misplaced(found, kinds)]] = True


def _count(field: Counts, rows: Ints, weights: Ints | None = None) -> None:
    if len(rows):
        field += np.bincount(rows, weights, minlength=len(field)).astype(np.int32)


def _decode(data: npt.NDArray[np.uint8], places: Ints) -> tuple[Ints, Ints]:
    """Width and code point of the UTF-8 characters that begin at the places."""
    lead = data[places].astype(np.int64)
    widths = 1 + (lead >= 0xC0).astype(np.int64) + (lead >= 0xE0) + (lead >= 0xF0)
    codes = np.where(widths == 1, lead, lead & (0xFF >> (widths + 1)))
    for place in range(1, 4):
        longer = np.flatnonzero(widths > place)
        codes[longer] = (codes[longer] << 6) | (data[places[longer] + place] & 0x3F)
    return widths, codes


def _misplaced(found: _Characters, kinds: npt.NDArray[np.uint8]) -> Bools:
    """Joiners and tags that follow nothing they could belong to.

    A joiner belongs behind an emoji or a letter of a script that joins; behind a Latin, Greek or Cyrillic
    letter or a space it only hides something. A tag belongs behind a black flag or another tag.
    """
    suspects = np.flatnonzero(kinds & (alphabet.JOINER | alphabet.TAG))
    wrong = np.zeros(len(kinds), dtype=bool)
    if not len(suspects):
        return wrong
    before = suspects - 1  # -1 reads the last one, which cannot end where the first begins
    adjacent = found.places[before] + found.widths[before] == found.places[suspects]
    adjacent &= found.rows[before] == found.rows[suspects]
    code = found.codes[before]
    joins = adjacent & (code > 0x52F) & ~((code >= 0x2000) & (code <= 0x206F)) & (code != 0x3000)
    is_tag = (kinds[suspects] & alphabet.TAG) > 0
    tags = adjacent & ((code == alphabet.BLACK_FLAG) | ((kinds[before] & alphabet.TAG) > 0))
    wrong[suspects] = np.where(is_tag, ~tags, ~joins)
    return wrong


@dataclass(frozen=True)
class Lengths:
    """The lengths of a column of texts, one entry per row.

    `units` UTF-16 units; `septets` what GSM-7 would take; `ucs2` whether the text needs UCS-2; `parts`
    how many SMS parts it takes: 160 septets or 70 units alone, 153 or 67 when joined. A character of two
    septets or two units never lies across two parts (3GPP TS 23.040, 9.2.3.24.1), so that a text of exactly
    306 septets may take three parts.
    """

    units: Counts
    septets: Counts
    ucs2: Bools
    parts: Counts


def measure(texts: pa.Array) -> Lengths:
    """The lengths of a column of texts."""
    return lengths_of(texts, scan(texts))


def lengths_of(texts: pa.Array, found: Scan) -> Lengths:
    """The lengths of texts that have been scanned, whole or in pieces."""
    units = np.subtract(pc.binary_length(texts), found.excess, dtype=np.int32)
    septets = units + found.doubles
    ucs2 = found.foreign | found.twins
    length = np.where(ucs2, units, septets)
    joined = np.where(ucs2, np.int32(JOINED_UCS2), np.int32(JOINED))
    parts = -(-length // joined)
    parts[length <= np.where(ucs2, np.int32(SINGLE_UCS2), np.int32(SINGLE))] = 1
    # Each joint may waste one place: only texts this close to full parts are counted character by character.
    wide = np.where(ucs2, found.pairs, found.doubles) > 0
    close = np.flatnonzero(wide & (parts > 1) & (length + parts - 1 > joined * parts))
    if len(close):
        unique = texts.take(pa.array(close)).dictionary_encode()
        exact = np.array([count_parts(text) for text in unique.dictionary.to_pylist()], dtype=np.int32)
        parts[close] = exact[unique.indices.to_numpy()]
    return Lengths(units, septets, ucs2, parts)


def count_units(text: str) -> int:
    """The UTF-16 units of one text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def count_parts(text: str) -> int:
    """The parts of one text."""
    if alphabet.is_gsm(text):
        sizes, single, joined = [1 + alphabet.is_double(character) for character in text], SINGLE, JOINED
    else:
        sizes = [1 + (character > "\uffff") for character in text]
        single, joined = SINGLE_UCS2, JOINED_UCS2
    if sum(sizes) <= single:
        return 1
    parts, room = 1, joined
    for size in sizes:
        if size > room:
            parts, room = parts + 1, joined
        room -= size
    return parts
