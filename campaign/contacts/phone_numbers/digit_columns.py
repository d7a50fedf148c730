"""Columns of digits: all numbers of a column in one array of digits, with an end symbol after each."""

import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.phone_numbers.digit_patterns import Symbols, UInt64s
from campaign.contacts.phone_numbers.pattern_syntax import END

_UINT64_DIGITS = 19  # an unsigned 64-bit integer holds any number of this many digits
MARGIN = 32  # end symbols after the last number, so that looking ahead never leaves the stream


class Digits(Struct):
    """Numbers as digits, with or without a plus, and the region each is dialled from."""

    stream: Symbols
    start: Ints
    length: Ints
    plus: Bools
    region: Ints  # index of the region's metadata, or NO_REGION

    @classmethod
    def of(cls, texts: Sequence[str], region: Ints) -> "Digits":
        """The digits in texts."""
        # ":" is the character after "9" and so becomes the end symbol.
        symbols = re.sub("[^0-9:]", "", ":".join([text.replace(":", "") for text in texts]))
        symbols += ":" * (1 + MARGIN)
        stream = np.frombuffer(symbols.encode(), np.uint8) - np.uint8(ord("0"))
        ends = np.flatnonzero(stream == END)[: len(texts)]
        start = np.concatenate([[0], ends + 1])[: len(texts)]
        plus = np.array([text.startswith("+") for text in texts], bool)
        return cls(stream, start, ends - start, plus, region)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints, *, skip: Ints | int = 0, plus: bool | None = None) -> "Digits":
        """Some of the numbers, without their first `skip` digits; `plus` replaces their plus signs."""
        pluses = self.plus[rows] if plus is None else np.full(len(rows), plus)
        return Digits(
            self.stream, self.start[rows] + skip, self.length[rows] - skip, pluses, self.region[rows]
        )

    def behind(self, front: str) -> "Digits":
        """The numbers with these digits in front, in a stream of their own."""
        sizes = self.length + len(front) + 1
        stops = np.cumsum(sizes)
        start = stops - sizes
        source = np.arange(sizes.sum()) + np.repeat(self.start - start - len(front), sizes)
        stream = np.concatenate([self.stream.take(source, mode="clip"), np.full(MARGIN, END, np.uint8)])
        for place, digit in enumerate(front):
            stream[start + place] = int(digit)
        stream[stops - 1] = END
        return Digits(stream, start, sizes - 1, self.plus, self.region)

    def replace(self, rows: Ints, others: "Digits") -> None:
        """Put other numbers in the given rows; the regions stay."""
        offset = len(self.stream) - MARGIN
        self.stream = np.concatenate([self.stream[:offset], others.stream])
        self.start[rows] = others.start + offset
        self.length[rows] = others.length
        self.plus[rows] = others.plus

    @property
    def first(self) -> Symbols:
        """The first digit of each number, END if it has none."""
        return self.stream[self.start]

    @property
    def leading_zeros(self) -> Ints:
        """How many zeros each number begins with; nobody writes more than 32, and a cell can have 32,767."""
        zeros = np.zeros(len(self), np.int64)
        rows = np.flatnonzero(self.first == 0)
        while rows.size and zeros[rows[0]] < MARGIN:
            zeros[rows] += 1
            rows = rows[self.stream[self.start[rows] + zeros[rows]] == 0]
        return zeros

    def text(self, row: int) -> str:
        """One of the numbers as text."""
        digits = self.stream[self.start[row] : self.start[row] + self.length[row]] + np.uint8(ord("0"))
        return "+" * bool(self.plus[row]) + digits.tobytes().decode()


def as_integers(stream: Symbols, start: Ints, length: Ints) -> UInt64s:
    """Numbers of at most 19 digits as integers."""
    value = np.zeros(len(start), np.uint64)
    shortest = int(length.min(initial=_UINT64_DIGITS))
    for position in range(int(length.max(initial=0))):
        longer = value * np.uint64(10) + stream.take(start + position)
        value = longer if position < shortest else np.where(position < length, longer, value)
    return value
