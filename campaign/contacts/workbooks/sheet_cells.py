"""A sheet as the readers of workbooks deliver it, in plain Python: columns of text, and facts about them.

No Arrow and no numpy here: the process that opens a workbook would need three times as long to start.
"""

import datetime as dt
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from campaign.contacts.cells.merge import Merge
from campaign.contacts.cells.value_text import VALUE_WRITERS, moment_text

LINES = 10_000  # rows that are Python objects at a time
DAYS = 4096  # different dates that are remembered as text: columns of dates repeat them

Place: TypeAlias = tuple[
    int, int
]  # row number, which counts from 1, and column position, which counts from 0


class TextBlock(NamedTuple):
    """Some cells of a column, one after the other in UTF-8, and how many bytes each of them has."""

    data: bytes
    lengths: "array[int]"


class NumberBlock(NamedTuple):
    """Cells that are all numbers: the receiver, who has numpy, writes them as text ten times as fast."""

    numbers: "array[float]"


class TextColumn:
    """A column from row 1 on, in blocks; `has_clock`: some of its cells are times of day."""

    def __init__(self, blocks: Iterable[TextBlock | NumberBlock] = ()) -> None:
        self.blocks = list(blocks)
        self.has_clock = False


class SheetCells(NamedTuple):
    """One sheet; the fields are those of `Grid`, which is made of it.

    `left` is the position of the first column. `negatives` are numbers in columns with times of day, as text;
    `zero_formulas` are formulas whose 0 is no result: no spreadsheet program has calculated them.
    """

    format: str
    columns: Sequence[TextColumn]
    sheet: str
    sheets: Sequence[str]
    left: int = 0
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    merges: Sequence[Merge] = ()
    uncalculated: Sequence[Place] = ()
    errors: Sequence[tuple[int, int, str]] = ()
    notices: Sequence[str] = ()
    negatives: Sequence[tuple[int, int, str]] = ()
    zero_formulas: Sequence[Place] = ()


def text_columns(lines: Iterable[Sequence[object]]) -> list[TextColumn]:
    """Lines of Python values, each as long as the first, as columns of text."""
    columns: list[TextColumn] = []
    rest = iter(lines)
    while block := list(islice(rest, LINES)):
        columns = columns or [TextColumn() for _ in block[0]]
        for column, values in zip(columns, zip(*block, strict=True), strict=True):
            kinds = set(map(type, values))
            column.has_clock |= dt.time in kinds
            column.blocks.append(_block(values, kinds))
    return columns


_WRITERS: Mapping[type, Callable[[Any], str]] = {**VALUE_WRITERS, dt.datetime: lru_cache(DAYS)(moment_text)}


def _block(values: Sequence[Any], kinds: set[type]) -> TextBlock | NumberBlock:
    if kinds == {float}:
        return NumberBlock(array("d", values))
    if kinds != {str}:
        values = [value if type(value) is str else _WRITERS[type(value)](value) for value in values]
    text = "".join(values)
    sized = values if text.isascii() else map(str.encode, values)
    return TextBlock(text.encode(), array("i", map(len, sized)))
