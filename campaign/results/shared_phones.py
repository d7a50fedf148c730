"""People who share a phone: left out, because another row has their number and another text."""

from __future__ import annotations

from collections.abc import Iterable

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


def reasons_of_shared(rows: Ints, parts: Iterable[ResultPart]) -> pd.Series[str]:
    """For each of these rows why it got nothing: which row has its number, and what became of that one.

    A row whose number no message has any more is left out. `parts` are looked at twice.
    """
    parts = list(parts)  # which read nothing yet
    numbers = pd.concat([_numbers_of(rows, part) for part in parts])
    found = pd.concat([_owners_of(numbers, part) for part in parts])
    owners = found[~found.index.duplicated()]
    owner = numbers.map(owners["row"]).dropna().astype("int64")
    fates = numbers.loc[owner.index].map(owners["status"]).map(_WHOSE_TEXT)
    return (
        "Shares a phone with row " + owner.astype("str") + ", whose text " + fates + ". To reach this person "
        "too, enter another number."
    )


def _numbers_of(rows: Ints, part: ResultPart) -> pd.Series[str]:
    """The numbers of those rows that are in a part."""
    labels = part.plan_part.status.index
    own = np.isin(labels.to_numpy(), rows)
    return pd.Series(part.plan_part.numbers[own], index=labels[own]).astype("str")


def _owners_of(numbers: pd.Series[str], part: ResultPart) -> pd.DataFrame:
    """The first row of a part that each of the numbers is sent to, and its status, by number."""
    messages = part.messages[["number", "row"]]
    owners = messages[messages["number"].isin(numbers)].drop_duplicates("number").set_index("number")
    return owners.assign(status=part.contacts["status"].reindex(owners["row"]).to_numpy())
