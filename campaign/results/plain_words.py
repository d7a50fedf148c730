"""What happened to a batch and why a row was left out, in words for people who do not program."""

from __future__ import annotations

import pandas as pd

from campaign.remedies import texts_without_code
from campaign.text import capitalised

# Our own words name the class of a fault at their end; the service's words are left as they are.
_CLASS_NAME = r" \((?:[A-Za-z]\w*(?:Error|Exception|Mismatch)|InvalidURL)\)"
_OURS = ("unknown", "not_sent")
_LEFT_OUT = ("invalid", "blank", "duplicate", "opted_out")


def in_plain_words(errors: pd.Series[str], statuses: pd.Series[str]) -> pd.Series[str]:
    """The errors of batches without the names of classes, as sentences."""
    own = statuses.isin(_OURS)
    words = errors.where(~own, errors.str.replace(_CLASS_NAME, "", regex=True))
    return words.map({text: _as_sentence(text) for text in words.unique()}).astype("str")


def own_words(reasons: pd.Series[str], statuses: pd.Series[str]) -> pd.Series[str]:
    """The reasons of rows of the file for people who do not program; the service's words stay as they are."""
    return reasons.where(~statuses.isin(_LEFT_OUT), texts_without_code(reasons))


def _as_sentence(text: str) -> str:
    return capitalised(text) + ("" if not text or text[-1] in ".!?…" else ".")
