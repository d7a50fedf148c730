"""What other programs did to the texts of a table: errors for values, entities, letters decoded wrongly.

Errors (#N/A) are no value. &amp; is decoded, and so is UTF-8 that was read as another encoding (JosÃ©), where
`ftfy` is sure of it. Letters are composed, as a phone shows and counts them: a Mac writes é as e and an
accent. This is the only module that imports ftfy.
"""

import re
from collections.abc import Sequence
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
_ENTITY = r"&(?:#\d{2,7}|#[xX][0-9a-fA-F]{2,6}|[A-Za-z]{2,8}\d{0,2});"
_MISREAD = r"[\x{C2}-\x{F4}ĂĹРСв√≈ƒ├┬╬][^\x00-\x7f]"  # as the first two octets of a letter look then


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
    from ftfy import TextFixerConfig, fix_encoding, fixes  # most tables do not need it

    only_letters = TextFixerConfig(replace_lossy_sequences=False, fix_c1_controls=False)
    for _ in range(2):
        text = fix_encoding(fixes.unescape_html(text), only_letters)
    return text
