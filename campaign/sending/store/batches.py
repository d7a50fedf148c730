"""A plan frozen on disk, cut into batches.

A batch is a stretch of one part file, with a digest of its content: never rows of a table that could be
computed differently next time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from campaign.arrow_text import Ints, TextArray, text_buffers
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import LedgerError
from campaign.messages.batching import batch_bounds
from campaign.private_files import new_private_file
from campaign.sending.ledger.ledger import Entry
from campaign.service.wire import EncodedMessages, Encoding

PART_MESSAGES = 50_000  # in one part file: about 20 MB of encoded text in memory at a time
_TYPES: dict[str, pa.DataType] = {
    "row": pa.int64(), **dict.fromkeys(MESSAGE_TEXTS, pa.large_string()), "parts": pa.int64(),
}  # fmt: skip
_SCHEMA = pa.schema(_TYPES)


@dataclass(frozen=True, slots=True, repr=False)
class Batch:
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


def freeze(
    messages: pd.DataFrame, folder: Path, *, batch_size: int, first_batch: int | None
) -> Iterator[Entry]:
    """Write the messages as part files into `folder` and yield the batches they are cut into.

    `first_batch` is the size of the very first batch where it differs. The messages of one row stay in one
    batch. A part is on disk when its first batch has been yielded, so iterate to the end.
    """
    table = pa.Table.from_pandas(messages, schema=_SCHEMA, preserve_index=False).replace_schema_metadata(None)
    rows = messages["row"].to_numpy()
    batch = 0
    for part, (start, stop) in enumerate(batch_bounds(rows, PART_MESSAGES)):
        piece = table.slice(start, stop - start).combine_chunks()
        with new_private_file(part_path(folder, part)) as file:
            pq.write_table(piece, file, compression="zstd", compression_level=1)
        content = _Content(piece)
        for first, after in batch_bounds(rows[start:stop], batch_size, first_batch if part == 0 else None):
            batch += 1
            yield Entry(batch, part, first, after - first, content.digest(first, after))


def pending_batches(folder: Path, parts: int, ledger: PendingBatches, encoding: Encoding) -> Iterator[Batch]:
    """The batches that have not been attempted, in order; one part file is in memory at a time.

    Raises `LedgerError` when a part file is missing or is not what was frozen.
    """
    for part in range(parts):
        waiting = ledger.pending(part)
        if not waiting:
            continue
        table = _read_part(folder, part)
        frozen, encoded = _Content(table), EncodedMessages(table, encoding)
        sizes = table.column("parts").to_numpy()
        for entry in waiting:
            after = entry.first + entry.messages
            if after > table.num_rows or frozen.digest(entry.first, after) != entry.digest:
                path = part_path(folder, part)
                raise LedgerError(f"{path} was changed after it was frozen. Restore it from a copy.")
            size = int(sizes[entry.first : after].sum())
            yield Batch(entry.batch, entry.messages, size, encoded.slice(entry.first, after))


def read_messages(folder: Path, parts: int) -> pd.DataFrame:
    """All messages of a frozen plan, in sending order: row, number, message, sender, priority, parts."""
    tables = [_SCHEMA.empty_table(), *(_read_part(folder, part) for part in range(parts))]
    messages: pd.DataFrame = pa.concat_tables(tables).to_pandas()
    return messages.astype(dict.fromkeys(MESSAGE_TEXTS, "str"))


def read_sizes(folder: Path, part: int) -> Ints:
    """The SMS parts of each message in a part file."""
    sizes: Ints = _read_part(folder, part, ["parts"]).column("parts").to_numpy()
    return sizes


def part_path(folder: Path, part: int) -> Path:
    return folder / f"part-{part:05d}.parquet"


def _read_part(folder: Path, part: int, columns: list[str] | None = None) -> pa.Table:
    path = part_path(folder, part)
    try:
        return pq.read_table(path, schema=_SCHEMA, columns=columns)
    except (OSError, pa.ArrowException):
        raise LedgerError(f"{path} is missing or damaged. Restore it from a copy.") from None


class _Content:
    """The texts of a part; any stretch has a digest, SHA-256 over lengths and bytes of each column."""

    def __init__(self, table: pa.Table) -> None:
        columns = (table.column(name).combine_chunks() for name in MESSAGE_TEXTS)
        self._columns = [text_buffers(cast("TextArray", column)) for column in columns]

    def digest(self, start: int, stop: int) -> bytes:
        content = hashlib.sha256()
        for offsets, data in self._columns:
            ends = offsets[start : stop + 1]
            content.update((ends - ends[0]).astype("<i8", copy=False).data)
            content.update(data[ends[0] : ends[-1]].data)
        return content.digest()
