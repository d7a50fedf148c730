"""Why rows that share a phone got nothing, in sentences: which row has their number, and what to do."""

from __future__ import annotations

import pandas as pd

from campaign.environments import words_for
from campaign.messages.plan_tables.duplicates import TO_REACH_AFTER_ALL, TO_REACH_BOTH_LATER

_WHOSE_TEXT = {
    "accepted": "was {done}",
    "unknown": "may have been {done}",
    "refused": "was refused",
    "not_sent": "has not gone out yet",
}
_TO_REACH = f"To reach this person too, {TO_REACH_BOTH_LATER}"
# Of rows with a number that gets nothing at all.
_STOPPED = "Shares a phone with row {}, whose person wants no messages, so nothing goes to that phone."
_MISTAKEN = (
    "Shares a phone with row {}, which has a mistake and gets nothing either. To reach this person, enter "
    "another number, or send this row again as it is."
)
_UNSENT = "Shares a phone with row {}, which gets nothing either. To reach this person, enter another number."
_ALONE = "Shared a phone with a row that has another number now. Send this row again as it is to reach it."


def reasons_of_shared(shared: pd.DataFrame, environment: str) -> pd.Series[str]:
    """For rows of `shared_phones` why they got nothing: which row has their number, and what became of that
    one. Rows without a reason here keep that of the plan."""
    done = words_for(environment).done
    words = {status: fate.format(done=done) for status, fate in _WHOSE_TEXT.items()}
    is_stopped = shared["owner"].isna() & (shared["why_beside"] == "opted_out")
    fates = shared["status"].map(words)[~is_stopped].dropna()
    theirs = shared.loc[fates.index]
    owner, text = theirs["owner"], theirs["text"]
    with_whom = ("row " + owner.astype("Int64").astype("str")).where(owner.notna(), "somebody else")
    remedy = pd.Series(_TO_REACH, fates.index).mask(theirs["is_answered"], TO_REACH_AFTER_ALL)
    whose = "Shares a phone with " + with_whom + ", whose " + text
    reasons: pd.Series[str] = whose + " " + fates + ". " + remedy
    return pd.concat([reasons, _of_nobody(shared.drop(fates.index))])


def _of_nobody(shared: pd.DataFrame) -> pd.Series[str]:
    """The reasons of rows whose number gets no text at all."""
    sentences = shared["why_beside"].map({"opted_out": _STOPPED, "invalid": _MISTAKEN}).fillna(_UNSENT)
    sentences = sentences.where(shared["beside"].notna(), _ALONE)
    rows = shared["beside"].astype("Int64").astype("str")
    reasons = [sentence.format(row) for sentence, row in zip(sentences, rows, strict=True)]
    return pd.Series(reasons, shared.index, dtype="str")
