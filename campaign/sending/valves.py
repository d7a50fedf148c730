"""When to hold a run: small values with one method, `look`, that know neither network nor ledger.

A valve looks at the tally, at the size of the next batch and at the time, and says why the run has to hold,
or nothing. A final hold ends the run; any other one pauses it until a person resumes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import Protocol
from zoneinfo import ZoneInfo

from campaign.errors import UsageError
from campaign.sending.tally import Tally


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a run holds, and what to do about it. `final` ends the run instead of pausing it."""

    reason: str
    final: bool = False
    by_hand: bool = False


class Valve(Protocol):
    """Anything that can hold a run."""

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        """Why the next batch of `messages` messages must not go out at `now`, if so."""
        ...


@dataclass(frozen=True, slots=True)
class Funds:
    """Ends the run when the account is empty."""

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if "funds" not in tally.causes:
            return None
        return Hold(
            "The account has not enough money for the next batch. Top it up, then resume.", final=True
        )


@dataclass(frozen=True, slots=True)
class Credentials:
    """Ends the run when the service does not know the account or the password."""

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if "credentials" not in tally.causes:
            return None
        return Hold(
            f"The service refused the account ({tally.last_refusal}). "
            "Check user name, password and environment, then resume.",
            final=True,
        )


@dataclass(frozen=True, slots=True)
class Reach:
    """Pauses when 5 tries in a row reach nobody; ends the run when trying again is useless."""

    tries: int = 5

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        useless = "setup" in tally.causes
        if not useless and tally.unreached_in_a_row < self.tries:
            return None
        reason = f"Nothing leaves: {tally.last_miss}. Check the address and the connection, then resume."
        return Hold(reason, final=useless)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Pauses when the fate of `limit` batches is unknown, and at once when the service turns us away.

    It does so with HTTP status 429, when it is too much for it, or by pointing to another address.
    """

    limit: int = 1

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if tally.unknown_batches < self.limit and "throttled" not in tally.causes:
            return None
        return Hold(
            f"It is not known whether {tally.unknown:,} messages were sent: {tally.last_unknown}. They are "
            "never sent again by themselves. Ask the service what it received, then resume for the rest."
        )


@dataclass(frozen=True, slots=True)
class Breaker:
    """Pauses when 3 of the last 50 batches were refused (more than 5%): what follows would be refused too."""

    limit: int = 3

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if sum(tally.refusals) < self.limit:
            return None
        return Hold(
            f"{sum(tally.refusals)} of the last {len(tally.refusals)} batches were refused "
            f"({tally.last_refusal}). Mend the cause, then resume to send the rest."
        )


@dataclass(frozen=True, slots=True)
class Canary:
    """Pauses when the fate of the first message is unknown, or its cost cannot be read."""

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if not tally.accepted_batches and tally.unknown_batches:
            return Hold(
                f"It is not known whether the first message was sent: {tally.last_unknown}. "
                "Ask the service what it received, then resume for the rest."
            )
        if tally.accepted_batches != 1 or not tally.unpriced_batches:
            return None
        return Hold(
            "The first message was accepted, but its cost cannot be read. Check what it cost, then resume."
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Pauses before a campaign costs more than `cost` units or reaches more than `messages` messages.

    What is under way, unknown or accepted without a cost that can be read counts at the highest price seen.
    Without any price, one batch at a time goes out until there is one; a batch whose cost cannot be read ends
    that, because it cannot be counted.
    """

    cost: Decimal | None = None
    messages: int | None = None

    @classmethod
    def of(cls, budget: Budget | Decimal | float | str | None) -> Budget:
        """A budget as the user gave it: a number is cost units."""
        if isinstance(budget, Budget):
            return budget
        if budget is None:
            return cls()
        try:
            cost = Decimal(str(budget))
        except ArithmeticError:
            raise UsageError(f"budget is {budget!r}; give it in cost units, for example 5000.") from None
        if not cost.is_finite() or cost < 0:
            raise UsageError(f"budget is {budget!r}; give it in cost units, for example 5000.")
        return cls(cost)

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        if self.messages is not None and tally.committed + messages > self.messages:
            return Hold(f"The next batch would pass the budget of {self.messages:,} messages.", final=True)
        if self.cost is None:
            return None
        if tally.unpriced_batches:
            return Hold(
                "A cost cannot be read, so the budget cannot be kept. Check what it cost, then resume."
            )
        if tally.accepted_here and tally.price is None:
            return Hold(
                "The service names no cost that can be read, so a budget in cost units cannot be kept. "
                "Resume with a budget of messages, for example Budget(messages=1000).",
                final=True,
            )
        if tally.cost_with(messages) > self.cost or (messages and tally.cost >= self.cost):
            return Hold(
                f"The next batch would pass the budget: {tally.cost:,} of {self.cost:,} are spent. "
                "Resume with a larger budget to send the rest.",
                final=True,
            )
        return None


@dataclass(frozen=True, slots=True)
class Hours:
    """Pauses outside the hours in which messages may be sent, for example "08:00-20:00 Africa/Kampala".

    The end is not included. A window may span midnight.
    """

    opens: time
    closes: time
    zone: ZoneInfo

    @classmethod
    def of(cls, hours: Hours | str) -> Hours:
        """Read hours as the user wrote them; raises `UsageError` with an example."""
        if isinstance(hours, Hours):
            return hours
        found = re.fullmatch(r"\s*(\d\d?:\d\d)\s*-\s*(\d\d?:\d\d)\s+(\S+)\s*", hours)
        try:
            if not found:
                raise ValueError
            opens, closes = (time.fromisoformat(text.zfill(5)) for text in found.groups()[:2])
            return cls(opens, closes, ZoneInfo(found[3]))
        except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
            raise UsageError(f"hours is {hours!r}; write it like '08:00-20:00 Africa/Kampala'.") from None

    def look(self, tally: Tally, messages: int, now: datetime) -> Hold | None:
        clock = now.astimezone(self.zone).time()
        inside = self.opens <= clock < self.closes
        if self.closes <= self.opens:
            inside = clock >= self.opens or clock < self.closes
        if inside:
            return None
        return Hold(
            f"It is {clock:%H:%M} in {self.zone.key}, outside the sending hours of "
            f"{self.opens:%H:%M} to {self.closes:%H:%M}. Resume within them."
        )


class Pace:
    """At most `rate` messages a second, spread evenly; a pause is never followed by a burst."""

    def __init__(self, rate: float | None) -> None:
        if rate is not None and not rate > 0:
            raise UsageError(f"rate is {rate!r}; give it in messages per second, for example 25.")
        self._rate = rate
        self._free_at = 0.0

    def reserve(self, messages: int, now: float) -> float:
        """Seconds to wait before `messages` more may go out, at the monotonic second `now`."""
        if self._rate is None:
            return 0.0
        start = max(self._free_at, now)
        self._free_at = start + messages / self._rate
        return start - now
