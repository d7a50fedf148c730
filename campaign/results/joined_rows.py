"""The rows of a plan joined with its batches: who was reached, with what, and who needs attention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS
from campaign.contract import CORRECTED, KEPT_TEXT, ORDERED_AGAIN, SETTLED_BY
from campaign.local_times import LocalTimes
from campaign.messages.plan import Plan, whole_part
from campaign.messages.plan_tables.plan_columns import (
    columns_of_contacts,
    labels_of_contacts,
    rows_of_messages,
)
from campaign.messages.totals import left_out_in
from campaign.results.follow_up_rows import FollowUpRows
from campaign.results.messages_elsewhere import MessagesElsewhere, messages_elsewhere
from campaign.results.outcome_tables import outcomes_of
from campaign.results.reached_earlier import (
    ReachedEarlier,
    kept_as_corrected,
    reached_earlier,
    texts_that_reached,
)
from campaign.results.recorded import Recorded
from campaign.results.result_part import ResultPart, result_parts
from campaign.results.sending_time import seconds_spent
from campaign.results.sent_rounds import SentRound
from campaign.results.shared_phones import reasons_of_shared, rows_left_out, shared_phones
from campaign.results.timeline import Timeline
from campaign.results.totals import ResultTotals
from campaign.values import replace


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
        return result_parts(
            self.plan, self.batches, self.batch_of_message, self.batch_of_excluded, self.reasons, self.reached
        )

    def bare_parts(self) -> Iterator[ResultPart]:
        """The parts without the reasons that only other parts tell: enough where no reason is needed."""
        return result_parts(self.plan, self.batches, self.batch_of_message, self.batch_of_excluded)

    @cached_property
    def whole(self) -> ResultPart:
        """All rows in memory. Raises `CampaignError` where the memory is too small."""
        whole, excluded = whole_part(self.plan), self.batch_of_excluded
        reasons, reached = self.reasons, self.reached
        return ResultPart(whole, self.batches, self.batch_of_message, excluded, reasons, reached)

    @cached_property
    def totals(self) -> ResultTotals:
        """The number of rows in each status; they add up to the rows of the file."""
        statuses = (part.status for part in self.bare_parts())
        sharing, reached = self.sharing, self.reached
        return ResultTotals.of(
            self.plan.totals,
            statuses,
            self.batches,
            self.currency,
            self.environment,
            sharing=len(sharing),
            sharing_unreached=len(np.setdiff1d(sharing, np.union1d(reached.rows, reached.doubtful))),
            sharing_corrected=len(np.intersect1d(sharing, reached.outdated)),
            reached_earlier=len(reached.rows),
            in_doubt=len(reached.doubtful),
            kept_as_corrected=self._count_accepted(self.kept_as_corrected),
        )

    @property
    def outcomes(self) -> pd.Series[str]:
        """What became of each row, named as in the bars: `totals.by_outcome` counts them.

        `contacts` has the statuses, which do not tell who shares a phone or was reached in an earlier round.
        """
        statuses = pd.concat([part.status for part in self.bare_parts()])
        return outcomes_of(statuses, self.sharing, self.left_out, self.reached)

    @property
    def texts_that_reached(self) -> pd.Series[str]:
        """For each row that was reached earlier the text that it got then, if that is known."""
        return texts_that_reached(
            self.reached, self.plan, self.batch_of_excluded, self.recorded, self.batches_of_this_table
        )

    @cached_property
    def elsewhere(self) -> MessagesElsewhere:
        """The messages that left, or may have, and are not in today's table."""
        reached, own = self.reached, self.batch_of_message
        rows = np.union1d(reached.rows, reached.doubtful)
        return messages_elsewhere(self.plan, self.batches, own, self.batch_of_excluded, rows, self.recorded)

    @cached_property
    def sharing(self) -> npt.NDArray[np.int64]:
        """The rows of people who share a phone with somebody else, whose text was another one."""
        rows, is_stopped = self._left_out
        return rows[~is_stopped]

    @cached_property
    def _left_out(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The rows that are left out because of another row with their number, and of which that wants no
        messages."""
        return rows_left_out(self.plan)

    @cached_property
    def left_out(self) -> npt.NDArray[np.int64]:
        """The rows that get nothing because their number was reached before, as `not_again` says."""
        if not self.plan.totals.left_out:
            return np.empty(0, np.int64)  # nobody needs the issues, which have to be read
        return np.concatenate([left_out_in(part.status, part.issues) for part in self.plan.parts()])

    @cached_property
    def reached(self) -> ReachedEarlier:
        """Who was reached in an earlier round, though today's row has a mistake or another text."""
        may_keep = len(self.rounds) > 1 and not self.is_erased
        return reached_earlier(self.plan, self.batches, self.batch_of_excluded, may_keep=may_keep)

    @cached_property
    def reasons(self) -> pd.Series[str]:
        """Why rows that share a phone got nothing, and which accepted rows got a later text."""
        later = self.elsewhere.reasons(LocalTimes.of_rounds(self.rounds))
        if not len(self._left_out[0]) or self.is_erased:
            return later
        sharing = reasons_of_shared(self.shared_phones, self.environment)
        return pd.concat([sharing, later])

    @cached_property
    def shared_phones(self) -> pd.DataFrame:
        """Whose text went to the phones of these rows, or will."""
        return shared_phones(self._left_out[0], self.bare_parts)

    @property
    def can_send_both(self) -> bool:
        """Whether somebody who shares a phone does so with a row of this table, or of a campaign before, so
        that their text can go, too.

        Whom a person has left out by an answer is reached by another answer.
        """
        if not self.totals.lacking_numbers or self.is_erased:
            return False
        shared = self.shared_phones
        shared = shared[shared.index.isin(self.sharing) & ~shared["is_answered"]]
        return bool(shared["owner"].notna().any())

    @property
    def is_answered(self) -> bool:
        """Whether a person has left out somebody who shares a phone, by an answer."""
        if not self.totals.lacking_numbers or self.is_erased:
            return False
        return bool(self.shared_phones["is_answered"].any())

    @property
    def follow_up_rows(self) -> FollowUpRows:
        """The rows of `follow_up` part by part."""
        return FollowUpRows(
            self.parts,
            self.sharing,
            self.reached.rows,
            self.reached.doubtful,
            lambda: self.corrected_rows,
            self.reading,
            self.name,
        )

    @property
    def needing_attention(self) -> pd.Index[int]:
        """The rows of people who got nothing, or perhaps nothing, though they did not opt out."""
        rows = replace(self.follow_up_rows, parts=self.bare_parts)
        return pd.Index(rows.labels(), dtype="int64", name="row")

    @property
    def unknown_rows(self) -> pd.DataFrame:
        """The rows of people of whom it is not known whether they were reached: columns row, and batch.

        A row whose messages are in several unknown batches is there for each of them.
        """
        labels, batches = labels_of_contacts(self.plan), self.batches
        is_unknown = np.isin(self.batch_of_message, batches.loc[batches["status"] == "unknown", "batch"])
        is_doubtful = np.isin(labels, self.reached.doubtful)
        rows = [rows_of_messages(self.plan)[is_unknown], labels[is_doubtful]]
        numbers = [self.batch_of_message[is_unknown], self.batch_of_excluded[is_doubtful]]
        table = pd.DataFrame({"row": np.concatenate(rows), "batch": np.concatenate(numbers)})
        return table.drop_duplicates().sort_values("batch", kind="stable")

    @cached_property
    def corrected_rows(self) -> pd.Index[int]:
        """The row numbers of those that the table has as they were corrected, in its order."""
        if len(self.rounds) < 2 or self.is_erased:
            return pd.Index([], dtype="int64", name="row")
        issues = pd.concat([part.issues[["row", "code"]] for part in self.parts()])
        return pd.Index(issues.loc[issues["code"] == CORRECTED, "row"].astype("int64"), name="row")

    @cached_property
    def kept_as_corrected(self) -> pd.Index[int]:
        """The rows whose people keep what they got under the number of a follow-up file: only after an answer
        that lets them, as a table has to be read for it."""
        if not self.rounds or self.is_erased or self.rounds[-1].options.get("changed") != "skip":
            return pd.Index([], dtype="int64", name="row")
        return kept_as_corrected(pd.concat([part.issues[["row", "code"]] for part in self.parts()]))

    @cached_property
    def kept_batches(self) -> frozenset[int]:
        """Of the batches that a person has settled as refused or ordered again those of which every person
        keeps an earlier text."""
        errors = self.batches["error"]
        by_hand = (self.batches["status"] == "refused") & errors.str.startswith(SETTLED_BY)
        settled = set(self.batches.loc[by_hand | (errors == ORDERED_AGAIN), "batch"])
        if not settled:
            return frozenset()  # nobody needs the issues, which have to be read
        held: set[int] = set()
        for part in self.parts():
            issues, messages = part.issues, part.messages
            is_kept = messages["row"].isin(issues.loc[issues["code"] == KEPT_TEXT, "row"].dropna())
            settled -= set(messages.loc[~is_kept, "batch"])
            held |= settled.intersection(messages["batch"])
        return frozenset(settled & held)

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

    @property
    def batches_of_this_table(self) -> npt.NDArray[np.int64]:
        """The batches of rounds in which a row number means the same row as here."""
        version = "" if self.reading is None else self.reading.version
        rounds = [one.round for one in self.rounds if version and one.table_version == version]
        return self.batches.loc[self.batches["round"].isin(rounds), "batch"].to_numpy(dtype=np.int64)

    def _count_accepted(self, rows: pd.Index[int]) -> int:
        if rows.empty:
            return 0
        statuses = pd.concat([part.status for part in self.bare_parts()])
        return int((statuses.reindex(rows) == "accepted").sum())

    @property
    def is_erased(self) -> bool:
        """Whether names, numbers and texts were erased, so that the contacts have no column of the file."""
        return set(self.columns) <= set(OUTCOME_COLUMNS)

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
