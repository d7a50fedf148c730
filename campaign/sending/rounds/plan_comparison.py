"""A plan compared with the record of its campaign: a follow-up file in its table, who was reached."""

from __future__ import annotations

from collections.abc import Iterator

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
from campaign.sending.rounds.amended_plan import (
    rows_that_keep_earlier_messages,
    without_repeats,
    without_rows,
    without_stopped,
)
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    AGAIN,
    AS_CORRECTED,
    CHANGED,
    MAY_GO_OUT,
    NEW,
    REFUSED,
    SHARED,
    UNKNOWN,
    UNSENT,
    Comparison,
    HashedRowTexts,
    RowTexts,
    compare_texts,
    missing_numbers,
)
from campaign.sending.rounds.continuation_plan import (
    continues,
    merge,
)
from campaign.sending.rounds.corrected_before import corrected_before
from campaign.sending.rounds.corrected_numbers import corrected_numbers
from campaign.sending.rounds.kept_alternatives import keep_reached
from campaign.sending.rounds.left_out_before import opted_out_before
from campaign.sending.rounds.moved_rows import with_rows_of_today
from campaign.sending.rounds.owned_texts import with_owned_texts
from campaign.sending.rounds.reached_people import with_their_own_people
from campaign.sending.rounds.record import CampaignRecord, first_pieces, planned_parts
from campaign.sending.rounds.rows_of_file import RowsOfFile
from campaign.sending.rounds.shared_before import mistaken_that_share, places_that_share
from campaign.sending.rounds.unlike_rows import places_unlike
from campaign.values import replace


def compare_plan(
    plan: Plan, record: CampaignRecord | None, environment: str, opted_out: OptedOut = "ask"
) -> ComparedPlan:
    """Compare a plan with what its campaign has recorded.

    Of several rows with one number, those whose texts were reached are kept first. Of rows with the same
    number and the same text, only the first gets something. With `opted_out="skip"`, whoever was left out
    before because they wanted no messages is left out again.
    """
    given, file = plan.fingerprint, None
    if record is not None and record.rounds:
        if continues(plan, record.name):
            frozen = record.rounds[-1].load(record.ledger.batches)
            whole = frozen.plan
            reached = record.knowledge[frozen.batch_of_message] >= UNKNOWN
            plan, overtaken = with_rows_of_today(whole, plan, record, reached)
            file = RowsOfFile.of(whole, plan, overtaken)
            plan = merge(whole, plan)
            given = plan.fingerprint
        plan = keep_reached(plan, record)
        plan = without_stopped(plan, record.are_stopped(numbers_of_contacts(plan)))
        compared = _compare_with(record, without_repeats(plan), given, environment)
        if opted_out == "skip" and compared.opted_out.any():
            compared = _compare_with(record, _without_opted_out(compared), given, environment)
        return replace(compared, file=file)
    plan = without_repeats(plan)
    starts = first_pieces(rows_of_messages(plan))
    nothing = _nothing_known(len(starts), plan)
    nobody = np.zeros(len(starts), dtype=bool)
    nowhere = np.zeros(plan.totals.rows, dtype=bool)
    return ComparedPlan(
        plan, given, starts, nothing, np.empty(0, np.int64), None, environment, nobody, nowhere, nowhere
    )


def _compare_with(record: CampaignRecord, plan: Plan, given: str, environment: str) -> ComparedPlan:
    starts, planned = _planned_rows(plan)
    rows = rows_of_messages(plan)[starts]
    comparison = _compare_people(plan, record, rows, planned)
    renumbered = _renumbered(plan, record, rows, planned, comparison)
    corrected = _corrected(plan, record, rows, planned, comparison)
    sharing = places_that_share(plan, record, rows, planned, comparison, renumbered, corrected)
    unlike = places_unlike(plan, record, rows, planned.numbers, comparison)
    comparison = _mark_shared(comparison, np.union1d(sharing, unlike))
    # Whose own text reached the number of today's table is known to have changed, whatever was corrected.
    corrected = corrected[~corrected["row"].isin(rows[comparison.knowledge == CHANGED])]
    is_corrected = np.isin(labels_of_contacts(plan), corrected["row"]) & ~has_status(plan, "not_sent")
    if len(corrected):
        comparison = _with_corrected(comparison, corrected, is_corrected, plan, rows)
    comparison = _without_kept(comparison, plan, starts)
    plan_numbers = numbers_of_contacts(plan)
    return ComparedPlan(
        plan,
        given,
        starts,
        comparison,
        missing_numbers(record.texts, record.waiting, plan_numbers),
        record,
        environment,
        _opted_out(record, planned, comparison),
        is_corrected,
        _is_open(plan, is_corrected) & record.have_another_text(plan)[comparison.reached_before],
        np.intersect1d(renumbered["row"], rows[comparison.knowledge == NEW]),
    )


def _compare_people(
    plan: Plan, record: CampaignRecord, rows: Ints, planned: RowTexts | HashedRowTexts
) -> Comparison:
    """The comparison of the texts, in which one that reached a phone says something only of its own person.

    `rows` are those that get something.
    """
    excluded_numbers = numbers_of_excluded(plan)
    comparison = compare_texts(planned, excluded_numbers, record.texts, record.knowledge)
    # What reached a phone says nothing about the row with a mistake of somebody who only shares it.
    comparison.reached_before[
        mistaken_that_share(plan, record, excluded_numbers, comparison.reached_before)
    ] = 0
    comparison = with_their_own_people(plan, record, rows, planned.numbers, comparison)
    return with_owned_texts(plan, record, rows, planned.numbers, comparison)


def _corrected(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    planned: RowTexts | HashedRowTexts,
    comparison: Comparison,
) -> pd.DataFrame:
    """The rows that were reached, or perhaps, as a follow-up file corrected them, by `corrected_before`."""
    return corrected_before(
        plan,
        record,
        going_out=lambda: rows[np.isin(comparison.knowledge, (NEW, CHANGED, UNSENT, REFUSED))],
        in_table=lambda: pd.DataFrame({"number": planned.numbers, "batch": comparison.batches})[
            comparison.knowledge >= AGAIN
        ],
    )


def _opted_out(record: CampaignRecord, planned: RowTexts | HashedRowTexts, comparison: Comparison) -> Bools:
    """Which of the rows that go out, or may, the campaign left out before because they wanted no messages."""
    outgoing = np.isin(comparison.knowledge, MAY_GO_OUT)
    opted_out = np.zeros(len(planned), dtype=bool)
    opted_out[outgoing] = opted_out_before(planned.numbers[outgoing], record)
    return opted_out


def _is_open(plan: Plan, is_corrected: Bools) -> Bools:
    """Which rows have a mistake, or lack a correction that a follow-up file had."""
    return has_status(plan, "invalid") | is_corrected


def _renumbered(
    plan: Plan,
    record: CampaignRecord,
    rows: Ints,
    planned: RowTexts | HashedRowTexts,
    comparison: Comparison,
) -> pd.DataFrame:
    """The rows that were reached with their text under a number that is in the plan, by `corrected_numbers`.

    Another text than that of the plan is not looked for: it can be that of a row by accident only.
    """
    has_another_text = record.have_another_text(plan)[comparison.batches]
    is_sought = (comparison.knowledge == NEW) | (comparison.knowledge == CHANGED) & ~has_another_text
    sought = np.flatnonzero(is_sought if len(comparison.replaced.hashes) else [])
    return corrected_numbers(plan, record, rows[sought], planned.texts.take(sought), comparison.replaced)


def _mark_shared(comparison: Comparison, places: Ints) -> Comparison:
    """The comparison in which the rows at some places share a phone with the row whose text reached it."""
    if not len(places):
        return comparison
    knowledge = comparison.knowledge.copy()
    knowledge[places] = SHARED
    return replace(comparison, knowledge=knowledge)


def _with_corrected(
    comparison: Comparison,
    corrected: pd.DataFrame,
    is_corrected: Bools,
    plan: Plan,
    rows: Ints,
) -> Comparison:
    """The comparison that knows of the rows which were sent as a person has corrected them since.

    `is_corrected` tells which rows of the contacts get nothing for that reason; `rows` get something.
    """
    numbers = corrected["number"].to_numpy()
    # A number that a correction has reached says nothing about another row with a mistake that has it.
    excluded_numbers = numbers_of_excluded(plan)
    of_others = has_status(plan, "invalid") & np.isin(excluded_numbers, numbers)
    before = np.where(of_others, 0, comparison.reached_before)
    batches = corrected.set_index("row")["batch"].reindex(labels_of_contacts(plan)[is_corrected])
    before[is_corrected] = batches
    comparison = _mark_corrected(comparison, corrected, rows).without_gone(numbers)
    return replace(comparison, reached_before=before)


def _mark_corrected(comparison: Comparison, corrected: pd.DataFrame, rows: Ints) -> Comparison:
    """The comparison in which rows are AS_CORRECTED that would go out, though they were reached so since.

    `rows` are those that get something. As in `compare_texts`, only a later batch counts: after an earlier
    one, a person knew of it and chose this text. The batch of a row that shares its phone is that of another
    row's text, which says nothing about it.
    """
    places = pd.Index(rows).get_indexer(pd.Index(corrected["row"]))
    known = corrected[(places >= 0) & (corrected["recorded"] > 0)]
    places = pd.Index(rows).get_indexer(pd.Index(known["row"]))
    is_later = (known["batch"] > comparison.batches[places]) | (comparison.knowledge[places] == SHARED)
    known, places = known[is_later], places[is_later]
    knowledge, batches = comparison.knowledge.copy(), comparison.batches.copy()
    recorded_rows = comparison.recorded_rows.copy()
    knowledge[places], batches[places] = AS_CORRECTED, known["batch"]
    recorded_rows[places] = known["recorded"]
    return replace(comparison, knowledge=knowledge, batches=batches, recorded_rows=recorded_rows)


def _without_kept(comparison: Comparison, plan: Plan, starts: Ints) -> Comparison:
    """The comparison in which rows that keep what they got in an earlier round wait for nothing.

    They get it no second time, whatever has become of it since, and count as UNKNOWN: the table that the
    person gave says something else.
    """
    is_open = np.isin(comparison.knowledge, (UNSENT, REFUSED, AGAIN))
    if not is_open.any():  # as mostly: the issues, which have to be read, say who keeps what
        return comparison
    is_open &= np.isin(rows_of_messages(plan)[starts], rows_that_keep_earlier_messages(plan))
    return replace(comparison, knowledge=np.where(is_open, UNKNOWN, comparison.knowledge).astype(np.int8))


def _without_opted_out(compared: ComparedPlan) -> Plan:
    """The plan without the people who were left out before because they wanted no messages."""
    rows = rows_of_messages(compared.plan)[compared.starts[compared.opted_out]]
    leaving = np.isin(labels_of_contacts(compared.plan), rows)
    reason = "This number was left out before, because somebody there wanted no messages."
    return without_rows(compared.plan, leaving, "opted_out", "opted_out", "info", reason)


def _planned_rows(plan: Plan) -> tuple[Ints, RowTexts | HashedRowTexts]:
    """The rows of a plan that get something, and the position of the first message of each."""
    if plan.is_in_memory:
        return next(planned_parts(plan))
    all_starts: list[Ints] = []

    def rows_of_parts() -> Iterator[RowTexts]:
        for starts, rows in planned_parts(plan):
            all_starts.append(starts)
            yield rows

    planned_rows = HashedRowTexts.of(rows_of_parts())
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
