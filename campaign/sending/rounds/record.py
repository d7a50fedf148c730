"""What the rounds of a campaign said to whom, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    combine_chunks,
    join_runs,
    join_texts,
    series_to_array,
)
from campaign.contract import MESSAGE_TEXTS
from campaign.messages.plan import Plan
from campaign.sending.ledger.views import LedgerSnapshot, RegisteredBatch
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    REFUSED,
    UNKNOWN,
    UNSENT,
    Knowledge,
    RecordedTexts,
    RowTexts,
)
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.frozen_messages import read_part
from campaign.sending.store.rounds import CONTACTS, ISSUES, RECIPIENTS, Round

_KNOWLEDGE = {
    "pending": UNSENT, "withdrawn": UNSENT, "refused": REFUSED, "again": AGAIN, "sending": UNKNOWN,
    "unknown": UNKNOWN, "accepted": ACCEPTED,
}  # fmt: skip
STOPPED = "stopped"  # the issue of a person who answered STOP after the campaign had begun
_BETWEEN_PIECES = "\n"  # compared as white space
_BETWEEN_CELLS = "\x1f"


@dataclass(frozen=True, eq=False)
class CampaignRecord:
    """The rounds of the campaign called `name` as columns, one part file in memory at a time."""

    name: str
    rounds: Sequence[Round]
    ledger: LedgerSnapshot

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of each batch, by its number."""
        return np.array([UNSENT, *(_KNOWLEDGE[batch.state] for batch in self.ledger.batches)], np.int8)

    @cached_property
    def stopped_numbers(self) -> Ints:
        """Who answered STOP after the campaign had begun."""
        stopped = [np.empty(0, np.int64)]
        for one_round in self.rounds:
            issues = read_frame(one_round.path / ISSUES, ["row", "code"])
            rows = issues.loc[issues["code"] == STOPPED, "row"]
            if len(rows):
                numbers = read_frame(one_round.path / RECIPIENTS, ["number"])["number"]
                stopped.append(np.asarray(numbers[numbers.index.isin(rows)], dtype=np.int64))
        return np.unique(np.concatenate(stopped))

    @cached_property
    def waiting(self) -> Bools:
        """Which batches wait to be sent, by their numbers."""
        return np.array([False, *(batch.state == "pending" for batch in self.ledger.batches)])

    @cached_property
    def _sound_rounds(self) -> Sequence[Round]:
        """The rounds; raises `FolderError` when a frozen file was changed, because it would be believed."""
        for one_round in self.rounds:
            one_round.check_files()
        return self.rounds

    def texts(self) -> Iterator[RecordedTexts]:
        """The rows that were to get something, part by part, with the batch of each."""
        for one_round in self._sound_rounds:
            contacts = read_frame(one_round.path / CONTACTS)
            columns = one_round.manifest.number_columns
            for part, batches in self._parts(one_round):
                table = read_part(one_round.plan_path, part, ["row", "number", "message"])
                rows = table.column("row").to_numpy()
                starts = first_pieces(rows)
                texts = _whole_texts(combine_chunks(table.column("message")), starts)
                cells = number_cells(contacts, columns, rows[starts])
                numbers = _numbers(combine_chunks(table.column("number")), starts)
                yield RecordedTexts(RowTexts(numbers, texts, cells), _batch_of_rows(batches)[starts])

    def messages(self, batches: Ints, numbers: Ints) -> pd.DataFrame:
        """What batches say to numbers: message columns, and `entry`, the position in `batches` and `numbers`.

        All pieces of a text, in order. A batch with several texts for one number gives the first.
        """
        wanted = pd.DataFrame({"batch": batches, "recipient": numbers, "entry": np.arange(len(batches))})
        frames = []
        for one_round in self.rounds:
            for part, registered in self._parts(one_round):
                if not wanted["batch"].isin([batch.batch for batch in registered]).any():
                    continue
                frame = read_part(one_round.plan_path, part).to_pandas()
                frame["batch"] = _batch_of_rows(registered)
                frame["recipient"] = frame["number"].astype("int64")
                matches = frame.merge(wanted, on=["batch", "recipient"])
                first_row = matches.groupby("entry")["row"].transform("first")
                frames.append(matches[matches["row"] == first_row])
        columns = ["entry", *MESSAGE_TEXTS, "parts"]
        if not frames:
            return pd.DataFrame(columns=columns)
        return pd.concat(frames)[columns].sort_values("entry", kind="stable").reset_index(drop=True)

    def messages_that_left(self) -> pd.DataFrame:
        """Every message that was accepted or may have been: row, number, message and batch.

        Those of all rounds, also for people who are no longer in the table. Raises `FolderError` when a file
        is not what it was when it was frozen.
        """
        frames = [pd.DataFrame({"row": [], "number": [], "message": [], "batch": []})]
        for one_round in self._sound_rounds:
            for part, registered in self._parts(one_round):
                batches = _batch_of_rows(registered)
                left = self.knowledge[batches] >= AGAIN
                if left.any():
                    table = read_part(one_round.plan_path, part, ["row", "number", "message"])
                    frames.append(table.to_pandas().assign(batch=batches)[left])
        types = {"row": "int64", "number": "str", "message": "str", "batch": "int64"}
        return pd.concat([frame.astype(types) for frame in frames], ignore_index=True)

    def _parts(self, one_round: Round) -> Iterator[tuple[int, list[RegisteredBatch]]]:
        """The part files of a round, each with its batches in order."""
        own = [batch for batch in self.ledger.batches if batch.round == one_round.number]
        for part in range(one_round.manifest.parts):
            yield part, [batch for batch in own if batch.part == part]


def planned_texts(plan: Plan, messages: pd.DataFrame) -> tuple[Ints, RowTexts]:
    """The rows of a plan that get something as the comparison takes them, and the position of the first
    message of each."""
    rows = messages["row"].to_numpy()
    starts = first_pieces(rows)
    texts = _whole_texts(series_to_array(messages["message"]), starts)
    numbers = _numbers(series_to_array(messages["number"]), starts)
    cells = number_cells(plan.contacts, plan.addressing.columns, rows[starts])
    return starts, RowTexts(numbers, texts, cells)


def number_cells(contacts: pd.DataFrame, columns: Sequence[str], rows: Ints) -> TextArray:
    """What the columns of the numbers say in some rows."""
    places = contacts.index.get_indexer(pd.Index(rows))
    first, *others = (series_to_array(contacts[name].iloc[places]) for name in columns)
    for cells in others:
        first = join_texts(first, _BETWEEN_CELLS, cells)
    return first


def first_pieces(rows: Ints) -> Ints:
    """The position of the first message of each row; `rows` has the row of each message."""
    return np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.empty(0, np.int64)


def _whole_texts(pieces: TextArray, starts: Ints) -> TextArray:
    if len(starts) == len(pieces):
        return pieces
    return join_runs(pieces, np.diff(np.r_[starts, len(pieces)]), _BETWEEN_PIECES)


def _numbers(texts: TextArray, positions: Ints) -> Ints:
    return np.asarray(texts.take(positions).cast(pa.int64()), dtype=np.int64)


def _batch_of_rows(batches: Sequence[RegisteredBatch]) -> Ints:
    numbers = np.array([batch.batch for batch in batches], np.int64)
    return np.repeat(numbers, [batch.messages for batch in batches])
