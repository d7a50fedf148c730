"""Texts as they are compared: a corrected typing mistake makes another text, an added space does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    equal_texts,
    matches,
    normalize_texts,
    replace_where,
    strip_texts,
    substitute,
)

BLOCK = 50_000  # texts hashed together: limits the memory for their Python strings

# All white space of Unicode except the plain space.
_ODD_SPACES = (
    r"\t-\r\x{1c}-\x{1f}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
)
_UNFOLDED = f"^ | $|  |[{_ODD_SPACES}]"
# Every character that NFC may change, alone or after another: marks and what is newer than the tables of RE2
# (together all that is in none of its other classes), letters without case (Hangul, Hebrew, compatibility
# letters), Greek letters with two accents, and symbols that stand for others. Normalizing costs 3 us a text,
# and few texts contain any of these; the usual letters with an accent are not among them.
_COMPOSABLE = (
    r"[^\p{L}\p{N}\p{P}\p{S}\p{Z}\p{C}]|[\p{Lo}\x{340}-\x{387}\x{1f00}-\x{1fff}\x{2000}\x{2001}\x{2126}"
    r"\x{212a}\x{212b}\x{2329}\x{232a}\x{2adc}\x{1d15e}-\x{1d1c0}]"
)


def folded(texts: TextArray) -> TextArray:
    """The texts in NFC, with one space for every run of white space and none at the ends."""
    composable = matches(texts, _COMPOSABLE)
    if composable.any():
        normal = normalize_texts(texts.take(np.flatnonzero(composable)))
        texts = replace_where(texts, composable, normal)
    unfolded = matches(texts, _UNFOLDED)
    if unfolded.any():
        spaced = substitute(texts.take(np.flatnonzero(unfolded)), f"[ {_ODD_SPACES}]+", " ")
        texts = replace_where(texts, unfolded, strip_texts(spaced))
    return texts


@dataclass(frozen=True, eq=False)
class HashedTexts:
    """Texts of which only 64-bit hashes are kept: eight bytes each, however long they are."""

    hashes: Ints

    def __len__(self) -> int:
        return len(self.hashes)

    def take(self, rows: Ints) -> HashedTexts:
        """Those in some rows."""
        return HashedTexts(self.hashes[rows])


def same_texts(texts: TextArray, others: TextArray | HashedTexts) -> Bools:
    """In which rows two columns have the same text; only texts that are not identical are folded."""
    if isinstance(others, HashedTexts):
        return np.equal(text_hashes(texts), others.hashes)
    same = np.array(equal_texts(texts, others))
    different = np.flatnonzero(~same)
    if len(different):
        same[different] = equal_texts(folded(texts.take(different)), folded(others.take(different)))
    return same


def text_hashes(texts: TextArray | HashedTexts) -> Ints:
    """A 64-bit hash of each folded text, different in every process. Takes 0.3 us and the folding."""
    return texts.hashes if isinstance(texts, HashedTexts) else _hashes(texts, folded)


def cell_hashes(cells: TextArray) -> Ints:
    """The same for cells, which are compared as they are."""
    return _hashes(cells, lambda texts: texts)


def _hashes(texts: TextArray, prepared: Callable[[TextArray], TextArray]) -> Ints:
    hashes = np.empty(len(texts), np.int64)
    for start in range(0, len(texts), BLOCK):
        strings = prepared(texts.slice(start, BLOCK)).to_pylist()
        hashes[start : start + BLOCK] = np.fromiter(map(hash, strings), np.int64, len(strings))
    return hashes
