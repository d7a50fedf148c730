"""What a campaign has cost so far: its ledger joined with the SMS parts of its frozen plan."""

from __future__ import annotations

from pathlib import Path

from campaign.sending.ledger.views import attempts_of
from campaign.sending.store.batches import read_sizes
from campaign.sending.tally import Spending


def spending_so_far(folder: Path, parts: int, ledger_path: Path) -> Spending:
    """The costs and prices in the ledger; only the column of SMS parts is read of the plan.

    Raises `LedgerError` when a part file is missing or damaged.
    """
    spending = Spending()
    for part in range(parts):
        attempts = attempts_of(ledger_path, part)
        if not attempts:
            continue
        sizes = read_sizes(folder, part)
        for attempt in attempts:
            size = int(sizes[attempt.first : attempt.first + attempt.messages].sum())
            spending.add(attempt.messages, size, attempt.cost)
    return spending
