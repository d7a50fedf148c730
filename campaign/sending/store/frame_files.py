"""Tables of a campaign folder as parquet files and back.

A table is one file, whose parts are its row groups, or a folder with a file for each part: those that the
workers of a cluster have written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.errors import FolderError
from campaign.private_files import new_private_file
from campaign.sending.store.parquet_files import read_file, read_metadata, read_schema, table_writer

_LARGEST = 10**16  # no row, phone number or batch has as many digits
# The columns that are always there, by the name of the file: True for whole numbers, False for text. The
# first column of each has the numbers of its rows.
_KINDS = {
    "contacts.parquet": {"status": False, "why": False, "reason": False},
    "recipients.parquet": {"number": True, "batch": True, "messages": True},
    "opt_outs.parquet": {"number": True, "listed": True},
    "issues.parquet": {
        "row": True, "column": False, "value": False, "code": False, "severity": False, "detail": False,
    },
    "alternatives.parquet": {
        "row": True, "number": False, "message": False, "sender": False, "priority": False, "parts": True,
    },
}  # fmt: skip
_NULLABLE: dict[pa.DataType, Any] = {pa.int64(): pd.Int64Dtype()}


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame of text and whole numbers, with its index of row numbers, to a new file."""
    write_frames([frame], path)


def write_frames(frames: Iterable[pd.DataFrame], path: Path) -> None:
    """Write frames of the same columns, one below the other, to a new file; each is a part of it."""
    write_tables(map(frame_table, frames), path)


def frame_table(frame: pd.DataFrame) -> pa.Table:
    """A frame as it is written."""
    # Columns are numbered, because a spreadsheet may have two of one name, or one called "row".
    names = [*frame.columns]
    return pa.table(
        [pa.array(frame.index, pa.int64()), *(pa.array(frame[name], from_pandas=True) for name in names)],
        names=[str(place) for place in range(len(names) + 1)],
    ).replace_schema_metadata({"names": json.dumps(names, ensure_ascii=False)})


def write_tables(tables: Iterable[pa.Table], path: Path) -> None:
    """Write tables of one schema as parquet to a new file. Each is a row group, which can be read alone."""
    rest = iter(tables)
    first = next(rest)
    with new_private_file(path) as file, table_writer(file, first.schema) as writer:
        for table in chain([first], rest):
            writer.write_table(table, row_group_size=max(table.num_rows, 1))


def read_frame(
    path: Path, columns: Collection[str] | None = None, *, part: int | None = None
) -> pd.DataFrame:
    """A frame as `write_frame` wrote it, or some of its columns, or one of the parts of `write_frames`.

    Raises `FolderError` when the file is missing or damaged.
    """
    try:
        files, group = table_files(path), part
        if part is not None and path.is_dir():
            files, group = [files[part]], 0
        names = _names_in(files[0])
        places = [place for place, name in enumerate(names, 1) if columns is None or name in columns]
        chosen = ["0", *map(str, places)]
        table = pa.concat_tables(read_file(file, chosen, group) for file in files)
        _check_columns(
            path.name, {"": "0"} | {names[place - 1]: str(place) for place in places}, columns, table
        )
    except (OSError, pa.ArrowException, KeyError, IndexError, TypeError, ValueError):
        raise FolderError(f"{path} is missing or damaged. Restore it from a copy.") from None
    index = pd.Index(table.column(0).to_numpy(), name="row", dtype="int64")
    return pd.DataFrame(
        {names[place - 1]: _column(table.column(str(place))) for place in places}, index=range(len(index))
    ).set_axis(index)


def _check_columns(
    kind: str, names: Mapping[str, str], wanted: Collection[str] | None, table: pa.Table
) -> None:
    """Raise `ValueError` unless a table has the columns that tables of its kind have, as far as these are
    wanted, each with what it can hold. `names` tells what its columns are called in the file."""
    own = _KINDS.get(kind, {})
    if not {*own}.intersection(own if wanted is None else wanted) <= {*names}:
        raise ValueError("a column is missing")
    for name, column in names.items():
        values, is_whole = table.column(column), own.get(name, not name)
        if is_whole and not pa.types.is_integer(values.type):
            raise ValueError("no whole numbers")
        if is_whole and not are_numbers(values):
            raise ValueError("no number of a row, a phone or a batch")
        may_lack = (kind, name) == ("issues.parquet", "row")  # of what is about no single row
        if is_whole and values.null_count and not may_lack:
            raise ValueError("a missing number")
        if kind in _KINDS and not is_whole and not pa.types.is_large_string(values.type):
            raise ValueError("no text")


def are_numbers(column: pa.ChunkedArray[Any]) -> bool:
    """Whether whole numbers may be those of rows, phones, places or batches."""
    values = column.drop_null().to_numpy()
    return bool(np.all((values > -_LARGEST) & (values < _LARGEST)))


def _names_in(file: Path) -> list[str]:
    names: list[str] = json.loads((read_schema(file).metadata or {})[b"names"])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not the names of columns")
    return names


def table_files(path: Path) -> list[Path]:
    """The files of a table in the order of its parts: the path itself, or what is in it if it is a folder.

    Raises `OSError` where a folder holds no part.
    """
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("part-*.parquet"), key=lambda file: int(file.stem.removeprefix("part-")))
    if not files:
        raise FileNotFoundError(path)
    return files


def part_path(folder: Path, part: int) -> Path:
    """The file of a part, counted from 0, in the folder of its table."""
    return folder / f"part-{part:05d}.parquet"


def count_parts(path: Path) -> int:
    """How many frames `write_frames` wrote; raises `FolderError` when the file is missing or damaged."""
    return _facts(path)[0]


def size_in_memory(path: Path) -> int:
    """About how many bytes the frame takes in memory."""
    return _facts(path)[1]


def _facts(path: Path) -> tuple[int, int]:
    try:
        facts = [read_metadata(file) for file in table_files(path)]
    except (OSError, ValueError, pa.ArrowException):
        raise FolderError(f"{path} is missing or damaged. Restore it from a copy.") from None
    groups = [one.row_group(number) for one in facts for number in range(one.num_row_groups)]
    return len(groups), sum(group.total_byte_size for group in groups)


def _column(column: pa.ChunkedArray[Any]) -> pd.Series[Any]:
    if pa.types.is_integer(column.type):
        return pd.Series(column.to_pandas(types_mapper=_NULLABLE.get))
    return pd.Series(column.to_pandas(), dtype="str").fillna("")
