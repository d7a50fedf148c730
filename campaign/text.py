"""Plain text as people read it: cleaned for a terminal, shortened, counts and amounts in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_ANSI = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]")
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Control characters, and those that change the direction of text. The zero-width joiner stays: emoji need it.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def without_controls(text: object) -> str:
    """The text without ANSI escapes, control or direction characters; line breaks and tabs stay."""
    plain = str(text)
    if plain.isascii() and plain.isprintable():  # most texts, at a tenth of the cost
        return plain
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", _ANSI.sub("", plain)))


def clean(text: object) -> str:
    """The text for a terminal or a log: one line, without ANSI escapes, control or direction characters."""
    plain = str(text)
    if plain.isascii() and plain.isprintable():  # most texts, at a tenth of the cost
        return plain
    return without_controls(_BREAKS.sub(" ", _ANSI.sub("", plain)))


def shorten(text: str, length: int) -> str:
    """The text, cut with an ellipsis if it has more than `length` characters."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def shorten_to_words(text: str, length: int) -> str:
    """The text, cut with an ellipsis if it has more than `length` characters, between words; what stands in
    {braces} is one word."""
    if len(text) <= length:
        return text
    end = 0
    for word in re.finditer(r"(?:\{[^{}]*\}|\S)+", text):
        if word.end() > length - 2:
            break
        end = word.end()
    return f"{text[:end]} …" if end else shorten(text, length)


def difference_shown(old: str, new: str, length: int) -> tuple[str, str]:
    """Both texts, at most `length` characters of each, from a few words before their first difference on."""
    if max(len(old), len(new)) <= length:
        return old, new
    if old == new:  # to another number
        return shorten(old, length), shorten(new, length)
    pairs = enumerate(zip(old, new, strict=False))
    first = next((place for place, (was, now) in pairs if was != now), min(len(old), len(new)))
    start = new.rfind(" ", 0, max(0, first - length // 3)) + 1  # not within a word
    lead = "… " if start else ""
    return shorten(lead + old[start:], length), shorten(lead + new[start:], length)


def figure(value: float | None) -> str:
    """A count or a measurement with thousands separators: 9,041 or 12.5; "unknown" for None."""
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: "no messages", "1 message", "2,000 messages".

    `plural` is for nouns whose plural is not the noun and an s: counted(2, "person", "people").
    """
    number = "no" if count == 0 else f"{count:,}"
    return f"{number} {noun if count == 1 else plural or f'{noun}s'}"


def percentage(part: int, whole: int) -> str:
    """A share of a whole: "28%", "95.6%"; never 0% for something, nor 100% for less than everything."""
    if not whole:
        return "0%"
    shown = f"{100 * part / whole:.1f}".removesuffix(".0")
    if part and shown == "0":
        return "under 0.1%"
    return "over 99.9%" if part < whole and shown == "100" else f"{shown}%"


def percentages(parts: Sequence[int], whole: int) -> list[str]:
    """Shares that stand beside each other, all with a decimal where one has any: "10.0%", "3.3%", "86.7%"."""
    shown = [percentage(part, whole) for part in parts]
    if not any("." in share for share in shown):
        return shown
    return [share if "." in share else share.replace("%", ".0%") for share in shown]


def agreeing(count: int, singular: str, plural: str) -> str:
    """The word that agrees with a count: agreeing(1, "was", "were") is "was", and for 0 or 2 "were"."""
    return singular if count == 1 else plural


def capitalised(text: str) -> str:
    """The text with a capital first letter, for a count at the start of a sentence: "No rows"."""
    return text[:1].upper() + text[1:]


def listed_words(words: Iterable[str]) -> str:
    """Words as a list in a sentence: "North", "North and South", "North, South and West"."""
    *others, last = [*words] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def rounded_up(amount: Fraction | Decimal) -> Decimal:
    """An amount without a fraction, or rounded up to hundredths."""
    hundredths = ceil(amount * 100)
    return Decimal(hundredths // 100) if hundredths % 100 == 0 else Decimal(hundredths).scaleb(-2)


def money(value: Decimal | None) -> str:
    """A cost as the service reports it, with thousands separators; "unknown" for None.

    The service reports no currency, so none is shown. More than four decimals (a share) are rounded.
    """
    if value is None or not value.is_finite():
        return "unknown"
    exponent = value.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return f"{value:,.4f}".rstrip("0").rstrip(".") if digits > 4 else f"{value:,f}"
