"""The budget over a campaign's life: the one given last holds until another one is given."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import ceil

import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan_tables.plan_columns import map_messages_at
from campaign.results.totals import cost_in_words
from campaign.sending.engine.budget import Budget, budget_in_words
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.standing import cost_so_far
from campaign.text import counted


def with_kept_budget(options: SendOptions, ledger: Ledger) -> SendOptions:
    """The options with the budget that applies: the one given now, or without one the one given last."""
    kept = Budget.from_record(ledger.recorded_budget())
    return replace(options, budget=kept if options.budget is None else Budget.of(options.budget))


def keep_budget(options: SendOptions, ledger: Ledger) -> None:
    """Keep the budget of these options in the ledger, unless it is the one that was given last."""
    budget = Budget.of(options.budget)
    if budget != Budget.from_record(ledger.recorded_budget()):
        ledger.record_budget(budget.record)


def about_budget(compared: ComparedPlan, outgoing: Ints) -> str:
    """A sentence about a budget in force that does not cover what would go out; "" if it does, or for none.

    `outgoing` are the positions of the messages that would.
    """
    record = compared.record
    budget = Budget() if record is None else Budget.from_record(record.ledger.budget)
    if record is None or budget == Budget() or not len(outgoing):
        return ""
    currency = record.rounds[-1].manifest.currency
    messages = _messages_so_far(record) + len(outgoing)
    spending = cost_so_far(record.rounds, record.ledger)
    cost = ceil(spending.with_open_parts(sum(map_messages_at(compared.plan, outgoing, _parts_of))))
    if budget.cost is not None and cost > budget.cost:
        total = f"at the price so far, all of them cost {cost_in_words(Decimal(cost), currency=currency)}"
    elif budget.messages is not None and messages > budget.messages:
        total = f"there would be {counted(messages, 'message')} with them"
    else:
        return ""
    in_force = budget_in_words(budget, currency)
    return f"The campaign's budget of {in_force} does not cover them: {total}. To reach all, raise budget=."


def _messages_so_far(record: CampaignRecord) -> int:
    """How many messages count for a budget: they were accepted, or may have been."""
    outcomes = record.ledger.outcomes
    return int(outcomes.loc[outcomes["status"].isin(["accepted", "unknown"]), "messages"].sum())


def _parts_of(messages: pd.DataFrame) -> int:
    return int(messages["parts"].sum())
