"""A table as comma-separated values that a spreadsheet program can open without running anything."""

import csv
from pathlib import Path
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
_FORMULA = r"(^|[;\t\r\n\v\f\x{85}\x{2028}\x{2029}])([\x00-\x08\x0e-\x20\x7f\p{Zs}\p{Cf}\"]*[=+\-@＝＋－＠])"
_FIRST_BREAK = r"^([\t\r\n])"
# Numbers, and phone numbers as typed or masked, are harmless and stay as they are.
_NUMBER = r"\s*[+-]?[\d\s().,]*(?:\*{5}\d\s?\d)?"
_HARMLESS = f"^{_NUMBER}(?:;{_NUMBER})*$"


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table with its index as UTF-8 with a byte order mark, so that Excel reads accents as they are.

    Every field is quoted, and texts that could run as a formula get a ' in front.
    """
    texts = [name for name in table.columns if table[name].dtype == "str"]
    safe = table.assign(**{name: disarm(table[name]) for name in texts})
    safe.columns = pd.Index(disarm(pd.Series(safe.columns, dtype="str")))
    safe.to_csv(path, encoding="utf-8-sig", lineterminator="\r\n", quoting=csv.QUOTE_ALL)


def disarm(texts: "pd.Series[Any]") -> "pd.Series[str]":
    """The same texts, with a ' in front of whatever a spreadsheet program could run as a formula."""
    values = concat_arrays(series_to_chunks(texts, missing=None))
    is_formula = (_matches(values, _FORMULA) | _matches(values, _FIRST_BREAK)) & ~_matches(values, _HARMLESS)
    disarmed = pc.replace_substring_regex(values.filter(is_formula), _FORMULA, r"\1'\2")
    disarmed = pc.replace_substring_regex(disarmed, _FIRST_BREAK, r"'\1")
    return array_to_series(replace_where(values, is_formula, disarmed), texts.index)


def _matches(values: TextArray, pattern: str) -> Bools:
    matches: Bools = pc.match_substring_regex(values, pattern).fill_null(False).to_numpy(zero_copy_only=False)
    return matches
