"""One attempt to send, as a person means it: how, with which options, and where the program dies."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from support.round_places import PLACES


@dataclass(frozen=True)
class Intent:
    """One attempt to send: how, with which options, and at which place the program dies."""

    verb: str
    options: dict[str, Any]
    password: str | None = None
    die: tuple[str, int] | None = None
    is_answered: bool = False  # what was asked, apart from the phrases to type

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing but the service, and a budget, can keep it from sending everything."""
        is_pilot = "pilot" in self.options
        return self.verb in ("send", "resume", "start") and not is_pilot and self.password is None

    def __str__(self) -> str:
        more = [f"{name}={value!r}" for name, value in self.options.items() if name != "progress"]
        more += ["wrong password"] if self.password else []
        more += [f"killed {self.die[0]} ({self.die[1]})"] if self.die else []
        return f"{self.verb} {', '.join(more)}"


def death(chance: random.Random, places: tuple[str, ...]) -> tuple[str, int]:
    """One of some places, or of all, and at which passing a program dies there."""
    every = tuple(f"{when} {place}" for place in PLACES for when in ("before", "after"))
    place = chance.choice(places or every)
    return place, chance.randrange(1, PLACES[place.split(" ", 1)[1]] + 1)
