"""`status`, `report` and `resolve`: what is known about a campaign, and settling what is not."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.output import masked_line, print_counts, seen_from_here
from campaign.results.report import write_report
from campaign.results.tables import ENVIRONMENTS, Result
from campaign.sending.afterwards.resolving import resolve
from campaign.sending.campaigns import load_result
from campaign.text import counted, figure, money

_ROUNDS_SHOWN = 10


def run_status(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    print_result(result)
    _print_rounds(result)
    unknown = result.batches[result.batches["status"] == "unknown"]
    for batch, count, error in zip(unknown["batch"], unknown["messages"], unknown["error"], strict=True):
        reason = masked_line(error or "no answer yet")
        print(f"  batch {batch}: {counted(count, 'message')} unknown, {reason}")
    return exit_code(result)


def _print_rounds(result: Result) -> None:
    """What left in each round, newest first; a round in which nothing has left is named, too."""
    batches = result.batches
    counts = batches.groupby(["round", "status"])["messages"].sum()
    begins = batches.groupby("round")["submitted_at"].min()
    for number in begins.index[::-1][:_ROUNDS_SHOWN]:
        when = "nothing sent" if pd.isna(begins[number]) else f"{begins[number]:%Y-%m-%d %H:%M} UTC"
        outcomes = [f"{figure(count)} {status.replace('_', ' ')}" for status, count in counts[number].items()]
        print(f"  round {number}, {when}: {', '.join(outcomes)}")
    if len(begins) > _ROUNDS_SHOWN:
        print(f"  … and {counted(len(begins) - _ROUNDS_SHOWN, 'round')} before")


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
