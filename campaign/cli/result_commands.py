"""`status`, `report` and `resolve`: what is known about a campaign, and settling what is not."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.cli.facts import as_json, records
from campaign.cli.output import Page
from campaign.cli.reports import check_columns, check_report_paths, write_reports
from campaign.cli.shown_result import exit_code, show_result
from campaign.local_times import LocalTimes
from campaign.masking import mask_finding, mask_texts
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.sending.afterwards.resolving import resolve
from campaign.sending.campaigns import load_result
from campaign.sending.ledger.views import finding_of
from campaign.sending.workers.ordering import workers
from campaign.text import counted, figure

_ROUNDS_SHOWN = 10


def run_status(options: argparse.Namespace, page: Page) -> int:
    result = load_result(options.folder)
    show_result(result, page)
    _show_rounds(result, page)
    unknown = result.batches[result.batches["status"] == "unknown"]
    unknown = unknown.assign(error=mask_texts(unknown["error"]))
    page.facts["unknown"] = [
        {"batch": batch["batch"], "messages": batch["messages"], **_what_came(batch)}
        for batch in unknown.to_dict("records")
    ]
    for batch, count, error in zip(unknown["batch"], unknown["messages"], unknown["error"], strict=True):
        page.line(f"  batch {batch}: {counted(count, 'message')} unknown. {error or 'No answer yet.'}")
    show_workers(options.folder, page)
    return exit_code(result)


def _what_came(batch: Mapping[Any, Any]) -> dict[str, Any]:
    """What is said of a batch: as code and facts, and in words; no code where nothing came yet."""
    finding = finding_of(batch)
    facts = {} if finding is None else dict(mask_finding(finding).facts)
    return {"code": batch["why"] or None, "facts": facts, "error": batch["error"]}


def show_workers(folder: str, page: Page) -> None:
    """The workers of a campaign that several can send, each on a line."""
    frame = workers(folder)
    page.facts["workers"] = records(frame)
    for worker in frame.to_dict("records"):
        seen = f"last heard of {worker['seconds']:.0f} s ago"
        claimed = counted(worker["messages"], "message")
        page.line(f"  worker {worker['name']}: {claimed} claimed or under way, {seen}")


def _show_rounds(result: Result, page: Page) -> None:
    """What left in each round, newest first; a round in which nothing has left is named, too."""
    times, page.facts["rounds"] = LocalTimes.of_rounds(result.rounds), []
    made = {one_round.round: times.moment(one_round.at) for one_round in result.rounds}
    sent: list[int] = result.batches["round"].unique().tolist()
    lines, counted_rounds = [], 0
    for number in sorted({*made, *sent}):
        batches = result.batches[result.batches["round"] == number]
        statuses: dict[Any, int] = batches.groupby("status")["messages"].sum().to_dict()
        begun = batches["submitted_at"].min()
        page.facts["rounds"].append(
            {"round": number, "submitted_at": as_json(begun), "statuses": as_json(statuses)}
        )
        outcomes = [f"{figure(count)} {status.replace('_', ' ')}" for status, count in statuses.items()]
        if not outcomes:  # to people this is no round, as in reports
            lines.append(f"  {made[number]}: there was nothing to send")
            continue
        counted_rounds += 1
        when = "nothing sent" if pd.isna(begun) else times.moment(begun)
        lines.append(f"  round {counted_rounds}, {when}: {', '.join(outcomes)}")
    for line in lines[::-1][:_ROUNDS_SHOWN]:
        page.line(line)
    if len(lines) > _ROUNDS_SHOWN:
        page.line(f"  … and {counted(len(lines) - _ROUNDS_SHOWN, 'round')} before")


def run_resolve(options: argparse.Namespace, page: Page) -> int:
    result = resolve(
        options.folder, options.batches, options.outcome, confirm=options.confirm, note=options.note,
        cost=options.cost,
    )  # fmt: skip
    page.say("batches_settled", batches=options.batches, count=len(options.batches))
    show_result(result, page)
    return exit_code(result)


def run_report(options: argparse.Namespace, page: Page) -> int:
    result = load_result(options.folder)
    paths = check_report_paths(options.path or [Path(options.folder) / "report.html"])
    check_columns(result.plan, options.by)
    return write_reports(
        paths, lambda path: write_report(result, path, reveal=options.reveal, by=options.by), page
    )
