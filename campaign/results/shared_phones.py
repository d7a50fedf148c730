"""People who share a phone: left out, because their number is another row's too, which has another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, TextArray, constant_array, series_to_array
from campaign.contacts.columns import listed
from campaign.contract import KEPT_TEXT
from campaign.environments import words_for
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.result_part import ResultPart

_WHOSE_TEXT = {
    "accepted": "was {done}",
    "unknown": "may have been {done}",
    "refused": "was refused",
    "not_sent": "has not gone out yet",
}


class LikelyRepeats(NamedTuple):
    """How many rows have the number of another row, another text, and the same in the `column` of the names:
    probably one person who is in the table twice, and needs no other number."""

    rows: int
    column: str


def rows_that_share(plan: Plan) -> Ints:
    """The rows of people who get nothing because their number is, or was, in another row with another text.

    Rows whose number was opted out are not among them: nobody is to be written to there.
    """
    if not any(plan.map_parts(_has_alternatives)):
        return np.empty(0, np.int64)
    stopped = np.unique(np.concatenate([*plan.map_parts(_opted_out)]))
    return np.concatenate([*plan.map_parts(partial(_sharing, stopped[stopped > 0]))])


def _has_alternatives(part: PlanPart) -> bool:
    return len(part.alternatives) > 0


def _opted_out(part: PlanPart) -> Ints:
    """The numbers of the rows of a part that were opted out."""
    return part.numbers[(part.status == "opted_out").to_numpy()]


def _sharing(stopped: Ints, part: PlanPart) -> Ints:
    """The rows of a part that share a phone; `stopped` are the numbers that were opted out."""
    rows = part.alternatives["row"].unique()
    places = part.status.index.get_indexer(pd.Index(rows))
    numbers, status = part.numbers[places], part.status.to_numpy()[places]
    left_out = (status == "duplicate") & ~np.isin(numbers, stopped)
    sharing: Ints = rows[left_out].astype(np.int64)
    return sharing


def column_of_names(plan: Plan) -> str:
    """The column that tells the people of a plan apart; "" if there is none."""
    return plan.addressing.naming_column(next(plan.parts()).contacts)


def shared_phones(rows: Ints, plan: Plan, parts: Callable[[], Iterator[ResultPart]]) -> pd.DataFrame:
    """For each of these rows whose text its number gets or got: owner, status, text and is_same_name.

    `owner` is missing where no message has the number any more: then the text that reached it is that of a
    row of before, and `status` what became of it, missing where it reached nobody. `parts` is called twice,
    so that no part has to be kept.
    """
    column = column_of_names(plan)
    sharing = pd.concat([_sharing_of(rows, column, part) for part in parts()])
    wanted: Ints = np.unique(sharing["number"].to_numpy(dtype=np.int64))
    found = pd.concat([_owners_of(wanted, column, part) for part in parts()])
    owners = found[~found.index.duplicated()]
    owner = sharing["number"].map(owners["row"])
    is_same_name = (sharing["number"].map(owners["name"]) == sharing["name"]) & (sharing["name"] != "")
    return pd.DataFrame(
        {
            "owner": owner,
            "status": sharing["number"].map(owners["status"]).where(owner.notna(), sharing["before"]),
            "text": sharing["number"].map(owners["text"]).astype("str").fillna("text"),
            "is_same_name": is_same_name,
        }
    )


def reasons_of_shared(shared: pd.DataFrame, column: str, environment: str) -> pd.Series[str]:
    """For rows of `shared_phones` why they got nothing: which row has their number, and what became of that
    one. A row whose number reached nobody is left out; `column` is that of the names."""
    done = words_for(environment).done
    words = {status: fate.format(done=done) for status, fate in _WHOSE_TEXT.items()}
    fates = shared["status"].map(words).dropna()
    owner, text = shared.loc[fates.index, "owner"], shared.loc[fates.index, "text"]
    with_whom = ("row " + owner.astype("Int64").astype("str")).where(owner.notna(), "somebody else")
    hint = f" Both rows have the same {listed([column])}: if it is the same person, delete one of them."
    hints = pd.Series("", fates.index).mask(shared.loc[fates.index, "is_same_name"], hint)
    remedy = ". To reach this person too, enter another number."
    whose = "Shares a phone with " + with_whom + ", whose " + text
    reasons: pd.Series[str] = whose + " " + fates + remedy + hints
    return reasons


def _sharing_of(rows: Ints, column: str, part: ResultPart) -> pd.DataFrame:
    """Those rows that are in a part: number, name, and the status of the batch that reached it before."""
    labels = part.plan_part.status.index
    own = np.isin(labels.to_numpy(), rows)
    statuses = part.batches.set_index("batch")["status"]
    before = statuses.reindex(part.batch_of_excluded[own]).to_numpy()
    return pd.DataFrame(
        {"number": part.plan_part.numbers[own], "before": before, "name": _names(own, column, part)},
        index=labels[own],
    )


def _owners_of(numbers: Ints, column: str, part: ResultPart) -> pd.DataFrame:
    """The rows of a part that these numbers are sent to, their status, their name and what their text is, by
    number."""
    labels = part.plan_part.status.index
    own = part.plan_part.numbers
    is_owner = np.isin(own, numbers) & np.isin(labels.to_numpy(), part.plan_part.rows_of_messages)
    names = _names(is_owner, column, part)
    owners = pd.DataFrame({"row": labels[is_owner], "status": part.status.array[is_owner], "name": names})
    owners["text"] = np.where(_keep_earlier_texts(owners["row"], part), "earlier text", "text")
    return owners.set_index(pd.Index(own[is_owner], dtype="int64"))


def _keep_earlier_texts(rows: pd.Series[int], part: ResultPart) -> Bools:
    """Which of these rows of a part are of people who keep a text that they got before."""
    if rows.empty:  # issues that nobody needs are not read
        return np.zeros(0, dtype=bool)
    issues = part.issues
    keeps: Bools = rows.isin(issues.loc[issues["code"] == KEPT_TEXT, "row"].dropna()).to_numpy()
    return keeps


def _names(chosen: Bools, column: str, part: ResultPart) -> TextArray:
    """What these rows of a part have in a column; "" where there is none."""
    if not column or not chosen.any():  # cells that nobody needs are not read
        return constant_array("", int(chosen.sum()))
    return series_to_array(part.plan_part.contacts.loc[chosen, column])
