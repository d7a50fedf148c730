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
from campaign.text import counted


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
        return Hold(
            "The account does not have enough money for the next batch. Top it up, then resume to send what "
            "was refused or has not been tried yet.",
            final=True,
        )


class Credentials(Struct, frozen=True):
    """Ends the run when the service does not know the account or the password."""

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if "credentials" not in tally.causes:
            return None
        return Hold(
            f"The service refused the account ({tally.last_refusal}). Check the username, the password and "
            "the environment. With the right password, resume to send what was refused or has not been tried "
            "yet."
            f"{_elsewhere('account', tally)}",
            final=True,
            needs_change=True,
        )


class Reach(Struct, frozen=True):
    """Pauses after 5 failed connections in a row; ends the run when trying again is useless."""

    tries: int = 5

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        useless = "setup" in tally.causes
        if not useless and tally.unreached_in_a_row < self.tries:
            return None
        return Hold(
            f"Nothing can be sent: {tally.last_miss}. Check the address and the connection, then resume."
            f"{_elsewhere('address', tally)}",
            final=useless,
        )


class Unknown(Struct, frozen=True):
    """Pauses when `limit` batches are unknown, and at once when the service turns requests away.

    That is HTTP status 429 (too many requests) or a redirect.
    """

    limit: int = 1

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if tally.unknown_batches < self.limit and "throttled" not in tally.causes:
            return None
        return Hold(
            f"It is not known whether {counted(tally.unknown, 'message was', 'messages were')} sent: "
            f"{tally.last_unknown}. Nothing is sent again without your decision. Ask the service what it "
            "received, then resume to send the rest."
        )


class Breaker(Struct, frozen=True):
    """Pauses when 3 of the last 50 batches (more than 5%) were refused: the next would be refused, too."""

    limit: int = 3

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if sum(tally.refusals) < self.limit:
            return None
        return Hold(
            f"{sum(tally.refusals)} of the last {len(tally.refusals)} batches were refused "
            f"({tally.last_refusal}). Correct the cause, then resume to send the rest."
        )


class Canary(Struct, frozen=True):
    """Pauses unless the first message is accepted at a cost that can be read.

    After a resume the next batch goes out alone, and so on until the service accepts one.
    """

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if not tally.accepted_batches and tally.unknown_batches:
            return Hold(
                f"It is not known whether the first batch was sent: {tally.last_unknown}. "
                "Ask the service what it received, then resume to send the rest."
            )
        if not tally.accepted_batches and tally.came_back:
            return Hold(
                f"The first batch was refused ({tally.last_refusal}). Correct the cause, then resume to send "
                "the rest."
            )
        if tally.accepted_batches != 1 or not tally.unpriced_batches:
            return None
        return Hold(
            "The first batch was accepted, but its cost cannot be read. Check what it cost, then resume."
        )


class Pilot(Struct, frozen=True):
    """Ends the run after the pilot, the first stretch of a round: `last_batch` is its last one."""

    last_batch: int

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        if batch is None or batch.number <= self.last_batch:
            return None
        if tally.came_back:
            said = "The pilot is over. Look at its results; resume to send the rest."
        else:  # as at once, where the same call is run again
            others = counted(tally.waiting, "other message")
            said = f"Nothing was sent this time: the pilot is over. Resume to send the {others}."
        return Hold(said, final=True, patient=True)


def _elsewhere(what: str, tally: Tally) -> str:
    """The advice when a campaign was begun at the wrong `what`; another one could send to people twice."""
    if tally.committed:
        return ""
    return f" If the {what} itself is wrong, send the plan with the right one: nobody has got a message yet."
