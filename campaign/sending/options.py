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

_PHRASE = "the phrase that the error shows"
_TEXTS = {"name": 'name="visits"', "takeover": _PHRASE, "confirm": _PHRASE}
_CHOICES = {
    "changed": get_args(Changed),
    "waiting": get_args(Waiting),
    "opted_out": get_args(OptedOut),
    "elsewhere": get_args(Elsewhere),
}
_COUNTS = {"batch_size": BATCH_LIMIT, "concurrency": CONCURRENCY_LIMIT, "max_unknown": None, "pilot": None}
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
        for option, example in _TEXTS.items():
            check_text(getattr(self, option), subject=option, write=example, or_none=True)
        for option, choices in _CHOICES.items():
            check_choice(getattr(self, option), choices, subject=option)
        usual = dict(zip(self.__struct_fields__, self.__struct_defaults__, strict=True)) | {"pilot": 100}
        for option, most in _COUNTS.items():
            count, write = getattr(self, option), f"{option}={usual[option]}"
            check_count(count, subject=option, write=write, most=most, or_none=option == "pilot")
            if count is not None:
                structs.force_setattr(self, option, int(count))  # one of numpy's cannot be written as JSON
        if self.rate is not None:
            if not 0 < _number(self.rate) < float("inf"):
                raise wrong(
                    self.rate, subject="rate", needs="a number of messages per second", write="rate=25"
                )
            structs.force_setattr(self, "rate", float(self.rate))
        Budget.of(self.budget)
        if self.hours is not None:
            Hours.of(self.hours)
        check_switch(self.canary, subject="canary", write="canary=True")
        if not (isinstance(self.progress, str) and self.progress == "tqdm"):
            check_switch(self.progress, subject="progress", write='progress=True, progress=False or "tqdm"')

    def as_record(self) -> dict[str, Any]:
        """What was chosen, as JSON can hold it: without the account, and without phrases."""
        budget = Budget.of(self.budget)
        hours = None if self.hours is None else Hours.of(self.hours)
        return {option: getattr(self, option) for option in (*_COUNTS, *_CHOICES, "rate")} | {
            "budget": None if budget.cost is None else str(budget.cost),
            "budget_messages": budget.messages,
            "hours": None if hours is None else f"{hours.opens:%H:%M}-{hours.closes:%H:%M} {hours.zone}",
            "canary": bool(self.canary),
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
    write = "campaign.prepare(contacts, message=..., sender=..., region=...)"
    if isinstance(plan, Result):
        is_new = plan.is_closed
        write = "campaign.send(result.plan, name=result.name)" if is_new else "campaign.resume(result.folder)"
    given = "a table of contacts" if isinstance(plan, pd.DataFrame) else described(plan)
    raise UsageError("wrong_value", argument="plan", needs="a Plan", given=given, write=write)


def check_account(account: object) -> None:
    """Raise `UsageError` unless this is an account, an embedded sandbox, or None.

    A text is not repeated: it could be a password.
    """
    if isinstance(account, (Account, Sandbox, type(None))):
        return
    environment = "sandbox" if isinstance(account, str) and account == "sandbox" else "live"
    given = described(account) if isinstance(account, type) else kind_of(account)
    write = f'account=campaign.Account.from_environment("{environment}")'
    raise UsageError("wrong_value", argument="account", needs="an Account", given=given, write=write)


def check_seconds(option: str, seconds: object) -> None:
    """Raise `UsageError` unless this can be a time to wait."""
    if seconds is not None and not _number(seconds) >= 0:
        raise wrong(seconds, subject=option, needs="a number of seconds", write=f"{option}=60")


def _number(value: object) -> float:
    """A number of any kind as a float; NaN, which no comparison lets through, for everything else."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        return float("nan")
    return float(value)
