"""Checks of arguments, whose errors say what was expected, what came and what to write.

    batch_size needs a whole number from 1 to 1000, but got 2.5. Write batch_size=100.

`subject` is the function or parameter, `needs` and `write` are labels. All checks raise `UsageError`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from decimal import Decimal
from numbers import Integral, Real

from campaign.errors import UsageError
from campaign.suggestions import closest
from campaign.text import clean, shorten

_SHOWN = 40  # characters of a text that an error repeats


def check(
    value: object,
    kinds: type | tuple[type, ...],
    *,
    subject: str,
    needs: str,
    write: str = "",
    or_none: bool = False,
) -> None:
    """Refuse a value that is not of one of these kinds."""
    if not (isinstance(value, kinds) or (or_none and value is None)):
        raise wrong(value, subject=subject, needs=needs, write=write)


def check_text(value: object, *, subject: str, write: str, or_none: bool = False) -> None:
    check(value, str, subject=subject, needs="text", write=write, or_none=or_none)


def check_path(value: object, *, subject: str, write: str, or_none: bool = False) -> None:
    """Refuse anything but an `os.PathLike` object or text that is not empty."""
    check(value, (str, os.PathLike), subject=subject, needs="a path", write=write, or_none=or_none)
    if value == "":
        raise wrong(value, subject=subject, needs="a path", write=write)


def check_switch(value: object, *, subject: str, write: str) -> None:
    """Refuse anything but True and False; numpy's booleans are accepted."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise wrong(value, subject=subject, needs="True or False", write=write)


def check_count(
    value: object,
    *,
    subject: str,
    write: str,
    least: int = 1,
    most: int | None = None,
    or_none: bool = False,
) -> None:
    """Refuse anything but a whole number within the bounds; booleans and text are refused too."""
    if or_none and value is None:
        return
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    # mypy does not follow the name: what is compared is a whole number.
    if not is_whole or not least <= value <= (math.inf if most is None else most):  # type: ignore[operator]
        bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise wrong(value, subject=subject, needs=f"a whole number {bounds}", write=write)


def check_amount(value: object, *, subject: str, write: str) -> None:
    """Refuse anything but a number of 0 or more; `Decimal` and numbers written as text are accepted."""
    try:
        if isinstance(value, bool) or not isinstance(value, (Real, Decimal, str)):
            raise ValueError
        amount = Decimal(str(value))
    except (ArithmeticError, ValueError):
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise wrong(value, subject=subject, needs="a number of 0 or more", write=write)


def check_choice(value: object, choices: Collection[str], *, subject: str) -> None:
    """Refuse anything but one of these words, and suggest the closest one."""
    if isinstance(value, str) and value in choices:
        return
    raise UsageError(
        "wrong_choice",
        argument=subject,
        given=repr(_shown(value)) if isinstance(value, str) else described(value),
        choices=[*map(repr, choices)],
        suggestion=closest(value, choices) if isinstance(value, str) else "",
    )


def wrong(value: object, *, subject: str, needs: str, write: str = "") -> UsageError:
    """The error for a value that is not what was needed."""
    return UsageError("wrong_value", argument=subject, needs=needs, given=described(value), write=write)


def described(value: object) -> str:
    """A value in a few words: None, 2.5, the text 'abc', a Result, the class Plan.

    Texts are shortened, and phone numbers in them are masked. Any other value that is not a number is named
    only by its kind, because a DataFrame or a list may contain personal data.
    """
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"the text {_shown(value)!r}" if value else "an empty text"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, (Real, Decimal)):
        return _shown(str(value))
    return kind_of(value)


def kind_of(value: object) -> str:
    """The kind of a value, without anything that it contains: a Result, an int, bytes, None."""
    name = type(value).__name__
    return _KINDS.get(name, f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}")


# Kinds that people call by other names than Python does.
_KINDS = {
    "NoneType": "None",
    "NAType": "a missing value",
    "bytes": "bytes",
    "dict": "a dictionary",
    "ellipsis": "three dots",
    "ndarray": "an array",
}


def _shown(text: str) -> str:
    from campaign.masking import mask_text  # it loads pandas, and only an error needs it

    return shorten(mask_text(clean(text[: 4 * _SHOWN])), _SHOWN)
