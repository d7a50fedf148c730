"""A world: a few rows that a person sends in a few rounds, and what becomes of each batch.

The repr of a world builds it again: `Life(World(...)).live()`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

# What the cells of the texts say, by name. The first word of a name is the text that a person means: those
# that differ by spaces or by Unicode normalization only are one text. Long ones are split at the same place.
TEXTS = {
    "A": "Please come on Monday, the café is open",
    "A spaced": "Please  come on Monday,\u2003the café is open",
    "A decomposed": "Please come on Monday, the cafe\u0301 is open",
    "B": "Please come on Friday, the café is open",
    "B decomposed": "Please come on Friday, the cafe\u0301 is open",
    "C": "Please come on Sunday",
    "Long": "Please come to the clinic and bring your card. " * 5 + "It is in Kampala",
    "Long spaced": "Please come to the clinic and bring your card. " * 5 + "It is in  Kampala",
    "Longer": "Please come to the clinic and bring your card. " * 5 + "It is in Entebbe",
}  # fmt: skip
WORDS = {
    "Monday": "A", "Friday": "B", "Sunday": "C", "Kampala": "Long", "Entebbe": "Longer",
}  # fmt: skip
CODES = {"UG": "256", "KE": "254"}


def _brief(value: Any) -> str:
    """The call that makes a value, without what it has by default: a world is long enough."""
    given = [(field.name, getattr(value, field.name), field.default) for field in fields(value)]
    arguments = [f"{name}={content!r}" for name, content, default in given if content != default]
    return f"{type(value).__name__}({', '.join(arguments)})"


@dataclass(frozen=True, repr=False)
class Row:
    """A row of the table: the cell of its number, the name of its text, and a mark of who wants nothing."""

    cell: str
    text: str
    marked: bool = False

    def __repr__(self) -> str:
        return f"Row({self.cell!r}, {self.text!r}{', True' * self.marked})"

    @property
    def meaning(self) -> str:
        """The text that it means; "" where the cell is empty."""
        return self.text.split(" ")[0]

    def number(self, region: str) -> int:
        """Its number as the service takes it, 0 for none."""
        digits = "".join(character for character in self.cell if character.isdigit())
        if self.cell.startswith("+"):
            return int(digits)
        return int(CODES[region] + digits[1:]) if len(digits) == 10 else 0


@dataclass(frozen=True, repr=False)
class Round:
    """A table that is sent, the answers where `send` asks, and what becomes of the batches.

    - `outcomes`: a letter for each batch that is to leave, over and over: a (accepted), r (refused), u
      (unknown), g (unknown, and then ordered to go out again), w (it still waits when the run ends)
    - `decisions`: the same for the batches that are unknown before the round, with - for none
    - `changed`, `waiting`: the answers; "ask" is none, and then nothing happens where there is a question
    - `stopped`: cells of the numbers in an opt-out list
    - `resumed`: the campaign is resumed, and the table of this round is not looked at
    """

    rows: tuple[Row, ...]
    outcomes: str = "a"
    decisions: str = "-"
    changed: str = "send"
    waiting: str = "withdraw"
    duplicates: str = "skip"
    region: str = "UG"
    stopped: tuple[str, ...] = ()
    streamed: bool = False
    resumed: bool = False

    __repr__ = _brief


@dataclass(frozen=True, repr=False)
class World:
    rounds: tuple[Round, ...]

    __repr__ = _brief
