"""People who share a phone: left out, because their number is another row's too, which has another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contract import KEPT_TEXT
from campaign.environments import words_for
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.duplicates import (
    PHONE_WAS_REACHED,
    TO_REACH_AFTER_ALL,
    TO_REACH_BOTH_LATER,
)
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.result_part import ResultPart

_COPY = "same_text"  # the issue of a row with the number and the text of another one
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


def rows_that_share(plan: Plan) -> Ints:
    """The rows of people who get nothing because their number is, or was, in another row with another text.

    Rows whose number was opted out are not among them: nobody is to be written to there.
    """
    rows, is_stopped = rows_left_out(plan)
    return rows[~is_stopped]


def rows_left_out(plan: Plan) -> tuple[Ints, Bools]:
    """All rows that get nothing because of another row with their number, and of which that was opted out."""
    if not any(plan.map_parts(_has_alternatives)):
        return np.empty(0, np.int64), np.zeros(0, dtype=bool)
    stopped = np.unique(np.concatenate([*plan.map_parts(_opted_out)]))
    found = [*plan.map_parts(_left_out)]
    rows, numbers = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return rows, np.isin(numbers, stopped[stopped > 0])


def _has_alternatives(part: PlanPart) -> bool:
    return len(part.alternatives) > 0


def _opted_out(part: PlanPart) -> Ints:
    """The numbers of the rows of a part that were opted out."""
    return part.numbers[(part.status == "opted_out").to_numpy()]


def _left_out(part: PlanPart) -> tuple[Ints, Ints]:
    """The rows of a part that were left out because of their number, and these numbers."""
    rows = part.alternatives["row"].unique()
    places = part.status.index.get_indexer(pd.Index(rows))
    is_left_out = part.status.to_numpy()[places] == "duplicate"
    return rows[is_left_out].astype(np.int64), part.numbers[places][is_left_out]


def shared_phones(rows: Ints, parts: Callable[[], Iterator[ResultPart]]) -> pd.DataFrame:
    """For each of these rows whose text its number gets or got: owner, status, text and is_answered.

    `owner` is missing where no message has the number any more: then the text that reached it is that of a
    row of before, and `status` what became of it, missing where it reached nobody. Then `beside` is another
    row with the number, which gets nothing either, and `why_beside` its status; both are missing where there
    is none. `is_answered`: a person has chosen to leave the row out. `parts` is called twice, so that no part
    has to be kept.
    """
    sharing = pd.concat([_sharing_of(rows, part) for part in parts()])
    wanted: Ints = np.unique(sharing["number"].to_numpy(dtype=np.int64))
    found = [(_owners_of(wanted, part), _unsent_of(wanted, rows, part)) for part in parts()]
    owners, unsent = (pd.concat(frames) for frames in zip(*found, strict=True))
    owners = owners[~owners.index.duplicated()]
    unsent = unsent.sort_values("status", key=lambda status: status != "opted_out", kind="stable")
    unsent = unsent[~unsent.index.duplicated()]
    owner = sharing["number"].map(owners["row"])
    status = sharing["number"].map(owners["status"]).where(owner.notna(), sharing["before"])
    return pd.DataFrame(
        {
            "owner": owner,
            "status": status,
            "text": sharing["number"].map(owners["text"]).astype("str").fillna("text"),
            "is_answered": sharing["is_answered"],
            "beside": sharing["number"].map(unsent["row"]),
            "why_beside": sharing["number"].map(unsent["status"]),
        }
    )


def _sharing_of(rows: Ints, part: ResultPart) -> pd.DataFrame:
    """Those rows that are in a part: number, is_answered, and the status of the batch that reached it
    before."""
    labels = part.plan_part.status.index
    own = np.isin(labels.to_numpy(), rows)
    statuses = part.batches.set_index("batch")["status"]
    before = statuses.reindex(part.batch_of_excluded[own])
    return pd.DataFrame(
        {
            "number": part.plan_part.numbers[own],
            "before": before.to_numpy(),
            "is_answered": _have_detail(PHONE_WAS_REACHED, labels[own], part),
        },
        index=labels[own],
    )


def _have_detail(detail: str, rows: pd.Index[int], part: ResultPart) -> Bools:
    """Which of these rows of a part have an issue with this sentence, which says why they are left out."""
    if not len(rows):
        return np.zeros(0, dtype=bool)
    issues = part.issues
    return rows.isin(issues.loc[issues["detail"] == detail, "row"].dropna().astype("int64"))


def _owners_of(numbers: Ints, part: ResultPart) -> pd.DataFrame:
    """The rows of a part that these numbers are sent to, their status and what their text is, by number."""
    labels = part.plan_part.status.index
    own = part.plan_part.numbers
    is_owner = np.isin(own, numbers) & np.isin(labels.to_numpy(), part.plan_part.rows_of_messages)
    owners = pd.DataFrame({"row": labels[is_owner], "status": part.status.array[is_owner]})
    owners["text"] = np.where(_keep_earlier_texts(owners["row"], part), "earlier text", "text")
    return owners.set_index(pd.Index(own[is_owner], dtype="int64"))


def _unsent_of(numbers: Ints, left_out: Ints, part: ResultPart) -> pd.DataFrame:
    """The rows of a part that have one of these numbers, and get nothing for a reason of their own, with
    their status, by number; those that were `left_out` because of another row are not among them."""
    labels = part.plan_part.status.index.to_numpy()
    own = part.plan_part.numbers
    chosen = np.isin(own, numbers) & ~np.isin(labels, np.union1d(left_out, part.plan_part.rows_of_messages))
    unsent = pd.DataFrame({"row": labels[chosen], "status": part.status.array[chosen]})
    unsent = unsent.set_index(pd.Index(own[chosen], dtype="int64"))
    return unsent[~unsent["row"].isin(_rows_with_issue(_COPY, unsent["row"], part))]


def _rows_with_issue(code: str, rows: pd.Series[int], part: ResultPart) -> pd.Series[int]:
    """Those of some rows of a part that have an issue of this kind; without rows, no issue is read."""
    if rows.empty:
        return rows
    issues = part.issues
    return rows[rows.isin(issues.loc[issues["code"] == code, "row"].dropna())]


def _keep_earlier_texts(rows: pd.Series[int], part: ResultPart) -> Bools:
    """Which of these rows of a part are of people who keep a text that they got before."""
    return rows.isin(_rows_with_issue(KEPT_TEXT, rows, part)).to_numpy(dtype=bool)


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
