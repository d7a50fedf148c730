"""The rows that get no text as a workbook to look at, while a person corrects the spreadsheet itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from campaign.contacts.own_files import WHY_NO_TEXT
from campaign.contacts.reserved_columns import FILE_ROW, OUTCOME_COLUMNS, OWN_ROW, original_names
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.row_list import in_both_files
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.results.follow_up_file import cells_to_correct, for_sheet
from campaign.results.workbook import write_rows
from campaign.sending.rounds.continuation_plan import continuation_of

_SHEET = "Rows without a text"


def write_rows_without_text(leaves: WhoLeaves, path: Path) -> None:
    """Write all of them, with their numbers and the reasons in the words of the page.

    The cells to correct stand out: there are none in rows of people who want no texts, or that come twice.

    It continues no campaign: nobody takes it for a file to send. Raises `ReportError` for more than a sheet
    holds.
    """
    plan, why = leaves.plan, leaves.reasons
    rows = plan.contacts.reindex(why.index).drop(columns=[*OUTCOME_COLUMNS], errors="ignore")
    table = rows.set_axis(original_names(rows.columns), axis=1)
    words = pd.DataFrame({WHY_NO_TEXT: [desk_words(reason, here=3) for reason in why]}, index=table.index)
    rows_of_file = pd.DataFrame({"row": table.index}, index=table.index)
    numbers = in_both_files(rows_of_file, leaves.own_rows)
    numbers = numbers.rename(columns={"row": FILE_ROW if continuation_of(plan) else OWN_ROW}).astype("str")
    added = words.join(numbers)
    unwanted = plan.contacts.index[plan.contacts["status"] == "opted_out"]
    issues = plan.issues[~plan.issues["row"].isin(unwanted)]
    marked = np.pad(cells_to_correct(table, [issues], added=0), ((0, 0), (0, len(added.columns))))
    # The file may have a column that is called as one of these.
    write_rows(path, _SHEET, for_sheet(pd.concat([table, added], axis=1)), marked)
