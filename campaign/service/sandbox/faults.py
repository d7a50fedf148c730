"""Faults on the way to the service and back, simulated by the embedded sandbox on request.

Faults named `accept_…` happen after the batch was accepted and charged: the messages are sent, and the
client does not hear of it. The others happen instead of accepting it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import cast

from campaign.argument_checks import check_choice, wrong
from campaign.service import wire

# The error texts of the contract, and some of real services, can be requested by their own words.
TEXTS = (
    wire.WRONG_JSON, wire.NO_FUNDS, wire.WRONG_LOGIN, wire.UNKNOWN_USER, wire.LOGIN_NOT_SET,
    "Invalid sender ID", "Authentication Failed",
)  # fmt: skip

# What each of them does is in the help of `Sandbox`.
_ANYWHERE = (
    "reset", "close", "hang", "bad_header", "html", "empty", "redirect", "moved", "too_large", "throttle",
    "server_error", "unavailable", "failed_500",
)  # fmt: skip
_UNREAD = ("stall", "reset_midway")
_OF_ANSWER = (
    "half", "drip", "garbage", "doubled", "odd_status", "no_code", "no_cost", "bomb", "endless",
)  # fmt: skip
BEFORE = (*_ANYWHERE, *_UNREAD)
AFTER = tuple(f"accept_{name}" for name in (*_ANYWHERE, *_OF_ANSWER))
FAULTS = (*BEFORE, *AFTER)
UNREAD = frozenset(_UNREAD)  # played before the body has been read


class Schedule:
    """Which request meets which fault: by its ordinal (the first is 1), or by chance.

    `chances` maps names to probabilities. The same `seed` gives the same faults to the same ordinals.
    Raises `UsageError` for an unknown name and for impossible probabilities.
    """

    def __init__(self, scripted: Mapping[int, str], chances: Mapping[str, float], seed: int) -> None:
        _check_faults(scripted)
        _check_chances(chances)
        self._scripted, self._chances, self._seed = dict(scripted), dict(chances), seed

    def fault_of(self, ordinal: int) -> str:
        """The fault that this request meets, or ""."""
        if ordinal in self._scripted or not self._chances:
            return self._scripted.get(ordinal, "")
        names, weights = [*self._chances, ""], list(self._chances.values())
        weights.append(1 - sum(weights))
        return random.Random(f"{self._seed}.{ordinal}").choices(names, weights)[0]  # noqa: S311 - no secret


def _check_faults(scripted: object) -> None:
    """Refuse anything but ordinals of requests with the names of faults."""
    ordinals = isinstance(scripted, Mapping) and all(
        isinstance(ordinal, int) and not isinstance(ordinal, bool) for ordinal in scripted
    )
    if not ordinals:
        needs = "a dictionary of ordinals and names"
        raise wrong(scripted, subject="faults", needs=needs, write='faults={3: "accept_close"}')
    _check_names(cast("Mapping[int, object]", scripted).values(), "faults")


def _check_chances(chances: object) -> None:
    """Refuse anything but the names of faults with probabilities."""
    is_chances = (
        isinstance(chances, Mapping)
        and all(isinstance(one, int | float) and not isinstance(one, bool) for one in chances.values())
        and min(chances.values(), default=0) >= 0
        and sum(chances.values()) <= 1
    )
    if not is_chances:
        needs = "names with chances from 0 to 1, together at most 1"
        raise wrong(chances, subject="random_faults", needs=needs, write='random_faults={"html": 0.02}')
    _check_names(cast("Mapping[object, float]", chances), "random_faults")


def _check_names(names: Iterable[object], subject: str) -> None:
    for name in names:
        check_choice(name, [*FAULTS, *TEXTS], subject=subject)
