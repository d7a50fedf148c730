"""Texts as they are compared: a corrected typing mistake makes another text, an added space does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pandas.util import hash_array

from campaign.arrow_text import (
    COMPOSABLE,
    Ints,
    TextArray,
    are_ascii,
    composed,
    join_runs,
    matches,
    replace_rows,
    strip_texts,
    substitute,
)

# All white space of Unicode except the plain space.
_ODD_SPACES = (
    r"\t-\r\x{1c}-\x{1f}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
)
_BETWEEN_PIECES = "\n"
_BLOCK = 50_000  # texts hashed together: limits the memory for their Python strings
_UNFOLDED = f"^ | $|  |[{_ODD_SPACES}]"


def folded(texts: TextArray) -> TextArray:
    """The texts in NFC, with one space for every run of white space and none at the ends."""
    if are_ascii(texts):  # NFC changes none, and the pattern with classes of Unicode takes 1 ms to make
        return _changed_where(texts, _UNFOLDED, _fold_spaces)
    return _changed_where(texts, f"{_UNFOLDED}|{COMPOSABLE}", _fold)  # most texts are looked at only once


def _fold(texts: TextArray) -> TextArray:
    return _changed_where(composed(texts), _UNFOLDED, _fold_spaces)


def _fold_spaces(texts: TextArray) -> TextArray:
    return strip_texts(substitute(texts, f"[ {_ODD_SPACES}]+", " "))


def _changed_where(texts: TextArray, pattern: str, change: Callable[[TextArray], TextArray]) -> TextArray:
    """The texts, with `change` applied to those that contain a match of a pattern."""
    rows = np.flatnonzero(matches(texts, pattern))
    return replace_rows(texts, rows, change(texts.take(rows))) if len(rows) else texts


def text_hashes(texts: TextArray, pieces: Ints | None = None) -> Ints:
    """A 64-bit hash of each text, the same in every process and on every machine.

    Texts that differ only by Unicode normalization or by white space have the same one. `pieces` says how
    many consecutive pieces each text was split into; they are folded singly. Takes 0.3 us a text.
    """
    whole = folded(texts) if pieces is None else join_runs(folded(texts), pieces, _BETWEEN_PIECES)
    return plain_hashes(whole)


def plain_hashes(texts: TextArray) -> Ints:
    """A 64-bit hash of each text as it is, the same in every process and on every machine."""
    blocks = (texts.slice(start, _BLOCK) for start in range(0, len(texts), _BLOCK))
    hashes = [hash_array(block.to_numpy(zero_copy_only=False), categorize=False) for block in blocks]
    return np.concatenate([np.empty(0, np.uint64), *hashes]).view(np.int64)
