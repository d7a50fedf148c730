"""What happened to a batch and why a row was left out, in words for people who do not program."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from campaign.arrow_text import array_to_series, map_unique, series_to_array
from campaign.contacts.continuation import REASON, STATUS
from campaign.messages.issues import reasons
from campaign.results.outcome_list import KINDS
from campaign.results.totals import SHARING_A_PHONE
from campaign.text import capitalised
from campaign.words.page import PAGE

_LEFT_OUT = ("invalid", "blank", "duplicate", SHARING_A_PHONE, "opted_out")


def as_sentences(errors: pd.Series[str]) -> pd.Series[str]:
    """What the service or a person said as sentences, as all others are."""
    return array_to_series(map_unique(series_to_array(errors), _as_sentence), errors.index)


def own_words(
    why: pd.Series[str], statuses: pd.Series[str], issues: Iterable[pd.DataFrame]
) -> pd.Series[str]:
    """The reasons of rows of the file for people who do not program; the service's words stay as they are.

    `issues` are those of the plan, in parts.
    """
    is_left_out = statuses.isin(_LEFT_OUT)
    rows = statuses.index[is_left_out]
    said = pd.concat([reasons(part[part["row"].isin(rows)], PAGE) for part in issues] or [why[:0]])
    return why.where(~is_left_out, said.reindex(why.index).fillna(why))


def attention_words(statuses: pd.Series[str]) -> pd.Series[str]:
    """The statuses of rows that need attention, for people: the duplicates among them share a phone."""
    return statuses.replace("duplicate", SHARING_A_PHONE).str.replace("_", " ")


def words_of_page(statuses: pd.Series[str]) -> pd.Series[str]:
    """The same as a page calls them."""
    return attention_words(statuses).replace("invalid", KINDS["rows_to_correct"])


def with_attention_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `Result.follow_up` with these words for their last status."""
    return rows.assign(**{STATUS: attention_words(rows[STATUS])})


def with_own_words(rows: pd.DataFrame, issues: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Rows of `Result.follow_up` with reasons for people who do not program."""
    return rows.assign(**{REASON: own_words(rows[REASON], rows[STATUS], issues)})


def _as_sentence(text: str) -> str:
    return capitalised(text) + ("" if not text or text[-1] in ".!?…" else ".")
