"""When to hold a run: small values with one method, `look`, that know neither network nor ledger.

A valve looks at the tally, the size of the next batch and the time, and returns the reason to hold the run,
or None. A final hold ends the run; any other one pauses it until a person resumes. A patient hold waits for
what is under way before it does either, because an answer may remove its reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import Protocol, cast
from zoneinfo import ZoneInfo

from campaign.argument_checks import check, check_amount, check_count, wrong
from campaign.errors import UsageError
from campaign.sending.engine.tally import Load, Tally
from campaign.suggestions import time_zone_advice
from campaign.text import counted


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a run holds, and what to do about it.

    `final` ends the run instead of pausing it. `patient` is for the next batch only: it applies when nothing
    is under way any more. `needs_change` says that going on with the same options would end the same way.
    """

    reason: str
    final: bool = False
    by_hand: bool = False
    patient: bool = False
    needs_change: bool = False


class Valve(Protocol):
    """Anything that can hold a run."""

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        """The reason why the run must not go on at `now`, if there is one.

        `batch` is the next one to be issued; None asks about batches that have been issued already.
        """
        ...


@dataclass(frozen=True, slots=True)
class Funds:
    """Ends the run when the account is empty."""

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        if "funds" not in tally.causes:
            return None
        return Hold(
            "The account has not enough money for the next batch. Top it up, then resume to send what was "
            "refused or has not been tried yet.",
            final=True,
        )


@dataclass(frozen=True, slots=True)
class Credentials:
    """Ends the run when the service does not know the account or the password."""

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
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


@dataclass(frozen=True, slots=True)
class Reach:
    """Pauses after 5 failed connections in a row; ends the run when trying again is useless."""

    tries: int = 5

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        useless = "setup" in tally.causes
        if not useless and tally.unreached_in_a_row < self.tries:
            return None
        return Hold(
            f"Nothing can be sent: {tally.last_miss}. Check the address and the connection, then resume."
            f"{_elsewhere('address', tally)}",
            final=useless,
        )


@dataclass(frozen=True, slots=True)
class Unknown:
    """Pauses when `limit` batches are unknown, and at once when the service turns requests away.

    That is HTTP status 429 (too many requests) or a redirect.
    """

    limit: int = 1

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        if tally.unknown_batches < self.limit and "throttled" not in tally.causes:
            return None
        return Hold(
            f"It is not known whether {counted(tally.unknown, 'message was', 'messages were')} sent: "
            f"{tally.last_unknown}. Nothing is sent again without your decision. Ask the service what it "
            "received, then resume to send the rest."
        )


@dataclass(frozen=True, slots=True)
class Breaker:
    """Pauses when 3 of the last 50 batches (more than 5%) were refused: the next would be refused, too."""

    limit: int = 3

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        if sum(tally.refusals) < self.limit:
            return None
        return Hold(
            f"{sum(tally.refusals)} of the last {len(tally.refusals)} batches were refused "
            f"({tally.last_refusal}). Correct the cause, then resume to send the rest."
        )


@dataclass(frozen=True, slots=True)
class Canary:
    """Pauses unless the first message is accepted at a cost that can be read.

    After a resume the next batch goes out alone, and so on until the service accepts one.
    """

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
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


@dataclass(frozen=True, slots=True)
class Pilot:
    """Ends the run after the pilot, the first stretch of a round: `last_batch` is its last one."""

    last_batch: int

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        if batch is None or batch.number <= self.last_batch:
            return None
        return Hold(
            "The pilot is over. Look at its results; resume to send the rest.", final=True, patient=True
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Ends the run before a campaign costs more than `cost` units or sends more than `messages` messages.

    A batch is paid for in advance: what is under way, unknown, or accepted without a readable cost counts at
    the highest price of one SMS part seen so far, earlier runs included. When the next batch does not fit,
    it waits for the answers to those under way, since they may make room. Until there is a price, batches go
    out one at a time.

    What is under way can only exceed the budget when the service raises its price: then the run ends at once.
    A batch whose cost cannot be read pauses it, because what was spent is no longer known.

    Raises `UsageError` for an amount or a number that cannot be meant.
    """

    cost: Decimal | None = None
    messages: int | None = None

    def __post_init__(self) -> None:
        if self.cost is not None:
            object.__setattr__(self, "cost", _amount(self.cost))
        if self.messages is not None:
            object.__setattr__(self, "messages", _limit(self.messages))

    @classmethod
    def of(cls, budget: Budget | Decimal | float | str | None) -> Budget:
        """A budget as the user gave it: a number is cost units."""
        if isinstance(budget, Budget):
            return budget
        return cls() if budget is None else cls(_amount(budget))

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        return self._look_at_messages(tally, batch) or self._look_at_cost(tally, batch)

    def _look_at_messages(self, tally: Tally, batch: Load | None) -> Hold | None:
        if self.messages is None or batch is None or tally.committed + batch.messages <= self.messages:
            return None
        return Hold(
            f"The next batch would exceed the budget of {counted(self.messages, 'message', 'messages')}. "
            "Resume with a larger budget to send the rest.",
            final=True,
            patient=True,
            needs_change=True,
        )

    def _look_at_cost(self, tally: Tally, batch: Load | None) -> Hold | None:
        if self.cost is None:
            return None
        if tally.accepted_here and tally.spending.price is None:
            return Hold(
                "The service names no cost that can be read, so a budget in cost units cannot be kept. "
                "Resume with a budget of messages, for example Budget(messages=1000).",
                final=True,
                needs_change=True,
            )
        if tally.unpriced_batches:
            return Hold(
                "A cost cannot be read, so the budget cannot be kept. Check what it cost, then resume."
            )
        spent = f"{tally.cost:,} of {self.cost:,} are spent. Resume with a larger budget to send the rest."
        if tally.in_flight and tally.committed_cost > self.cost:
            return Hold(
                f"The service raised its price, so what is under way may exceed the budget: {spent}",
                final=True,
                needs_change=True,
            )
        if batch is None:
            return None
        # A price of nothing may be that of a free trial: it reserves nothing for what comes after it.
        no_price = not tally.spending.price_per_part and tally.in_flight
        if no_price or tally.cost_with(batch.parts) > self.cost or tally.cost >= self.cost:
            return Hold(
                f"The next batch would exceed the budget: {spent}",
                final=True,
                patient=True,
                needs_change=True,
            )
        return None


_HOURS = re.compile(r"\s*(\d\d?:\d\d)\s*-\s*(\d\d?:\d\d)(?:\s+(\S.*?))?\s*")
_HOURS_EXAMPLE = "08:00-20:00 Africa/Kampala"


@dataclass(frozen=True, slots=True)
class Hours:
    """Pauses outside the hours in which messages may be sent, for example "08:00-20:00 Africa/Kampala".

    The end is not included. A window may span midnight.
    """

    opens: time
    closes: time
    zone: ZoneInfo

    def __post_init__(self) -> None:
        check(self.opens, time, subject="opens", needs="a datetime.time", write="opens=time(8)")
        check(self.closes, time, subject="closes", needs="a datetime.time", write="closes=time(20)")
        check(
            self.zone, ZoneInfo, subject="zone", needs="a ZoneInfo", write='zone=ZoneInfo("Africa/Kampala")'
        )

    @classmethod
    def of(cls, hours: Hours | str) -> Hours:
        """Read hours as the user wrote them.

        Raises `UsageError` saying which part cannot be read; for an unknown time zone it suggests some.
        """
        if isinstance(hours, Hours):
            return hours
        match = _HOURS.fullmatch(hours) if isinstance(hours, str) else None
        try:
            if not match:
                raise ValueError
            opens, closes = (time.fromisoformat(text.zfill(5)) for text in match.groups()[:2])
        except ValueError:
            raise wrong(
                hours, subject="hours", needs="opening and closing times with a time zone",
                write=f"hours={_HOURS_EXAMPLE!r}",
            ) from None  # fmt: skip
        if not match[3]:
            raise UsageError(f"hours is {hours!r}, without a time zone. Write it like {_HOURS_EXAMPLE!r}.")
        try:
            return cls(opens, closes, ZoneInfo(match[3]))
        except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
            raise UsageError(
                f"{match[3]!r} in hours is not a time zone. {time_zone_advice(match[3])}, "
                f"as in {_HOURS_EXAMPLE!r}."
            ) from None

    def look(self, tally: Tally, batch: Load | None, now: datetime) -> Hold | None:
        clock = now.astimezone(self.zone).time()
        inside = self.opens <= clock < self.closes
        if self.closes <= self.opens:
            inside = clock >= self.opens or clock < self.closes
        if inside:
            return None
        return Hold(
            f"It is {clock:%H:%M} in {self.zone.key}, outside the sending hours from "
            f"{self.opens:%H:%M} to {self.closes:%H:%M}. Resume within them."
        )


def _elsewhere(what: str, tally: Tally) -> str:
    """The advice when a campaign was begun at the wrong `what`; another one could send to people twice."""
    if tally.committed:
        return ""
    return f" If the {what} itself is wrong, send the plan with the right one: nobody has got a message yet."


def _amount(cost: object) -> Decimal:
    """Cost units as the user gave them: a number, or a text with one."""
    check_amount(cost, subject="budget", write="budget=5000 in cost units, or Budget(messages=1000)")
    return Decimal(str(cost))


def _limit(messages: object) -> int:
    check_count(messages, subject="messages", write="Budget(messages=1000)", least=0)
    return int(cast("int", messages))


class Pace:
    """At most `rate` messages a second, spread evenly; a pause is never followed by a burst."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._free_at = 0.0

    def reserve(self, messages: int, now: float) -> float:
        """Reserve a place for `messages` more, and return in how many seconds they may go out.

        `now` is a reading of the monotonic clock.
        """
        if self._rate is None:
            return 0.0
        start = max(self._free_at, now)
        self._free_at = start + messages / self._rate
        return start - now
