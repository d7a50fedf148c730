"""What a person has decided already of batches that were unknown, and said that they cost."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

import pandas as pd
from msgspec import Struct

from campaign.contract import GIVEN_BY_HAND
from campaign.local_times import LocalTimes
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import FOUND, LATE_ANSWER, journal_frame
from campaign.text import agreeing, capitalised, money

_GIVEN = re.compile(rf"[^:]*: (?:(?:accepted|again), )?cost ([0-9.,]+) {GIVEN_BY_HAND}")
_IN_WORDS = {
    "accepted": "settled as accepted",
    "refused": "settled as refused",
    "again": "ordered to be sent again",
}


class EarlierDecision(Struct, frozen=True):
    """How batches were settled, when and by whom last.

    `is_found` says that all of them counted as accepted later.
    """

    batches: tuple[int, ...]
    outcome: str
    at: datetime
    user: str
    is_found: bool

    @classmethod
    def of(cls, ledger: Readable, batches: tuple[int, ...], outcome: str = "") -> EarlierDecision | None:
        """The decision that the journal has of all these batches; None if there is none.

        It is the one with this outcome, or the first one.
        """
        moves = journal_frame(ledger)
        is_found = moves["now"] == FOUND
        is_decision = is_found | (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER)
        moves = moves.assign(now=moves["now"].mask(is_found, "accepted"), is_found=is_found)
        moves = moves[is_decision & moves["batch"].isin(batches)]
        made = moves[moves["now"] == (outcome or next(iter(moves["now"]), ""))]
        if made["batch"].nunique() < len(batches):
            return None
        last = made.iloc[-1]
        at = pd.to_datetime(last["at"], utc=True).to_pydatetime()
        found = moves.loc[moves["is_found"], "batch"]
        return cls(batches, last["now"], at, last["note"].partition(": ")[0], set(batches) <= set(found))

    @property
    def sentence(self) -> str:
        count, named = len(self.batches), capitalised(batches_in_words(self.batches, shown=None))
        were, at = agreeing(count, "was", "were"), LocalTimes().moment(self.at)
        decided = f"{named} {were} {_IN_WORDS[self.outcome]} already, on {at}, by {self.user}."
        if not self.is_found or self.outcome == "accepted":
            return decided
        return f"{decided} Since then, {agreeing(count, 'it was', 'they were')} found to be accepted."


def cost_by_hand(cost: Decimal, instead_of: Decimal | None = None) -> str:
    """How the journal and reports say that a person gave a cost, and the one that it replaces."""
    instead = "" if instead_of is None else f" instead of {money(instead_of)}"
    return f"cost {money(cost)} {GIVEN_BY_HAND}{instead}"


def costs_given(ledger: Readable, batch: int) -> list[str]:
    """The costs that people gave a batch by hand, in words and in their order; the last one counts."""
    moves = journal_frame(ledger)
    said = [_GIVEN.match(note) for note in moves.loc[moves["batch"] == batch, "note"]]
    return [one[1] for one in said if one]
