"""Rows whose phone was reached with the texts of rows that say something else: of other people, as it seems.

A brother has left the table, and a sister who is new in it has his phone. Numbers and texts alone do not tell
her from the brother with a corrected name and amount; the other cells do, as far as anything does.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contacts.rows_alike import pairs_of_rows
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.sending.rounds.comparison import CHANGED, Comparison
from campaign.sending.rounds.corrected_numbers import other_columns
from campaign.sending.rounds.reached_people import candidates_of, reached_rows, rows_of_then
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.rounds import ALTERNATIVES

_NO_PLACES = np.empty(0, np.int64)


def places_unlike(
    plan: Plan, record: CampaignRecord, rows: Ints, numbers: Ints, comparison: Comparison
) -> Ints:
    """The positions of those rows that are CHANGED although they are like none that reached their number.

    `rows` and `numbers` are those of the entries. It is asked only of phones that several rows share, now or
    then: the only row of a number is that person's, whatever was corrected.
    """
    changed = np.setdiff1d(np.flatnonzero(comparison.knowledge == CHANGED), comparison.of_own)
    if not len(changed):
        return _NO_PLACES
    places = changed[np.isin(numbers[changed], _shared_numbers(plan, record, numbers, comparison))]
    columns = other_columns(plan) if len(places) else []
    if not columns:
        return _NO_PLACES
    sought = np.unique(numbers[places])
    reached = reached_rows(record, sought)
    then = pd.concat([rows_of_then(one_round, columns, reached) for one_round in record.rounds])
    if then.empty:  # all of it was erased
        return _NO_PLACES
    now = pd.concat([*plan.map_parts(partial(candidates_of, columns, sought))])
    pairs = pairs_of_rows(now[now["row"].isin(rows[places])], then)
    is_alike = pairs[pairs["is_reached"]].groupby("row")["is_alike"].any()
    return places[np.isin(rows[places], is_alike.index[~is_alike])]


def _shared_numbers(plan: Plan, record: CampaignRecord, numbers: Ints, comparison: Comparison) -> Ints:
    """The numbers that several rows have or had, as far as their texts differ."""
    alternatives = [
        *plan.map_parts(_numbers_of_alternatives),
        *(read_frame(each.path / ALTERNATIVES, ["number"])["number"] for each in record.rounds),
    ]
    others = [found.to_numpy(dtype=np.int64) for found in alternatives]
    return np.unique(np.concatenate([*others, _repeated(numbers), _repeated(comparison.replaced.numbers)]))


def _numbers_of_alternatives(part: PlanPart) -> pd.Series[int]:
    return part.alternatives["number"]


def _repeated(numbers: Ints) -> Ints:
    values, counts = np.unique(numbers, return_counts=True)
    return values[counts > 1]
