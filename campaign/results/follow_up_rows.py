"""The rows of a result that need attention, with the columns by which they are known again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import pandas as pd

from campaign.contacts.continuation import add_follow_up_columns
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.results.result_part import ResultPart


@dataclass(frozen=True, eq=False)
class FollowUpRows:
    """Rows of the parts of a result. `reading` is that of its file, `name` that of its campaign."""

    parts: Iterable[ResultPart]
    reading: Reading | None
    name: str

    def with_status(self, statuses: Collection[str]) -> Iterator[pd.DataFrame]:
        """The rows with one of these statuses, part by part."""
        for part in self.parts:
            contacts = part.contacts
            yield self._completed(contacts[contacts["status"].isin(list(statuses))])

    def first(self, statuses: Collection[str], count: int) -> pd.DataFrame:
        """The first rows, ordered by these statuses."""
        found: dict[str, list[pd.DataFrame]] = {status: [] for status in statuses}
        for part in self.parts:
            contacts = part.contacts
            for status, frames in found.items():
                left = count - sum(map(len, frames))
                frames.append(contacts[contacts["status"] == status].head(left))
        rows = pd.concat([frame for frames in found.values() for frame in frames])
        return self._completed(rows.head(count))

    def _completed(self, rows: pd.DataFrame) -> pd.DataFrame:
        before = None if self.reading is None else self.reading.continues
        numbers = rows.index.to_series()
        table = rows.drop(columns=list(OUTCOME_COLUMNS))
        table = add_follow_up_columns(
            table.set_axis(original_names(table.columns), axis=1),
            reason=rows["reason"],
            status=rows["status"],
            campaign=self.name or (before.campaign if before else ""),
            origins=numbers if before is None else numbers.map(before.rows),
            version=self._version_of_file,
        )
        table.attrs = {}
        return table

    @property
    def _version_of_file(self) -> str:
        """The version of the file whose row numbers a follow-up file repeats; "" if it is not known."""
        if self.reading is None:
            return ""
        continues = self.reading.continues
        return self.reading.version if continues is None else continues.version
