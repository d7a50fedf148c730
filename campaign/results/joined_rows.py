"""The rows of a plan joined with its batches: who was reached, with what, and who needs attention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.contacts.reading_record import Reading
from campaign.messages.plan import Plan, whole_part
from campaign.messages.plan_tables.plan_columns import columns_of_contacts, rows_of_messages
from campaign.messages.plan_tables.plan_part import amended_part
from campaign.results.follow_up_rows import FollowUpRows
from campaign.results.not_in_table import NotInTable, Recorded, excluded_rows, not_in_table
from campaign.results.result_part import ResultPart, result_parts
from campaign.results.sending_time import seconds_spent
from campaign.results.sent_rounds import SentRound
from campaign.results.timeline import Timeline
from campaign.results.totals import ResultTotals


class JoinedRows(Struct, frozen=True, eq=False, dict=True):
    """Every row and message of a plan with what is known of it; the fields are those of `Result`."""

    plan: Plan
    batches: pd.DataFrame
    batch_of_message: npt.NDArray[np.int64]
    batch_of_excluded: npt.NDArray[np.int64]
    environment: str
    name: str
    rounds: tuple[SentRound, ...]
    recorded: Recorded

    def parts(self) -> Iterator[ResultPart]:
        """The tables of the result in parts of consecutive rows; a plan in memory is one."""
        if self.plan.is_in_memory:
            return iter([self.whole])
        return result_parts(self.plan, self.batches, self.batch_of_message, self.batch_of_excluded)

    @cached_property
    def whole(self) -> ResultPart:
        """All rows in memory. Raises `CampaignError` where the memory is too small."""
        plan, part = self.plan, whole_part(self.plan)
        if not plan.is_in_memory:  # the rows of messages are known without their texts
            part = amended_part(part, rows_of_messages=lambda: rows_of_messages(plan))
        return ResultPart(part, self.batches, self.batch_of_message, self.batch_of_excluded)

    @cached_property
    def totals(self) -> ResultTotals:
        """The number of rows in each status; they add up to the rows of the file."""
        return ResultTotals.of(self.plan.totals, self.parts(), self.batches, self.currency, self.environment)

    @cached_property
    def excluded(self) -> pd.DataFrame:
        """The rows without a message whose number got one that no other row names; see `excluded_rows`."""
        if not self.batch_of_excluded.any():
            return pd.DataFrame({"row": [], "number": [], "batch": []}, dtype="int64")
        return excluded_rows(self.parts, self.batches)

    @cached_property
    def not_in_table(self) -> NotInTable:
        """The messages that left, or may have, and that no row of the table names."""
        planned, excluded = self.messages_by_batch, self.excluded
        return not_in_table(self.parts, self.batches, planned, excluded, self.recorded)

    @property
    def follow_up_rows(self) -> FollowUpRows:
        """The rows of `follow_up` part by part."""
        return FollowUpRows(self.parts, self.reading, self.name)

    @property
    def needing_attention(self) -> pd.Index[int]:
        """The rows of people who got nothing, or perhaps nothing, and of whom a person has to decide."""
        return pd.Index(self.follow_up_rows.labels(), dtype="int64", name="row")

    @property
    def unknown_rows(self) -> pd.DataFrame:
        """The rows of people of whom it is not known whether they were reached: columns row, and batch.

        A row whose messages are in several unknown batches is there for each of them.
        """
        table = pd.concat([part.in_doubt for part in self.parts()])
        return table.drop_duplicates().sort_values("batch", kind="stable")

    @cached_property
    def messages_by_batch(self) -> npt.NDArray[np.int64]:
        """How many messages of the table are in each batch."""
        numbers = self.batches["batch"].to_numpy()
        counts: npt.NDArray[np.int64] = np.bincount(
            self.batch_of_message, minlength=int(numbers.max(initial=0)) + 1
        )[numbers]
        return counts

    @cached_property
    def seconds(self) -> float:
        """How long the campaign has been sending, over all runs: no pauses, nothing between them."""
        rates = {one.round: one.options.get("rate") for one in self.rounds}
        return seconds_spent(self.batches, rates, self.rounds[-1].paces if self.rounds else ())

    @cached_property
    def timeline(self) -> Timeline | None:
        """When batches left and were answered; None when nothing has left."""
        return Timeline.of(self.batches)

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the plan's contacts."""
        return columns_of_contacts(self.plan)

    @property
    def reading(self) -> Reading | None:
        """How the file was read, if known."""
        return self.plan.reading

    @property
    def currency(self) -> str:
        """The currency of the account, "" if it was not given. The service itself names none."""
        return next((one.currency for one in reversed(self.rounds) if one.currency), "")
