"""The budget over a campaign's life: the one given last holds until another one is given."""

from __future__ import annotations

from dataclasses import replace

from campaign.sending.engine.budget import Budget
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions


def with_kept_budget(options: SendOptions, ledger: Ledger) -> SendOptions:
    """The options with the budget that applies: the one given now, or without one the one given last."""
    kept = Budget.from_record(ledger.recorded_budget())
    return replace(options, budget=kept if options.budget is None else Budget.of(options.budget))


def keep_budget(options: SendOptions, ledger: Ledger) -> None:
    """Keep the budget of these options in the ledger, unless it is the one that was given last."""
    budget = Budget.of(options.budget)
    if budget != Budget.from_record(ledger.recorded_budget()):
        ledger.record_budget(budget.record)
