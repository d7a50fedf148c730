"""Texts that a spreadsheet program could run as a formula, and how to make them harmless and undo that."""

from typing import Any

import pandas as pd
import pyarrow.compute as pc

from campaign.arrow_text import (
    Bools,
    TextArray,
    array_to_series,
    concat_arrays,
    replace_where,
    series_to_chunks,
)

# What spreadsheet programs take for the start of a formula, also in its full-width forms. A program that
# splits lines at semicolons or tabs sees the start of a cell behind each of these, whatever the quotes say.
_CELL = r"(^|[;\t\r\n\v\f\x{85}\x{2028}\x{2029}])"
_START = r"[\x00-\x08\x0e-\x20\x7f\p{Zs}\p{Cf}\"]*[=+\-@＝＋－＠]"
_BREAK = r"[\t\r\n]"
# A text that has an apostrophe already gets one more, so that taking one away gives back every text.
_ARMED = (f"{_CELL}('*{_START})", rf"^('*{_BREAK})")
_DISARMED = (f"{_CELL}'('*{_START})", rf"^'('*{_BREAK})")
# Numbers, and phone numbers as typed or masked, are harmless and stay as they are.
_NUMBER = r"\s*[+-]?[\d\s().,]*(?:\*{5}\d\s?\d)?"
_HARMLESS = f"^{_NUMBER}(?:;{_NUMBER})*$"


def disarm(texts: "pd.Series[Any]") -> "pd.Series[str]":
    """The texts, with a ' in front of what a spreadsheet program could run as a formula."""
    values = concat_arrays(series_to_chunks(texts, missing=None))
    is_formula = _match_any(values, _ARMED) & ~_matches(values, _HARMLESS)
    return _replaced(texts, values, is_formula, _ARMED, (r"\1'\2", r"'\1"))


def keep_apostrophes(texts: "pd.Series[Any]") -> "pd.Series[str]":
    """The texts; those that `rearm` would take a ' from have one more.

    For files in which text cannot run as a formula, so that `rearm` gives back their cells, too.
    """
    values = concat_arrays(series_to_chunks(texts, missing=None))
    return _replaced(texts, values, _match_any(values, _DISARMED), _DISARMED, (r"\1''\2", r"''\1"))


def rearm(texts: "pd.Series[Any]") -> "pd.Series[str]":
    """The texts that `disarm` or `keep_apostrophes` was given."""
    values = concat_arrays(series_to_chunks(texts, missing=None))
    return _replaced(texts, values, _match_any(values, _DISARMED), _DISARMED, (r"\1\2", r"\1"))


def _replaced(
    texts: "pd.Series[Any]",
    values: TextArray,
    mask: Bools,
    patterns: tuple[str, ...],
    replacements: tuple[str, ...],
) -> "pd.Series[str]":
    chosen: TextArray = values.filter(mask)
    for pattern, replacement in zip(patterns, replacements, strict=True):
        chosen = pc.replace_substring_regex(chosen, pattern, replacement)
    return array_to_series(replace_where(values, mask, chosen), texts.index)


def _match_any(values: TextArray, patterns: tuple[str, ...]) -> Bools:
    first, *others = (_matches(values, pattern) for pattern in patterns)
    for other in others:
        first = first | other
    return first


def _matches(values: TextArray, pattern: str) -> Bools:
    matches: Bools = pc.match_substring_regex(values, pattern).fill_null(False).to_numpy(zero_copy_only=False)
    return matches
