"""The comparison of a plan with its campaign, as a command prints it."""

from __future__ import annotations

from campaign.cli.output import Page
from campaign.sending.rounds.compared_findings import LABELS
from campaign.sending.rounds.difference import Difference
from campaign.text import figure
from campaign.words.shell import SHELL


def show_difference(difference: Difference, page: Page) -> None:
    """How many messages would go out, a line for each kind of people, and what else is to be known."""
    headline, *remarks = difference.findings
    page.line(SHELL.headline(headline))
    for recorded, label in LABELS.items():
        if count := difference.counts[recorded]:
            page.line(f"  {figure(count):>8}  {label}")
    for remark in remarks:
        for line in SHELL.text(remark).splitlines():
            page.line(line)
