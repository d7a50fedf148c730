"""Files of a campaign folder: tables as parquet and back, for their owner only, durable when asked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from campaign.errors import FolderError


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Keep a frame of text and whole numbers, with its index of row numbers."""
    # Columns are numbered, because a spreadsheet may call one of its own "row" or by the name of another.
    names = [*frame.columns]
    table = pa.table(
        [pa.array(frame.index, pa.int64()), *(pa.array(frame[name], from_pandas=True) for name in names)],
        names=[str(place) for place in range(len(names) + 1)],
    ).replace_schema_metadata({"names": json.dumps(names, ensure_ascii=False)})
    pq.write_table(table, path, compression="zstd", compression_level=1)


def read_frame(path: Path) -> pd.DataFrame:
    """A frame as `write_frame` kept it; raises `FolderError` when the file is missing or damaged."""
    try:
        table = pq.read_table(path)
        names = json.loads(table.schema.metadata[b"names"])
    except (OSError, pa.ArrowException, KeyError, TypeError):
        raise FolderError(f"{path} is missing or damaged. Restore it from a copy.") from None
    index = pd.Index(table.column(0).to_numpy(), name="row", dtype="int64")
    return pd.DataFrame(
        {name: _column(table.column(place)) for place, name in enumerate(names, 1)}, index=range(len(index))
    ).set_axis(index)


def _column(column: pa.ChunkedArray) -> pd.Series:
    if pa.types.is_integer(column.type):
        return column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)  # type: ignore[no-any-return] # Arrow says Any
    return pd.Series(column.to_pandas(), dtype="str").fillna("")


def write_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner reads, durably."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Make a file's content or a folder's entries durable. Windows keeps folders by itself."""
    if path.is_dir() and sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # Windows syncs writable files only
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
