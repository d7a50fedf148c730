"""Faults on the way to the service and back, simulated by the embedded sandbox on request.

Faults named `accept_…` happen after the batch was accepted and charged: the messages are sent, and the
client does not hear of it. The others happen instead of accepting it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import cast

from campaign.argument_checks import wrong
from campaign.errors import UsageError
from campaign.service import wire
from campaign.suggestions import did_you_mean

# The error texts of the contract, and some of real services, can be requested by their own words.
TEXTS = (
    wire.WRONG_JSON, wire.NO_FUNDS, wire.WRONG_LOGIN, wire.UNKNOWN_USER, wire.LOGIN_NOT_SET,
    "Invalid sender ID", "Authentication Failed",
)  # fmt: skip

_ANYWHERE = {
    "reset": "the connection is cut",
    "close": "the connection is closed without an answer",
    "hang": "no answer ever comes",
    "bad_header": "the answer breaks HTTP",
    "html": "the answer is an HTML page with HTTP status 200",
    "empty": "the answer is empty, with HTTP status 200",
    "redirect": "the answer is HTTP status 307, to another address",
    "moved": "the answer is HTTP status 301, to another address",
    "too_large": "the answer is HTTP status 413",
    "throttle": "the answer is HTTP status 429 with Retry-After: 1",
    "server_error": "the answer is HTTP status 500",
    "unavailable": "the answer is HTTP status 503 with Retry-After: 1",
    "failed_500": "the answer is a Failed with an unknown text and HTTP status 500",
}
_UNREAD = {
    "stall": "the body of the request is never read",
    "reset_midway": "the connection is cut while the body arrives",
}
_OF_ANSWER = {
    "half": "only half of the answer arrives",
    "drip": "the answer arrives at four bytes a second",
    "garbage": "the answer is not JSON",
    "doubled": "a key occurs twice in the answer",
    "odd_status": "the answer's Status is ok instead of OK",
    "no_code": "the answer has no follow-up code",
    "no_cost": "the answer has no cost",
    "bomb": "the answer is compressed, and expands to 64 MB",
    "endless": "the answer never ends",
}
BEFORE = {name: f"not accepted, and {words}" for name, words in {**_ANYWHERE, **_UNREAD}.items()}
AFTER = {f"accept_{name}": f"accepted, but {words}" for name, words in {**_ANYWHERE, **_OF_ANSWER}.items()}
FAULTS = {**BEFORE, **AFTER}
UNREAD = frozenset(_UNREAD)  # played before the body has been read


class Schedule:
    """Which request meets which fault: by its ordinal (the first is 1), or by chance.

    `chances` maps names to probabilities. The same `seed` gives the same faults to the same ordinals.
    Raises `UsageError` for an unknown name, listing all names, and for impossible probabilities.
    """

    def __init__(self, scripted: Mapping[int, str], chances: Mapping[str, float], seed: int) -> None:
        _check_faults(scripted)
        _check_chances(chances)
        if min(chances.values(), default=0) < 0 or sum(chances.values()) > 1:
            raise UsageError("The chances of random faults must be between 0 and 1, and add up to 1 at most.")
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
    is_number = isinstance(chances, Mapping) and all(
        isinstance(chance, int | float) and not isinstance(chance, bool) for chance in chances.values()
    )
    if not is_number:
        needs = "a dictionary of names and probabilities"
        raise wrong(chances, subject="random_faults", needs=needs, write='random_faults={"html": 0.02}')
    _check_names(cast("Mapping[object, float]", chances), "random_faults")


def _check_names(names: Iterable[object], subject: str) -> None:
    for name in names:
        if name not in FAULTS and name not in TEXTS:
            texts = ", ".join(f'"{text}"' for text in TEXTS)
            raise UsageError(
                f"There is no fault {name!r} for {subject}.{did_you_mean(name, FAULTS)} These happen instead "
                f"of accepting a batch: {', '.join(BEFORE)}. These happen after it was accepted, and the "
                f"client cannot know: {', '.join(AFTER)}. These are error texts of the service: {texts}."
            )
