"""What the rounds of a campaign said to whom, and what is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import LedgerError
from campaign.sending.ledger.views import LedgerSnapshot
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
from campaign.sending.store.hashed_rows import HashedRows, first_pieces
from campaign.sending.store.opt_outs import OptOuts
from campaign.sending.store.part_files import HASHES, MESSAGES
from campaign.sending.store.rounds import Round, SentPart, messages_in

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

    @property
    def unsent_messages(self) -> tuple[int, int]:
        """How many messages of the last round wait, and how many were refused: the next run would send both.

        None of a campaign that was closed.
        """
        if self.ledger.is_closed or not self.rounds:
            return 0, 0
        planned = self.rounds[-1].messages_by_batch(self.ledger.batches)
        counts = Counter[str]()
        for batch in self.ledger.batches:
            counts[batch.state] += planned.get(batch.batch, 0)
        return counts["pending"] + counts["again"], counts["refused"]

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
        for part in (part for one_round in self._sound_rounds for part in self._parts(one_round)):
            table = part.read("row", "number", "text_hash", "cell_hash")
            labels = table.column("row").to_numpy()
            starts = first_pieces(labels)
            texts, cells = (table.column(name).to_numpy()[starts] for name in HASHES)
            rows = HashedRows(_numbers(table)[starts], texts, cells)
            yield SentRows(rows, part.batch_of_message[starts], labels[starts])

    def messages(self, batches: Ints, rows: Ints) -> pd.DataFrame:
        """What batches say to their rows: message columns, and `entry`, the position in `batches` and `rows`.

        All pieces of a text, in order.
        """
        wanted = pd.DataFrame({"batch": batches, "row": rows, "entry": np.arange(len(batches))})
        said = messages_in(self.rounds, self.ledger.batches, batches, *MESSAGES.names)
        joined = said.merge(wanted, on=["batch", "row"])[["entry", *MESSAGE_TEXTS, "parts"]]
        return joined.sort_values("entry", kind="stable", ignore_index=True)

    def messages_in(self, chosen: Bools) -> pd.DataFrame:
        """Every message of the `chosen` batches, by their numbers: row, number, message and batch.

        Those of all rounds, also for people who are no longer in the table. Raises `FolderError` when a file
        is not what it was when it was frozen.
        """
        batches = np.flatnonzero(chosen)
        return messages_in(self._sound_rounds, self.ledger.batches, batches, "row", "number", "message")

    def _parts(self, one_round: Round) -> list[SentPart]:
        return one_round.sent_parts(self.ledger.batches)


def _numbers(messages: pa.Table) -> Ints:
    try:
        return np.asarray(messages.column("number").cast(pa.int64()), dtype=np.int64)
    except pa.ArrowInvalid:
        raise LedgerError("campaign_file_damaged", file="a part file") from None
