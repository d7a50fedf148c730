"""The figures of a ledger for a list of many campaigns: no frame, and no row for each message."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from campaign.sending.ledger.database import Readable
from campaign.sending.ledger.views import (
    BATCHES,
    ROUNDS,
    RegisteredBatch,
    RegisteredRound,
    erased_at,
    is_closed,
)

_BATCHES = f"SELECT batch, round, part, first, messages, state FROM {BATCHES} ORDER BY batch"
# ISO times in UTC sort as text.
_TIMES = f"""
SELECT min(submitted_at), max(submitted_at) FROM {BATCHES}
WHERE state = 'accepted' OR state = 'unknown' OR state = 'again' OR state = 'sending'
"""
_COSTS = "SELECT cost, count(*) FROM batches WHERE cost IS NOT NULL GROUP BY cost"
_UNPRICED = f"""
SELECT count(*) FROM {BATCHES}
WHERE cost IS NULL AND (state = 'accepted' OR state = 'unknown' OR state = 'again' OR state = 'sending')
"""


class LedgerFigures(NamedTuple):
    """Rounds and batches; when messages left first and last (UTC in ISO form, None for never); the cost.

    `cost` is the sum of the costs that the service named, None if it named none for batches that it may have
    charged; `unpriced` counts these batches. `ending` is how a person has ended it: "erased", "closed" or "".
    """

    rounds: list[RegisteredRound]
    batches: list[RegisteredBatch]
    first_sent: str | None
    last_sent: str | None
    cost: Decimal | None
    unpriced: int
    ending: str


def read_figures(place: Readable) -> LedgerFigures:
    """The figures of a ledger at one moment; also while it is being written."""
    with place.reading() as connection:
        rounds = [RegisteredRound._make(row) for row in connection.execute(ROUNDS)]
        batches = [RegisteredBatch._make(row) for row in connection.execute(_BATCHES)]
        first_sent, last_sent = connection.execute(_TIMES).fetchone()
        costs = [Decimal(cost) * count for cost, count in connection.execute(_COSTS)]
        unpriced = connection.execute(_UNPRICED).fetchone()[0]
        ending = "erased" if erased_at(connection) else "closed" if is_closed(connection) else ""
    cost = None if unpriced and not costs else sum(costs, Decimal(0))
    return LedgerFigures(rounds, batches, first_sent, last_sent, cost, unpriced, ending)
