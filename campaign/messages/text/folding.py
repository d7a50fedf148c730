"""Texts as they are compared: a corrected typing mistake makes another text, an added space does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from campaign.arrow_text import (
    COMPOSABLE,
    Ints,
    TextArray,
    are_ascii,
    composed,
    matches,
    replace_rows,
    strip_texts,
    substitute,
)

# All white space of Unicode except the plain space.
_ODD_SPACES = (
    r"\t-\r\x{1c}-\x{1f}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
)
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


def text_hashes(texts: TextArray) -> Ints:
    """A 64-bit hash of each text, which is folded already; different in every process."""
    return np.fromiter(map(hash, texts.to_pylist()), np.int64, len(texts))


class HashedTexts(Struct, frozen=True, eq=False):
    """Texts of which only these hashes are kept: eight bytes each, however long they are."""

    hashes: Ints

    def __len__(self) -> int:
        return len(self.hashes)

    def take(self, rows: Ints) -> HashedTexts:
        """Those in some rows."""
        return HashedTexts(self.hashes[rows])
