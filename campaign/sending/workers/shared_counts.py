"""Where a campaign stands while other programs send it, read from their ledger now and then."""

from __future__ import annotations

import time
from contextlib import suppress

from campaign.errors import CampaignError
from campaign.sending.engine.tally import Snapshot
from campaign.sending.rounds.standing import tally_of
from campaign.sending.store.folder import Folder

_EVERY = 2.0  # seconds between two looks, so that the database has little to do
_SHARE = 20  # a look that takes long is followed by so many times as long without one


class SharedCounts:
    """The counts of a campaign, as old as it costs little to know."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._began = folder, time.monotonic()
        self._counts = self._look()
        self._next = self._began + _EVERY

    def __call__(self) -> Snapshot:
        """The last counts, looked up anew where it is time; those of before if that is not possible."""
        now = time.monotonic()
        if now >= self._next:
            with suppress(CampaignError):  # whoever sends will say what is wrong
                self._counts = self._look()
            ended = time.monotonic()
            self._next = ended + max(_EVERY, _SHARE * (ended - now))
        return self._counts

    def expire(self) -> None:
        """Have them looked up anew the next time."""
        self._next = 0.0

    def _look(self) -> Snapshot:
        contents = self._folder.snapshot()
        tally = tally_of(self._folder.rounds(contents), contents.before_answers())
        return tally.snapshot("running", time.monotonic() - self._began, "", None)
