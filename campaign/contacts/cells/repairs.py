"""What other programs did to the texts of a table: errors for values, entities, letters decoded wrongly.

Errors (#N/A) are no value. What can be decoded in one way only is decoded: &amp;, and UTF-8 read as another
encoding (JosÃ©). Letters are composed, as a phone shows and counts them: a Mac writes é as e and an accent.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from html.entities import name2codepoint
from itertools import repeat
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa

from campaign.arrow_text import (
    TEXT,
    Ints,
    TextArray,
    composed,
    constant_array,
    equal_texts,
    is_one_of,
    map_unique,
    matches,
    replace_rows,
    text_buffers,
)
from campaign.contacts.cells.grid import Grid
from campaign.values import replace

LISTED = 100_000  # cells of each kind that are named in a grid
# What cells show instead of a value: errors of spreadsheet programs in their languages, and what databases,
# pandas and JavaScript write for no value. None of these is a name; NULL and N/A may be.
_SHOWN = Path(__file__).with_name("errors.txt").read_text("utf-8").splitlines()
_ERROR = rf"^\s*(?:#{{2,}}|Err:\d{{3}}|{'|'.join(map(re.escape, _SHOWN))})\s*$"
_SIGNS = (b"#", b"\\", b":", b"<", b"(", b"[")  # one of which is in each of these
_NAMES = {*name2codepoint, "apos"}
_ENTITY = r"&(?:#\d{2,7}|#[xX][0-9a-fA-F]{2,6}|[A-Za-z]{2,8}\d{0,2});"
# Encodings in which UTF-8 is misread, and the characters with which a letter begins then.
_LEADS = {
    "cp1252": "ÂÃÄÅÆÇÈÌÎÏÐÑ×ØÙÚÛâàáãäåæçèéêëìíîïð",
    "cp1250": "ÂĂÄĹĚâ",
    "cp1251": "ВГДЕРСв",
    "mac_roman": "¬√ƒ≈‚",
    "cp850": "┬├─Ô",
    "cp437": "┬├─Γ",
}
_AFTER_WORDS = "’‘”“»«›‹…™®–—\xa0º°ª²³¹·´¨"  # stand behind a letter in ordinary texts, too


def _bytes_of(encoding: str) -> dict[str, int]:
    """The byte of each character beyond ASCII; controls stand for bytes that the encoding does not have."""
    known = {bytes([byte]).decode(encoding, "ignore"): byte for byte in range(0x80, 0x100)}
    return {chr(byte): byte for byte in range(0x80, 0x9F + 1)} | known


_BYTES = {encoding: _bytes_of(encoding) for encoding in _LEADS}


def _misread(encoding: str) -> str:
    """A pattern of the first two characters of what may be misread."""
    inner = "".join(c for c, byte in _BYTES[encoding].items() if 0x80 <= byte < 0xC0)
    return f"[{_LEADS[encoding]}][{re.escape(inner)}]"


_MISREAD = "|".join(map(_misread, _LEADS))


def repaired(grid: Grid, missing: Sequence[str] = ()) -> Grid:
    """The grid with errors blank, and with texts decoded and composed; both are named in it.

    Plain texts are looked through for a few bytes only. Texts that are `missing` by the user's word stay.
    """
    errors, repairs, columns = list(grid.errors), list(grid.repairs), []
    for position, column in zip(grid.positions, grid.columns, strict=True):
        chunks, start = list[TextArray](), 0
        for texts in cast("list[TextArray]", column.chunks):
            octets, rows = text_buffers(texts)[1].tobytes(), grid.rows[start:]
            start += len(texts)
            if any(sign in octets for sign in _SIGNS):
                wrong = np.flatnonzero(matches(texts, _ERROR) & ~is_one_of(texts, missing))
                errors += _named(texts, wrong, rows, position)
                if len(wrong):
                    texts = replace_rows(texts, wrong, constant_array("", len(wrong)))
            if patterns := [_ENTITY] * (b"&" in octets) + [_MISREAD] * (not octets.isascii()):
                odd = np.flatnonzero(matches(texts, "|".join(patterns)))
                decoded = map_unique(texts.take(odd), _decoded)
                is_changed = ~equal_texts(texts.take(odd), decoded)
                repairs += _named(texts, odd[is_changed], rows, position)
                texts = composed(replace_rows(texts, odd, decoded))
            chunks.append(texts)
        columns.append(pa.chunked_array(chunks, TEXT))
        del errors[LISTED:], repairs[LISTED:]
    return replace(grid, columns=columns, errors=errors, repairs=repairs)


def _named(texts: TextArray, places: Ints, rows: Ints, position: int) -> list[tuple[int, int, str]]:
    named = places[:LISTED]
    held = cast("list[str]", texts.take(named).to_pylist())
    return list(zip(rows[named].tolist(), repeat(position), held, strict=False))


def _decoded(text: str) -> str:
    """The text with entities decoded, and what was misread read again; both may have happened twice."""
    for _ in range(3):
        before, text = text, re.sub(_ENTITY, _unescaped, text)
        for encoding in _LEADS:
            text = _read_again(text, encoding)
        if text == before:
            break
    return text


def _unescaped(entity: re.Match[str]) -> str:
    is_known = entity[0][1] == "#" or entity[0][1:-1] in _NAMES
    return html.unescape(entity[0]) if is_known else entity[0]


def _read_again(text: str, encoding: str) -> str:
    """The text with what decodes as UTF-8 decoded, if some of it cannot be anything else."""
    octets, certain = _BYTES[encoding], False

    def decode(run: re.Match[str]) -> str:
        nonlocal certain
        leads = {character for character in run[0] if octets.get(character, 0) >= 0xC0}
        try:
            decoded = bytes(octets[character] for character in run[0]).decode()
        except (KeyError, UnicodeDecodeError):
            return run[0]
        if leads - set(_LEADS[encoding]) or any(map(_is_unlikely, decoded)):
            return run[0]
        certain = certain or _is_certain(text[: run.start()][-1:], run[0], text[run.end() :][:1], octets)
        return decoded

    again = re.sub(r"[^\x00-\x7f]{2,}", decode, text)
    return again if certain else text


def _is_unlikely(character: str) -> bool:
    """Whether nobody writes it: a phonetic letter, or no character at all."""
    return "\u0250" <= character < "\u0300" or unicodedata.category(character) in ("Cn", "Co", "Cs")


def _is_certain(before: str, run: str, after: str, octets: dict[str, int]) -> bool:
    """Whether characters cannot stand in a text as they are: a capital or a sign behind a small letter, or a
    sign that never follows a letter. "CAFÉ…" and "NESCAFÉ®" can, though they would decode."""
    for previous, character, following in zip(
        f"{before or ' '}{run}", run, f"{run[1:]}{after or ' '}", strict=False
    ):
        is_letter = character.isalpha() or character in _AFTER_WORDS
        if not is_letter or (character == "Â" and "\xa0" <= following <= "\xbf"):
            return True
        if octets[character] >= 0xC0 and character.isupper() and previous.islower():
            return True
    if run[0] in "ÄÅ":
        return run[1].isalpha()
    return run[0] == "Ã" and (after.isalpha() or not before.isupper())
