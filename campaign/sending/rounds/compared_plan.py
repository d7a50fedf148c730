"""`ComparedPlan`: a plan beside the record of its campaign, with what is known of each of its messages."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Bools, Ints, array_to_series, constant_array
from campaign.contract import Changed
from campaign.environments import EnvironmentWords, words_for
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, messages_at, rows_of_messages
from campaign.results.reached_earlier import reached_earlier
from campaign.results.shared_phones import rows_that_share
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    AS_CORRECTED,
    ASKED,
    GOES_OUT,
    NEW,
    UNDER_ANOTHER_NUMBER,
    UNKNOWN,
    Comparison,
    Knowledge,
)
from campaign.sending.rounds.people_in_words import PeopleInWords
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.rows_of_file import RowsOfFile
from campaign.values import replace


class ComparedPlan(Struct, frozen=True, eq=False, dict=True):
    """A plan compared with the record of its campaign.

    - `plan`: as it would be sent: of rows with one number the one that was reached, without repeats and
      without those who answered STOP; the rows of a follow-up file are in their table.
    - `given`: the fingerprint of the plan before that.
    - `starts`: the position of the first message of each row that gets something; `comparison` has an entry
      for each of these rows.
    - `waiting_gone`: the numbers that still wait for a message and are in no row any more.
    - `record`: None for a campaign that is not there yet.
    - `environment`: that of the campaign.
    - `opted_out`: which of the rows that get something, or are asked about, the campaign left out before
      because they wanted no messages; an entry for each of these rows.
    - `corrected`: which rows of the contacts get nothing, and were reached, or perhaps, as a person has
      corrected them in a follow-up file.
    - `has_earlier_text`: which rows to correct were reached, or perhaps, with another text than the plan's.
    - `renumbered`: the rows that would go out as new and were reached with their text under another number,
      which other rows still have.
    - `file`: the rows of a follow-up file of the campaign; None for any other plan.
    - `open_in`: where another run has the campaign open, in words; "" if none is known to.
    """

    plan: Plan
    given: str
    starts: Ints
    comparison: Comparison
    waiting_gone: Ints
    record: CampaignRecord | None
    environment: str
    opted_out: Bools
    corrected: Bools
    has_earlier_text: Bools
    renumbered: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    file: RowsOfFile | None = None
    open_in: str = ""

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self.record is None or not self.record.rounds

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of each message of the plan."""
        return spread(self.comparison.knowledge, self.starts, self.plan.totals.messages)

    def answered(self, changed: Changed) -> ComparedPlan:
        """The same once this answer is given: who keeps another text has got all that they are to get."""
        if changed != "skip":
            return self
        return replace(self, has_earlier_text=np.zeros_like(self.has_earlier_text))

    def count(self, *states: int) -> int:
        """Of how many rows one of these is known."""
        return int(np.isin(self.comparison.knowledge, states).sum())

    def earlier_messages(self, places: Ints) -> pd.DataFrame:
        """What some rows or their numbers got before, as `CampaignRecord.messages` gives it."""
        if self.record is None:
            raise AssertionError("without a record nobody was reached")
        return self.record.messages(self.comparison.batches[places], self.comparison.recorded_rows[places])

    def got_other_texts(self, places: Ints) -> Bools:
        """Of some rows whether their number got a text that the plan does not have for it."""
        firsts = pd.concat([*messages_at(self.plan, self.starts[places])])
        numbers = firsts["number"].to_numpy(dtype=np.int64)
        return np.isin(numbers, self.comparison.replaced.numbers)

    @property
    def earlier_texts(self) -> pd.DataFrame:
        """For each message what its row or its number got instead: columns `message`, and `number` where the
        row was reached under another one; "" for all that is not known."""
        places = np.flatnonzero(np.isin(self.comparison.knowledge, ASKED))
        blank = array_to_series(constant_array("", self.plan.totals.messages))
        if not len(places):  # as mostly
            return pd.DataFrame({"message": blank, "number": blank})
        got = self.earlier_messages(places).groupby("entry").agg({"message": " ".join, "number": "first"})
        asked = places[got.index.to_numpy()]
        is_other = np.isin(self.comparison.knowledge[asked], UNDER_ANOTHER_NUMBER)
        got["number"] = got["number"].where(is_other, "")
        earlier = pd.DataFrame({"message": blank, "number": blank}).astype(object)
        earlier.iloc[self.starts[asked]] = got.to_numpy()
        return earlier.astype("str")

    @property
    def words(self) -> EnvironmentWords:
        """What the environment of the campaign is called."""
        return words_for(self.environment)

    @property
    def people(self) -> PeopleInWords:
        """The people of the plan by what is known of them, in words."""
        return self.people_among(np.ones_like(self.opted_out), np.zeros_like(self.opted_out))

    def people_among(self, chosen: Bools, elsewhere: Bools) -> PeopleInWords:
        """Some of these people; another campaign has reached those `elsewhere`.

        Both have an entry for each row that gets something.
        """
        knowledge = self.comparison.knowledge
        states, counts = np.unique(knowledge[chosen], return_counts=True)
        known = dict(zip(states.tolist(), counts.tolist(), strict=True))
        is_new = chosen & (knowledge == NEW)
        return PeopleInWords(
            known,
            len(self.corrected_rows),
            self.words,
            left_out=int((is_new & self.opted_out).sum()),
            elsewhere=int((is_new & elsewhere & ~self.opted_out).sum()),
            under_way=self._count_under_way(chosen & (knowledge == UNKNOWN)),
        )

    def _count_under_way(self, unknown: Bools) -> int:
        """For how many of the rows whose message is unknown the run that has the campaign open waits."""
        if self.record is None or not self.open_in:
            return 0
        return int(self.record.under_way[self.comparison.batches[unknown]].sum())

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many rows of a follow-up file get nothing after all in their campaign, by status; "sharing" are
        those who share a phone with another row, which has another text."""
        if self.rows_left_out.empty:
            return {}
        statuses = self.plan.contacts["status"].reindex(self.rows_left_out)
        shares = statuses.index.isin(rows_that_share(self.plan))
        return {
            str(name): int(count) for name, count in statuses.mask(shares, "sharing").value_counts().items()
        }

    @cached_property
    def rows_left_out(self) -> pd.Index[int]:
        """Those rows."""
        if self.file is None or self.file.offered.empty:
            return pd.Index([], dtype="int64")
        statuses = self.plan.contacts["status"].reindex(self.file.offered)
        return statuses.index[statuses != "not_sent"]

    @cached_property
    def beside_file(self) -> Ints:
        """The rows that get something though a follow-up file does not have them, as its campaign goes on."""
        if self.file is None:
            return np.empty(0, np.int64)
        goes_out = self.starts[np.isin(self.comparison.knowledge, GOES_OUT)]
        return np.setdiff1d(rows_of_messages(self.plan)[goes_out], self.file.places)

    @property
    def rows_reached_as_corrected(self) -> Ints:
        """The rows that would get something, and were reached under the number of a follow-up file."""
        rows: Ints = rows_of_messages(self.plan)[self.starts[self.comparison.knowledge == AS_CORRECTED]]
        return rows

    @property
    def rows_left_behind(self) -> Ints:
        """The rows with a mistake that another text has reached, and not only perhaps."""
        if self.record is None:
            return np.empty(0, np.int64)
        is_accepted: Bools = self.record.knowledge[self.comparison.reached_before] == ACCEPTED
        return labels_of_contacts(self.plan)[self.has_earlier_text & is_accepted]

    @cached_property
    def reached_meanwhile(self) -> pd.Index[int]:
        """The rows of a follow-up file that were put right in the own spreadsheet since, and reached.

        Those of which this is not known are none of them.
        """
        if self.file is None or self.record is None:
            return pd.Index([], dtype="int64")
        is_accepted = self.record.knowledge == ACCEPTED
        rows = rows_of_messages(self.plan)[self.starts[is_accepted[self.comparison.batches]]]
        left_out = labels_of_contacts(self.plan)[is_accepted[self.comparison.reached_before]]
        reached = np.union1d(rows, left_out)
        places = self.file.places.reindex(self.file.overtaken)
        return places.index[places.isin(reached)]

    @property
    def corrected_rows(self) -> Ints:
        """The row numbers of those in `corrected`, without those that got another text."""
        return labels_of_contacts(self.plan)[self.corrected & ~self.has_earlier_text]

    @cached_property
    def reached_with_mistake(self) -> Ints:
        """The rows with a mistake whose numbers were reached, without those in `corrected_rows`."""
        if self.record is None:
            return np.empty(0, np.int64)
        reached = reached_earlier(
            self.plan,
            self.record.ledger.outcomes,
            self.comparison.reached_before,
            may_keep=False,
            corrected=self.corrected_rows,
            with_earlier_text=labels_of_contacts(self.plan)[self.has_earlier_text],
        )
        return np.setdiff1d(reached.rows, self.corrected_rows)

    def count_opted_out(self, *states: int) -> int:
        """How many rows were left out before, and one of these is known of them."""
        return int((self.opted_out & np.isin(self.comparison.knowledge, states)).sum())

    def are_in_doubt(self, batches: Ints) -> Bools:
        """Which batches may have been received, or not."""
        known = np.zeros(len(batches), np.int8) if self.record is None else self.record.knowledge[batches]
        return np.isin(known, (AGAIN, UNKNOWN))


def spread(by_row: npt.NDArray[Any], starts: Ints, messages: int) -> npt.NDArray[Any]:
    """A value of each row that gets something, for each of its messages; `starts` are its first messages."""
    return by_row if len(starts) == messages else np.repeat(by_row, np.diff(np.r_[starts, messages]))
