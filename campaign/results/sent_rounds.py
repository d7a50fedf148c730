"""The rounds of a campaign: as its folder remembers them, and as people count them.

To people, a run that had nothing to send is no round. The folder keeps its table all the same, so the numbers
that it gives to rounds skip some of those that people count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.results.sending_time import Paces
from campaign.values import replace


class SentRound(Struct, frozen=True):
    """What the manifest of a round tells about it.

    `at` is when the round was made (UTC), `template` the text with its placeholders (JSON where there
    were several), `senders` the ten most frequent at most, `who` the name of the user on the machine,
    `options` what `send` was given, and `currency` that of the account. `paces` are those of all runs
    of the campaign.
    """

    round: int
    at: datetime
    template: str
    senders: tuple[str, ...]
    who: str
    options: Mapping[str, Any]
    currency: str
    paces: Paces = ()

    def with_budget(self, record: str) -> SentRound:
        """The round with the budget in force now, as the ledger keeps it: `resume` may have given another."""
        if not record:
            return self
        budget = json.loads(record)
        in_force = {"budget": budget["cost"], "budget_messages": budget["messages"]}
        return replace(self, options={**self.options, **in_force})


def as_counted(table: pd.DataFrame, batches: pd.DataFrame | None = None) -> pd.DataFrame:
    """The batches of `Result.batches` with the number that people give to the round of each, from 1 on.

    Also another table with a column `round`, beside all batches.
    """
    rounds = (table if batches is None else batches)["round"].drop_duplicates().sort_values()
    return table.assign(round=np.searchsorted(rounds.to_numpy(), table["round"].to_numpy()) + 1)


def count_rounds(rounds: Iterable[int]) -> int:
    """How many rounds people count; `rounds` has the number of the round of each batch."""
    return len({*rounds})
