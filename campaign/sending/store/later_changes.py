"""What has happened in a campaign since a result was read, so that nobody takes what is past for what is."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
from msgspec import Struct

from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.sending.ledger.ledger_place import LedgerPlace
from campaign.sending.ledger.views import accepted_messages, moves_of
from campaign.text import agreeing, counted


class LaterChanges(Struct, frozen=True):
    """Called, it says what has changed in a ledger since it had so many `moves`; "" for nothing.

    Two queries that take no time. A ledger that cannot be read any more, or is in a database on the network,
    is not asked.
    """

    place: LedgerPlace
    moves: int
    accepted: int
    read_at: datetime

    @classmethod
    def of(cls, place: LedgerPlace, moves: int, outcomes: pd.DataFrame) -> LaterChanges:
        """The changes after these outcomes, which were read now."""
        accepted = int(outcomes.loc[outcomes["status"] == "accepted", "messages"].sum())
        return cls(place, moves, accepted, datetime.now(UTC))

    def __call__(self) -> str:
        try:
            if not self.place.file_names or moves_of(self.place) == self.moves:
                return ""
            more = accepted_messages(self.place) - self.accepted
        except (CampaignError, OSError):
            return ""
        what = (
            f"{counted(more, 'more message')} {agreeing(more, 'was', 'were')} accepted"
            if more > 0
            else "the campaign has changed"
        )
        return f"This is of {LocalTimes().moment(self.read_at)}; since then {what}."
