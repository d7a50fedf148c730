"""What lies on the desk: the spreadsheet, what was decided so far, the plan and the run that came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.contacts.reading_record import reading_of
from campaign.environments import Environment
from campaign.messages.plan import Plan
from campaign.notebook.composer.composition import Composition
from campaign.sending.run import Run
from campaign.sending.store.identity import choose_name
from campaign.service.account import Account
from campaign.service.kept_account import kept_account


@dataclass
class Desk:
    """Shared by the sections; each writes what it decides and reads what the sections above it decided."""

    composition: Composition = field(default_factory=Composition)
    contacts: pd.DataFrame = field(default_factory=pd.DataFrame)
    plan: Plan | None = None
    run: Run | None = None
    sent: Path | None = None  # the campaign folder of what was sent last, also before a page was loaded again
    confirmed: str | None = None  # the phrase that was typed for the run
    remember: Callable[[], None] = lambda: None  # called after each decision
    accounts: Mapping[Environment, Account | None] = field(default_factory=lambda: offered_accounts())

    @property
    def name(self) -> str:
        """The name of the campaign, as given or that of the file."""
        if self.plan is None:
            return self.composition.name
        return choose_name(self.plan, self.composition.name or None, None, "local").name

    def decide(self, **decisions: Any) -> None:
        """Replace some decisions."""
        self.composition = replace(self.composition, **decisions)
        self.remember()

    @property
    def version(self) -> str:
        """The version of the spreadsheet, in which a row number means one row; "" if nothing was read."""
        reading = reading_of(self.contacts)
        return "" if reading is None else reading.version

    def read(self) -> None:
        """Read the spreadsheet; of the rows that were chosen by hand, those that are as they were stay so."""
        before, self.contacts = self.contacts, self.composition.contacts()
        rows = [row for row in self.composition.instead if row in self.contacts.index and row in before.index]
        unchanged = (row for row in rows if self.contacts.loc[[row]].equals(before.loc[[row]]))
        self.decide(instead=tuple(unchanged))

    @property
    def account(self) -> Account | None:
        """The chosen account; None is the embedded sandbox."""
        return self.accounts[self.composition.environment]

    def prepared(self) -> Plan:
        """The plan of the decisions so far."""
        self.composition, self.plan = self.composition.planned(self.contacts)
        return self.plan


def offered_accounts() -> dict[Environment, Account | None]:
    """The embedded sandbox, and the accounts kept on this machine. Nobody is asked for a password."""
    accounts: dict[Environment, Account | None] = {"local": None}
    for environment in ("sandbox", "live"):
        account = kept_account(environment)
        if account is not None:
            accounts[environment] = account
    return accounts
