"""A parquet file as pieces: some of its rows each, as a stream of Arrow. The first has the columns only."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet  # costs a tenth of a second, and few files are parquet

from campaign.contacts.cells.grid import refuse_beyond_budget
from campaign.errors import FileError

CELLS, LINES = 1 << 20, 16_384  # that are decoded at a time


def read_pieces(source: bytes | str, max_cells: int) -> Iterator[pa.Buffer]:
    """The pieces of a file, given as its bytes or its path."""
    try:
        file = pyarrow.parquet.ParquetFile(source if isinstance(source, str) else pa.BufferReader(source))
        names = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
        refuse_beyond_budget(file.metadata.num_rows + 1, len(names), max_cells)
        yield _piece(pa.RecordBatch.from_arrays([pa.nulls(0)] * len(names), names))
        lines = min(LINES, CELLS // max(len(names), 1) + 1)
        yield from map(_piece, file.iter_batches(lines, columns=names))
    # For damaged columns Arrow raises Python's own errors, too.
    except (pa.ArrowException, MemoryError, OSError, ValueError, TypeError, KeyError, NotImplementedError):
        raise FileError("file_damaged_or_large") from None


def _piece(batch: pa.RecordBatch) -> pa.Buffer:
    """Without dictionaries: a piece of few rows would have all of theirs."""
    columns = [
        column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
        for column in batch.columns
    ]
    batch = pa.RecordBatch.from_arrays(columns, batch.schema.names)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()
