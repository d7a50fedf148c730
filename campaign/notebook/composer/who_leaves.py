"""Whom a text leaves for, once it is known what earlier rounds of the campaign have sent."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from campaign.messages.plan import Plan
from campaign.sending.rounds.comparison import CHANGED, MOVED
from campaign.sending.rounds.difference import REASONS, Difference

_ASKED = (REASONS[CHANGED], REASONS[MOVED])


@dataclass(frozen=True)
class WhoLeaves:
    """Of the rows of a plan that may get a text: how many get one now, and how many are asked about first.

    The others get `nothing_more`, because of what the campaign has sent before.
    """

    now: int
    asked: int = 0
    nothing_more: int = 0

    @classmethod
    def of(cls, plan: Plan, difference: Difference | None, *, changed: str) -> WhoLeaves:
        """Count the rows of the plan's own spreadsheet; `changed` is the answer about another text."""
        everybody = plan.totals["not_sent"]
        if difference is None or difference.is_first:
            return cls(everybody)
        messages = difference.messages
        rows = _rows_of_spreadsheet(messages["row"], plan)
        now = {*rows.iloc[difference.outgoing(changed=changed == "send")].dropna()}
        asked = {*rows[messages["reason"].isin(_ASKED)].dropna()} - now if changed == "ask" else set()
        return cls(len(now), len(asked), max(everybody - len(now) - len(asked), 0))


def _rows_of_spreadsheet(rows: pd.Series[int], plan: Plan) -> pd.Series[int]:
    """Rows to correct have the numbers of the campaign's first spreadsheet: these are those of their own."""
    continues = None if plan.reading is None else plan.reading.continues
    if continues is None:
        return rows
    return rows.map({original: row for row, original in continues.row_pairs})
