"""One sheet of a workbook of any kind, read in the process that calls; any failure is a sentence."""

from importlib import import_module

from campaign.contacts.workbooks.archives import DAMAGED
from campaign.contacts.workbooks.sheet_cells import SheetCells
from campaign.errors import CampaignError, FileError

# Imported when needed: a process that opens one workbook needs one of them.
READERS = {"xlsx": "read_xlsx", "xls": "read_xls", "ods": "read_ods"}


def read_sheet(kind: str, data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int) -> SheetCells:
    """One sheet, as the reader of this kind of workbook delivers it. Raises only CampaignError."""
    read = getattr(import_module(f"campaign.contacts.workbooks.{kind}"), READERS[kind])
    try:
        cells: SheetCells = read(data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
        return cells
    except CampaignError:
        raise
    except MemoryError:
        raise FileError(
            "The workbook needs more memory than there is, or than max_memory= allows. Open it in your "
            "spreadsheet program, save the table alone as .xlsx or .csv, then read that file."
        ) from None
    except Exception as problem:  # libraries check little of a damaged file, and raise anything
        what = f"its cells cannot be read ({type(problem).__name__})"
        raise FileError(DAMAGED.format(what)) from None
