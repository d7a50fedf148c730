"""What becomes of each row of a spreadsheet, once it is known what its campaign has sent before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Bools, Ints
from campaign.contract import Changed
from campaign.messages.plan import Plan
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import ACCEPTED, ASKED, RECORDED, UNKNOWN
from campaign.sending.rounds.continuation_plan import origins_of
from campaign.sending.rounds.difference import Difference, plan_behind
from campaign.sending.rounds.rows_of_file import RowsOfFile
from campaign.values import replace

# The kinds of rows. All others get no text: they have the status that the plan gave them, or one of these.
GETS, ASKED_ABOUT, HELD, SENT, IN_DOUBT = "not_sent", "asked", "held", "nothing_more", "in_doubt"
SHARING, REACHED_BEFORE, REMOVED = "sharing", "reached_before", "removed"
_GOING = (GETS, ASKED_ABOUT, HELD, SENT, IN_DOUBT)
_BY_REASON = {"shared_phone": SHARING, "other_campaign": REACHED_BEFORE}
_NO_ROWS = pd.Index([], dtype="int64")
_NO_NUMBERS = np.empty(0, np.int64)


class WhoLeaves(Struct, frozen=True, eq=False):
    """The kind of each row of a spreadsheet, by row, and how many SMS leave now.

    `plan` has these rows, as they are in the campaign; those of a file of rows to correct are as the file has
    them. Of those that are asked about, `unwanted_rows` are of people who wanted no texts before, and the
    people of `rows_elsewhere` have theirs already. `compared` is the plan beside what was sent, if that is
    known.
    """

    plan: Plan
    kinds: pd.Series[str]
    parts: int = 0
    unwanted_rows: pd.Index[Any] = field(default_factory=lambda: _NO_ROWS)
    rows_elsewhere: pd.Index[Any] = field(default_factory=lambda: _NO_ROWS)
    compared: ComparedPlan | None = None

    def rows_of(self, *kinds: str) -> pd.Index[Any]:
        """The rows of some kinds."""
        return self.kinds.index[self.kinds.isin(kinds)]

    def count(self, *kinds: str) -> int:
        return int(self.kinds.isin(kinds).sum())

    @property
    def rows(self) -> pd.Index[Any]:
        """The rows that get a text now."""
        return self.rows_of(GETS)

    @property
    def asked_rows(self) -> pd.Index[Any]:
        return self.rows_of(ASKED_ABOUT)

    @property
    def left_out(self) -> pd.Index[Any]:
        """The rows that get no text, whatever was sent before."""
        return self.kinds.index[~self.kinds.isin(_GOING)]

    @property
    def beside(self) -> Ints:
        """The rows of the campaign that get a text though a file of rows to correct does not have them."""
        return _NO_NUMBERS if self.compared is None else self.compared.beside_file

    @property
    def own_rows(self) -> pd.Series[int]:
        """For rows of such a file those in the own spreadsheet, as far as they are known; that may be another
        one by now where nothing can be compared."""
        compared = self.compared
        if compared is not None and compared.file is not None:
            file = compared.file
            return file.places[~file.places.isin(file.added)]
        origins: pd.Series[int] = origins_of(self.plan).dropna().astype("int64")
        return origins.head(0) if compared is None else origins

    @property
    def reasons(self) -> pd.Series[str]:
        """Why each of the rows that are left out gets no text."""
        reasons = self.plan.contacts["reason"].reindex(self.left_out)
        if self.compared is not None and self.compared.file is not None:  # because of others of the campaign
            in_campaign = _in_file(self.compared.plan.contacts["reason"], self.compared.file)
            reasons = reasons.where(reasons != "", in_campaign.reindex(reasons.index))
        return reasons

    @classmethod
    def undecided(cls, plan: Plan) -> WhoLeaves:
        """Everybody is asked about, because it is not known which campaign the plan belongs to."""
        return cls(plan, _kinds_in(plan).replace(GETS, ASKED_ABOUT))

    @classmethod
    def refused(cls, plan: Plan) -> WhoLeaves:
        """Nobody gets a text, because nothing can be sent."""
        return cls(plan, _kinds_in(plan).replace(GETS, HELD))

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
        """Look at the rows of the plan's own spreadsheet.

        `changed` is the answer about another text; `unwanted` gives the numbers among those of some messages
        whose people wanted none before, and are asked about; so are those with a number in `elsewhere`.
        """
        if difference is None:
            leaves, outgoing = cls(plan, _kinds_in(plan)), plan.messages
        else:
            compared = plan_behind(difference)
            leaves = cls(compared.plan, _kinds_compared(compared, changed), compared=compared)
            outgoing = compared.plan.messages.iloc[difference.outgoing(changed=changed == "send")]
        return leaves._asking(outgoing, unwanted(outgoing), elsewhere)._in_spreadsheet_of(plan)

    def _asking(self, outgoing: pd.DataFrame, unwanted: Ints, elsewhere: Ints) -> WhoLeaves:
        """The same, with the people of some of these messages asked about."""
        numbers, rows = outgoing["number"].to_numpy(dtype=np.int64), outgoing["row"]
        is_unwanted = np.isin(numbers, unwanted)
        is_elsewhere: Bools = np.isin(numbers, elsewhere) & ~is_unwanted
        is_asked = is_unwanted | is_elsewhere
        return replace(
            self,
            kinds=self.kinds.mask(self.kinds.index.isin(rows[is_asked]), ASKED_ABOUT),
            parts=int(outgoing["parts"][~is_asked].sum()),
            unwanted_rows=pd.Index(rows[is_unwanted].unique()),
            rows_elsewhere=pd.Index(rows[is_elsewhere].unique()),
        )

    def _in_spreadsheet_of(self, plan: Plan) -> WhoLeaves:
        """The same of the rows of a file of rows to correct, where the plan is of one."""
        file = None if self.compared is None else self.compared.file
        if file is None:
            return self
        kinds = _in_file(self.kinds, file).reindex(plan.contacts.index)
        in_file = {
            name: pd.Index(file.in_file(getattr(self, name).to_series()).dropna().astype("int64"))
            for name in ("unwanted_rows", "rows_elsewhere")
        }
        in_plan = _kinds_in(plan).replace(GETS, REMOVED)
        return replace(self, plan=plan, kinds=kinds.where(kinds.notna(), in_plan), **in_file)


def _kinds_in(plan: Plan) -> pd.Series[str]:
    """The kinds of the rows of a plan as if nothing was sent before."""
    contacts = plan.contacts
    reasons = contacts["why"].map(_BY_REASON).where(contacts["status"] == "duplicate")
    return contacts["status"].where(reasons.isna(), reasons).astype("str")


def _kinds_compared(compared: ComparedPlan, changed: Changed) -> pd.Series[str]:
    """The kinds of the rows of a campaign, with this answer about another text."""
    asked = {"ask": ASKED_ABOUT, "skip": SENT, "send": GETS}[changed]
    words = dict.fromkeys(ASKED, asked) | {ACCEPTED: SENT, UNKNOWN: IN_DOUBT}
    by_state = np.array([words.get(state, GETS) for state in range(len(RECORDED))])
    theirs = pd.Series(by_state[compared.recorded], compared.labels_of_rows)
    kinds = _kinds_in(compared.plan)
    kinds.loc[theirs.index] = theirs
    return kinds


def _in_file(by_row: pd.Series[str], file: RowsOfFile) -> pd.Series[str]:
    """Values of the rows of a campaign, for the rows of a file that are among them."""
    return by_row.reindex(file.places).set_axis(file.places.index)
