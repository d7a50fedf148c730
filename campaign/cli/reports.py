"""Reports on request: their places are checked before anything is sent, and none of them hides a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.output import Page, system_error
from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import columns_of_contacts
from campaign.paths import seen_from_here
from campaign.results.breakdown import choose_column
from campaign.results.replaced_file import check_ending, check_place
from campaign.results.report import ENDINGS
from campaign.words.finding import Finding


def check_report_paths(paths: Iterable[Path] | None) -> Sequence[Path]:
    """The paths, once it is certain that a report can be written to each. Raises as `write_report` does."""
    paths = list(paths or ())
    for path in paths:
        check_ending(path, ENDINGS)
        check_place(path)
    return paths


def check_columns(plan: Plan, names: Iterable[str] | None) -> None:
    """Raise `ColumnError` unless the table has each of these columns of `--by`."""
    for name in names or ():
        choose_column(columns_of_contacts(plan), name)


def write_reports(paths: Iterable[Path], write: Callable[[Path], Path], page: Page) -> int:
    """Write each report and name it; one that cannot be written is a warning. Returns an exit code."""
    page.facts["reports"] = []
    code = ACCEPTED
    for path in paths:
        try:
            written = write(path)
        except (CampaignError, OSError) as error:
            cause = error.finding if isinstance(error, CampaignError) else system_error(error)
            page.warn(
                Finding("report_not_written", {"file": seen_from_here(path), "cause": cause}, "warning")
            )
            code = NOT_ALL
        else:
            page.facts["reports"].append(str(written))
            page.line(f"Report: {seen_from_here(written)}")
    return code
