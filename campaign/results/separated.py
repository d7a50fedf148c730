"""The report as comma-separated values that a spreadsheet program can open without running anything."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

# What spreadsheet programs take for the start of a formula, also in its full-width forms.
_FORMULA = r"^[\s\p{Z}]*[=+\-@＝＋－＠]|^[\t\r\n]"
# A number, and a phone number as typed or masked, compute nothing: they stay as they are.
_HARMLESS = r"^\s*[+-]?[\d\s().,]*(?:\*{5}\d\s?\d)?$"


def write_separated(path: Path, frame: pd.DataFrame) -> None:
    """Write a table with its index as UTF-8 with a byte order mark, so that Excel reads accents as they are.

    Texts that would run as a formula get a ' in front.
    """
    texts = [name for name in frame.columns if frame[name].dtype == "str"]
    safe = frame.assign(**{name: disarm(frame[name]) for name in texts})
    safe.columns = pd.Index(disarm(pd.Series(safe.columns, dtype="str")))
    safe.to_csv(path, encoding="utf-8-sig", lineterminator="\r\n")


def disarm(texts: "pd.Series[str]") -> "pd.Series[str]":
    """The same texts, with a ' in front of those that a spreadsheet program would run as a formula."""
    values = pa.array(texts, type=pa.large_string(), from_pandas=True)
    formula = pc.match_substring_regex(values, _FORMULA)
    harmless = pc.match_substring_regex(values, _HARMLESS)
    armed = pd.Series(pc.and_not(formula, harmless).fill_null(False).to_numpy(zero_copy_only=False))
    return texts.where(~armed.to_numpy(), "'" + texts)
