"""A share of many similar cases in every run; the others behind `-m long`."""

from collections.abc import Iterable
from typing import Any

import pytest


def a_share(cases: Iterable[Any], every: int) -> list[Any]:
    """Each `every`-th case in every run, the first of them included; a tuple is several arguments."""
    return [
        case if place % every == 0 else pytest.param(*_arguments(case), marks=pytest.mark.long)
        for place, case in enumerate(cases)
    ]


def one_of(cases: Iterable[Any]) -> list[Any]:
    """The first case in every run."""
    several = [*cases]
    return a_share(several, len(several))


def _arguments(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
