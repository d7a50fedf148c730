"""`release`, `worker` and `order`: several programs send one campaign."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.output import Page
from campaign.cli.result_commands import show_workers
from campaign.cli.sending_commands import ROUND, account_of, budget_of, show_release
from campaign.masking import mask_sentences
from campaign.sending.workers.ordering import order
from campaign.sending.workers.release import release
from campaign.sending.workers.worker import work
from campaign.text import figure


def run_release(options: argparse.Namespace, page: Page) -> int:
    choices = {name: getattr(options, name) for name in ROUND}
    choices |= {"account": account_of(options), "budget": budget_of(options), "ledger": options.ledger}
    show_release(release(options.folder, **choices), options.account, page)
    return ACCEPTED


def run_worker(options: argparse.Namespace, page: Page) -> int:
    report = work(
        options.folder,
        account=account_of(options),
        ledger=options.ledger,
        parts=options.parts,
        when_paused=options.when_paused,
        progress=sys.stderr.isatty(),
    )
    page.facts["worker"] = asdict(report) | {"sentence": mask_sentences(report.sentence)}
    names = ("accepted", "refused", "unknown", "waiting")
    page.line(", ".join(f"{figure(getattr(report, name))} {name}" for name in names))
    if report.sentence:
        page.line(mask_sentences(report.sentence))
    return NOT_ALL if report.waiting or report.refused or report.unknown else ACCEPTED


def run_order(options: argparse.Namespace, page: Page) -> int:
    order(options.folder, options.what, note=options.note)
    page.say("order_given")
    show_workers(options.folder, page)
    return ACCEPTED
