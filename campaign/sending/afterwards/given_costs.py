"""What a person said that a batch cost: once, or corrected later."""

from __future__ import annotations

import re
from decimal import Decimal

from msgspec import Struct

from campaign.contract import GIVEN_BY_HAND
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import journal_frame
from campaign.text import money

_GIVEN = re.compile(rf"(?:(?:accepted|again), )?cost ([0-9.,]+) {GIVEN_BY_HAND}")


def cost_by_hand(cost: Decimal, instead_of: str = "") -> str:
    """How the journal and reports say that a person gave a cost, and the one that it replaces."""
    return f"cost {money(cost)} {GIVEN_BY_HAND}{f' instead of {instead_of}' if instead_of else ''}"


class GivenCosts(Struct, frozen=True):
    """The costs that people gave a batch by hand, in words and in their order; the last one counts.

    There are none where the service or the provider's list named the cost, and none after erasing.
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
