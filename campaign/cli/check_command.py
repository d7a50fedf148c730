"""`check`: what would be sent, without sending it."""

from __future__ import annotations

import argparse
import os

from campaign.cli.exit_codes import ACCEPTED, NOTHING_TO_SEND
from campaign.cli.facts import difference_facts
from campaign.cli.output import Page
from campaign.cli.plan_source import make_plan, show_plan
from campaign.cli.reports import check_report_paths, write_reports
from campaign.messages.plan import Plan
from campaign.results.issue_report import write_issues
from campaign.sending.store.identity import NOTHING_SENT_YET, locate_campaign


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
        page.line(NOTHING_SENT_YET)
        return
    # Only a campaign that exists has to be read: the check of a new file loads no ledger and no network.
    from campaign.sending.opening import compare_in
    from campaign.sending.options import SendOptions

    difference = compare_in(plan, SendOptions(name=options.name, folder=options.folder), options.account)
    page.facts["comparison"] = difference_facts(difference)
    page.line(NOTHING_SENT_YET if difference.is_first else difference.sentence)
