"""`status`, `report` and `resolve`: what is known about a campaign, and settling what is not."""

from __future__ import annotations

import argparse
from pathlib import Path

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.output import masked_line, print_counts, seen_from_here
from campaign.results.report import write_report
from campaign.results.tables import ENVIRONMENTS, Result
from campaign.sending.afterwards.resolving import resolve
from campaign.sending.campaigns import load_result
from campaign.text import counted, money


def run_status(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    print_result(result)
    unknown = result.batches[result.batches["status"] == "unknown"]
    for batch, count, error in zip(unknown["batch"], unknown["messages"], unknown["error"], strict=True):
        reason = masked_line(error or "no answer yet")
        print(f"  batch {batch}: {counted(count, 'message')} unknown, {reason}")
    return exit_code(result)


def run_resolve(options: argparse.Namespace) -> int:
    result = resolve(
        options.folder, options.batch, options.outcome, confirm=options.confirm, note=options.note
    )
    print(f"Batch {options.batch} is settled.")
    print_result(result)
    return exit_code(result)


def run_report(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    for path in options.path or [Path(options.folder) / "report.html"]:
        print(f"Report: {seen_from_here(write_report(result, path, reveal=options.reveal))}")
    return ACCEPTED


def print_result(result: Result) -> None:
    print()
    print(f"Where it went: {ENVIRONMENTS[result.environment]}.")
    print(masked_line(result.sentence))
    totals = result.totals
    print_counts(totals.rows, dict(totals.items()))
    batches = len(result.batches)
    print(f"Cost: {money(totals.cost)} for {counted(batches, 'batch', 'batches')}.")
    print(f"Campaign folder: {seen_from_here(result.folder)}")


def exit_code(result: Result) -> int:
    return ACCEPTED if (result.messages["status"] == "accepted").all() else NOT_ALL
