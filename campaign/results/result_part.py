"""A part of a result: some consecutive rows of the plan, joined with what came of their batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.outcome_tables import final_statuses, join_contacts, join_messages
from campaign.results.reached_earlier import ReachedEarlier, kept_as_corrected
from campaign.values import replace


class ResultPart(Struct, frozen=True, eq=False, dict=True):
    """Some consecutive rows of a result. Its tables have the columns of those of `Result`.

    `batch_of_message` has the number of the batch of each message, `batch_of_excluded` for each row without a
    message the batch that had reached its number. `reasons` has the reasons of some rows of the result that
    their messages do not tell, and `reached` who was reached in an earlier round.
    """

    plan_part: PlanPart
    batches: pd.DataFrame
    batch_of_message: npt.NDArray[np.int64]
    batch_of_excluded: npt.NDArray[np.int64]
    reasons: pd.Series[str] | None = None
    reached: ReachedEarlier | None = None

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The place of the batch of each message in `batches`, whose numbers ascend."""
        return np.searchsorted(self.batches["batch"].to_numpy(), self.batch_of_message)

    @cached_property
    def status(self) -> pd.Series[str]:
        """That column of `contacts`; no text is read for it."""
        return final_statuses(
            self.plan_part.status, self.plan_part.rows_of_messages, self.batches, self.places
        )

    @property
    def messages(self) -> pd.DataFrame:
        """The messages of these rows with their outcome."""
        return self._messages.copy(deep=False)

    @property
    def contacts(self) -> pd.DataFrame:
        """These rows of the file with their outcome."""
        return self._contacts.copy(deep=False)

    @property
    def issues(self) -> pd.DataFrame:
        """The issues of these rows; those of the whole table are in the first part."""
        return self.plan_part.issues

    @property
    def kept_texts(self) -> int:
        """How many of these rows are of people whose numbers keep another text that they got before."""
        if self.reached is None:
            return 0
        kept = self.reached.kept(lambda: self.issues).index
        kept = kept.difference(kept_as_corrected(self.issues)) if len(kept) else kept
        return int((self.status.reindex(kept) == "accepted").sum())  # of others it is not known, or refused

    @property
    def sent_earlier(self) -> pd.DataFrame:
        """The rows to correct that were sent in an earlier round, or perhaps: columns row, and place as in
        `places`."""
        sent = [] if self.reached is None else [*self.reached.rows, *self.reached.doubtful]
        is_sent = self.status.index.isin(sent)
        places = np.searchsorted(self.batches["batch"].to_numpy(), self.batch_of_excluded[is_sent])
        return pd.DataFrame({"row": self.status.index[is_sent], "place": places})

    def apart(self, rows: pd.Index[int]) -> ResultPart:
        """The same for another process, with nothing that its `rows` do not need."""
        used = np.union1d(self.batch_of_message, self.batch_of_excluded)
        reasons, reached = self.reasons, self.reached
        return replace(
            self,
            batches=self.batches[self.batches["batch"].isin(used)].reset_index(drop=True),
            reasons=None if reasons is None else reasons[reasons.index.isin(rows)],
            reached=None if reached is None else reached.only(rows),
        )

    @cached_property
    def _messages(self) -> pd.DataFrame:
        return join_messages(self.plan_part.messages, self.batches, self.places)

    @cached_property
    def _contacts(self) -> pd.DataFrame:
        contacts = join_contacts(
            self.plan_part.contacts,
            self.status,
            self._messages,
            self.batches,
            self.places,
            self.batch_of_excluded,
        )
        if self.reasons is not None:
            own = self.reasons[self.reasons.index.isin(contacts.index)]
            contacts.loc[own.index, "reason"] = own
        return contacts if self.reached is None else self.reached.explain(contacts, lambda: self.issues)


def result_parts(
    plan: Plan,
    batches: pd.DataFrame,
    batch_of_message: npt.NDArray[np.int64],
    batch_of_excluded: npt.NDArray[np.int64],
    reasons: pd.Series[str] | None = None,
    reached: ReachedEarlier | None = None,
) -> Iterator[ResultPart]:
    """The parts of a result, in order."""
    message = row = 0
    for part in plan.parts():
        messages, rows = len(part.rows_of_messages), len(part.status)
        yield ResultPart(
            part,
            batches,
            batch_of_message[message : message + messages],
            batch_of_excluded[row : row + rows],
            reasons,
            reached,
        )
        message, row = message + messages, row + rows
