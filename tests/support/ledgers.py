"""Ledgers without a campaign folder around them: one round of batches, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from campaign.sending.ledger.ledger import Entry
from campaign.sending.ledger.ledger_file import LedgerFile, create_ledger, open_ledger
from campaign.sending.ledger.views import snapshot

IDENTITY = {"manifest": "m1", "environment": "local"}


class Count(NamedTuple):
    """How many batches are in a state, and how many messages they have."""

    batches: int
    messages: int


def make_ledger(path: Path, entries: Sequence[Entry], identity: Mapping[str, str] = IDENTITY) -> None:
    """A new ledger in which one round with these batches is registered."""
    create_ledger(path, identity)
    with closing(open_ledger(path, identity)) as ledger:
        ledger.register_round("digest of round 1", entries)


def count_by_state(path: Path) -> dict[str, Count]:
    """The batches and messages in each state, over all rounds."""
    counts: dict[str, Count] = {}
    for batch in snapshot(LedgerFile(path)).batches:
        batches, messages = counts.get(batch.state, Count(0, 0))
        counts[batch.state] = Count(batches + 1, messages + batch.messages)
    return counts


def result_frame(place: LedgerFile) -> pd.DataFrame:
    """Every batch and what came of it: the frame `Result.batches`."""
    return snapshot(place).outcomes


def total_cost(place: LedgerFile) -> Decimal:
    """The sum of the costs that the service named, exactly."""
    return sum(result_frame(place)["cost"].dropna(), Decimal(0))
