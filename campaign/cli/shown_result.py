"""A result as the shell shows it, and the exit code that goes with it."""

from __future__ import annotations

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.facts import result_facts
from campaign.cli.output import Page, quoted
from campaign.paths import seen_from_here
from campaign.results.finding_lines import headlines, in_lines
from campaign.results.tables import Result
from campaign.words.shell import SHELL

_NOT_ACCEPTED = ("not_sent", "refused", "unknown")  # what becomes of a row that has messages, otherwise


def show_result(result: Result, page: Page) -> None:
    """What is known of a campaign: where it went, the outcome, and a line for each kind of rows."""
    folder = seen_from_here(result.folder)
    page.folder = quoted(folder)
    page.facts["result"] = result_facts(result)
    page.gap()
    for headline in headlines(result.findings, SHELL):
        page.line(headline, "strong")
    for line in in_lines(result.findings, SHELL):
        page.line(line)
    page.line(f"Folder: {folder}")


def exit_code(result: Result) -> int:
    return NOT_ALL if any(result.totals[status] for status in _NOT_ACCEPTED) else ACCEPTED
