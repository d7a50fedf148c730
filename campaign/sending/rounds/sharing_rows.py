"""Rows that share a phone which another row's text has reached, once a person has chosen to leave it at that.

They got nothing, so they are told as everybody who shares a phone is, and not as reached.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan, amended, with_alternatives
from campaign.messages.plan_tables.amended_parts import amended_part
from campaign.messages.plan_tables.duplicates import PHONE_WAS_REACHED
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, rows_of_messages
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.sending.rounds.amended_plan import without_rows
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import SHARED, Comparison
from campaign.sending.rounds.kept_alternatives import order_in_file
from campaign.sending.rounds.plan_comparison import numbers_of_excluded
from campaign.sending.rounds.record import CampaignRecord, first_pieces
from campaign.values import replace


def leave_out_sharing(compared: ComparedPlan) -> ComparedPlan:
    """The compared plan in which these rows get nothing."""
    shares = compared.comparison.knowledge == SHARED
    if not shares.any() or compared.record is None:
        return compared
    rows = rows_of_messages(compared.plan)[compared.starts[shares]]
    plan = _left_out(compared.plan, rows)
    comparison = compared.comparison
    return replace(
        compared,
        plan=plan,
        starts=first_pieces(rows_of_messages(plan)),
        comparison=replace(
            comparison,
            knowledge=comparison.knowledge[~shares],
            batches=comparison.batches[~shares],
            recorded_rows=comparison.recorded_rows[~shares],
            reached_before=_reached_before(plan, comparison, compared.record),
        ),
        opted_out=compared.opted_out[~shares],
    )


def _left_out(plan: Plan, rows: Ints) -> Plan:
    """The plan in which these rows are left out, as others are that share a phone."""

    def beside(part: PlanPart, _: int = 0) -> PlanPart:
        if not np.isin(part.rows_of_messages, rows).any():
            return part
        messages, others = part.messages, part.alternatives
        theirs = messages[messages["row"].isin(rows)]
        joined = pd.concat([others, theirs])
        joined = joined.iloc[order_in_file(part, joined["row"].to_numpy())].reset_index(drop=True)
        return amended_part(part, alternatives=joined)

    alternatives = pd.concat([beside(part).alternatives for part in plan.parts()], ignore_index=True)
    plan = with_alternatives(amended(plan, beside), alternatives)
    leaving = np.isin(labels_of_contacts(plan), rows)
    return without_rows(plan, leaving, "duplicate", "duplicate_other_text", "error", PHONE_WAS_REACHED)


def _reached_before(plan: Plan, comparison: Comparison, record: CampaignRecord) -> Ints:
    """For each row of the contacts that gets nothing the batch that reached its number, also where no row
    with this number gets anything any more."""
    numbers, before = numbers_of_excluded(plan), comparison.reached_before
    replaced = comparison.replaced
    is_theirs = np.isin(replaced.numbers, numbers[before == 0])
    batches = replaced.batches[is_theirs]
    best = pd.DataFrame(
        {"number": replaced.numbers[is_theirs], "batch": batches, "state": record.knowledge[batches]}
    ).sort_values(["state", "batch"])
    by_number = best.drop_duplicates("number", keep="last").set_index("number")["batch"]
    found = pd.Series(numbers).map(by_number).fillna(0).to_numpy(dtype=np.int64)
    return np.where(before > 0, before, found)
