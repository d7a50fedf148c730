"""Where a campaign stands before a run: what is known of each message of its plan, and what it has cost."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from campaign.local_times import LocalTimes
from campaign.masking import mask_finding
from campaign.results.sending_time import seconds_spent
from campaign.sending.engine.tally import Spending, Tally
from campaign.sending.ledger.views import LedgerSnapshot, finding_of
from campaign.sending.store.frozen_messages import read_sizes
from campaign.sending.store.rounds import Round
from campaign.text import agreeing
from campaign.words.finding import Finding


def tally_of(rounds: list[Round], ledger: LedgerSnapshot, currency: str = "") -> Tally:
    """The tally of the last round as it stands, with the costs of all rounds in the account's currency."""
    last, batches = rounds[-1], ledger.outcomes
    numbers, status = batches["batch"].to_numpy(), batches["status"].to_numpy()
    held = pd.Series(last.messages_by_batch(ledger.batches), dtype="int64")
    planned = held.reindex(numbers, fill_value=0).to_numpy()  # messages of today's plan in each batch
    is_accepted, is_unknown = status == "accepted", status == "unknown"
    is_committed, is_doubtful = is_accepted | is_unknown, (planned > 0) & is_unknown
    left = set(numbers[(planned > 0) & ~is_committed].tolist())
    return Tally(
        int(planned.sum()),
        parts_left=sum(parts for _, parts in _measured(left, rounds, ledger)),
        accepted=int(planned[is_accepted].sum()),
        refused=int(planned[status == "refused"].sum()),
        unknown=int(planned[is_unknown].sum()),
        elsewhere=int((batches["messages"].to_numpy() - planned)[is_committed].sum()),
        accepted_batches=int((is_accepted & (batches["round"] == last.number)).sum()),
        doubtful=set(numbers[is_doubtful].tolist()),
        last_unknown=_last_remark(batches[is_doubtful]),
        spending=cost_so_far(rounds, ledger),
        currency=currency,
        seconds=seconds_spent(  # of what is counted above, not of texts that the table has no more
            batches[planned > 0],
            {one.number: one.manifest.options.get("rate") for one in rounds},
            ledger.paces,
        ),
    )


def _last_remark(batches: pd.DataFrame) -> Finding | None:
    """Why the newest batch is unknown, numbers masked; what was ordered again waits for that only."""
    last = batches[~batches["why"].isin(["", "ordered_again"])].tail(1)
    remarks = map(finding_of, last.to_dict("records"))
    return next((mask_finding(remark) for remark in remarks if remark), None)


def cost_so_far(rounds: Iterable[Round], ledger: LedgerSnapshot) -> Spending:
    """The costs and prices in the ledger; only the column of SMS parts is read of the frozen messages.

    Raises `LedgerError` when a part file is missing or damaged.
    """
    spending, costs = Spending(), ledger.costs()
    for batch, parts in _measured(costs, rounds, ledger):
        spending.add(parts, costs[batch])
    return spending


def _measured(
    numbers: Container[int], rounds: Iterable[Round], ledger: LedgerSnapshot
) -> Iterator[tuple[int, int]]:
    """The batches of these numbers in order, each with how many SMS parts it has; one part file is in memory
    at a time."""
    folders = {one_round.number: one_round.plan_path for one_round in rounds}
    batches = [batch for batch in ledger.batches if batch.batch in numbers]
    for (number, part), group in groupby(batches, key=attrgetter("round", "part")):
        sums = np.concatenate([[0], np.cumsum(read_sizes(folders[number], part))])
        for batch in group:
            yield batch.batch, int(sums[batch.first + batch.messages] - sums[batch.first])


def nothing_sent(tally: Tally, outcomes: pd.DataFrame, environment: str) -> Finding:
    """Why a run had nothing to send, with the day on which messages were accepted last."""
    last = outcomes.loc[outcomes["status"] == "accepted", "submitted_at"].max()
    day = "" if pd.isna(last) else f" on {LocalTimes().day(last)}"
    kinds = {
        f"{agreeing(tally.accepted, 'message', 'messages')} accepted{day}": tally.accepted,
        "unknown": tally.unknown,
        "refused": tally.refused,
        "withdrawn": tally.waiting,
    }
    facts: dict[str, Any] = {"kinds": [f"{count:,} {kind}" for kind, count in kinds.items() if count]}
    if tally.accepted == tally.messages > 0:  # whoever only rehearsed may send it as it is
        facts["again"] = "send" if environment == "live" else "rehearse"
    return Finding("nothing_left", facts, "info")
