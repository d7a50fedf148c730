"""A result by the values of one column of the file: for the donor of a clinic, the head of a department."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from campaign.argument_checks import wrong
from campaign.arrow_text import Bools
from campaign.contacts.columns import find_column
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contract import STATUSES
from campaign.errors import ReportError
from campaign.results.cost_shares import share_costs

# A blank row is nobody, and a duplicate is somebody who is in another row, unless two people share a phone.
NO_PEOPLE = ("blank", "duplicate")


def choose_column(contacts: pd.DataFrame, column: object) -> tuple[str, str]:
    """The column of `Result.contacts` that is meant by a name of the file, and that name as the file has it.

    Raises `ColumnError` with the nearest name, `ReportError` where the file's columns were erased.
    """
    if not isinstance(column, str):
        raise wrong(column, subject="by", needs="the name of a column", write='result.by("Clinic")')
    columns = contacts.columns.drop(list(OUTCOME_COLUMNS), errors="ignore").tolist()
    if not columns:
        raise ReportError(
            "The rows of this campaign were erased, so they cannot be counted by a column any more."
        )
    originals = original_names(columns)
    name = find_column(originals, column)
    return columns[originals.index(name)], name


def with_people(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of `Result.by` that have people or a cost: without the empty value of blank rows."""
    return frame[(frame["people"] > 0) | (frame["unpriced"] > 0) | frame["cost_share"].map(bool)]


def break_down(
    values: pd.Series[str],
    statuses: pd.Series[str],
    is_person: Bools,
    messages: pd.DataFrame,
    batches: pd.DataFrame,
    places: npt.NDArray[np.intp],
) -> pd.DataFrame:
    """The frame of `Result.by`: one row for each of the values, which are those of the rows of the file.

    `is_person` says which rows count as people.
    """
    groups, names = pd.factorize(values.str.strip(), use_na_sentinel=False)
    count = len(names)
    rows = np.bincount(groups, minlength=count)
    frame = pd.DataFrame({"rows": rows}, index=pd.Index(names, name=values.name, dtype="str"))
    by_status = {
        status: np.bincount(groups[(statuses == status).to_numpy()], minlength=count) for status in STATUSES
    }
    frame["people"] = np.bincount(groups[is_person], minlength=count)
    frame = frame.assign(**by_status)
    groups_of_messages = groups[values.index.get_indexer(pd.Index(messages["row"]))]
    frame["parts"] = np.bincount(groups_of_messages, weights=messages["parts"], minlength=count).astype(
        np.int64
    )
    shares = share_costs(groups_of_messages, count, batches, places)
    order = np.lexsort((frame.index.to_numpy(), -rows, frame.index == ""))
    frame = frame.assign(
        cost_share=pd.Series(shares.costs[:-1], index=frame.index, dtype=object),
        unpriced=shares.unpriced[:-1],
    ).iloc[order]
    if not shares.costs[-1] and not shares.unpriced[-1]:
        return frame
    elsewhere = dict.fromkeys(frame.columns, 0) | {
        "cost_share": shares.costs[-1],
        "unpriced": int(shares.unpriced[-1]),
    }
    last = pd.DataFrame([elsewhere], index=pd.Index([None], name=values.name, dtype="str"))
    return pd.concat([frame, last.astype({"cost_share": object})])
