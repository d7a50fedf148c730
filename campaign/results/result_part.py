"""A part of a result: some consecutive rows of the plan, joined with what came of their batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, equal_texts, series_to_array
from campaign.contract import KEEPING
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.outcome_tables import join_contacts, join_messages, places_of_rows, texts_of_rows
from campaign.values import replace


class ResultPart(Struct, frozen=True, eq=False, dict=True):
    """Some consecutive rows of a result. Its tables have the columns of those of `Result`.

    `batch_of_message` has the number of the batch of each message, `batch_of_excluded` for each row without a
    message the batch that had reached its number, 0 for none.
    """

    plan_part: PlanPart
    batches: pd.DataFrame
    batch_of_message: npt.NDArray[np.int64]
    batch_of_excluded: npt.NDArray[np.int64]

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """The place of the batch of each message in `batches`, whose numbers ascend."""
        return np.searchsorted(self.batches["batch"].to_numpy(), self.batch_of_message)

    @cached_property
    def positions(self) -> Ints:
        """The position of the row of each message: they are in the order of the rows."""
        with_message = np.flatnonzero(self.has_message)
        if len(with_message) == len(self.batch_of_message):  # one each: no message need be read
            return with_message
        rows = self.plan_part.rows_of_messages
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = rows[1:] != rows[:-1]
        of_messages: Ints = with_message[np.cumsum(is_first) - 1]
        return of_messages

    @cached_property
    def has_message(self) -> Bools:
        """Which of the rows have messages."""
        return equal_texts(series_to_array(self.plan_part.status), "not_sent")

    @cached_property
    def status(self) -> pd.Series[str]:
        """That column of `contacts`; no other text is read for it, unless there are duplicates."""
        is_joined = self.has_message.copy()
        is_joined[self._kept_in_doubt] = True
        return texts_of_rows(self.plan_part.status, is_joined, self.batches["status"], self._places_of_rows)

    @cached_property
    def duplicates(self) -> pd.Series[str]:
        """Why the duplicates among these rows get no message; without any, no text is read."""
        is_duplicate = equal_texts(series_to_array(self.status), "duplicate")
        if not is_duplicate.any():
            return pd.Series([], index=self.status.index[:0], dtype="str")
        return self.plan_part.contacts["why"][is_duplicate]

    @cached_property
    def shares_phone(self) -> Bools:
        """Which of the rows get nothing because another row has their number, with another text."""
        sharing = self.duplicates.index[self.duplicates == "shared_phone"]
        return self.status.index.isin(sharing) if len(sharing) else np.zeros(len(self.status), dtype=bool)

    @property
    def in_doubt(self) -> pd.DataFrame:
        """The rows of people of whom it is not known whether they were reached: columns row, and batch."""
        of_messages, of_rows = self._is_unknown[self.places], self._kept_in_doubt
        rows = [self.plan_part.rows_of_messages[of_messages], self.status.index.to_numpy()[of_rows]]
        numbers = [self.batch_of_message[of_messages], self.batch_of_excluded[of_rows]]
        return pd.DataFrame({"row": np.concatenate(rows), "batch": np.concatenate(numbers)})

    @property
    def excluded(self) -> pd.DataFrame:
        """The rows without a message whose number was reached: columns row, number, and batch."""
        chosen = np.flatnonzero(self._was_reached & ~self._has_why("other_number"))
        return pd.DataFrame(
            {
                "row": self.status.index[chosen],
                "number": self.plan_part.numbers[chosen],
                "batch": self.batch_of_excluded[chosen],
            }
        )

    def messages_in(self, batches: Bools) -> pd.DataFrame:
        """The number and the batch of each message in some batches, chosen by their places."""
        chosen = batches[self.places]
        numbers = self.plan_part.numbers[self.positions[chosen]]
        return pd.DataFrame({"number": numbers, "batch": self.batch_of_message[chosen]})

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

    def apart(self) -> ResultPart:
        """The same for another process, with no batch that its rows do not need."""
        used = np.union1d(self.batch_of_message, self.batch_of_excluded)
        return replace(self, batches=self.batches[self.batches["batch"].isin(used)].reset_index(drop=True))

    @cached_property
    def _messages(self) -> pd.DataFrame:
        return join_messages(self.plan_part.messages, self.batches, self.places)

    @cached_property
    def _contacts(self) -> pd.DataFrame:
        contacts, places = self.plan_part.contacts, self._places_of_rows
        return join_contacts(contacts, self.status, self.batches, self.has_message, places)

    @cached_property
    def _places_of_rows(self) -> Ints:
        """The place of the batch of each row, with or without a message; -1 for none."""
        of_rows = places_of_rows(len(self.has_message), self.positions, self.places, self.batches)
        numbers, reached = self.batches["batch"].to_numpy(), self._was_reached
        of_rows[reached] = np.searchsorted(numbers, self.batch_of_excluded[reached])
        return of_rows

    @cached_property
    def _was_reached(self) -> Bools:
        """Which of the rows have no message, and a number that was reached."""
        return np.greater(self.batch_of_excluded, 0) & ~self.has_message

    @cached_property
    def _kept_in_doubt(self) -> Ints:
        """The positions of rows whose phone, or whose cell, may have got what it keeps."""
        keeping = np.flatnonzero(self._has_why(*KEEPING))
        in_doubt: Ints = keeping[self._is_unknown[self._places_of_rows[keeping]]]
        return in_doubt

    @property
    def _is_unknown(self) -> Bools:
        """Which of the batches are unknown."""
        return (self.batches["status"] == "unknown").to_numpy(dtype=bool)

    def _has_why(self, *codes: str) -> Bools:
        """Which duplicates of the plan whose number was reached are so for one of these reasons."""
        is_duplicate = self._was_reached & equal_texts(series_to_array(self.plan_part.status), "duplicate")
        if not is_duplicate.any():
            return is_duplicate
        return is_duplicate & self.plan_part.contacts["why"].isin(codes).to_numpy(dtype=bool)


def result_parts(
    plan: Plan,
    batches: pd.DataFrame,
    batch_of_message: npt.NDArray[np.int64],
    batch_of_excluded: npt.NDArray[np.int64],
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
        )
        message, row = message + messages, row + rows
