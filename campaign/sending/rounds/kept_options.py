"""Options that a campaign keeps in its ledger: a budget holds over its life, until another one is given."""

from __future__ import annotations

import pandas as pd

from campaign.sending.engine.budget import Budget
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import SendOptions
from campaign.values import replace


def with_kept_budget(options: SendOptions, recorded: str) -> SendOptions:
    """The options with the budget that applies: the one given now, or without one the recorded one."""
    kept = Budget.from_record(recorded)
    return replace(options, budget=kept if options.budget is None else Budget.of(options.budget))


def keep_options(options: SendOptions, ledger: Ledger, *, is_sending: bool) -> None:
    """Keep in the ledger what holds for this run whichever round it sends: the budget; the pace if it sends.

    Without the pace, the time between two batches of a slow run would look like a pause.
    """
    budget = Budget.of(options.budget)
    if budget != Budget.from_record(ledger.recorded_budget()):
        ledger.record_budget(budget.record)
    pace = "" if options.rate is None else str(float(options.rate))
    if is_sending and pace != ledger.recorded_pace():
        ledger.record_pace(pace)


def parts_of(messages: pd.DataFrame) -> int:
    """How many SMS parts some messages have."""
    return int(messages["parts"].sum())
