"""The process that opens one file: limits first, then the file, then its sheet back to the parent.

It is started by `process`, which explains the exchange. It imports as little as it can, neither Arrow nor
numpy for a sheet of usual size: every workbook pays for its start.
"""

import faulthandler
import json
import os
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from campaign.contacts.workbooks.handover import send_error, send_pieces, send_sheet
from campaign.contacts.workbooks.sheet_cells import SheetCells
from campaign.errors import CampaignError, FileError

READY = b"ready\n"


def main() -> None:
    """Read one request from standard input and write the answer to standard output."""
    answer = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # whatever a library prints stays out of the answer
    answer.write(READY)
    answer.flush()
    request = json.loads(sys.stdin.buffer.readline())
    limits, path, size = (request.pop(name) for name in ("limits", "path", "size"))
    # A timer outside Python, which ends the process even while a library does not return.
    faulthandler.dump_traceback_later(limits["clock"], exit=True, file=1)  # which is os.devnull by now
    if request["kind"] == "parquet":
        from campaign.contacts.workbooks import parquet  # Arrow itself takes more memory than most files
    _limit_memory(limits["memory"])
    source = path or sys.stdin.buffer.read(size)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if request["kind"] == "parquet":
            send_pieces(parquet.read_pieces(source, request["max_cells"]), answer)
        else:
            send_sheet(read_sheet(data=source, **request), answer)
    except CampaignError as error:
        send_error(error, answer)
    answer.flush()
    os._exit(0)  # at once: there is nothing to clean up


def read_sheet(kind: str, data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet, read in the process that calls. Raises only CampaignError."""
    # Imported when needed: a process that opens one workbook needs one reader.
    read = getattr(import_module(f"campaign.contacts.workbooks.{kind}"), f"read_{kind}")
    try:
        cells: SheetCells = read(data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
        return cells
    except CampaignError:
        raise
    except MemoryError:
        raise FileError("file_too_large", option="memory") from None
    except Exception as problem:  # libraries check little of a damaged file, and raise anything
        raise FileError("file_damaged", reason=type(problem).__name__) from None


def _end_with_parent() -> None:
    """Standard input ends with the parent, which keeps it open until it has the answer."""
    os.read(0, 1)
    os._exit(1)


def _limit_memory(size: int) -> None:
    """Let the system refuse more memory, where it can: Linux. Elsewhere the parent watches."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = in_use + size if most == resource.RLIM_INFINITY else min(in_use + size, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
