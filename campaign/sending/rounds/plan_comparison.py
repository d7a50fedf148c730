"""A plan compared with the record of its campaign: a follow-up file in its table, who was reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools, Ints
from campaign.contract import OptedOut
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import (
    has_status,
    labels_of_contacts,
    numbers_of_contacts,
    rows_of_messages,
)
from campaign.sending.rounds.amended_plan import without_repeats, without_rows, without_stopped
from campaign.sending.rounds.compared_plan import MAY_GO_OUT, ComparedPlan
from campaign.sending.rounds.comparison import (
    AGAIN,
    MOVED,
    NEW,
    REFUSED,
    UNKNOWN,
    UNSENT,
    Comparison,
    HashedRowTexts,
    RowTexts,
    compare_texts,
    missing_numbers,
    reached_alternatives,
)
from campaign.sending.rounds.continuation_plan import (
    check_can_be_continued,
    check_same_rows,
    continues,
    merge,
    rows_with_messages,
)
from campaign.sending.rounds.corrected_before import CorrectedBefore, corrected_before
from campaign.sending.rounds.distinct_texts import contains
from campaign.sending.rounds.left_out_before import opted_out_before
from campaign.sending.rounds.record import CampaignRecord, first_pieces, planned_parts, rows_with_texts


def compare_plan(
    plan: Plan, record: CampaignRecord | None, environment: str, opted_out: OptedOut = "ask"
) -> ComparedPlan:
    """Compare a plan with what its campaign has recorded.

    Of several rows with one number, the one whose text was reached is kept first. Of rows with the same
    number and the same text, only the first gets something. With `opted_out="skip"`, whoever was left out
    before because they wanted no messages is left out again.
    """
    given, offered = plan.fingerprint, np.empty(0, np.int64)
    if record is not None and record.rounds:
        if continues(plan, record.name):
            check_can_be_continued(record.rounds[-1])
            frozen = record.rounds[-1].load(record.ledger.batches)
            whole = frozen.plan
            check_same_rows(whole, plan, record.knowledge[frozen.batch_of_message] >= UNKNOWN)
            offered = rows_with_messages(whole, plan)
            plan = merge(whole, plan)
            given = plan.fingerprint
        plan = _keep_reached(plan, record)
        plan = without_stopped(plan, record.are_stopped(numbers_of_contacts(plan)))
        compared = _compare_with(record, without_repeats(plan), given, environment)
        if opted_out == "skip" and compared.opted_out.any():
            compared = _compare_with(record, _without_opted_out(compared), given, environment)
        return replace(compared, offered=offered)
    plan = without_repeats(plan)
    starts = first_pieces(rows_of_messages(plan))
    nothing = _nothing_known(len(starts), plan)
    nobody = np.zeros(len(starts), dtype=bool)
    nowhere = np.zeros(plan.totals.rows, dtype=bool)
    return ComparedPlan(
        plan, given, starts, nothing, np.empty(0, np.int64), None, environment, nobody, nowhere
    )


def _compare_with(record: CampaignRecord, plan: Plan, given: str, environment: str) -> ComparedPlan:
    starts, planned = _comparable_rows(plan, record)
    excluded_numbers = record.comparable_numbers(numbers_of_excluded(plan))
    comparison = compare_texts(planned, excluded_numbers, record.texts, record.knowledge)
    corrected = corrected_before(
        plan,
        record,
        going_out=lambda: rows_of_messages(plan)[
            starts[np.isin(comparison.knowledge, (NEW, UNSENT, REFUSED))]
        ],
        in_table=lambda: pd.DataFrame({"number": planned.numbers, "batch": comparison.batches})[
            comparison.knowledge >= AGAIN
        ],
    )
    is_corrected = corrected.batches > 0
    if is_corrected.any():
        is_corrected &= ~has_status(plan, "not_sent")
        comparison = _with_corrected(comparison, corrected, is_corrected, plan, starts, record)
    plan_numbers = record.comparable_numbers(numbers_of_contacts(plan))
    waiting_gone = missing_numbers(record.texts, record.waiting, plan_numbers)
    outgoing = np.isin(comparison.knowledge, MAY_GO_OUT)
    opted_out = np.zeros(len(planned), dtype=bool)
    opted_out[outgoing] = opted_out_before(planned.numbers[outgoing], record)
    return ComparedPlan(
        plan,
        given,
        starts,
        comparison,
        waiting_gone,
        record,
        environment,
        opted_out,
        is_corrected,
    )


def _with_corrected(
    comparison: Comparison,
    corrected: CorrectedBefore,
    is_corrected: Bools,
    plan: Plan,
    starts: Ints,
    record: CampaignRecord,
) -> Comparison:
    """The comparison that knows of the rows which were sent as a person has corrected them since.

    `is_corrected` tells which rows of the contacts get nothing for that reason.
    """
    places = pd.Index(labels_of_contacts(plan)).get_indexer(pd.Index(rows_of_messages(plan)[starts]))
    numbers = record.comparable_numbers(corrected.numbers)
    # A number that a correction has reached says nothing about another row with a mistake that has it.
    excluded_numbers = record.comparable_numbers(numbers_of_excluded(plan))
    of_others = has_status(plan, "invalid") & np.isin(excluded_numbers, numbers)
    before = np.where(of_others, 0, comparison.reached_before)
    return replace(
        _mark_corrected(comparison, corrected, places),
        reached_before=np.where(is_corrected, corrected.batches, before),
        gone=np.setdiff1d(comparison.gone, numbers),
    )


def _mark_corrected(comparison: Comparison, corrected: CorrectedBefore, places: Ints) -> Comparison:
    """The comparison in which rows are MOVED that would go out, though they were reached as corrected since.

    `places` are those of the rows that get something among all rows. As in `compare_texts`, only a later
    batch counts: after an earlier one, a person knew of it and chose this text.
    """
    batches, recorded_rows = corrected.batches[places], corrected.recorded_rows[places]
    moved = (recorded_rows > 0) & (batches > comparison.batches)
    return replace(
        comparison,
        knowledge=np.where(moved, MOVED, comparison.knowledge).astype(np.int8),
        batches=np.where(moved, batches, comparison.batches),
        recorded_rows=np.where(moved, recorded_rows, comparison.recorded_rows),
    )


def _without_opted_out(compared: ComparedPlan) -> Plan:
    """The plan without the people who were left out before because they wanted no messages."""
    rows = rows_of_messages(compared.plan)[compared.starts[compared.opted_out]]
    leaving = np.isin(labels_of_contacts(compared.plan), rows)
    reason = "The person was left out before, because they wanted no messages."
    return without_rows(compared.plan, leaving, "opted_out", "opted_out", "info", reason)


def _keep_reached(plan: Plan, record: CampaignRecord) -> Plan:
    """The plan in which rows are kept whose text was reached, instead of those with the same number."""
    if not any(len(part.alternatives) for part in plan.parts()):
        return plan
    alternatives = plan.addressing.alternatives
    starts, texts = _texts_of_alternatives(plan)
    numbers = np.unique(texts.numbers)
    kept = [rows.take(np.flatnonzero(contains(numbers, rows.numbers))) for _, rows in planned_parts(plan)]
    chosen = reached_alternatives(
        record.comparable(RowTexts.below_each_other(kept)),
        record.comparable(texts),
        record.texts,
        record.knowledge,
    )
    return plan.keep_instead(alternatives["row"].to_numpy()[starts[chosen]]) if len(chosen) else plan


def _texts_of_alternatives(plan: Plan) -> tuple[Ints, RowTexts]:
    """The rows that were left out because of their number, and the position of the first piece of each."""
    columns, count = plan.addressing.columns, 0
    starts, rows = [], []
    for part in plan.parts():
        own_starts, own_rows = rows_with_texts(part.contacts, columns, part.alternatives)
        starts.append(own_starts + count)
        rows.append(own_rows)
        count += len(part.alternatives)
    return np.concatenate(starts), RowTexts.below_each_other(rows)


def _comparable_rows(plan: Plan, record: CampaignRecord) -> tuple[Ints, RowTexts | HashedRowTexts]:
    """The rows of a plan that get something, and the position of the first message of each."""
    if plan.is_in_memory:
        starts, planned = next(planned_parts(plan))
        return starts, record.comparable(planned)
    all_starts: list[Ints] = []

    def comparable() -> Iterator[RowTexts]:
        for starts, rows in planned_parts(plan):
            all_starts.append(starts)
            yield record.comparable(rows)

    planned_rows = HashedRowTexts.of(comparable())
    return np.concatenate(all_starts), planned_rows


def numbers_of_excluded(plan: Plan) -> Ints:
    """The number of each row of the contacts that gets no message, 0 for those that get one or have none.

    A duplicate is answered by the row that is kept, so it counts as having none, unless it was left out
    because another campaign has reached its number.
    """
    numbers = numbers_of_contacts(plan)
    excluded = has_status(plan, "invalid", "opted_out")
    duplicates = has_status(plan, "duplicate")
    if duplicates.any():
        excluded = excluded | duplicates & ~np.isin(numbers, numbers[has_status(plan, "not_sent")])
    return np.where(excluded, numbers, 0)


def _nothing_known(rows: int, plan: Plan) -> Comparison:
    """The comparison with no record."""
    none = np.zeros(rows, np.int64)
    return Comparison(
        np.full(rows, NEW, np.int8), none, none, np.zeros(plan.totals.rows, np.int64), np.empty(0, np.int64)
    )
