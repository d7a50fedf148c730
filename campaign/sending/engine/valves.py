"""When to hold a run: small values with one method, `look`, that know neither network nor ledger.

A valve looks at the tally, the size of the next batch and the time, and returns the reason to hold the run,
or None. `budget` and `hours` have two more.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from campaign.sending.engine.hold import Hold
from campaign.sending.engine.tally import Size, Tally
from campaign.words.finding import Finding


class Valve(Protocol):
    """Anything that can hold a run."""

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        """The reason why the run must not go on at `now`, if there is one.

        `batch` is the next one to be issued; None asks about batches that have been issued already.
        """
        ...


class Funds(Struct, frozen=True):
    """Ends the run when the account is empty."""

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if "funds" not in tally.causes:
            return None
        return Hold(Finding("money_missing"), final=True)


class Credentials(Struct, frozen=True):
    """Ends the run when the service does not know the account or the password."""

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if "credentials" not in tally.causes:
            return None
        facts = {"reason": tally.last_refusal, "untouched": _untouched(tally)}
        return Hold(Finding("account_refused", facts), final=True, needs_change=True)


class Reach(Struct, frozen=True):
    """Pauses after 5 failed connections in a row; ends the run when trying again is useless."""

    tries: int = 5

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        useless = "setup" in tally.causes
        if not useless and tally.unreached_in_a_row < self.tries:
            return None
        facts = {"reason": tally.last_miss, "untouched": _untouched(tally)}
        return Hold(Finding("service_not_reached", facts), final=useless)


class Unknown(Struct, frozen=True):
    """Pauses when `limit` batches are unknown, and at once when the service turns requests away.

    That is HTTP status 429 (too many requests) or a redirect.
    """

    limit: int = 1

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if tally.unknown_batches < self.limit and "throttled" not in tally.causes:
            return None
        return _answer_lost(tally)


class Breaker(Struct, frozen=True):
    """Pauses when 3 of the last 50 batches (more than 5%) were refused: the next would be refused, too."""

    limit: int = 3

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        refused = sum(tally.refusals)
        if refused < self.limit:
            return None
        facts = {"refused": refused, "batches": len(tally.refusals), "reason": tally.last_refusal}
        return Hold(Finding("batches_refused", facts))


class Canary(Struct, frozen=True):
    """Pauses unless the first message is accepted at a cost that can be read.

    After a resume the next batch goes out alone, and so on until the service accepts one.
    """

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if not tally.accepted_batches and tally.unknown_batches:
            return _answer_lost(tally)
        if not tally.accepted_batches and tally.came_back:
            facts = {"refused": sum(tally.refusals), "reason": tally.last_refusal}
            return Hold(Finding("batches_refused", facts))
        if tally.accepted_batches != 1 or not tally.unpriced_batches:
            return None
        return Hold(Finding("cost_unreadable"))


class Pilot(Struct, frozen=True):
    """Ends the run after the pilot, the first stretch of a round: `last_batch` is its last one."""

    last_batch: int

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if batch is None or batch.number <= self.last_batch:
            return None
        return Hold(Finding("pilot_over"), final=True, patient=True)


def _answer_lost(tally: Tally) -> Hold:
    return Hold(Finding("answer_lost", {"messages": tally.unknown, "reason": tally.last_unknown}))


def _untouched(tally: Tally) -> int:
    """How many messages another account may send if nobody has got one; 0 where it could send twice."""
    return 0 if tally.committed else tally.messages
