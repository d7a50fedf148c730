"""What is known about unknown batches: for whoever asks the provider, and for a page that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers
from campaign.sending.afterwards.settled_batches import changeable_outcomes, settled_outcomes
from campaign.sending.ledger.views import finding_of
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.words.finding import Finding

_SHOWN = 3  # numbers


def evidence(record: CampaignRecord, batches: Sequence[int]) -> list[Finding]:
    """When they left, how long the answers were awaited, what came, and whom their messages are for."""
    outcomes = record.ledger.outcomes.set_index("batch", drop=False).loc[[*batches]]
    held = _summary(record, batches)
    return [
        Finding("batch_left", _what_came(outcome) | held.loc[outcome["batch"]].to_dict(), "info")
        for outcome in outcomes.to_dict("records")
    ]


def _what_came(outcome: Mapping[Any, Any]) -> dict[str, Any]:
    when, waited = outcome["submitted_at"], outcome["seconds"]
    return {
        "batch": outcome["batch"],
        "messages": outcome["messages"],
        "moment": "" if pd.isna(when) else LocalTimes().moment(when, seconds=True),
        "seconds": 0 if pd.isna(waited) else round(waited),
        "status": outcome["status"].replace("_", " "),
        "came": finding_of(outcome) or outcome["error"],
    }


def _summary(record: CampaignRecord, batches: Sequence[int]) -> pd.DataFrame:
    """The `rows` of some batches, as in "3 to 12", and their first `numbers`, masked, by batch."""
    groups = _messages_in(record, batches).groupby("batch")
    first, last = groups["row"].min().astype("str"), groups["row"].max().astype("str")
    rows, numbers = first.where(first == last, first + " to " + last), groups["number"].agg(_first_of)
    return pd.DataFrame({"rows": rows, "numbers": numbers.astype("str")})


def _messages_in(record: CampaignRecord, batches: Sequence[int]) -> pd.DataFrame:
    chosen = np.zeros(len(record.knowledge), dtype=bool)
    chosen[[*batches]] = True
    return record.messages_in(chosen)


def _first_of(numbers: pd.Series[str]) -> str:
    """The first of some numbers, masked: "2567•••001, 2567•••002, 2567•••003, …"."""
    numbers = numbers.drop_duplicates()
    shown = ", ".join(mask_numbers(numbers.head(_SHOWN)))
    return f"{shown}, …" if len(numbers) > _SHOWN else shown


class UnknownBatches(Struct, frozen=True, eq=False):
    """The batches whose fate is unknown: all of their `numbers`, and more of the `first` of them.

    `first` has the columns batch, messages, submitted_at (UTC), cost (Decimal, None if it is not known),
    rows ("3 to 12") and numbers (the first ones, masked). `messages` counts those of all.
    What is ordered to be sent again is settled, and what a run that is at work waits for is no person's to
    settle. `settled` are batches that a person has settled as "refused" or "again" and that can still be
    found to be accepted, by batch; so many messages of the last round are `waiting` since, by outcome.
    """

    environment: str
    numbers: tuple[int, ...]
    messages: int
    first: pd.DataFrame
    settled: dict[int, str]
    waiting: dict[str, int]

    @classmethod
    def of(cls, path: Path, *, shown: int) -> UnknownBatches:
        """Those of a campaign folder; so many of them are `shown`. Nothing is written."""
        place = open_folder(path)
        record, is_at_work = CampaignRecord.of(place), bool(place.open_in)
        outcomes = record.ledger.outcomes
        is_unknown = (outcomes["status"] == "unknown") & (outcomes["why"] != "ordered_again")
        unknown = outcomes[is_unknown & ~(is_at_work & (outcomes["why"] == ""))]
        first = unknown[["batch", "messages", "submitted_at", "cost"]].head(shown).set_index("batch")
        first = first.join(_summary(record, [*first.index])).reset_index()
        batches, count = tuple(map(int, unknown["batch"])), int(unknown["messages"].sum())
        return cls(place.manifest.environment, batches, count, first, *_waiting(record))


def unknown_messages(path: Path) -> pd.DataFrame:
    """Every message of these batches: batch, submitted_at (UTC), row, number and message."""
    record, batches = CampaignRecord.of(open_folder(path)), UnknownBatches.of(path, shown=0).numbers
    left = record.ledger.outcomes.set_index("batch")["submitted_at"]
    messages = _messages_in(record, batches).join(left, on="batch")
    return messages[["batch", "submitted_at", "row", "number", "message"]]


def _waiting(record: CampaignRecord) -> tuple[dict[int, str], dict[str, int]]:
    """The batches that a person has settled and that can still be found to be accepted; and how many messages
    of the last round such batches hold, by outcome."""
    if record.ledger.is_closed or not record.rounds:
        return {}, {}
    settled, changeable = settled_outcomes(record.ledger.outcomes), changeable_outcomes(record)
    held = pd.Series(record.rounds[-1].messages_by_batch(record.ledger.batches), dtype="int64")
    waiting = held.groupby(settled.reindex(held.index)).sum()
    return {**changeable}, {str(outcome): int(count) for outcome, count in waiting.items() if count}
