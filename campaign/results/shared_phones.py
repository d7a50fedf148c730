"""People who share a phone: left out, because their number is another row's too, which has another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
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
    rows: Ints, parts: Callable[[], Iterator[ResultPart]], environment: str
) -> pd.Series[str]:
    """For each of these rows why it got nothing: which row has its number, and what became of that one.

    Where no message has the number any more, the text that reached it is that of a row of before; a row whose
    number was not reached then is left out. `parts` is called twice, so that no part has to be kept.
    """
    sharing = pd.concat([_sharing_of(rows, part) for part in parts()])
    wanted: Ints = np.unique(sharing["number"].to_numpy(dtype=np.int64))
    found = pd.concat([_owners_of(wanted, part) for part in parts()])
    owners = found[~found.index.duplicated()]
    owner = sharing["number"].map(owners["row"])
    statuses = sharing["number"].map(owners["status"]).where(owner.notna(), sharing["before"])
    done = words_for(environment).done
    words = {status: fate.format(done=done) for status, fate in _WHOSE_TEXT.items()}
    with_whom = ("row " + owner.astype("Int64").astype("str")).where(owner.notna(), "somebody else")
    fates = statuses.map(words).dropna()
    return (
        "Shares a phone with " + with_whom[fates.index] + ", whose text " + fates + ". To reach this person "
        "too, enter another number."
    )


def _sharing_of(rows: Ints, part: ResultPart) -> pd.DataFrame:
    """Those rows that are in a part: their number, and the status of the batch that reached it before."""
    labels = part.plan_part.status.index
    own = np.isin(labels.to_numpy(), rows)
    statuses = part.batches.set_index("batch")["status"]
    before = statuses.reindex(part.batch_of_excluded[own]).to_numpy()
    return pd.DataFrame({"number": part.plan_part.numbers[own], "before": before}, index=labels[own])


def _owners_of(numbers: Ints, part: ResultPart) -> pd.DataFrame:
    """The rows of a part that these numbers are sent to, and their status, by number."""
    labels = part.plan_part.status.index
    own = part.plan_part.numbers
    is_owner = np.isin(own, numbers) & np.isin(labels.to_numpy(), part.plan_part.rows_of_messages)
    owners = pd.DataFrame({"row": labels[is_owner], "status": part.status.array[is_owner]})
    return owners.set_index(pd.Index(own[is_owner], dtype="int64"))
