"""The rows to correct as a workbook to look at, while a person corrects the spreadsheet itself."""

from __future__ import annotations

from pathlib import Path

from campaign.contacts.continuation import FOLLOW_UP_COLUMNS
from campaign.messages.plan import Plan
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.reasons import why_done
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.results.follow_up_file import cells_to_correct, for_sheet
from campaign.results.unsent_result import unsent_result
from campaign.results.workbook import write_rows

_SHEET = "Rows without a text"
_WHY, _ROW = "why it gets no text", "row in your spreadsheet"


def write_rows_without_text(plan: Plan, leaves: WhoLeaves, path: Path) -> None:
    """Write them with their numbers and the reasons in the words of the page; the cells at fault stand out.

    Of those who get nothing more, the rows with a mistake are among them: the spreadsheet has still to be
    corrected.

    It continues no campaign: nobody takes it for a file to send. Raises `ReportError` for more than a sheet
    holds.
    """
    rows = unsent_result(plan, name="").follow_up().drop(index=leaves.sent_beside, errors="ignore")
    marked = cells_to_correct(rows, [plan.issues])
    own = len(rows.columns) - len(FOLLOW_UP_COLUMNS)
    why = plan.contacts["reason"].reindex(rows.index)
    why.update(why_done(leaves))
    reasons = [desk_words(reason, here=3) for reason in why]
    table = rows.iloc[:, :own]
    table = table.assign(**{_WHY: reasons}).assign(**{_ROW: table.index.astype("str")})
    write_rows(path, _SHEET, for_sheet(table), marked[:, : len(table.columns)])
