"""What a person has decided already of batches that were unknown."""

from __future__ import annotations

from datetime import datetime

import pandas as pd
from msgspec import Struct

from campaign.local_times import LocalTimes
from campaign.results.calls_to_settle import batches_in_words
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import LATE_ANSWER, journal_frame
from campaign.text import agreeing, capitalised

_IN_WORDS = {
    "accepted": "settled as accepted",
    "refused": "settled as refused",
    "again": "ordered to be sent again",
}


class EarlierDecision(Struct, frozen=True):
    """How batches were settled, when and by whom last; "" for the user if the campaign was erased."""

    batches: tuple[int, ...]
    outcome: str
    at: datetime
    user: str

    @classmethod
    def of(cls, ledger: Readable, batches: tuple[int, ...]) -> EarlierDecision | None:
        """The decision that the journal has of these batches; None if nobody made the same of all of them."""
        moves = journal_frame(ledger)
        is_decision = (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER)
        moves = moves[is_decision & moves["batch"].isin(batches)]
        if moves["batch"].nunique() < len(batches) or moves["now"].nunique() > 1:
            return None
        last = moves.iloc[-1]
        at = pd.to_datetime(last["at"], utc=True).to_pydatetime()
        return cls(batches, str(last["now"]), at, str(last["note"]).partition(": ")[0])

    @property
    def sentence(self) -> str:
        by = f", by {self.user}" if self.user else ""
        named = capitalised(batches_in_words(self.batches, shown=None))
        were = agreeing(len(self.batches), "was", "were")
        return f"{named} {were} {_IN_WORDS[self.outcome]} already, on {LocalTimes().moment(self.at)}{by}."
