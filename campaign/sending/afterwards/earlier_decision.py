"""What a person has decided already of batches that were unknown."""

from __future__ import annotations

from datetime import datetime

import pandas as pd
from msgspec import Struct

from campaign.local_times import LocalTimes
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import FOUND, LATE_ANSWER, journal_frame
from campaign.text import agreeing, capitalised

_IN_WORDS = {
    "accepted": "settled as accepted",
    "refused": "settled as refused",
    "again": "ordered to be sent again",
}


class EarlierDecision(Struct, frozen=True):
    """How batches were settled, when and by whom last; "" for the user if the campaign was erased.

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
        by = f", by {self.user}" if self.user else ""
        count, named = len(self.batches), capitalised(batches_in_words(self.batches, shown=None))
        were, at = agreeing(count, "was", "were"), LocalTimes().moment(self.at)
        decided = f"{named} {were} {_IN_WORDS[self.outcome]} already, on {at}{by}."
        counts = agreeing(count, "it, so it counts", "them, so they count")
        since = f" Since then, the provider's list was found to have {counts} as accepted."
        return decided + (since if self.is_found else "")
