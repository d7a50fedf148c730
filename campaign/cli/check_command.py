"""`check`: what would be sent, without sending it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from string import Template

import numpy as np
import pandas as pd

from campaign import markup
from campaign.cli.exit_codes import ACCEPTED, NOTHING_TO_SEND
from campaign.cli.facts import difference_facts
from campaign.cli.output import Page
from campaign.cli.plan_source import make_plan
from campaign.cli.reports import check_report_paths, write_reports
from campaign.cli.shown_plan import show_plan
from campaign.contacts.files.signatures import OWN_PAGE
from campaign.errors import ReportError
from campaign.messages.plan import Plan
from campaign.results.csv_file import write_csv
from campaign.results.own_report import AUTHOR
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import check_ending, replace_file
from campaign.results.workbook import MOST_ROWS, write_rows
from campaign.sending.store.identity import locate_campaign
from campaign.words.finding import Finding
from campaign.words.shell import SHELL


def run_check(options: argparse.Namespace, page: Page) -> int:
    paths = check_report_paths(options.report)
    plan = make_plan(options)
    show_plan(plan, page, all_issues=options.all)
    if plan.totals.messages:
        _compare(plan, options, page)
    failed = write_reports(paths, lambda path: write_issues(plan, path, reveal=options.reveal), page)
    return failed or (ACCEPTED if plan.totals.messages else NOTHING_TO_SEND)


def _compare(plan: Plan, options: argparse.Namespace, page: Page) -> None:
    """Say what sending the plan would do, given what its campaign has sent."""
    path, _ = locate_campaign(plan, options.name, options.folder, options.account)
    if not os.path.lexists(path):
        page.line(SHELL.text(Finding("nothing_sent_before")))
        return
    # Only a campaign that exists has to be read: the check of a new file loads no ledger and no network.
    from campaign.cli.shown_difference import show_difference
    from campaign.sending.opening import compare_in
    from campaign.sending.options import SendOptions

    difference = compare_in(plan, SendOptions(name=options.name, folder=options.folder), options.account)
    page.facts["comparison"] = difference_facts(difference)
    show_difference(difference, page)


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
$generator
<title>$title</title>
<style>:root{color-scheme:light dark}body{margin:1em auto;padding:0 1em;max-width:72em}</style>
</head>
<body><main>
$card
</main></body>
</html>
"""
_MOST_ROWS = 1000  # of the page; the workbook and the csv file have all


def write_issues(plan: Plan, path: str | os.PathLike[str], *, reveal: bool = False) -> Path:
    """Write the issues of a plan to a file and return its path; the ending decides the format.

    `.xlsx` and `.csv` have the columns of `Plan.issues`, errors first, then in the order of the file; `.html`
    is a page with the totals and the first thousand. Phone numbers are masked unless `reveal=True`. An
    existing file is replaced in one step.

    Raises `UsageError` for any other ending, and `ReportError` for a place that cannot be written to and for
    more issues than a sheet holds.
    """
    path = Path(path)
    writers: dict[str, Callable[[Path, Plan, pd.DataFrame], None]] = {
        ".html": _write_html,
        ".xlsx": _write_xlsx,
        ".csv": lambda new_path, _, issues: write_csv(new_path, issues, index=False),
    }
    check_ending(path, writers)
    issues = Redaction(plan, reveal=reveal).issues(plan.issues)
    order = issues["severity"].map({"error": 0, "warning": 1, "info": 2})
    issues = issues.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)
    replace_file(path, lambda new_path: writers[path.suffix.lower()](new_path, plan, issues))
    return path


def _write_xlsx(path: Path, plan: Plan, issues: pd.DataFrame) -> None:
    if len(issues) > MOST_ROWS:
        raise ReportError(
            f"There are {len(issues):,} issues, and a sheet holds {MOST_ROWS:,}. Write a .csv file."
        )
    marked = np.zeros(issues.shape, dtype=bool)
    marked[:, issues.columns.get_loc("value")] = issues["severity"] == "error"
    write_rows(path, "Issues", issues.astype("str").fillna(""), marked, author=AUTHOR)


def _write_html(path: Path, plan: Plan, issues: pd.DataFrame) -> None:
    shown = issues[["row", "column", "detail", "value", "severity"]]
    counts = {status.replace("_", " "): count for status, count in plan.totals.items()}
    pieces = [markup.paragraph(plan.sentence), markup.bars(counts, of="rows")]
    if len(issues):
        pieces.append(markup.table(shown, limit=_MOST_ROWS, rows=len(issues)))
    title = "Before sending" if plan.reading is None else f"Before sending: {plan.reading.source}"
    page = Template(_PAGE).substitute(
        title=markup.escape(title), card=markup.card(title, pieces), generator=OWN_PAGE
    )
    path.write_text(page, encoding="utf-8", newline="\n")
