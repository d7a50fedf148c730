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

_GIVEN = re.compile(rf"(?:(?:accepted|again), )?cost ([0-9.,]+) {GIVEN_BY_HAND}")

_IN_WORDS = {
    "accepted": "settled as accepted",
    "refused": "settled as refused",
    "again": "ordered to be sent again",
}


class EarlierDecision(Struct, frozen=True):
    """How batches were settled, when and by whom last.

    `is_found` says that the provider's list has all of them after all, so that they count as accepted.
    """

    batches: tuple[int, ...]
    outcome: str
    at: datetime
    user: str
    is_found: bool

    @classmethod
    def of(cls, ledger: Readable, batches: tuple[int, ...]) -> EarlierDecision | None:
        """The decision that the journal has of these batches; None if nobody made the same of all of them."""
        moves = journal_frame(ledger)
        found = moves.loc[moves["now"] == FOUND, "batch"]
        is_decision = (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER)
        moves = moves[is_decision & moves["batch"].isin(batches)]
        if moves["batch"].nunique() < len(batches) or moves["now"].nunique() > 1:
            return None
        last = moves.iloc[-1]
        at = pd.to_datetime(last["at"], utc=True).to_pydatetime()
        user = str(last["note"]).partition(": ")[0]
        return cls(batches, str(last["now"]), at, user, set(batches) <= set(found))

    @property
    def sentence(self) -> str:
        count, named = len(self.batches), capitalised(batches_in_words(self.batches, shown=None))
        were, at = agreeing(count, "was", "were"), LocalTimes().moment(self.at)
        decided = f"{named} {were} {_IN_WORDS[self.outcome]} already, on {at}, by {self.user}."
        counts = agreeing(count, "it, so it counts", "them, so they count")
        since = f" Since then, the provider's list was found to have {counts} as accepted."
        return decided + (since if self.is_found else "")


def cost_by_hand(cost: Decimal, instead_of: str = "") -> str:
    """How the journal and reports say that a person gave a cost, and the one that it replaces."""
    return f"cost {money(cost)} {GIVEN_BY_HAND}{f' instead of {instead_of}' if instead_of else ''}"


class GivenCosts(Struct, frozen=True):
    """The costs that people gave a batch by hand, in words and in their order; the last one counts.

    There are none where the service or the provider's list named the cost.
    """

    batch: int
    costs: tuple[str, ...]

    @classmethod
    def of(cls, ledger: Readable, batch: int) -> GivenCosts:
        """Those that the journal has."""
        moves = journal_frame(ledger)
        notes = moves.loc[(moves["batch"] == batch), "note"]
        said = [_GIVEN.match(note.partition(": ")[2]) for note in notes]
        return cls(batch, tuple(one[1] for one in said if one))

    def phrase(self, cost: Decimal) -> str:
        """What a person types to give this cost now.

        A correction names what it replaces, and the second one its number: so no phrase of an earlier one
        gives the batch its old cost back when a notebook is run again.
        """
        return self._phrases((*self.costs, money(cost)))[-1]

    def phrases_of(self, cost: Decimal) -> list[str]:
        """What people have typed to give this cost."""
        costs = zip(self.costs, self._phrases(self.costs), strict=True)
        return [phrase for given, phrase in costs if given == money(cost)]

    def _phrases(self, costs: tuple[str, ...]) -> list[str]:
        named = batches_in_words((self.batch,))
        phrases = [f"{named} cost {cost}" for cost in costs]
        for place in range(1, len(costs)):
            phrases[place] += f", not {costs[place - 1]}"
            phrases[place] += f", correction {place}" if place > 1 else ""
        return phrases
