"""Columns of digits: one stream of symbols, in which every number is closed by an end."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from campaign.contacts.phone_numbers.digit_patterns import END, Bools, Ints, Symbols

_MOST_DIGITS = 19  # that an unsigned integer of 64 bits holds whatever they are
MARGIN = 32  # ends behind the last number, so that a look ahead never leaves the stream


@dataclass
class Digits:
    """Numbers as digits, with or without a plus, and the plan of the region where they are dialled."""

    stream: Symbols
    start: Ints
    length: Ints
    plus: Bools
    plan: Ints  # its place, or NO_PLAN

    @classmethod
    def of(cls, texts: Sequence[str], plan: Ints) -> "Digits":
        """The digits in texts."""
        # ":" is the character after "9", and so becomes the end.
        kept = re.sub("[^0-9:]", "", ":".join([text.replace(":", "") for text in texts])) + ":" * (1 + MARGIN)
        stream = np.frombuffer(kept.encode(), np.uint8) - np.uint8(ord("0"))
        close = np.flatnonzero(stream == END)[: len(texts)]
        start = np.concatenate([[0], close + 1])[: len(texts)]
        plus = np.array([text.startswith("+") for text in texts], bool)
        return cls(stream, start, close - start, plus, plan)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints, *, skip: Ints | int = 0, plus: bool | None = None) -> "Digits":
        """Some of the numbers, without so many of their first digits; `plus` says what they get instead."""
        signs = self.plus[rows] if plus is None else np.full(len(rows), plus)
        return Digits(self.stream, self.start[rows] + skip, self.length[rows] - skip, signs, self.plan[rows])

    def copied(self, *, zero_in_front: bool = False) -> "Digits":
        """The numbers in a stream of their own, with one more zero in front if that is wanted."""
        more = int(zero_in_front)
        size = self.length + more + 1
        close = np.cumsum(size)
        start = close - size
        source = np.arange(size.sum()) + np.repeat(self.start - start - more, size)
        stream = np.concatenate([self.stream.take(source, mode="clip"), np.full(MARGIN, END, np.uint8)])
        if zero_in_front:
            stream[start] = 0
        stream[close - 1] = END
        return Digits(stream, start, self.length + more, self.plus, self.plan)

    def followed_by(self, others: "Digits") -> "Digits":
        """These numbers and then others, in one stream."""
        offset = len(self.stream) - MARGIN
        return Digits(
            np.concatenate([self.stream[:offset], others.stream]),
            np.concatenate([self.start, others.start + offset]),
            np.concatenate([self.length, others.length]),
            np.concatenate([self.plus, others.plus]),
            np.concatenate([self.plan, others.plan]),
        )

    def replace(self, rows: Ints, others: "Digits") -> None:
        """Put other numbers in the place of some; the plans stay."""
        offset = len(self.stream) - MARGIN
        self.stream = np.concatenate([self.stream[:offset], others.stream])
        self.start[rows] = others.start + offset
        self.length[rows] = others.length
        self.plus[rows] = others.plus

    @property
    def first(self) -> Symbols:
        """The first digit of each, END where there is none."""
        return self.stream[self.start]

    @property
    def leading_zeros(self) -> Ints:
        """With how many zeros each begins."""
        zeros = np.zeros(len(self), np.int64)
        going = np.flatnonzero(self.first == 0)
        while going.size:
            zeros[going] += 1
            going = going[self.stream[self.start[going] + zeros[going]] == 0]
        return zeros

    def text(self, row: int) -> str:
        """One of them as text."""
        digits = self.stream[self.start[row] : self.start[row] + self.length[row]] + np.uint8(ord("0"))
        return "+" * bool(self.plus[row]) + digits.tobytes().decode()


def values(stream: Symbols, start: Ints, length: Ints) -> npt.NDArray[np.uint64]:
    """Numbers of at most `_MOST_DIGITS` digits as integers."""
    value = np.zeros(len(start), np.uint64)
    shortest = int(length.min(initial=_MOST_DIGITS))
    for place in range(int(length.max(initial=0))):
        longer = value * np.uint64(10) + stream.take(start + place)
        value = longer if place < shortest else np.where(place < length, longer, value)
    return value
