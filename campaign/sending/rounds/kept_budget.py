"""The budget over a campaign's life: the one given last holds until another one is given."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.messages.plan_tables.plan_columns import map_messages_at
from campaign.results.totals import cost_in_words
from campaign.sending.engine.budget import Budget, batches_within, budget_in_words
from campaign.sending.engine.tally import Spending
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.standing import cost_so_far
from campaign.sending.store.frozen_messages import Cutting, cut_parts
from campaign.text import counted, rounded_up
from campaign.values import replace


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
    cost = rounded_up(spending.with_open_parts(sum(map_messages_at(compared.plan, outgoing, parts_of))))
    if budget.cost is not None and cost > budget.cost:
        total = f"at the price so far, the campaign costs {cost_in_words(cost, currency=currency)} with them"
    elif budget.messages is not None and messages > budget.messages:
        total = f"there would be {counted(messages, 'message')} with them"
    else:
        return ""
    in_force = budget_in_words(budget, currency)
    return f"The campaign's budget of {in_force} does not cover them: {total}. To reach all, raise budget=."


class Coverage(NamedTuple):
    """How far a budget goes: the SMS parts that go out, and how many messages the next batch has."""

    parts: int
    next_messages: int


def covered(
    compared: ComparedPlan,
    outgoing: pd.DataFrame,
    options: SendOptions,
    *,
    limit: Decimal,
    spending: Spending,
    price: Decimal,
) -> Coverage:
    """How far a budget of `limit` cost units goes after `spending`, at this `price` of one SMS part.

    `outgoing` are the messages that would go out, in their order: a batch goes out whole or not at all.
    """
    bounds = _batch_bounds(compared, outgoing, options)
    sums = np.concatenate([[0], np.cumsum(outgoing["parts"].to_numpy(dtype=np.int64))])[bounds]
    sent = batches_within(limit, spending, price, np.diff(sums).tolist())
    return Coverage(int(sums[sent]), int(np.diff(bounds)[sent]) if sent + 1 < len(bounds) else 0)


def batch_size_within(
    limit: Decimal, spending: Spending, price: Decimal, outgoing: pd.DataFrame, *, most: int
) -> int:
    """The largest batch for a budget of `limit` cost units: `most`, if it covers the `outgoing` messages.

    A batch goes out whole or not at all. So each is at most a tenth of what the budget still pays for at this
    `price` of one SMS part, or one message, and little of the budget is left over.
    """
    room, cost = Fraction(limit) - spending.with_open_parts(0), price * parts_of(outgoing)
    if cost <= room:
        return most
    return max(1, min(most, floor(len(outgoing) * room / Fraction(cost)) // 10))


def _batch_bounds(compared: ComparedPlan, outgoing: pd.DataFrame, options: SendOptions) -> Ints:
    """Where the batches begin, and where the last one ends: those that wait, if these are their messages."""
    batches = [] if compared.record is None else compared.record.ledger.batches
    waiting = [batch.messages for batch in batches if batch.state == "pending"]
    if sum(waiting) == len(outgoing):
        return np.cumsum([0, *waiting])
    cutting = Cutting(batch_size=options.batch_size, first_batch=1, canary=options.canary)
    parts = cut_parts(outgoing["row"].to_numpy(), cutting)
    return np.array([0, *(part.start + after for part in parts for _, after in part.batches)])


def _messages_so_far(record: CampaignRecord) -> int:
    """How many messages count for a budget: they were accepted, or may have been."""
    outcomes = record.ledger.outcomes
    return int(outcomes.loc[outcomes["status"].isin(["accepted", "unknown"]), "messages"].sum())


def parts_of(messages: pd.DataFrame) -> int:
    return int(messages["parts"].sum())
