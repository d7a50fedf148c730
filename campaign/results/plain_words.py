"""What happened to a batch and why a row was left out, in words for people who do not program."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from campaign.arrow_text import array_to_series, map_unique, replace_where, series_to_array
from campaign.contacts.continuation import REASON, STATUS
from campaign.contract import SETTLED_BY
from campaign.remedies import texts_without_code
from campaign.results.totals import SHARING_A_PHONE
from campaign.text import capitalised, without_error_class

# What a status means for somebody who sees it for the first time: of one row and of several.
STATUS_WORDS = {
    "invalid": ("has to be corrected", "have to be corrected"),
    # not "comes twice": two people may share a phone and get the same text
    "duplicate": ("repeats a number", "repeat a number"),
    "blank": ("is empty", "are empty"),
    "opted out": ("wants no texts", "want no texts"),
}
SHARES_PHONE = ("shares a phone", "share a phone")  # duplicates who are people of their own
_NOT_THERE = "Nothing is to be corrected: this text did not get there, as a person said."
_OURS = ("unknown", "not_sent")  # the service's own words are left as they are
_LEFT_OUT = ("invalid", "blank", "duplicate", SHARING_A_PHONE, "opted_out")


def without_error_classes(errors: pd.Series[str], statuses: pd.Series[str]) -> pd.Series[str]:
    """The errors of batches without the names of classes that our own words have at their end."""
    texts, is_own = series_to_array(errors), statuses.isin(_OURS).to_numpy()
    own = map_unique(texts.filter(pa.array(is_own)), without_error_class)
    return array_to_series(replace_where(texts, is_own, own), errors.index)


def in_plain_words(errors: pd.Series[str], statuses: pd.Series[str]) -> pd.Series[str]:
    """The same as sentences."""
    words = series_to_array(without_error_classes(errors, statuses))
    return array_to_series(map_unique(words, _as_sentence), errors.index)


def own_words(reasons: pd.Series[str], statuses: pd.Series[str]) -> pd.Series[str]:
    """The reasons of rows of the file for people who do not program; the service's words stay as they are.

    Who settled a batch is said beside the batch. In its rows it says that nothing is to be corrected.
    """
    is_settled = (statuses == "refused") & reasons.str.startswith(SETTLED_BY)
    words = reasons.where(~statuses.isin(_LEFT_OUT), texts_without_code(reasons))
    return words.where(~is_settled, _NOT_THERE)


def status_in_words(status: str, count: int) -> str:
    """A status, and in brackets how the composer says it where that differs: "opted out (want no texts)"."""
    name = status.replace("_", " ")
    one, several = STATUS_WORDS.get(name, ("", ""))
    words = one if count == 1 else several
    return f"{name} ({words})" if words else name


def attention_words(statuses: pd.Series[str]) -> pd.Series[str]:
    """The statuses of rows that need attention, for people: the duplicates among them share a phone."""
    return statuses.replace("duplicate", SHARING_A_PHONE).str.replace("_", " ")


def with_attention_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `Result.follow_up` with these words for their last status."""
    return rows.assign(**{STATUS: attention_words(rows[STATUS])})


def with_own_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `Result.follow_up` with reasons for people who do not program."""
    return rows.assign(**{REASON: own_words(rows[REASON], rows[STATUS])})


def _as_sentence(text: str) -> str:
    return capitalised(text) + ("" if not text or text[-1] in ".!?…" else ".")
