"""People who share a phone: left out, because another row has their number and another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan
from campaign.results.result_part import ResultPart

_WHOSE_TEXT = {
    "accepted": "went out",
    "unknown": "may have gone out",
    "refused": "was refused",
    "not_sent": "has not gone out yet",
}


def rows_that_share(plan: Plan) -> Ints:
    """The rows of people who get nothing because their number is in another row with another text.

    Rows whose number was opted out are not among them: nobody is to be written to there.
    """
    if not any(len(part.alternatives) for part in plan.parts()):
        return np.empty(0, np.int64)
    opted_out = [part.numbers[(part.status == "opted_out").to_numpy()] for part in plan.parts()]
    stopped = np.unique(np.concatenate(opted_out))
    sharing = []
    for part in plan.parts():
        rows = part.alternatives["row"].unique()
        places = part.status.index.get_indexer(pd.Index(rows))
        numbers, status = part.numbers[places], part.status.to_numpy()[places]
        left_out = (status == "duplicate") & ~np.isin(numbers, stopped[stopped > 0])
        sharing.append(rows[left_out].astype(np.int64))
    return np.concatenate(sharing)


def reasons_of_shared(rows: Ints, parts: Callable[[], Iterator[ResultPart]]) -> pd.Series[str]:
    """For each of these rows why it got nothing: which row has its number, and what became of that one.

    A row whose number no message has any more is left out. `parts` is called twice, so that no part has to be
    kept.
    """
    numbers = pd.concat([_numbers_of(rows, part) for part in parts()])
    wanted: Ints = np.unique(numbers.to_numpy(dtype=np.int64))
    found = pd.concat([_owners_of(wanted, part) for part in parts()])
    owners = found[~found.index.duplicated()]
    owner = numbers.map(owners["row"]).dropna().astype("int64")
    fates = numbers.loc[owner.index].map(owners["status"]).map(_WHOSE_TEXT)
    return (
        "Shares a phone with row " + owner.astype("str") + ", whose text " + fates + ". To reach this person "
        "too, enter another number."
    )


def _numbers_of(rows: Ints, part: ResultPart) -> pd.Series[int]:
    """The numbers of those rows that are in a part."""
    labels = part.plan_part.status.index
    own = np.isin(labels.to_numpy(), rows)
    return pd.Series(part.plan_part.numbers[own], index=labels[own])


def _owners_of(numbers: Ints, part: ResultPart) -> pd.DataFrame:
    """The rows of a part that these numbers are sent to, and their status, by number."""
    labels = part.plan_part.status.index
    own = part.plan_part.numbers
    is_owner = np.isin(own, numbers) & np.isin(labels.to_numpy(), part.plan_part.rows_of_messages)
    owners = pd.DataFrame({"row": labels[is_owner], "status": part.status.array[is_owner]})
    return owners.set_index(pd.Index(own[is_owner], dtype="int64"))
