"""Where people of earlier rounds are in today's table, as far as their names say it.

A name is no proof, so nothing is sent for it, nor left out: it is said to whoever looks at the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.shared_phones import column_of_names
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import count_parts, read_frame
from campaign.sending.store.rounds import CONTACTS, Round


def rows_of_same_name(plan: Plan, record: CampaignRecord, batches: Ints, rows: Ints) -> tuple[str, Ints]:
    """The column of the names, and for each row of earlier rounds the row of today that says the same there.

    `rows` are row numbers in the rounds of `batches`. It is 0 where nothing is said, and where other rows of
    its table or of today's say the same.
    """
    column, numbers = column_of_names(plan), record.round_of_batch[batches]
    today = np.zeros(len(rows), np.int64)
    if not column:
        return "", today
    names = pd.Series("", index=range(len(rows)), dtype="str")
    for one_round in record.rounds:
        is_theirs = numbers == one_round.number
        if is_theirs.any():
            names[is_theirs] = _names_then(one_round, column, rows[is_theirs]).array
    found = pd.concat([*plan.map_parts(partial(_rows_named, column, names[names != ""].tolist()))])
    only_ones = found[~found["name"].duplicated(keep=False)].set_index("name")["row"]
    return column, names.map(only_ones).fillna(0).to_numpy(dtype=np.int64)


def _names_then(one_round: Round, column: str, rows: Ints) -> pd.Series[str]:
    """What these rows of a round say in a column; "" for nothing, and where other rows say the same."""
    path = one_round.path / CONTACTS
    parts = range(count_parts(path))
    own = [_cells(read_frame(path, [column], part=part), column) for part in parts]
    names = pd.concat([cells[cells.index.isin(rows)] for cells in own]).reindex(rows).fillna("")
    counts = pd.concat([cells[cells.isin(names)] for cells in own]).value_counts()
    return names.where(names.map(counts) == 1, "")


def _cells(contacts: pd.DataFrame, column: str) -> pd.Series[str]:
    """A column of a part of a table; nothing where that has no such column, as before it was added."""
    return contacts[column] if column in contacts else pd.Series([], dtype="str")


def _rows_named(column: str, names: Sequence[str], part: PlanPart) -> pd.DataFrame:
    """The rows of a part that say one of these names: columns name and row."""
    cells = part.contacts[column]
    cells = cells[cells.isin(names)]
    return pd.DataFrame({"name": cells.array, "row": cells.index})
