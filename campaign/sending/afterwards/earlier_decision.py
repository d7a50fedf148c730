"""What a person has decided already of a batch that was unknown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import LATE_ANSWER, journal_frame

_IN_WORDS = {
    "accepted": "settled as accepted",
    "refused": "settled as refused",
    "again": "ordered to be sent again",
}


@dataclass(frozen=True)
class EarlierDecision:
    """How a batch was settled, when and by whom; "" for the user if the campaign was erased."""

    batch: int
    outcome: str
    at: datetime
    user: str

    @classmethod
    def of(cls, ledger: Readable, batch: int) -> EarlierDecision | None:
        """The decision that the journal has of a batch; None if nobody made one."""
        moves = journal_frame(ledger)
        moves = moves[
            (moves["batch"] == batch) & (moves["was"] == "unknown") & (moves["note"] != LATE_ANSWER)
        ]
        if moves.empty:
            return None
        last = moves.iloc[-1]
        at = pd.to_datetime(last["at"], utc=True).to_pydatetime()
        return cls(batch, str(last["now"]), at, str(last["note"]).partition(": ")[0])

    @property
    def sentence(self) -> str:
        by = f", by {self.user}" if self.user else ""
        when = LocalTimes().moment(self.at)
        return f"Batch {self.batch} was {_IN_WORDS[self.outcome]} already, on {when}{by}."
