"""The batches of a campaign that a person can settle, for a page that lists them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from msgspec import Struct

from campaign.contract import ORDERED_AGAIN
from campaign.sending.afterwards.evidence import first_numbers, messages_of_batch
from campaign.sending.afterwards.settled_batches import settled_outcomes
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.sending.store.rounds import Round

_COLUMNS = ["batch", "messages", "submitted_at", "cost"]


class UnknownBatches(Struct, frozen=True, eq=False):
    """The batches whose fate is unknown: all of their `numbers`, and more of the `first` of them.

    `first` has the columns batch, messages, submitted_at (UTC), cost (Decimal, None if it is not known),
    first_row and last_row (missing after erasing) and numbers (the first ones, masked). `messages` counts
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
        rounds = {one.number: one for one in place.rounds(contents)}
        first = unknown.head(shown).reset_index(drop=True)
        held = [
            messages_of_batch(contents, batch, rounds[number])
            for batch, number in zip(first["batch"], first["round"], strict=True)
        ]
        rows = [messages["row"] for messages in held]
        table = first[_COLUMNS].assign(
            first_row=pd.array([one.min() for one in rows], dtype="Int64"),
            last_row=pd.array([one.max() for one in rows], dtype="Int64"),
            numbers=pd.array([first_numbers(messages) for messages in held], dtype="str"),
        )
        batches = tuple(map(int, unknown["batch"]))
        settled, waiting = _waiting(settled_outcomes(outcomes), [*rounds.values()], contents)
        count = int(unknown["messages"].sum())
        return cls(place.manifest.environment, batches, count, table, settled, waiting)


def unknown_messages(path: Path) -> pd.DataFrame:
    """Every message of these batches: batch, submitted_at (UTC), row, number and message."""
    place = open_folder(path)
    contents = place.snapshot()
    batches = UnknownBatches.of(path, shown=0).numbers
    rounds = {one.number: one for one in place.rounds(contents)}
    left = contents.outcomes.set_index("batch")["submitted_at"]
    frames = [
        messages_of_batch(contents, one.batch, rounds[one.round], ["row", "number", "message"]).assign(
            batch=one.batch, submitted_at=left[one.batch]
        )
        for one in contents.batches
        if one.batch in batches
    ]
    columns = ["batch", "submitted_at", "row", "number", "message"]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def _waiting(
    outcomes: pd.Series[str], rounds: list[Round], contents: LedgerSnapshot
) -> tuple[dict[int, str], dict[str, int]]:
    """Those of some batches that hold messages of the last round, and how many: what was sent again is in
    other batches."""
    if outcomes.empty or contents.is_closed:
        return {}, {}
    held = pd.Series(rounds[-1].messages_by_batch(contents.batches), dtype="int64").reindex(outcomes.index)
    waiting = held[held > 0].astype("int64")
    by_outcome = waiting.groupby(outcomes.reindex(waiting.index)).sum()
    left_out = _not_sent_again(outcomes.index.difference(waiting.index), rounds, contents)
    settled = {int(batch): str(outcomes[batch]) for batch in sorted({*waiting.index, *left_out})}
    return settled, {str(how): int(n) for how, n in by_outcome.items()}


def _not_sent_again(batches: pd.Index[int], rounds: list[Round], contents: LedgerSnapshot) -> set[int]:
    """Those of some batches that say something which no other batch that left says to the same number."""
    record = CampaignRecord("", rounds, contents)
    if batches.empty or record.is_erased:
        return set()
    left = record.messages_that_left(besides=batches)
    is_theirs = left["batch"].isin(batches)
    keys = pd.MultiIndex.from_frame(left[["number", "message"]])
    is_alone = is_theirs & ~keys.isin(keys[~is_theirs])
    return {*map(int, left.loc[is_alone, "batch"])}
