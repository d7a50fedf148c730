"""`ComparedPlan`: a plan beside the record of its campaign, with what is known of each of its rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Bools, Ints, array_to_series, constant_array
from campaign.contract import OptedOut
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    numbers_of_contacts,
    rows_of_messages,
)
from campaign.messages.recipients import are_among, distinct
from campaign.sending.rounds.amended_plan import (
    SHARED_PHONE,
    has_text,
    with_rows,
    without_listed,
    without_rows,
)
from campaign.sending.rounds.comparison import (
    AGAIN,
    ASKED,
    GOES_OUT,
    MAY_GO_OUT,
    NOTHING_SENT,
    OTHER_NUMBER,
    UNKNOWN,
    Knowledge,
    SentRows,
    compare_rows,
)
from campaign.sending.rounds.continuation_plan import continues, merge, rows_in_table, without_untouched
from campaign.sending.rounds.planned_rows import PlannedRows
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.rows_of_file import RowsOfFile
from campaign.sending.store.hashed_rows import HashedRows, first_pieces
from campaign.values import replace


class ComparedPlan(Struct, frozen=True, eq=False, dict=True, kw_only=True):
    """A plan compared with the record of its campaign.

    - `plan`: as it would be sent: of rows with one number those that are kept, without the people on the
      lists that the campaign remembers; the rows of a follow-up file are in their table.
    - `given`: the fingerprint of that plan before the rows were chosen.
    - `starts`: the position of the first message of each row that gets something; `recorded`, `batches` and
      `labels` (see `Comparison`) have an entry for each of these rows, and so has `opted_out`: whether the
      campaign left it out before, because somebody there wanted no messages.
    - `reached_before`: for each row of the contacts that gets nothing the batch that reached its number.
    - `gone`: the last text to each number that was reached and is in no row any more.
    - `waiting`: the texts that wait and would not go out; `replaced_by` has the row with the text that the
      number gets now, -1 where it is in no row any more.
    - `rows`: the rows that get something, with their hashes; None where nothing had to be compared.
    - `record`: None for a campaign that is not there yet. `environment`: that of the campaign.
    - `file`: the rows of a follow-up file of the campaign; None for any other plan.
    - `open_in`: where another run has the campaign open, in words; "" if none is known to.
    """

    plan: Plan
    given: str
    starts: Ints
    recorded: Knowledge
    batches: Ints
    labels: Ints
    opted_out: Bools
    reached_before: Ints
    gone: SentRows
    waiting: SentRows
    replaced_by: Ints
    rows: PlannedRows | None
    record: CampaignRecord | None
    environment: str
    file: RowsOfFile | None = None
    open_in: str = ""

    @property
    def is_first(self) -> bool:
        """Whether nothing was sent under the campaign's name yet."""
        return self.record is None or not self.record.rounds

    @cached_property
    def hashes(self) -> HashedRows:
        """The hashes of each row that gets something."""
        rows = PlannedRows.of(self.plan) if self.rows is None else self.rows
        return rows.take(rows.is_planned).hashes if self.rows is None else rows.hashes

    @cached_property
    def recorded_messages(self) -> Knowledge:
        """What is recorded of each message of the plan."""
        return self.spread(self.recorded)

    def spread(self, by_row: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value of each row that gets something, for each of its messages."""
        starts, messages = self.starts, self.plan.totals.messages
        return by_row if len(starts) == messages else np.repeat(by_row, np.diff(np.append(starts, messages)))

    def count(self, *recorded: int) -> int:
        """Of how many rows one of these is recorded."""
        return int(np.isin(self.recorded, recorded).sum())

    @property
    def labels_of_rows(self) -> Ints:
        """The row number of each row that gets something."""
        return rows_of_messages(self.plan)[self.starts]

    @property
    def asked(self) -> Ints:
        """The places of the rows on which `changed=` decides, and for which it was not answered before."""
        return np.flatnonzero(np.isin(self.recorded, ASKED) & ~self.were_skipped)

    @property
    def were_skipped(self) -> Bools:
        """Which rows a person has left out of this very plan with `changed="skip"`."""
        return np.zeros(len(self.recorded), dtype=bool) if self.rows is None else self.rows.was_skipped

    def earlier_messages(self, places: Ints) -> pd.DataFrame:
        """What reached the numbers, or the cells, of some rows, as `CampaignRecord.messages` gives it."""
        if self.record is None:
            raise AssertionError("without a record nobody was reached")
        return self.record.messages(self.batches[places], self.labels[places])

    @property
    def earlier_texts(self) -> pd.DataFrame:
        """For each message what its number, or its cell, got instead: columns `message`, and `number` where
        that was another one; "" for all that is not asked about."""
        blank = array_to_series(constant_array("", self.plan.totals.messages))
        places = self.asked
        if not len(places):  # as mostly
            return pd.DataFrame({"message": blank, "number": blank})
        got = self.earlier_messages(places).groupby("entry").agg({"message": " ".join, "number": "first"})
        asked = places[got.index.to_numpy()]
        got["number"] = got["number"].where(self.recorded[asked] == OTHER_NUMBER, "")
        earlier = pd.DataFrame({"message": blank, "number": blank}).astype(object)
        earlier.iloc[self.starts[asked]] = got.to_numpy()
        return earlier.astype("str")

    @cached_property
    def beside_file(self) -> Ints:
        """The rows that get something though a follow-up file does not have them, as its campaign goes on."""
        if self.file is None:
            return np.empty(0, np.int64)
        goes_out = self.labels_of_rows[np.isin(self.recorded, GOES_OUT)]
        return np.setdiff1d(goes_out, self.file.places)

    def are_in_doubt(self, batches: Ints) -> Bools:
        """Which batches may have been received, or not."""
        known = np.zeros(len(batches), np.int8) if self.record is None else self.record.knowledge[batches]
        return np.isin(known, (AGAIN, UNKNOWN))


def compare_plan(
    plan: Plan, record: CampaignRecord | None, environment: str, opted_out: OptedOut = "ask"
) -> ComparedPlan:
    """Compare a plan with what its campaign has recorded.

    With `opted_out="skip"`, whoever was left out before because they wanted no messages is left out again.
    """
    if record is None or not record.rounds:
        return _all_new(plan, record, environment)
    file, opt_outs = None, np.concatenate([record.opt_outs.listed, plan.addressing.opt_outs])
    if continues(plan, record.name):
        whole = record.rounds[-1].load(record.ledger.batches).plan
        rows = rows_in_table(whole, plan)
        plan = without_untouched(plan)
        file = RowsOfFile.of(whole, plan, rows)
        plan = merge(whole, plan, rows[plan.contacts.index])
    plan = without_listed(plan, distinct(opt_outs))
    given = plan.fingerprint
    compared = replace(_compared(plan, record, environment), given=given, file=file)
    if opted_out == "skip" and compared.opted_out.any():
        plan = _without_opted_out(compared)
        return replace(_compared(plan, record, environment), given=given, file=file)
    return compared


def _all_new(plan: Plan, record: CampaignRecord | None, environment: str) -> ComparedPlan:
    """A plan of a campaign that has sent nothing: `prepare` has found its duplicates."""
    starts = first_pieces(rows_of_messages(plan))
    none = np.zeros(len(starts), np.int64)
    return ComparedPlan(
        plan=plan, given=plan.fingerprint, starts=starts, recorded=none.astype(np.int8), batches=none,
        labels=none, opted_out=none.astype(bool), reached_before=np.zeros(plan.totals.rows, np.int64),
        gone=NOTHING_SENT, waiting=NOTHING_SENT, replaced_by=np.empty(0, np.int64), rows=None,
        record=record, environment=environment,
    )  # fmt: skip


def _compared(plan: Plan, record: CampaignRecord, environment: str) -> ComparedPlan:
    rows = PlannedRows.of(plan)
    comparison = compare_rows(
        rows.hashes,
        rows.excluded_numbers(plan),
        record.sent(),
        record.knowledge,
        waiting=record.waiting,
        planned=rows.is_planned,
        every_text=plan.addressing.every_text,
    )
    amended = _with_kept_rows(plan, rows, comparison.kept)
    kept = comparison.kept == np.arange(len(comparison.kept))
    theirs, recorded = rows.take(kept), comparison.recorded[kept]
    return ComparedPlan(
        plan=amended,
        given=plan.fingerprint,
        starts=theirs.starts,
        recorded=recorded,
        batches=comparison.batches[kept],
        labels=comparison.labels[kept],
        opted_out=_opted_out(record, theirs, recorded),
        reached_before=comparison.reached_before,
        gone=comparison.gone,
        waiting=comparison.waiting,
        replaced_by=np.append(rows.labels, -1)[comparison.replaced_by],
        rows=theirs,
        record=record,
        environment=environment,
    )


def _with_kept_rows(plan: Plan, rows: PlannedRows, kept: Ints) -> Plan:
    """The plan in which exactly the rows that are kept get their messages; `kept` has the one of each."""
    is_kept = kept == np.arange(len(kept))
    plan = with_rows(plan, rows.labels[is_kept & ~rows.is_planned])
    is_copy = rows.hashes.keys == rows.hashes.keys[kept]
    is_sharing = ~is_kept & ~is_copy & (rows.is_planned | rows.was_skipped)
    for code, severity, leaving in (
        ("same_text", "warning", ~is_kept & is_copy),
        (SHARED_PHONE, "error", is_sharing),
    ):
        chosen = np.flatnonzero(leaving)
        facts = {"other_row": pd.Series(rows.labels[kept[chosen]], rows.labels[chosen]), "choice": "keep"}
        is_leaving = np.zeros(plan.totals.rows, dtype=bool)
        is_leaving[rows.places[chosen]] = True
        plan = without_rows(plan, is_leaving, "duplicate", code, severity, **facts)
    return plan


def _opted_out(record: CampaignRecord, rows: PlannedRows, recorded: Knowledge) -> Bools:
    """Which of the rows that go out, or may, the campaign left out before because they wanted no messages."""
    outgoing = np.isin(recorded, MAY_GO_OUT)
    opted_out = np.zeros(len(recorded), dtype=bool)
    opted_out[outgoing] = are_among(rows.hashes.numbers[outgoing], record.opt_outs.numbers)
    return opted_out


def _without_opted_out(compared: ComparedPlan) -> Plan:
    """The plan without the numbers that were left out before because somebody there wanted no messages."""
    plan, rows = compared.plan, compared.rows
    numbers = np.empty(0, np.int64) if rows is None else rows.hashes.numbers[compared.opted_out]
    leaving = np.isin(numbers_of_contacts(plan), numbers) & has_text(plan)
    return without_rows(plan, leaving, "opted_out", "opted_out", "info")
