"""The texts whose fate is unknown as a workbook, with full numbers, for whoever asks the provider."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from campaign.contacts.reserved_columns import OWN_ROW
from campaign.local_times import LocalTimes
from campaign.results.follow_up_file import for_sheet
from campaign.results.workbook import write_rows
from campaign.sending.afterwards.unknown_batches import unknown_messages

_SHEET = "Unknown texts"


def write_unknown_rows(folder: Path, path: Path) -> None:
    """Write all of them: the batch, when it left, the row, the number and the text.

    Raises `ReportError` for more than a sheet holds.
    """
    messages = LocalTimes().with_local(unknown_messages(folder), "submitted_at", "left")
    table = messages.rename(columns={"row": OWN_ROW, "message": "text"}).astype("str")
    write_rows(path, _SHEET, for_sheet(table), np.zeros(table.shape, dtype=bool))
