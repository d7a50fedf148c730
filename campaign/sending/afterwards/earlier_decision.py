"""What a person has decided already of batches that were unknown, and said that they cost."""

from __future__ import annotations

import re
from decimal import Decimal

import pandas as pd

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


def earlier_decision(ledger: Readable, batches: tuple[int, ...], outcome: str = "") -> str:
    """How, when and by whom all these batches were settled, in a sentence; "" if they were not.

    It is about the decision with this outcome, or about the first one.
    """
    moves = journal_frame(ledger)
    is_found = moves["now"] == FOUND
    is_decision = is_found | (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER)
    moves = moves.assign(now=moves["now"].mask(is_found, "accepted"), is_found=is_found)
    moves = moves[is_decision & moves["batch"].isin(batches)]
    outcome = outcome or next(iter(moves["now"]), "")
    made = moves[moves["now"] == outcome]
    if made["batch"].nunique() < len(batches) or made.empty:
        return ""
    were, at = agreeing(len(batches), "was", "were"), pd.to_datetime(made["at"].iloc[-1], utc=True)
    user, named = made["note"].iloc[-1].partition(": ")[0], capitalised(batches_in_words(batches, shown=None))
    decided = f"{named} {were} {_IN_WORDS[outcome]} already, on {LocalTimes().moment(at)}, by {user}."
    if outcome == "accepted" or not set(batches) <= {*moves.loc[moves["is_found"], "batch"]}:
        return decided
    return f"{decided} Since then, {agreeing(len(batches), 'it was', 'they were')} found to be accepted."


def cost_by_hand(cost: Decimal, instead_of: Decimal | None = None) -> str:
    """How the journal and reports say that a person gave a cost, and the one that it replaces."""
    instead = "" if instead_of is None else f" instead of {money(instead_of)}"
    return f"cost {money(cost)} {GIVEN_BY_HAND}{instead}"


def costs_given(ledger: Readable, batch: int) -> list[str]:
    """The costs that people gave a batch by hand, in words and in their order; the last one counts."""
    moves = journal_frame(ledger)
    said = [_GIVEN.match(note) for note in moves.loc[moves["batch"] == batch, "note"]]
    return [one[1] for one in said if one]
