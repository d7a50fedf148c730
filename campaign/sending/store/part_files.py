"""The part files of a frozen round: each of its tables is a folder with a parquet file for each part.

A file is written once, wherever that happens, and never changes. `pyarrow.parquet` is loaded where it is
used: it takes 8 ms.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Ints, array_to_series, series_to_chunks
from campaign.contacts.reserved_columns import PLAN_COLUMNS
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import FolderError, LedgerError
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.private_files import check_ordinary, name_new_file, new_private_file, open_ordinary
from campaign.sending.ledger.file_faults import unreadable, unusable

UNFINISHED = "unfinished-"  # how the name of a file begins that was not written to the end
# What later rounds are compared with, beside the number: see `HashedRows`.
HASHES = ("text_hash", "cell_hash")
_LARGEST = 10**16  # no row, phone number, place or batch has as many digits
_INTEGER, _TEXT = pa.int64(), pa.large_string()
_NULLABLE: dict[pa.DataType, Any] = {_INTEGER: pd.Int64Dtype()}


def _schema(**types: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


_MESSAGE: dict[str, pa.DataType] = {"row": _INTEGER, **dict.fromkeys(MESSAGE_TEXTS, _TEXT), "parts": _INTEGER}
MESSAGES = _schema(**_MESSAGE)
# `place` is the position in the plan: messages leave in another order when some are settled or go first.
OUTGOING = _schema(**_MESSAGE, place=_INTEGER, **dict.fromkeys(HASHES, _INTEGER))
SETTLED = _schema(**_MESSAGE, place=_INTEGER, batch=_INTEGER)
# `number` is 0 where there is none, and `batch` where no earlier batch had reached it. The cells follow, in
# columns called 0, 1 …: a spreadsheet may have a column called "row".
CONTACTS = _schema(row=_INTEGER, number=_INTEGER, batch=_INTEGER, **dict.fromkeys(PLAN_COLUMNS, _TEXT))
# What is about no single row has none.
ISSUES = pa.schema(
    [
        pa.field("row", _INTEGER),
        *_schema(**dict.fromkeys(("column", "value", "code", "severity", "detail", "facts"), _TEXT)),
    ]
)


def part_path(folder: Path, part: int) -> Path:
    """The file of a part, counted from 0, in the folder of its table."""
    return folder / f"part-{part:05d}.parquet"


def arrow_table(columns: Mapping[str, Any] | pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Columns of pandas or numpy as a table to write."""
    arrays = [_array(columns[field.name], field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _array(values: Any, kind: pa.DataType) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    if kind == _TEXT:
        return pa.chunked_array(series_to_chunks(values), _TEXT)
    return pa.array(values, kind, from_pandas=True)


def contacts_table(part: PlanPart, batches: Ints) -> pa.Table:
    """The contacts of a part with the earlier batch that reached each, 0 for none; besides them the names of
    their columns, and how many messages the part has."""
    contacts = part.contacts
    names = [name for name in contacts.columns if name not in PLAN_COLUMNS]
    columns = {"row": contacts.index, "number": part.numbers, "batch": batches}
    columns |= {name: contacts[name] for name in PLAN_COLUMNS}
    columns |= {str(place): contacts[name] for place, name in enumerate(names)}
    besides = {"names": json.dumps(names, ensure_ascii=False), "messages": str(len(part.rows_of_messages))}
    return arrow_table(columns, _with_cells(names)).replace_schema_metadata(besides)


def _with_cells(names: Sequence[str]) -> pa.Schema:
    return pa.schema([*CONTACTS, *_schema(**{str(place): _TEXT for place in range(len(names))})])


def write_part(table: pa.Table, path: Path) -> str:
    """Write a part file, and return its digest.

    A Dask worker that was taken for lost may be writing it, too: the first file that is whole gets the name
    and is never replaced.
    """
    unfinished = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        _write_table(table, unfinished)
        digest = file_digest(unfinished)
        try:
            name_new_file(unfinished, path)
        except FileExistsError:
            unfinished.unlink()
            if file_digest(path) != digest:
                raise FolderError("cluster_differs", reason=path.name) from None
    except OSError as error:
        raise unusable(path, error) from None
    return digest


def _write_table(table: pa.Table, path: Path) -> None:
    """Takes 40% of the time of the default settings: texts are mostly different, so a dictionary does not
    pay, and nobody asks for statistics. Most whole numbers are positions, whose differences are small."""
    import pyarrow.parquet as pq

    integers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    with new_private_file(path) as file:
        pq.write_table(
            table, file, row_group_size=max(table.num_rows, 1), compression="zstd", compression_level=1,
            use_dictionary=False, write_statistics=False,
            column_encoding=dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
        )  # fmt: skip


def file_digest(path: Path) -> str:
    """SHA-256 of a frozen file; raises `FolderError` when it cannot be read."""
    try:
        with open_ordinary(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from None


@contextmanager
def _undamaged(path: Path) -> Iterator[None]:
    """Whatever the parquet library says about a file that is not what it was becomes a `LedgerError`."""
    try:
        check_ordinary(path)
        yield
    except (OSError, ValueError, LookupError, TypeError, pa.ArrowException):
        raise LedgerError("campaign_file_damaged", file=path) from None


def read_part(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A part file, or some columns of it; raises `LedgerError` when it is missing or damaged."""
    import pyarrow.parquet as pq

    wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    with _undamaged(path):
        with pq.ParquetFile(path) as file:  # read_table would load pyarrow.dataset, which nothing else needs
            table = file.read(wanted.names).select(wanted.names)
        table.validate(full=True)  # all texts are UTF-8
        table = table.cast(wanted)  # raises for missing values
        for field, column in zip(wanted, table.columns, strict=True):
            if field.type == _INTEGER and field.name not in HASHES:
                _check_integers(column)
    return table


def _check_integers(column: pa.ChunkedArray[Any]) -> None:
    values = column.drop_null().to_numpy()
    if not np.all((values > -_LARGEST) & (values < _LARGEST)):
        raise ValueError("no number of a row, a phone, a place or a batch")


def read_frame(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """The same as a frame."""
    return as_frame(read_part(path, schema))


def as_frame(table: pa.Table) -> pd.DataFrame:
    """What was read as a frame of whole numbers and text."""
    columns = {field.name: _series(table.column(field.name), field.nullable) for field in table.schema}
    return pd.DataFrame(columns, index=range(table.num_rows))


def _series(column: pa.ChunkedArray[Any], nullable: bool) -> pd.Series[Any]:
    if column.type == _TEXT:
        return array_to_series(column)
    integers = column.to_pandas(types_mapper=_NULLABLE.get) if nullable else column.to_numpy()
    return pd.Series(integers)


def read_contacts(path: Path) -> pd.DataFrame:
    """The contacts of a part, with status, why and reason, by row."""
    names, _ = besides_contacts(path)
    frame = read_frame(path, _with_cells(names))
    columns = {name: frame[str(place)] for place, name in enumerate(names)}
    columns |= {name: frame[name] for name in PLAN_COLUMNS}
    return pd.DataFrame(columns).set_axis(pd.Index(frame["row"].to_numpy(), name="row"))


def besides_contacts(path: Path) -> tuple[list[str], int]:
    """What a part of the contacts has besides: the names of their columns, and how many messages it has."""
    import pyarrow.parquet as pq

    with _undamaged(path):
        besides: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
        names = json.loads(besides[b"names"])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("not the names of columns")
        return names, int(besides[b"messages"])


def size_in_memory(path: Path) -> int:
    """About how many bytes a part takes in memory."""
    import pyarrow.parquet as pq

    with _undamaged(path):
        facts = pq.read_metadata(path)
        return sum(facts.row_group(group).total_byte_size for group in range(facts.num_row_groups))
