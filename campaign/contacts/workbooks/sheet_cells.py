"""A sheet as the readers of workbooks deliver it, in plain Python: columns of text, and facts about them.

No Arrow and no numpy here: the process that opens a workbook would need three times as long to start.
"""

import datetime as dt
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, repeat, zip_longest
from typing import Any, NamedTuple, TypeAlias

from campaign.contacts.cells.value_text import VALUE_WRITERS, moment_text
from campaign.words.finding import Finding

LINES = 10_000  # rows that are Python objects at a time
DAYS = 4096  # different dates that are remembered as text: columns of dates repeat them

# Row numbers count from 1, column positions from 0.
Place: TypeAlias = tuple[int, int]
Area: TypeAlias = tuple[int, int, int, int]  # top, left, bottom, right, all inclusive


class CellBlock(NamedTuple):
    """Some cells of a column: texts in UTF-8, one after the other, and how many bytes each has, as C ints.

    Without lengths they are all numbers, as C doubles: the receiver, who has numpy, writes them as text ten
    times as fast.
    """

    data: bytes
    lengths: bytes = b""


Column: TypeAlias = list[CellBlock]  # from row 1 on


class SheetCells(NamedTuple):
    """One sheet; the fields are those of `Grid`, which is made of it.

    `left` is the position of the first column.
    """

    format: str
    columns: Sequence[Column]
    sheet: str
    sheets: Sequence[str]
    left: int = 0
    hidden_rows: Collection[int] = ()
    hidden_columns: Collection[int] = ()
    merges: Sequence[Area] = ()
    uncalculated: Sequence[Place] = ()
    errors: Sequence[tuple[int, int, str]] = ()
    notices: Sequence[Finding] = ()


def text_columns(lines: Iterable[Sequence[object]], width: int) -> list[Column]:
    """Lines of Python values, of this length at most, as columns of text."""
    columns: list[Column] = [[] for _ in range(width)]
    rest = iter(lines)
    while block := list(islice(rest, LINES)):
        values = chain(zip_longest(*block, fillvalue=""), repeat(("",) * len(block)))
        for column, cells in zip(columns, values, strict=False):
            column.append(_block(cells))
    return columns


_WRITERS: Mapping[type, Callable[[Any], str]] = {**VALUE_WRITERS, dt.datetime: lru_cache(DAYS)(moment_text)}


def _block(values: Sequence[Any]) -> CellBlock:
    kinds = set(map(type, values))
    if kinds == {float}:
        return CellBlock(array("d", values).tobytes())
    if kinds != {str}:
        values = [value if type(value) is str else _WRITERS[type(value)](value) for value in values]
    text = "".join(values)
    sized = values if text.isascii() else map(str.encode, values)
    return CellBlock(text.encode(), array("i", map(len, sized)).tobytes())
