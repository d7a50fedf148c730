"""A result as a file to share: a page, a workbook, or its rows as comma-separated values."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from campaign import markup
from campaign.argument_checks import check_path, check_switch, wrong
from campaign.errors import UsageError
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.public_calls import public_call
from campaign.results.breakdown import choose_column
from campaign.results.campaign_list import CampaignList, add_costs, is_campaign_list, problems_in_words
from campaign.results.checked_result import check_result
from campaign.results.csv_file import write_csv, write_csv_parts
from campaign.results.finding_lines import in_words
from campaign.results.page.list_page import write_list_page
from campaign.results.page.result_page import write_result_page
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import check_ending, replace_file
from campaign.results.result_workbook import write_result_workbook
from campaign.results.tables import Result
from campaign.results.workbook import SummarySheet, write_workbook
from campaign.results.written_file import WrittenFile
from campaign.words.finding import Finding
from campaign.words.page import PAGE

ENDINGS = (".html", ".xlsx", ".csv")


@public_call
def write_report(
    result: Result | pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    reveal: bool = False,
    by: str | Sequence[str] | None = None,
) -> Path:
    """Write a report of a result, or of several campaigns, and return its path.

    Parameters
    ----------
    result
        A `Result`, or the frame of `history`, whole or in part.
    path
        Its extension decides: `.html` is one page, `.xlsx` a workbook of all tables, `.csv` every row with
        its outcome. A report that is there already is replaced in one step.
    reveal
        Show phone numbers; by default they are masked (25677*****56), also inside other text.
    by
        Column of the file, or several: what came of each of its values, as in `Result.by`.

    Returns
    -------
    pathlib.Path
        A notebook shows it as a link.

    Raises
    ------
    UsageError
        The extension is another one.
    ColumnError
        There is no such column.
    ReportError
        The file cannot be written there.

    Examples
    --------
    >>> campaign.write_report(result, "report.html").name
    'report.html'
    """
    if not is_campaign_list(result):
        check_result(result, "write_report", "campaign.write_report({}, path)")
    check_path(path, subject="path", write='campaign.write_report(result, "report.html")')
    check_switch(reveal, subject="reveal", write="reveal=True")
    path = Path(path)
    if isinstance(result, Result):
        about = _write_result(result, path, reveal=reveal, by=by)
    else:
        about = _write_list(result, path, reveal=reveal, by=by)
    return WrittenFile.showing(path, [markup.paragraph(about)])


def _write_result(result: Result, path: Path, *, reveal: bool, by: object) -> str:
    """Write the report of one result, and return what is in it, in words."""
    columns = _columns(result, by)
    writers: dict[str, Callable[[Result, Path, Redaction, Sequence[str]], None]] = {
        ".html": write_result_page,
        ".xlsx": write_result_workbook,
        ".csv": _write_csv,
    }
    check_ending(path, writers)
    redaction = Redaction(result, reveal=reveal)
    writers[path.suffix.lower()](result, path, redaction, columns)
    return PAGE.headline(redaction.finding)


def _write_list(history: pd.DataFrame, path: Path, *, reveal: bool, by: object) -> str:
    """Write the report of several campaigns, and return what is in it, in words."""
    if by is not None or reveal:
        raise UsageError("not_for_several", argument="by" if by is not None else "reveal")
    writers: dict[str, Callable[[pd.DataFrame, Path], None]] = {
        ".html": write_list_page,
        ".xlsx": write_list_workbook,
        ".csv": write_list_csv,
    }
    check_ending(path, writers)
    writers[path.suffix.lower()](history, path)
    return PAGE.headline(Finding("numbers_masked", severity="info"))


def _columns(result: Result, by: object) -> list[str]:
    """The columns of `by` as the file calls them."""
    if by is None:
        return []
    if not isinstance(by, str | list | tuple):
        raise wrong(by, subject="by", needs="the name of a column", write='by="Clinic"')
    names = [by] if isinstance(by, str) else list(by)
    return [choose_column(result.columns, name)[1] for name in names]


def _write_csv(result: Result, path: Path, redaction: Redaction, columns: Sequence[str]) -> None:
    tables = (redaction.contacts(part.contacts, part.issues) for part in result.parts())
    replace_file(path, lambda new_path: write_csv_parts(new_path, tables, index=True))


def write_list_workbook(history: pd.DataFrame, path: Path) -> None:
    """Write the workbook of a frame of `history`; costs of several currencies are in rows of their own."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    counts = {name: count for name, count in campaigns.by_outcome.items() if count}
    counts = counts or {"accepted": 0}
    summary = SummarySheet(
        facts=[
            *(("In all", in_words([finding], PAGE)) for finding in campaigns.findings),
            ("Written", times.moment(datetime.now(UTC))),
        ],
        title="Messages by outcome",
        before_counts=1,
        counts=counts,
        sums=[("people in all", campaigns.total("people"))],
        currency="",
    )
    sheets = {
        "Months": campaigns.by_month(),
        "Senders": campaigns.by_sender(),
        "Campaigns": written_rows(history),
    }
    replace_file(path, lambda new_path: write_workbook(new_path, summary, sheets))


def write_list_csv(history: pd.DataFrame, path: Path) -> None:
    replace_file(path, lambda new_path: write_csv(new_path, written_rows(history), index=False))


def written_rows(history: pd.DataFrame) -> pd.DataFrame:
    """The frame without phone numbers in its texts, and with costs that are known or None."""
    texts = {name: mask_texts(history[name]) for name in ("sender", "template") if name in history}
    costs = pd.Series([add_costs([cost]) for cost in history["cost"]], index=history.index, dtype=object)
    return history.assign(**texts, problem=problems_in_words(history), cost=costs)
