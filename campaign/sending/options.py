"""How a campaign is sent: the options of `send`, checked before anything is written or leaves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, get_args

import pandas as pd
from msgspec import Struct, structs

from campaign.argument_checks import (
    check_choice,
    check_count,
    check_path,
    check_switch,
    check_text,
    described,
    kind_of,
    wrong,
)
from campaign.contract import BATCH_LIMIT, Changed, Elsewhere, OptedOut, Waiting
from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.hours import Hours
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.valves import (
    Breaker,
    Canary,
    Credentials,
    Funds,
    Pilot,
    Reach,
    Unknown,
    Valve,
)
from campaign.sending.ledger.postgres.address import check_address, is_address
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

CONCURRENCY_LIMIT = 256  # requests at once; more than any service of this kind allows one customer

CHANGED_CHOICES, WAITING_CHOICES = get_args(Changed), get_args(Waiting)
OPTED_OUT_CHOICES, ELSEWHERE_CHOICES = get_args(OptedOut), get_args(Elsewhere)
Money = Decimal | float | str
Place = str | os.PathLike[str]
Progress = bool | Literal["tqdm"]


class SendOptions(Struct, frozen=True, kw_only=True):
    """Where, how fast and how far to send, and when to hold: the options that `send` documents.

    Raises `UsageError` for a value that cannot be meant.
    """

    account: Account | Sandbox | None = None
    folder: Place | None = None
    name: str | None = None
    changed: Changed = "ask"
    waiting: Waiting = "ask"
    opted_out: OptedOut = "ask"
    elsewhere: Elsewhere = "ask"
    pilot: int | None = None
    takeover: str | None = None
    batch_size: int = 100
    concurrency: int = 8
    rate: float | None = None
    budget: Budget | Money | None = None
    hours: Hours | str | None = None
    canary: bool = True
    max_unknown: int = 1
    confirm: str | None = None
    progress: Progress = True
    ledger: Place | None = None

    def __post_init__(self) -> None:
        check_account(self.account)
        check_path(self.folder, subject="folder", write='folder="campaigns/visits"', or_none=True)
        check_path(self.ledger, subject="ledger", write='ledger="visits.sqlite"', or_none=True)
        if is_address(self.ledger):
            check_address(self.ledger)
        check_text(self.name, subject="name", write='name="visits"', or_none=True)
        check_choice(self.changed, CHANGED_CHOICES, subject="changed")
        check_choice(self.waiting, WAITING_CHOICES, subject="waiting")
        check_choice(self.opted_out, OPTED_OUT_CHOICES, subject="opted_out")
        check_choice(self.elsewhere, ELSEWHERE_CHOICES, subject="elsewhere")
        check_count(self.pilot, subject="pilot", write="pilot=100", or_none=True)
        check_text(self.takeover, subject="takeover", write="the phrase that the error shows", or_none=True)
        check_text(self.confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
        usual = dict(zip(self.__struct_fields__, self.__struct_defaults__, strict=True))
        for option, most in (
            ("batch_size", BATCH_LIMIT), ("concurrency", CONCURRENCY_LIMIT), ("max_unknown", None),
        ):  # fmt: skip
            count = getattr(self, option)
            check_count(count, subject=option, write=f"{option}={usual[option]}", most=most)
            structs.force_setattr(self, option, int(count))  # one of numpy's cannot be written as JSON
        check_rate(self.rate)
        Budget.of(self.budget)
        if self.hours is not None:
            Hours.of(self.hours)
        check_switch(self.canary, subject="canary", write="canary=True")
        if not (isinstance(self.progress, str) and self.progress == "tqdm"):
            check_switch(self.progress, subject="progress", write='progress=True, progress=False or "tqdm"')

    @property
    def pace(self) -> Pace:
        return Pace(None if self.rate is None else float(self.rate))

    def as_record(self) -> dict[str, Any]:
        """What was chosen, as JSON can hold it: without the account, and without phrases."""
        budget = Budget.of(self.budget)
        hours = None if self.hours is None else Hours.of(self.hours)
        return {
            "batch_size": self.batch_size,
            "concurrency": self.concurrency,
            "rate": None if self.rate is None else float(self.rate),
            "budget": None if budget.cost is None else str(budget.cost),
            "budget_messages": budget.messages,
            "hours": None if hours is None else f"{hours.opens:%H:%M}-{hours.closes:%H:%M} {hours.zone}",
            "canary": bool(self.canary),
            "max_unknown": self.max_unknown,
            "changed": self.changed,
            "waiting": self.waiting,
            "opted_out": self.opted_out,
            "elsewhere": self.elsewhere,
            "pilot": None if self.pilot is None else int(self.pilot),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> SendOptions:
        """The options that `as_record` wrote."""
        kept = dict(record)
        cost, messages = kept.pop("budget"), kept.pop("budget_messages")
        return cls(budget=Budget(cost, messages), **kept)

    def pilot_end(self, pilot: Mapping[str, Any] | None) -> int | None:
        """The last batch of the pilot of a round if the run ends after it; `pilot` is from its manifest."""
        return pilot["last_batch"] if self.pilot is not None and pilot else None

    def valves(self, canary: bool, pilot_end: int | None) -> list[Valve]:
        """What may hold the run.

        `canary` says whether the round begins with a batch of one message, `pilot_end` which batch is the
        last one of a pilot after which the run ends.
        """
        chosen: list[Valve] = [
            Funds(), Credentials(), Reach(), Unknown(self.max_unknown), Breaker(), Budget.of(self.budget),
        ]  # fmt: skip
        if canary:
            chosen.append(Canary())
        if pilot_end is not None:
            chosen.append(Pilot(pilot_end))
        if self.hours is not None:
            chosen.append(Hours.of(self.hours))
        return chosen


def check_plan(plan: object) -> None:
    """Raise `UsageError` unless this is a plan, with what to do about the usual mistakes."""
    if isinstance(plan, Plan):
        return
    if isinstance(plan, Result):
        again, on = "campaign.send(result.plan, name=result.name)", "campaign.resume(result.folder)"
        rest = again if plan.is_closed else on
        raise UsageError(
            f"You gave a Result: its plan was sent already. To send what is left of it, use {rest}."
        )
    kind = "a table of contacts" if isinstance(plan, pd.DataFrame) else described(plan)
    raise UsageError(
        f"You gave {kind}, not a Plan. Make one first: "
        "plan = campaign.prepare(contacts, message=..., sender=..., region=...)."
    )


def check_account(account: object) -> None:
    """Raise `UsageError` unless this is an account, an embedded sandbox, or None.

    A text is not repeated: it could be a password.
    """
    if isinstance(account, (Account, Sandbox, type(None))):
        return
    environment = "sandbox" if isinstance(account, str) and account == "sandbox" else "live"
    given = described(account) if isinstance(account, type) else kind_of(account)
    raise UsageError(
        f"account needs an Account, but got {given}. Write account=campaign.Account.from_environment("
        f'"{environment}"), or leave it out for the embedded sandbox.'
    )


def check_rate(rate: object) -> None:
    """Raise `UsageError` unless this can be messages per second."""
    if rate is not None and not 0 < _number(rate) < float("inf"):
        raise wrong(rate, subject="rate", needs="a number of messages per second", write="rate=25")


def check_seconds(option: str, seconds: object) -> None:
    """Raise `UsageError` unless this can be a time to wait."""
    if seconds is not None and not _number(seconds) >= 0:
        raise wrong(seconds, subject=option, needs="a number of seconds", write=f"{option}=60")


def _number(value: object) -> float:
    """A number of any kind as a float; NaN, which no comparison lets through, for everything else."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return float("nan")
    return float(value)
