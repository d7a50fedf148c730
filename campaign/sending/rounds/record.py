"""What the rounds of a campaign said to whom, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    combine_chunks,
)
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import LedgerError
from campaign.sending.ledger.views import LedgerSnapshot, RegisteredBatch
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    REFUSED,
    UNKNOWN,
    UNSENT,
    Knowledge,
    SentRows,
)
from campaign.sending.store.folder import Folder
from campaign.sending.store.frozen_messages import check_size, read_part
from campaign.sending.store.hashed_rows import HashedRows, first_pieces
from campaign.sending.store.opt_outs import OptOuts
from campaign.sending.store.rounds import Round

_KNOWLEDGE = {
    "pending": UNSENT, "withdrawn": UNSENT, "refused": REFUSED, "again": AGAIN, "sending": UNKNOWN,
    "unknown": UNKNOWN, "accepted": ACCEPTED,
}  # fmt: skip


class CampaignRecord(Struct, frozen=True, eq=False, dict=True):
    """The rounds of the campaign called `name` as columns, one part file in memory at a time."""

    name: str
    rounds: Sequence[Round]
    ledger: LedgerSnapshot

    @classmethod
    def of(cls, folder: Folder) -> CampaignRecord:
        """The record of a campaign as it is now."""
        ledger = folder.snapshot()
        return cls(folder.manifest.name, folder.rounds(ledger), ledger)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of each batch, by its number."""
        return np.array([UNSENT, *(_KNOWLEDGE[batch.state] for batch in self.ledger.batches)], np.int8)

    @cached_property
    def opt_outs(self) -> OptOuts:
        """The people who want no messages, as the last round has them."""
        return self._sound_rounds[-1].opt_outs if self.rounds else OptOuts()

    @cached_property
    def waiting(self) -> Bools:
        """Which batches wait to be sent, by their numbers."""
        return np.array([False, *(batch.state == "pending" for batch in self.ledger.batches)])

    @cached_property
    def under_way(self) -> Bools:
        """Which batches have left, perhaps, and have no answer yet, by their numbers."""
        return np.array([False, *(batch.state == "sending" for batch in self.ledger.batches)])

    def reached_numbers(self, batches: Bools) -> Ints:
        """The numbers in some batches, ascending; `batches` says which, by their numbers."""
        if not batches.any():  # as after most sendings: the whole record need not be read for that
            return np.empty(0, np.int64)
        numbers = [part.rows.numbers[batches[part.batches]] for part in self.sent()]
        return np.unique(np.concatenate(numbers))

    @cached_property
    def _sound_rounds(self) -> Sequence[Round]:
        """The rounds; raises `FolderError` when a frozen file was changed, because it would be believed."""
        for one_round in self.rounds:
            one_round.check_files()
        return self.rounds

    def sent(self) -> Iterator[SentRows]:
        """The rows that were to get something, part by part, in the order of their batches."""
        for one_round in self._sound_rounds:
            for part, batches in self._parts(one_round):
                table = read_part(one_round.plan_path, part, ["row", "number", "text_hash", "cell_hash"])
                labels = table.column("row").to_numpy()
                starts = first_pieces(labels)
                numbers = _numbers(combine_chunks(table.column("number")), starts)
                texts, cells = (table.column(name).to_numpy()[starts] for name in ("text_hash", "cell_hash"))
                rows = HashedRows(numbers, texts, cells)
                yield SentRows(rows, _batch_of_rows(batches)[starts], labels[starts])

    def messages(self, batches: Ints, rows: Ints) -> pd.DataFrame:
        """What batches say to their rows: message columns, and `entry`, the position in `batches` and `rows`.

        All pieces of a text, in order.
        """
        wanted = pd.DataFrame({"batch": batches, "row": rows, "entry": np.arange(len(batches))})
        columns = ["entry", *MESSAGE_TEXTS, "parts"]
        frames = []
        for one_round in self.rounds:
            for part, registered in self._parts(one_round):
                if not wanted["batch"].isin([batch.batch for batch in registered]).any():
                    continue
                frame = read_part(one_round.plan_path, part).to_pandas()
                frame["batch"] = _batch_of_rows(registered)
                frames.append(frame.merge(wanted, on=["batch", "row"])[columns])
        if not frames:
            return pd.DataFrame(columns=columns).astype({"entry": "int64", "parts": "int64"})
        joined = pd.concat(frames, ignore_index=True)[columns]
        if joined["entry"].is_monotonic_increasing:  # as it mostly is: sorting takes a copy
            return joined
        return joined.sort_values("entry", kind="stable", ignore_index=True)

    def messages_that_left(self, *, besides: Iterable[int] = ()) -> pd.DataFrame:
        """Every message that was accepted or may have been: row, number, message and batch.

        Those of all rounds, also for people who are no longer in the table, and those of some batches
        `besides`, whatever is known of them. Raises `FolderError` when a file
        is not what it was when it was frozen.
        """
        frames = [pd.DataFrame({"row": [], "number": [], "message": [], "batch": []})]
        has_left = self.knowledge >= AGAIN
        has_left[[*besides]] = True
        for one_round in self._sound_rounds:
            for part, registered in self._parts(one_round):
                batches = _batch_of_rows(registered)
                left = has_left[batches]
                if left.any():
                    table = read_part(one_round.plan_path, part, ["row", "number", "message"])
                    frames.append(table.to_pandas().assign(batch=batches)[left])
        types = {"row": "int64", "number": "str", "message": "str", "batch": "int64"}
        return pd.concat([frame.astype(types) for frame in frames], ignore_index=True)

    def _parts(self, one_round: Round) -> Iterator[tuple[int, list[RegisteredBatch]]]:
        """The part files of a round, each with its batches in order."""
        own = [batch for batch in self.ledger.batches if batch.round == one_round.number]
        for part in range(one_round.manifest.parts):
            batches = [batch for batch in own if batch.part == part]
            check_size(one_round.plan_path, part, sum(batch.messages for batch in batches))
            yield part, batches


def _numbers(texts: TextArray, positions: Ints) -> Ints:
    try:
        return np.asarray(texts.take(positions).cast(pa.int64()), dtype=np.int64)
    except pa.ArrowInvalid:
        raise LedgerError("A frozen message has no phone number. Restore the folder from a copy.") from None


def _batch_of_rows(batches: Sequence[RegisteredBatch]) -> Ints:
    numbers = np.array([batch.batch for batch in batches], np.int64)
    return np.repeat(numbers, [batch.messages for batch in batches])
