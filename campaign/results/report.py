"""A result as a file to share: a page, a workbook, or its rows as comma-separated values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
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
from campaign.results.page.list_page import write_list_page
from campaign.results.page.result_page import write_result_page
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import check_ending, replace_file
from campaign.results.result_workbook import write_result_workbook
from campaign.results.tables import Result
from campaign.results.workbook import SummarySheet, write_workbook
from campaign.results.written_file import WrittenFile
from campaign.text import capitalised, counted, listed_words

ENDINGS = (".html", ".xlsx", ".csv")
_CONTENT = {
    ".html": "A page to share: what came of it, what is left to do, what it cost.",
    ".xlsx": "A workbook: a summary, every batch and row, the messages of the table, and all issues.",
    ".csv": "Every row of the file with its outcome.",
}


@public_call
def write_report(
    result: Result | pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    reveal: bool = False,
    by: str | Sequence[str] | None = None,
) -> Path:
    """Write a report of a result, or of several campaigns, to a file and return its path.

    A notebook shows the path as a card with a link. The file extension decides the format:

    - `.html`: one self-contained page: what came of it, what to do, what was sent, cost, batches, issues
    - `.xlsx`: the sheets Summary, Batches, Messages, Contacts, Issues and Follow-up, and where there are any
      the messages that the batches have and the table does not, such as those of earlier rounds. Columns of
      the file that are wholly amounts, or dates such as 2026-03-05, can be added up and sorted
    - `.csv`: every row of the file with its outcome, UTF-8, every field quoted; what a spreadsheet program
      could run as a formula gets a ' in front

    `by` names a column of the file, or several: the page gets a section and the workbook a sheet with the
    result for each of its values, as in `Result.by`.

    Phone numbers are masked (25677*****56), also inside other text, unless `reveal=True`. An existing file is
    replaced in one step.

    The frame of `history`, or some of its rows, gives a report of these campaigns: cost, messages accepted
    and what is still unknown, by month and by sender; live campaigns count, and rehearsals only where there
    is no live one. Numbers in it are masked always.

    Raises `UsageError` for any other extension, `ColumnError` for a column that does
    not exist, and `ReportError` for a symbolic link, a folder, or a place that cannot be written to.
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
    return f"{_CONTENT[path.suffix.lower()]} {redaction.sentence}"


def _write_list(history: pd.DataFrame, path: Path, *, reveal: bool, by: object) -> str:
    """Write the report of several campaigns, and return what is in it, in words."""
    if by is not None or reveal:
        raise UsageError(
            f"{'by=' if by is not None else 'reveal='} is for the report of one result. Leave it out."
        )
    writers: dict[str, Callable[[pd.DataFrame, Path], None]] = {
        ".html": write_list_page,
        ".xlsx": write_list_workbook,
        ".csv": write_list_csv,
    }
    check_ending(path, writers)
    writers[path.suffix.lower()](history, path)
    campaigns = capitalised(counted(len(history), "campaign"))
    return f"{campaigns} with figures and costs. Phone numbers are masked."


def _columns(result: Result, by: object) -> list[str]:
    """The columns of `by` as the file calls them."""
    if by is None:
        return []
    if not isinstance(by, str | list | tuple):
        raise wrong(by, subject="by", needs="the name of a column", write='by="Clinic"')
    names = [by] if isinstance(by, str) else list(by)
    return [choose_column(result.columns, name)[1] for name in names]


def _write_csv(result: Result, path: Path, redaction: Redaction, columns: Sequence[str]) -> None:
    replace_file(
        path,
        lambda new_path: write_csv_parts(new_path, map(redaction.contacts, _contacts(result)), index=True),
    )


def _contacts(result: Result) -> Iterator[pd.DataFrame]:
    return (part.contacts for part in result.parts())


def write_list_workbook(history: pd.DataFrame, path: Path) -> None:
    """Write the workbook of a frame of `history`; costs of several currencies are in rows of their own."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    counts = {name: count for name, count in campaigns.by_outcome.items() if count}
    counts = counts or {"accepted": 0}
    summary = SummarySheet(
        facts=[
            ("Campaigns", counted(len(campaigns.counted), f"{campaigns.kind} campaign")),
            ("In all", campaigns.headline),
            (
                "Not counted",
                f"{campaigns.left_out} ({campaigns.why_left_out})" if campaigns.left_out else "none",
            ),
            ("Cost", campaigns.cost or "0"),
            ("Still unknown in", listed_words(campaigns.names_with("unknown")) or "none"),
            ("Months", f"A campaign counts in the month in which it began. {campaigns.about_lines}".rstrip()),
            ("Written", times.moment(datetime.now(UTC))),
        ],
        title="Messages by outcome",
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
