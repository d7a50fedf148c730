"""The messages of a round, frozen on disk and cut into batches.

A batch is a stretch of one part file, with a digest of its content: never rows of a table that could be
computed differently next time. Messages that need not go out, because an earlier batch holds them, are kept
in a file of their own beside the parts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints, TextChunks, combine_chunks, text_buffers
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import LedgerError
from campaign.messages.plan import batch_bounds
from campaign.messages.plan_tables.plan_columns import MessageStream
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.frame_files import are_numbers, part_path, table_files, write_tables
from campaign.sending.store.parquet_files import read_file, read_metadata
from campaign.service.wire import EncodedMessages, Encoding

PART_MESSAGES = 50_000  # in one part file: about 20 MB of encoded text in memory at a time
SETTLED = "settled.parquet"
_TYPES: dict[str, pa.DataType] = {
    "row": pa.int64(), **dict.fromkeys(MESSAGE_TEXTS, pa.large_string()), "parts": pa.int64(),
}  # fmt: skip
MESSAGE_SCHEMA = pa.schema(_TYPES)
# `place` is the position in the plan: messages leave in another order when some are settled or go first.
_PLACED_SCHEMA = MESSAGE_SCHEMA.append(pa.field("place", pa.int64()))
_SETTLED_SCHEMA = _PLACED_SCHEMA.append(pa.field("batch", pa.int64()))
# What later rounds are compared with, beside the number: see `HashedRows`.
HASHES = ("text_hash", "cell_hash")
_PART_SCHEMA = pa.schema([*_PLACED_SCHEMA, *(pa.field(name, pa.int64()) for name in HASHES)])


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


def freeze(
    messages: MessageStream, rows: Ints, places: Ints, folder: Path, cutting: Cutting
) -> Iterator[Entry]:
    """Write messages that are to go out as part files into `folder`, and yield the batches they are cut into.

    They have their hashes, see `with_hashes`. `rows` has the row number of each, `places` their positions in
    the plan. The messages of one row stay in one batch. A part is on disk when its first batch has been
    yielded, so iterate to the end.
    """
    batch = cutting.first_batch
    for part, cut in enumerate(cut_parts(rows, cutting)):
        piece = message_table(messages.take(cut.stop - cut.start), places[cut.start : cut.stop])
        write_tables([piece], part_path(folder, part))
        entries = cut.entries(part, batch, batch_digests(piece, cut.batches))
        yield from entries
        batch += len(entries)


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


def message_table(messages: pd.DataFrame, places: Ints) -> pa.Table:
    """The messages of a part file, with their hashes; `places` are their positions in the plan."""
    return _table(messages, _PART_SCHEMA, place=places).combine_chunks()


def batch_digests(table: pa.Table, batches: Iterable[tuple[int, int]]) -> list[bytes]:
    """The digest of each batch of a part file."""
    content = _Content(table)
    return [content.digest(first, after) for first, after in batches]


def _part_bounds(rows: Ints, pilot: int) -> Iterator[tuple[int, int]]:
    """Start and stop of each part; one ends where the pilot ends."""
    for start, stop in ((0, pilot), (pilot, len(rows))):
        for first, after in batch_bounds(rows[start:stop], PART_MESSAGES):
            yield start + first, start + after


def write_settled(messages: Iterable[pd.DataFrame], places: Ints, batches: Ints, folder: Path) -> None:
    """Write messages that earlier batches hold, with the number of that batch."""

    def tables() -> Iterator[pa.Table]:
        start = 0
        for frame in messages:
            here = slice(start, start + len(frame))
            yield settled_table(frame, places[here], batches[here])
            start = here.stop

    write_tables(tables(), folder / SETTLED)


def settled_table(messages: pd.DataFrame, places: Ints, batches: Ints) -> pa.Table:
    """Messages that earlier batches hold: their positions in the plan, and the batch of each."""
    return _table(messages, _SETTLED_SCHEMA, place=places, batch=batches)


def _table(messages: pd.DataFrame, schema: pa.Schema, **columns: Ints) -> pa.Table:
    table = pa.Table.from_pandas(messages.assign(**columns), schema=schema, preserve_index=False)
    return table.replace_schema_metadata(None)


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
        self._table = read_part(folder, part, MESSAGE_SCHEMA.names)
        self._content, self._encoded = _Content(self._table), EncodedMessages(self._table, encoding)
        self._sizes = self._table.column("parts").to_numpy()

    def batch(self, entry: Entry) -> Batch:
        """One of its batches, ready to leave."""
        after = entry.first + entry.messages
        if after > self._table.num_rows or self._content.digest(entry.first, after) != entry.digest:
            raise LedgerError(f"{self._path} was changed after it was frozen. Restore it from a copy.")
        size = int(self._sizes[entry.first : after].sum())
        return Batch(entry.batch, entry.messages, size, self._encoded.slice(entry.first, after))


def _check_places(folder: Path, places: Ints, batches: Ints) -> None:
    """Raise `LedgerError` unless each position in a plan has one message, and the ledger knows its batch."""
    if len(places) != len(batches) or not np.array_equal(np.sort(places), np.arange(len(places))):
        raise LedgerError(f"The messages in {folder} are not those that were frozen. Restore it from a copy.")


class MessageFile(Struct, frozen=True):
    """A file of messages, or one part of it."""

    path: Path
    group: int | None = None

    def read(self, columns: list[str]) -> pa.Table:
        """Some columns; raises `LedgerError` when the file is missing or damaged."""
        try:
            return _read_file(self.path, _wanted(_SETTLED_SCHEMA, columns), self.group)
        except (OSError, ValueError, KeyError, pa.ArrowException, IndexError):
            raise LedgerError(f"{self.path} is missing or damaged. Restore it from a copy.") from None

    def integers(self, column: str) -> Ints:
        """A column of whole numbers."""
        integers: Ints = self.read([column]).column(0).to_numpy()
        return integers

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        try:
            facts = read_metadata(self.path)
        except (OSError, pa.ArrowException):
            raise LedgerError(f"{self.path} is missing or damaged. Restore it from a copy.") from None
        groups = range(facts.num_row_groups) if self.group is None else [self.group]
        return sum(facts.row_group(group).total_byte_size for group in groups)


_NONE: Ints = np.empty(0, np.int64)
NO_MESSAGES = _PLACED_SCHEMA.empty_table()


def message_files(folder: Path, parts: int, *, has_settled: bool) -> list[MessageFile]:
    """The files of all messages of a frozen plan: those that were to go out, then those that were settled."""
    files = [MessageFile(part_path(folder, part)) for part in range(parts)]
    if has_settled:
        files += [
            MessageFile(file, group)
            for file in table_files(folder / SETTLED)
            for group in range(read_metadata(file).num_row_groups)
        ]
    return files


def batches_by_place(folder: Path, files: list[MessageFile], batches: Ints) -> Ints:
    """The batch that holds each message of a frozen plan, in the order of the plan.

    `files` are its `message_files`, and `batches` has the batch of each message in the part files, in order.
    """
    places = [file.integers("place") for file in files]
    earlier = [file.integers("batch") for file in files if file.group is not None]
    of_place, of_batch = np.concatenate([*places, _NONE]), np.concatenate([batches, *earlier, _NONE])
    _check_places(folder, of_place, of_batch)
    by_place = np.zeros(len(of_batch), np.int64)
    by_place[of_place] = of_batch
    return by_place


def check_size(folder: Path, part: int, messages: int) -> None:
    """Raise `LedgerError` unless a part file has exactly the messages of its batches."""
    try:
        rows = sum(read_metadata(file).num_rows for file in table_files(part_path(folder, part)))
    except (OSError, ValueError, pa.ArrowException):
        rows = -1
    if rows != messages:
        raise LedgerError(f"{part_path(folder, part)} is missing or damaged. Restore it from a copy.")


def read_sizes(folder: Path, part: int) -> Ints:
    """The SMS parts of each message in a part file."""
    sizes: Ints = read_part(folder, part, ["parts"]).column("parts").to_numpy()
    return sizes


def read_part(folder: Path, part: int, columns: list[str] | None = None) -> pa.Table:
    """A part file, or some columns of it; raises `LedgerError` when it is missing or damaged."""
    path = part_path(folder, part)
    wanted = _PART_SCHEMA if columns is None else _wanted(_PART_SCHEMA, columns)
    try:
        return pa.concat_tables(_read_file(file, wanted) for file in table_files(path))
    except (OSError, ValueError, KeyError, pa.ArrowException):
        raise LedgerError(f"{path} is missing or damaged. Restore it from a copy.") from None


def _wanted(schema: pa.Schema, columns: list[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in columns])


def _read_file(file: Path, wanted: pa.Schema, group: int | None = None) -> pa.Table:
    """Raises `ValueError` where a value is missing, or is no number of a row, a place or a batch."""
    table = read_file(file, wanted.names, group).select(wanted.names).cast(wanted)
    for name, column in zip(wanted.names, table.columns, strict=True):
        if column.null_count:
            raise ValueError("a missing value")
        if pa.types.is_integer(column.type) and name not in HASHES and not are_numbers(column):
            raise ValueError("too large")
    return table


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
