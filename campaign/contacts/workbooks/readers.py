"""One sheet of a workbook, or a parquet file in pieces, read in the process that calls; any failure is a
sentence."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.sheet_cells import SheetCells
from campaign.errors import CampaignError, FileError

# Imported when needed: a process that opens one file needs one of them.
READERS = {"xlsx": "read_xlsx", "xls": "read_xls", "ods": "read_ods", "parquet": "read_parquet"}
TOO_LARGE = (
    "The file needs more memory than there is, or than max_memory= allows. Open it in the program that wrote "
    "it, save the table alone as .csv, then read that file."
)


def reader_of(kind: str) -> Any:
    """The function that reads files of this kind."""
    return getattr(import_module(f"campaign.contacts.workbooks.{kind}"), READERS[kind])


def read_sheet(kind: str, data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet, as the reader of this kind of workbook delivers it. Raises only CampaignError."""
    read = reader_of(kind)
    try:
        cells: SheetCells = read(data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
    except CampaignError:
        raise
    except MemoryError:
        raise FileError(TOO_LARGE) from None
    except Exception as problem:  # libraries check little of a damaged file, and raise anything
        kind_of_problem = type(problem).__name__
    else:
        return cells
    raise FileError(DAMAGED.format(f"its cells cannot be read ({kind_of_problem})"))


def read_pieces(source: bytes | str, max_cells: int) -> Iterator[Any]:
    """A parquet file, given as its bytes or its path, as pieces of bytes: `workbooks.parquet` says which.
    Raises only CampaignError."""
    try:
        yield from reader_of("parquet")(source, max_cells)
    except MemoryError:
        raise FileError(TOO_LARGE) from None
