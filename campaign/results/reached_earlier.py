"""People who were reached in an earlier round, though today's row has a mistake or another text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contract import KEPT_TEXT
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import has_status, labels_of_contacts, numbers_of_contacts

_REASON = (
    "The row gets nothing, but its number was reached earlier in the campaign. Correct the row in your own "
    "spreadsheet too."
)


@dataclass(frozen=True, eq=False)
class ReachedEarlier:
    """What earlier rounds mean for the rows of a result.

    `rows` are those with a mistake whose people were reached, and `may_keep` says whether people may keep a
    text that they got before.
    """

    rows: Ints
    may_keep: bool

    def explain(self, contacts: pd.DataFrame, issues: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """The rows of a part, with the status and the reasons of those who were reached earlier."""
        contacts.loc[contacts.index.isin(self.rows), ["status", "reason"]] = ["accepted", _REASON]
        kept = self.kept(issues)
        kept = kept[(contacts["status"].reindex(kept.index) == "accepted").to_numpy()]
        contacts.loc[kept.index, "reason"] = kept
        return contacts

    def kept(self, issues: Callable[[], pd.DataFrame]) -> pd.Series[str]:
        """For each row whose person keeps what an earlier round sent why that is so."""
        nobody = pd.Series([], index=pd.Index([], dtype="int64"), dtype="str")
        if not self.may_keep:
            return nobody
        try:
            frame = issues()
        except FolderError:  # erased since this was loaded: what came of the rows is known without them
            return nobody
        kept = frame[(frame["code"] == KEPT_TEXT) & frame["row"].notna()].drop_duplicates("row")
        return kept.set_index(pd.Index(kept["row"].astype("int64"), name="row"))["detail"]


def rows_reached_earlier(plan: Plan, batches: pd.DataFrame, batch_of_excluded: Ints) -> Ints:
    """The invalid rows whose number was accepted in an earlier round, as after a follow-up file was sent.

    Where several rows have the number it is not known which of them was reached, so none of them counts.
    """
    accepted = batches.loc[batches["status"] == "accepted", "batch"].to_numpy()
    is_reached = np.isin(batch_of_excluded, accepted[accepted > 0])
    if not is_reached.any():
        return np.empty(0, np.int64)
    numbers = numbers_of_contacts(plan)
    distinct, counts = np.unique(numbers[numbers > 0], return_counts=True)
    is_reached &= has_status(plan, "invalid") & np.isin(numbers, distinct[counts == 1])
    return labels_of_contacts(plan)[is_reached]
