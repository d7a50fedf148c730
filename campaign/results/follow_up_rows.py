"""The rows of a result that need attention, with the columns by which they are known again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.continuation import add_follow_up_columns
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.results.result_part import ResultPart
from campaign.results.totals import SHARING_A_PHONE

TO_FOLLOW_UP = ("unknown", "refused", "invalid")
_SHARING = "duplicate"  # the status of people who share a phone


class FollowUpRows(Struct, frozen=True, eq=False):
    """Rows of the parts of a result. `reading` is that of its file, `name` that of its campaign.

    Those of people who share a phone go with the status "invalid".
    """

    parts: Callable[[], Iterable[ResultPart]]
    reading: Reading | None
    name: str

    def needing(self, part: ResultPart) -> pd.DataFrame:
        """The contacts of a part that need attention."""
        return part.contacts[_is_chosen(part, TO_FOLLOW_UP)]

    def labels(self) -> Ints:
        """The row numbers of all rows that need attention, in the order of the file."""
        found = [part.status.index[_is_chosen(part, TO_FOLLOW_UP)] for part in self.parts()]
        labels: Ints = np.concatenate(found).astype(np.int64)
        return labels

    def with_status(self, statuses: Collection[str]) -> Iterator[pd.DataFrame]:
        """The rows with one of these statuses, part by part, in the order of the file."""
        return (self._completed(part.contacts[_is_chosen(part, statuses)]) for part in self.parts())

    def first(self, count: int) -> pd.DataFrame:
        """The first rows, the most urgent status first, and people who share a phone last."""
        found: dict[str, list[pd.DataFrame]] = {status: [] for status in (*TO_FOLLOW_UP, _SHARING)}
        for part in self.parts():
            for status, frames in found.items():
                is_chosen = part.shares_phone if status == _SHARING else part.status == status
                frames.append(part.contacts[is_chosen].head(count - sum(map(len, frames))))
        rows = pd.concat([frame for frames in found.values() for frame in frames])
        return self._completed(rows.head(count))

    def _completed(self, rows: pd.DataFrame) -> pd.DataFrame:
        table = rows.drop(columns=list(OUTCOME_COLUMNS))
        table = add_follow_up_columns(
            table.set_axis(original_names(table.columns), axis=1),
            reason=rows["reason"],
            status=rows["status"].replace(_SHARING, SHARING_A_PHONE),
            campaign=self.name,
            date_orders={} if self.reading is None else dict(self.reading.date_orders),
        )
        table.attrs = {}
        return table


def _is_chosen(part: ResultPart, statuses: Collection[str]) -> Bools:
    is_chosen = part.status.isin(list(statuses)).to_numpy(dtype=bool)
    return is_chosen | part.shares_phone if "invalid" in statuses else is_chosen
