"""Single parquet files. Where they are used, `pyarrow.parquet` is loaded: it takes 8 ms."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import pyarrow as pa

from campaign.private_files import check_ordinary

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData, ParquetWriter


def read_file(path: Path, columns: list[str], group: int | None = None) -> pa.Table:
    """Some columns of a file, or of one of its row groups. All texts in it are UTF-8.

    Raises `OSError`, `pa.ArrowException` or `IndexError` where it is missing or damaged.
    """
    import pyarrow.parquet as pq

    check_ordinary(path)
    with pq.ParquetFile(path) as file:  # read_table would load pyarrow.dataset, which nothing else needs
        table = file.read(columns) if group is None else file.read_row_group(group, columns)
    table.validate(full=True)
    return table


def read_schema(path: Path) -> pa.Schema:
    """The names and types of the columns; raises as `read_file`."""
    import pyarrow.parquet as pq

    check_ordinary(path)
    return pq.read_schema(path)


def read_metadata(path: Path) -> FileMetaData:
    """How many row groups there are and how large they are; raises as `read_file`."""
    import pyarrow.parquet as pq

    check_ordinary(path)
    return pq.read_metadata(path)


def table_writer(file: IO[bytes], schema: pa.Schema) -> ParquetWriter:
    """What writes tables of one schema, in 40% of the time that the default settings take.

    Texts are mostly different, so a dictionary does not pay, and nobody asks for statistics. Most whole
    numbers are positions or counts, whose differences are small.
    """
    import pyarrow.parquet as pq

    integers = [field.name for field in schema if pa.types.is_integer(field.type)]
    return pq.ParquetWriter(
        file, schema, compression="zstd", compression_level=1, use_dictionary=False, write_statistics=False,
        column_encoding=dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    )  # fmt: skip
