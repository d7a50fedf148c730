"""Whom a text leaves for, once it is known what earlier rounds of the campaign have sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Ints
from campaign.contract import Changed
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.duplicates import PHONE_WAS_REACHED
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import ACCEPTED, ASKED, CHANGED, SHARED, UNKNOWN
from campaign.sending.rounds.continuation_plan import origins_of
from campaign.sending.rounds.difference import REASONS, Difference, plan_behind
from campaign.values import replace

_NO_ROWS = pd.Index([], dtype="int64")
_NO_OWN_ROWS: pd.Series[int] = pd.Series(0, index=_NO_ROWS)
_NO_NUMBERS = np.empty(0, np.int64)
_ASKED = tuple(REASONS[state] for state in ASKED)


class WhoLeaves(Struct, frozen=True, eq=False):
    """Of the rows of a plan that may get a text: which get one now, and which are asked about first.

    Some get `nothing_more`, because of what the campaign has sent before; of those `in_doubt` it is not known
    whether they were sent it. `left_out` counts by status rows
    that get none after all, because of other rows of their campaign or of what their phone got, and
    `left_out_why` has the reason of each. `parts` are the SMS that leave. Asked about are people who got
    another text, those who wanted none before, and those who have theirs already.
    Rows that have a mistake, and get nothing more either: `corrected` ones were sent as corrected in a
    follow-up file, `reached` ones have a number that was reached, and `put_right` ones, of a follow-up file,
    were corrected in the own spreadsheet since, and reached. `sent_beside` are rows that the plan
    leaves out because another row has their number, though the campaign has sent the texts of both, or may
    have. `reached_with_text` are rows whose people have the text that they would get, or keep another one,
    and `reached_with_another` those who have another one, whatever they get now. `unwanted_rows` are those
    that are asked about because their people wanted no texts before. `beside` are rows of the campaign that
    get a text though a file of rows to correct does not have them, and `put_right_since` are rows of such a
    file that get one, or may, as their own spreadsheet has them now.
    Some rows are `held` while nothing can be sent. `own_rows` has for rows of such a file those in the own
    spreadsheet, as far as they are known.
    """

    rows: pd.Index[Any]
    parts: int
    asked_rows: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    nothing_more: int = 0
    in_doubt: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    left_out_why: pd.Series[str] = field(default_factory=lambda: pd.Series([], index=_NO_ROWS, dtype="str"))
    corrected: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    reached: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    reached_with_text: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    reached_with_another: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    sent_beside: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    put_right: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    unwanted_rows: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    rows_elsewhere: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    beside: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    put_right_since: pd.Index[Any] = field(default_factory=lambda: pd.Index([], dtype="int64"))
    held: int = 0
    own_rows: pd.Series[int] = field(default_factory=lambda: _NO_OWN_ROWS)

    @property
    def done(self) -> pd.Index[Any]:
        """The rows that the plan leaves out and that need nothing more."""
        return self.corrected.union(self.reached).union(self.put_right).union(self.sent_beside)

    @property
    def explained(self) -> pd.Index[Any]:
        """The rows that the plan leaves out for a reason that does not hold in their campaign."""
        return self.done.union(self.put_right_since)

    @property
    def now(self) -> int:
        return len(self.rows)

    @property
    def asked(self) -> int:
        return len(self.asked_rows)

    @classmethod
    def undecided(cls, plan: Plan) -> WhoLeaves:
        """Everybody is asked about, because it is not known which campaign the plan belongs to."""
        return cls(pd.Index([], dtype="int64"), 0, asked_rows=pd.Index(plan.messages["row"].unique()))

    @classmethod
    def refused(cls, plan: Plan) -> WhoLeaves:
        """Nobody gets a text, because nothing can be sent."""
        return cls(_NO_ROWS, 0, held=plan.messages["row"].nunique())

    @classmethod
    def of(
        cls,
        plan: Plan,
        difference: Difference | None,
        *,
        changed: Changed,
        unwanted: Callable[[pd.DataFrame], Ints] = lambda messages: _NO_NUMBERS,
        elsewhere: Ints = _NO_NUMBERS,
    ) -> WhoLeaves:
        """Count the rows of the plan's own spreadsheet.

        `changed` is the answer about another text; `unwanted` gives the numbers among those of some messages
        whose people wanted none before, and are asked about; so are those with a number in `elsewhere`.
        """
        everybody = pd.Index(plan.messages["row"].unique())
        if difference is None or difference.is_first:
            leaves = cls(everybody, plan.totals.parts, own_rows=_rows_as_written(plan, difference))
            return leaves._asking(plan.messages["row"], plan.messages, unwanted, elsewhere)
        messages, compared = difference.messages, plan_behind(difference).answered(changed)
        rows = _rows_of_spreadsheet(messages["row"], compared)
        outgoing = difference.outgoing(changed=changed == "send")
        now = pd.Index(rows.iloc[outgoing].dropna().unique()).astype("int64")
        asked = {*rows[messages["reason"].isin(_ASKED)].dropna()} - {*now} if changed == "ask" else set()
        left_out, why = compared.left_out, _why_left_out(compared)
        if changed == "skip":
            sharing = _reasons_of_sharing(rows[messages["reason"] == REASONS[SHARED]])
            left_out = {**left_out, "sharing": left_out.get("sharing", 0) + len(sharing)}
            why = pd.concat([why, sharing])
        asked_rows = pd.Index(sorted(asked), dtype="int64")
        others = len(everybody.difference(now).difference(asked_rows)) - sum(left_out.values())
        parts = int(messages["parts"].iloc[outgoing].sum())
        corrected = _own_rows(compared.corrected_rows, compared, plan)
        put_right = compared.reached_meanwhile.intersection(_left_out(plan))
        mistaken = _own_rows(compared.reached_with_mistake, compared, plan).difference(put_right)
        has_text = [REASONS[ACCEPTED], *([REASONS[CHANGED]] if changed == "skip" else [])]
        reached = pd.Index(rows[messages["reason"].isin(has_text)].dropna().unique()).astype("int64")
        has_another = rows[messages["reason"] == REASONS[CHANGED]].dropna().unique()
        sent_beside = _sent_beside(everybody, rows, messages["number"])
        nothing_more = max(others, 0)
        done = {
            "corrected": corrected, "reached": mistaken, "reached_with_text": reached,
            "sent_beside": sent_beside, "put_right": put_right,
        }  # fmt: skip
        leaves = cls(
            now, parts, asked_rows, nothing_more, left_out=left_out, left_out_why=why, **done,
            in_doubt=min(rows[messages["reason"] == REASONS[UNKNOWN]].dropna().nunique(), nothing_more),
            reached_with_another=pd.Index(has_another).astype("int64"),
            beside=pd.Index(compared.beside_file),
            put_right_since=now.union(asked_rows).intersection(_left_out(plan)),
            own_rows=_NO_OWN_ROWS if compared.file is None else compared.file.own_rows,
        )  # fmt: skip
        return leaves._asking(rows.iloc[outgoing], messages.iloc[outgoing], unwanted, elsewhere)

    def _asking(
        self,
        rows: pd.Series[Any],
        messages: pd.DataFrame,
        unwanted: Callable[[pd.DataFrame], Ints],
        elsewhere: Ints,
    ) -> WhoLeaves:
        """The same, with people asked about who would get one of these messages; `rows` are theirs."""
        of_unwanted = unwanted(messages)
        if not len(of_unwanted) + len(elsewhere):
            return self
        numbers = messages["number"].to_numpy(dtype=np.int64)
        is_unwanted = np.isin(numbers, of_unwanted)
        is_asked = is_unwanted | np.isin(numbers, elsewhere)
        asked_rows = pd.Index(rows[is_asked].dropna().unique()).astype("int64")
        unwanted_rows = pd.Index(rows[is_unwanted].dropna().unique()).astype("int64")
        return replace(
            self,
            rows=self.rows.difference(asked_rows),
            parts=self.parts - int(messages["parts"][is_asked].sum()),
            asked_rows=self.asked_rows.union(asked_rows),
            unwanted_rows=unwanted_rows,
            rows_elsewhere=asked_rows.difference(unwanted_rows),
        )


def _rows_as_written(plan: Plan, difference: Difference | None) -> pd.Series[int]:
    """The rows of a file of rows to correct in the spreadsheet that it was written from; none where nothing
    can be compared, for that spreadsheet may be another one by now."""
    return _NO_OWN_ROWS if difference is None else origins_of(plan).dropna().astype("int64")


def _left_out(plan: Plan) -> pd.Index[Any]:
    """The rows of a spreadsheet that have a mistake, or share a phone."""
    contacts = plan.contacts
    return contacts.index[(contacts["status"] == "invalid") | (contacts["why"] == "shared_phone")]


def _sent_beside(kept: pd.Index[Any], rows: pd.Series[int], numbers: pd.Series[str]) -> pd.Index[Any]:
    """Of the rows that a campaign has messages for those whose number a kept row of the plan has as well."""
    is_kept = rows.isin(kept)
    others = numbers[~is_kept]  # few, most often: the longer column is looked up in the shorter one
    of_kept = numbers[is_kept & numbers.isin(others)] if len(others) else others
    beside = rows[~is_kept][others.isin(of_kept)].dropna()
    sent: pd.Index[Any] = pd.Index(beside.unique()).astype("int64")
    return sent


def _own_rows(rows: Ints, compared: ComparedPlan, plan: Plan) -> pd.Index[Any]:
    """Those of some rows of a campaign that are in the plan's own spreadsheet."""
    own = _rows_of_spreadsheet(pd.Series(rows, dtype="int64"), compared).dropna().astype("int64")
    return pd.Index(own).intersection(plan.contacts.index)


def _why_left_out(compared: ComparedPlan) -> pd.Series[str]:
    """Why rows of the plan's own spreadsheet get nothing, because of other rows of their campaign."""
    rows = pd.Series(compared.rows_left_out, dtype="int64")
    if rows.empty:
        return pd.Series([], index=_NO_ROWS, dtype="str")
    reasons = compared.plan.contacts["reason"].reindex(rows)
    own = reasons.set_axis(_rows_of_spreadsheet(rows, compared).to_numpy())
    return own[own.index.notna()]


def _reasons_of_sharing(rows: pd.Series[Any]) -> pd.Series[str]:
    """Why these rows get nothing, whose phones were reached with the text of another row."""
    own = rows.dropna().astype("int64").unique()
    return pd.Series(PHONE_WAS_REACHED, index=pd.Index(own, dtype="int64"), dtype="str")


def _rows_of_spreadsheet(rows: pd.Series[int], compared: ComparedPlan) -> pd.Series[Any]:
    """Rows of the campaign's table as they are numbered in the spreadsheet on the desk; missing where that is
    a file of rows to correct, which does not have them."""
    return rows if compared.file is None else compared.file.in_file(rows)
