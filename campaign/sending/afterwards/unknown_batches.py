"""What is known about unknown batches: for whoever asks the provider, and for a page that lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN
from campaign.local_times import LocalTimes
from campaign.masking import mask_numbers
from campaign.results.calls_to_settle import call_to_compare, call_to_list
from campaign.sending.afterwards.settled_batches import LEFT, rows_cut_again, settled_outcomes
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.rounds import Round, messages_in
from campaign.text import agreeing, counted, without_error_class

_SHOWN = 3  # numbers
FINAL = (
    "You cannot take an answer back, so ask first where you are not sure. Only that they were accepted after "
    "all can still be said, before they are sent again."
)
SANDBOX_IS_GONE = (
    "A sandbox that was started later knows nothing of them. If the one that took them has ended, nobody can "
    "tell: it was a rehearsal, and either answer will do."
)


def evidence(place: Folder, contents: LedgerSnapshot, batches: Sequence[int]) -> str:
    """When they left, how long the answers were awaited, what came, and whom their messages are for."""
    facts = contents.outcomes.set_index("batch", drop=False).loc[list(batches)].to_dict("records")
    messages = dict(iter(_messages_of(place, contents, batches).groupby("batch")))
    lines = []
    for fact in facts:
        lines += [_what_came(fact), _in_the_sheet(messages[fact["batch"]])]
    lines.append(f"To list them all: {call_to_list(place.path, batches)}")
    if place.manifest.environment == "local":
        lines += [
            f"To see which of them your sandbox received: {call_to_compare('sandbox', place.path, batches)}"
        ]
        lines.append(SANDBOX_IS_GONE)
    return "\n".join([*lines, FINAL])


def _what_came(facts: Mapping[Any, Any]) -> str:
    when, waited = facts["submitted_at"], facts["seconds"]
    left = "" if pd.isna(when) else f" left on {LocalTimes().moment(when, seconds=True)}"
    wait = "" if pd.isna(waited) or waited < 1 else f", after {waited:.0f} s"
    messages, came = counted(facts["messages"], "message"), without_error_class(facts["error"])
    return f"Batch {facts['batch']} ({messages}){left}{wait}: {came or 'no answer'}."


def _in_the_sheet(messages: pd.DataFrame) -> str:
    """The rows and the first numbers of a batch, masked."""
    rows, numbers = messages["row"], messages["number"].nunique()
    first, last = int(rows.min()), int(rows.max())
    span = f"row {first}" if first == last else f"{rows.nunique():,} rows from row {first} to row {last}"
    return f"In the sheet: {span}; {agreeing(numbers, 'number', 'numbers')} {_first_of(messages['number'])}"


def _messages_of(
    place: Folder,
    contents: LedgerSnapshot,
    batches: Sequence[int],
    columns: Sequence[str] = ("row", "number"),
) -> pd.DataFrame:
    """The messages of some batches, with `batch` and these columns."""
    return messages_in(place.rounds(contents), contents.batches, np.array(batches, np.int64), *columns)


def _first_of(numbers: pd.Series[str]) -> str:
    """The first of some numbers, masked: "2567•••001, 2567•••002, 2567•••003, …"."""
    numbers = numbers.drop_duplicates()
    shown = ", ".join(mask_numbers(numbers.head(_SHOWN)))
    return f"{shown}, …" if len(numbers) > _SHOWN else shown


_COLUMNS = ["batch", "messages", "submitted_at", "cost"]


class UnknownBatches(Struct, frozen=True, eq=False):
    """The batches whose fate is unknown: all of their `numbers`, and more of the `first` of them.

    `first` has the columns batch, messages, submitted_at (UTC), cost (Decimal, None if it is not known),
    first_row, last_row and numbers (the first ones, masked). `messages` counts
    those of all. What is ordered to be sent again is settled, and what a run that is at work waits for is no
    person's to settle. `settled` are batches that a person has settled as "refused" or "again", by batch,
    while some of their messages were not sent again; so many `waiting` messages have those that hold messages
    of the last round, by how they were settled.
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
        contents, is_at_work = place.snapshot(), bool(place.open_in)
        outcomes = contents.outcomes
        is_unknown = (outcomes["status"] == "unknown") & (outcomes["error"] != ORDERED_AGAIN)
        unknown = outcomes[is_unknown & ~(is_at_work & (outcomes["error"] == ""))]
        first = unknown.loc[:, _COLUMNS].head(shown).set_index("batch")
        held = _messages_of(place, contents, [*first.index]).groupby("batch")
        rows, numbers = held["row"], held["number"].agg(_first_of).astype("str")
        first = first.assign(first_row=rows.min(), last_row=rows.max(), numbers=numbers).reset_index()
        settled, waiting = _waiting(settled_outcomes(outcomes), [*place.rounds(contents)], contents)
        batches, count = tuple(map(int, unknown["batch"])), int(unknown["messages"].sum())
        return cls(place.manifest.environment, batches, count, first, settled, waiting)


def unknown_messages(path: Path) -> pd.DataFrame:
    """Every message of these batches: batch, submitted_at (UTC), row, number and message."""
    place, batches = open_folder(path), UnknownBatches.of(path, shown=0).numbers
    contents = place.snapshot()
    messages = _messages_of(place, contents, batches, ["row", "number", "message"])
    left = contents.outcomes.set_index("batch")["submitted_at"]
    messages = messages.assign(submitted_at=left.reindex(messages["batch"]).array)
    return messages[["batch", "submitted_at", "row", "number", "message"]]


def _waiting(
    outcomes: pd.Series[str], rounds: list[Round], contents: LedgerSnapshot
) -> tuple[dict[int, str], dict[str, int]]:
    """Those of some batches that say something which was not sent again since; and how many messages of them
    the last round holds, by outcome."""
    if outcomes.empty or contents.is_closed:
        return {}, {}
    held = rounds[-1].messages_by_batch(contents.batches)
    waiting = outcomes.index.to_series().map(held).fillna(0).astype("int64").groupby(outcomes).sum()
    rows = rows_cut_again(CampaignRecord("", rounds, contents), outcomes.index)
    open_ones = rows.loc[rows["again"] != LEFT, "batch"].unique()
    settled = {int(batch): outcomes[batch] for batch in outcomes.index if batch in open_ones}
    return settled, {str(outcome): int(count) for outcome, count in waiting.items() if count}
