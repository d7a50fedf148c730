"""The messages of a round that are to go out, frozen on disk and cut into batches.

A batch is a stretch of one part file, with a digest of its content: never rows of a table that could be
computed differently next time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints, TextChunks, combine_chunks, text_buffers
from campaign.cluster import packed
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import LedgerError
from campaign.messages.plan import batch_bounds
from campaign.messages.plan_tables.plan_columns import MessageStream
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.part_files import (
    MESSAGES,
    OUTGOING,
    arrow_table,
    part_path,
    read_part,
    write_part,
)
from campaign.service.wire import EncodedMessages, Encoding

PART_MESSAGES = 50_000  # in one part file: about 20 MB of encoded text in memory at a time
Digests = dict[str, str]  # SHA-256 of files by their path from the round's folder


class Batch(Struct, frozen=True):
    """A batch ready to leave: its number, how many messages and SMS parts it has, and its encoded entries."""

    number: int
    messages: int
    parts: int
    entries: memoryview

    def __repr__(self) -> str:
        return f"Batch({self.number}, {self.messages} messages)"


class PendingBatches(Protocol):
    """The one method of the ledger that reading batches needs."""

    def pending(self, part: int) -> list[Entry]: ...


class Cutting(Struct, frozen=True, kw_only=True):
    """How messages are cut into batches.

    `first_batch` is the number of the first batch; with `canary` it has one message. With a pilot, the first
    `pilot` messages share no batch with the others.
    """

    batch_size: int
    first_batch: int
    canary: bool
    pilot: int | None = None


class MessageSource(Protocol):
    """Where the messages of a plan are."""

    def __call__(
        self, function: Any, stretches: Sequence[Ints], *columns: Iterable[Any]
    ) -> Iterator[tuple[list[bytes], str]]:
        """What a function makes of some messages and of an entry of each column, in order.

        `stretches` are the positions of the messages in the plan, for one call each.
        """


def in_order(stream: MessageStream) -> MessageSource:
    """The messages of a plan that is on this machine, which come in the order in which they are asked for."""

    def each(
        function: Any, stretches: Sequence[Ints], *columns: Iterable[Any]
    ) -> Iterator[tuple[list[bytes], str]]:
        for stretch, *own in zip(stretches, *columns, strict=True):
            yield function(stream.take(len(stretch)), *own)

    return each


def freeze(
    messages: MessageSource, rows: Ints, places: Ints, folder: Path, cutting: Cutting
) -> tuple[list[Entry], Digests]:
    """Write messages that are to go out as part files into `folder`; returns the batches they are cut into.

    They have their hashes, see `with_hashes`. `rows` has the row number of each, `places` their positions in
    the plan. The messages of one row stay in one batch.
    """
    cuts = [*cut_parts(rows, cutting)]
    stretches = [places[cut.start : cut.stop] for cut in cuts]
    paths = [part_path(folder, part) for part in range(len(cuts))]
    written = messages(_write_part, stretches, map(packed, stretches), paths, [cut.batches for cut in cuts])
    entries: list[Entry] = []
    digests: Digests = {}
    for part, (cut, (of_batches, of_file)) in enumerate(zip(cuts, written, strict=True)):
        entries += cut.entries(part, cutting.first_batch + len(entries), of_batches)
        digests[f"{folder.name}/{paths[part].name}"] = of_file
    return entries, digests


def _write_part(
    messages: pd.DataFrame, places: Sequence[int], path: Path, batches: list[tuple[int, int]]
) -> tuple[list[bytes], str]:
    """Write a part file; returns the digests of its batches, and its own."""
    columns = messages.assign(place=np.asarray(places, dtype=np.int64))
    table = arrow_table(columns, OUTGOING).combine_chunks()
    content = _Content(table)
    return [content.digest(first, after) for first, after in batches], write_part(table, path)


class PartCut(Struct, frozen=True):
    """Which of the messages that are to go out are in one part file, and where its batches begin and end."""

    start: int
    stop: int
    batches: list[tuple[int, int]]

    def entries(self, part: int, first_batch: int, digests: Iterable[bytes]) -> list[Entry]:
        """The batches as the ledger registers them."""
        return [
            Entry(batch, part, first, after - first, digest)
            for batch, (first, after), digest in zip(
                range(first_batch, first_batch + len(self.batches)), self.batches, digests, strict=True
            )
        ]


def cut_parts(rows: Ints, cutting: Cutting) -> Iterator[PartCut]:
    """How messages are cut into part files and batches; `rows` has the row number of each."""
    for part, (start, stop) in enumerate(_part_bounds(rows, cutting.pilot or 0)):
        first_size = 1 if cutting.canary and part == 0 else None
        yield PartCut(start, stop, [*batch_bounds(rows[start:stop], cutting.batch_size, first_size)])


def _part_bounds(rows: Ints, pilot: int) -> Iterator[tuple[int, int]]:
    """Start and stop of each part; one ends where the pilot ends."""
    for start, stop in ((0, pilot), (pilot, len(rows))):
        for first, after in batch_bounds(rows[start:stop], PART_MESSAGES):
            yield start + first, start + after


def pending_batches(folder: Path, parts: int, ledger: PendingBatches, encoding: Encoding) -> Iterator[Batch]:
    """The batches that have not been attempted, in order; one part file is in memory at a time.

    Raises `LedgerError` when a part file is missing or is not what was frozen.
    """
    for part in range(parts):
        waiting = ledger.pending(part)
        if waiting:
            frozen = FrozenPart(folder, part, encoding)
            for entry in waiting:
                yield frozen.batch(entry)


class FrozenPart:
    """One part file in memory, encoded; raises `LedgerError` when it is missing or not what was frozen."""

    def __init__(self, folder: Path, part: int, encoding: Encoding) -> None:
        self._path = part_path(folder, part)
        self._table = read_part(self._path, OUTGOING, MESSAGES.names)
        self._content, self._encoded = _Content(self._table), EncodedMessages(self._table, encoding)
        self._sizes = self._table.column("parts").to_numpy()

    def batch(self, entry: Entry) -> Batch:
        """One of its batches, ready to leave."""
        after = entry.first + entry.messages
        if after > self._table.num_rows or self._content.digest(entry.first, after) != entry.digest:
            raise LedgerError("campaign_file_damaged", file=self._path)
        size = int(self._sizes[entry.first : after].sum())
        return Batch(entry.batch, entry.messages, size, self._encoded.slice(entry.first, after))


def read_sizes(folder: Path, part: int) -> Ints:
    """The SMS parts of each message in a part file."""
    sizes: Ints = read_part(part_path(folder, part), OUTGOING, ["parts"]).column("parts").to_numpy()
    return sizes


class _Content:
    """The texts of a part; any stretch has a digest, SHA-256 over lengths and bytes of each column."""

    def __init__(self, table: pa.Table) -> None:
        columns = (cast("TextChunks", table.column(name)) for name in MESSAGE_TEXTS)
        self._columns = [text_buffers(combine_chunks(column)) for column in columns]

    def digest(self, start: int, stop: int) -> bytes:
        content = hashlib.sha256()
        for offsets, data in self._columns:
            ends = offsets[start : stop + 1]
            content.update((ends - ends[0]).astype("<i8", copy=False).data)
            content.update(data[ends[0] : ends[-1]].data)
        return content.digest()
