"""A sheet handed from one process to another: its facts as a line of JSON, its cells as an Arrow stream."""

import json
from dataclasses import astuple
from io import BufferedIOBase
from typing import Any, cast

import numpy as np
import pyarrow as pa

from campaign import errors
from campaign.arrow_types import TEXT, TextChunks
from campaign.contacts.cells.grid import Grid, Merge
from campaign.errors import CampaignError


def send_grid(grid: Grid, stream: BufferedIOBase) -> None:
    """Write a sheet whose rows are numbered from 1."""
    _send_line(
        stream,
        {
            "format": grid.format,
            "positions": list(grid.positions),
            "sheet": grid.sheet,
            "sheets": list(grid.sheets),
            "hidden_rows": sorted(grid.hidden_rows),
            "hidden_columns": sorted(grid.hidden_columns),
            "merges": [astuple(merge) for merge in grid.merges],
            "uncalculated": list(grid.uncalculated),
            "errors": list(grid.errors),
            "notices": list(grid.notices),
        },
    )
    schema = pa.schema([(str(i), TEXT) for i in range(len(grid.columns))])
    table = pa.Table.from_arrays(list(grid.columns), schema=schema)
    with pa.ipc.new_stream(stream, schema) as writer:
        writer.write_table(table)


def send_error(error: CampaignError, stream: BufferedIOBase) -> None:
    """Write why the sheet cannot be read."""
    _send_line(stream, {"error": type(error).__name__, "message": str(error)})


def receive_grid(stream: BufferedIOBase) -> Grid:
    """The sheet that was written; raises the error that was written instead.

    Raises ValueError or ArrowException where the stream breaks off.
    """
    facts: dict[str, Any] = json.loads(stream.readline())
    if "error" in facts:
        raise getattr(errors, facts["error"])(facts["message"])
    with pa.ipc.open_stream(stream) as reader:
        columns = cast("list[TextChunks]", reader.read_all().columns)
    rows = np.arange(1, len(columns[0]) + 1 if columns else 1, dtype=np.int64)
    facts["hidden_rows"] = frozenset(facts["hidden_rows"])
    facts["hidden_columns"] = frozenset(facts["hidden_columns"])
    facts["merges"] = [Merge(*merge) for merge in facts["merges"]]
    facts["uncalculated"] = [(row, position) for row, position in facts["uncalculated"]]
    facts["errors"] = [(row, position, text) for row, position, text in facts["errors"]]
    return Grid(columns=columns, rows=rows, **facts)


def _send_line(stream: BufferedIOBase, content: dict[str, Any]) -> None:
    stream.write(json.dumps(content).encode() + b"\n")
