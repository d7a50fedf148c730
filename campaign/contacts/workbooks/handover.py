"""A sheet handed from one process to another: its facts as a line of JSON, then the blocks of its columns.

A table that takes no more memory than some rows of it is handed over in pieces of bytes, a line before each.

The sender needs neither Arrow nor numpy; the receiver makes a grid of Arrow columns.
"""

import json
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from typing import Any

from msgspec import convert, to_builtins

from campaign import errors
from campaign.contacts.workbooks.sheet_cells import CellBlock, SheetCells
from campaign.errors import CampaignError
from campaign.words.finding import Finding


def send_sheet(sheet: SheetCells, stream: BufferedIOBase) -> None:
    """Write a sheet."""
    facts = sheet._asdict() | {
        "columns": [[list(map(len, block)) for block in column] for column in sheet.columns]
    }
    _send_line(stream, facts)
    for column in sheet.columns:
        for block in column:
            stream.writelines(block)


def send_pieces(pieces: Iterable[Any], stream: BufferedIOBase) -> None:
    """Write pieces of bytes, and that there are no more."""
    for piece in pieces:
        _send_line(stream, {"size": len(piece)})
        stream.write(piece)
    _send_line(stream, {"size": None})


def send_error(error: CampaignError, stream: BufferedIOBase) -> None:
    """Write why the file cannot be read, in the place of the sheet or of a piece."""
    _send_line(stream, {"error": type(error).__name__, "finding": error.finding})


def receive_sheet(stream: BufferedIOBase) -> SheetCells:
    """The sheet that was written; raises the error that was written instead.

    Raises ValueError where the stream breaks off.
    """
    facts = _receive_facts(stream)
    facts["columns"] = [
        [CellBlock(*(_receive(stream, size) for size in sizes)) for sizes in blocks]
        for blocks in facts["columns"]
    ]
    facts["notices"] = convert(facts["notices"], list[Finding])
    return SheetCells(**facts)


def receive_pieces(stream: BufferedIOBase) -> Iterator[bytes]:
    """The pieces that were written; raises what `receive_sheet` raises."""
    while (size := _receive_facts(stream)["size"]) is not None:
        yield _receive(stream, size)


def _receive_facts(stream: BufferedIOBase) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(stream.readline())
    if "error" in facts:
        finding = convert(facts["finding"], Finding)
        raise getattr(errors, facts["error"])(finding.code, **finding.facts)
    return facts


def _receive(stream: BufferedIOBase, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ValueError("the stream breaks off")
    return data


def _send_line(stream: BufferedIOBase, content: dict[str, Any]) -> None:
    stream.write(json.dumps(content, default=_plain).encode() + b"\n")


def _plain(value: Any) -> Any:
    return to_builtins(value) if isinstance(value, Finding) else sorted(value)
