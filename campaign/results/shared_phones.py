"""People who share a phone: left out, because their number is another row's too, which has another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints, TextArray, constant_array, series_to_array
from campaign.contacts.columns import listed
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contract import KEPT_TEXT
from campaign.environments import words_for
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.messages.recipients import first_other_column
from campaign.results.result_part import ResultPart

_WHOSE_TEXT = {
    "accepted": "was {done}",
    "unknown": "may have been {done}",
    "refused": "was refused",
    "not_sent": "has not gone out yet",
}


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


def reasons_of_shared(
    rows: Ints, plan: Plan, parts: Callable[[], Iterator[ResultPart]], environment: str
) -> pd.Series[str]:
    """For each of these rows why it got nothing: which row has its number, and what became of that one.

    Where no message has the number any more, the text that reached it is that of a row of before; a row whose
    number was not reached then is left out. `parts` is called twice, so that no part has to be kept.
    """
    column = first_other_column(columns_of_contacts(plan), (*plan.addressing.columns, *OUTCOME_COLUMNS))
    sharing = pd.concat([_sharing_of(rows, column, part) for part in parts()])
    wanted: Ints = np.unique(sharing["number"].to_numpy(dtype=np.int64))
    found = pd.concat([_owners_of(wanted, column, part) for part in parts()])
    owners = found[~found.index.duplicated()]
    owner = sharing["number"].map(owners["row"])
    statuses = sharing["number"].map(owners["status"]).where(owner.notna(), sharing["before"])
    done = words_for(environment).done
    words = {status: fate.format(done=done) for status, fate in _WHOSE_TEXT.items()}
    with_whom = ("row " + owner.astype("Int64").astype("str")).where(owner.notna(), "somebody else")
    fates = statuses.map(words).dropna()
    text = sharing["number"].map(owners["text"]).astype("str").fillna("text")
    is_same_name = (sharing["number"].map(owners["name"]) == sharing["name"]) & (sharing["name"] != "")
    hint = f" Both rows have the same {listed([column])}: if it is the same person, delete one of them."
    whose = "Shares a phone with " + with_whom[fates.index] + ", whose " + text[fates.index]
    remedy = ". To reach this person too, enter another number."
    return whose + " " + fates + remedy + pd.Series("", fates.index).mask(is_same_name[fates.index], hint)


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
