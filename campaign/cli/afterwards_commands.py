"""`reconcile`, `close`, `erase`, `follow-up`, `history`: what is done with campaigns once they were sent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.facts import as_json, records
from campaign.cli.output import Page, quoted
from campaign.cli.reports import check_report_paths, write_reports
from campaign.cli.shown_result import exit_code, show_result
from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.masking import mask_number, mask_text
from campaign.paths import seen_from_here
from campaign.results.follow_up_file import write_follow_up
from campaign.results.report import write_report
from campaign.results.tables import SAFE_TO_PREPARE_AGAIN
from campaign.results.totals import cost_in_words
from campaign.sending.afterwards.closing import close
from campaign.sending.afterwards.erasing import erase
from campaign.sending.afterwards.history import history
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.settling import reconcile
from campaign.sending.campaigns import load_result
from campaign.text import counted, figure
from campaign.words.shell import SHELL

_SHOWN = 20  # batches or people of a reconciliation that are printed
_COUNTS = ("refused", "unknown", "waiting")


def run_reconcile(options: argparse.Namespace, page: Page) -> int:
    columns = {name: getattr(options, name) for name in ("number", "text", "time")}
    outcome = reconcile(options.folder, options.list, **columns, confirm=options.confirm)
    if isinstance(outcome, Reconciliation):
        _show_reconciliation(outcome, page)
        return NOT_ALL if len(outcome.batches) else ACCEPTED
    page.say("settled")
    show_result(outcome, page)
    return exit_code(outcome)


def run_close(options: argparse.Namespace, page: Page) -> int:
    result = close(options.folder, confirm=options.confirm)
    page.say("campaign_closed")
    show_result(result, page)
    return exit_code(result)


def run_erase(options: argparse.Namespace, page: Page) -> int:
    erase(options.folder, confirm=options.confirm)
    page.say("campaign_erased")
    return ACCEPTED


def run_follow_up(options: argparse.Namespace, page: Page) -> int:
    result = load_result(options.folder)
    statuses = options.status or SAFE_TO_PREPARE_AGAIN
    frame = result.follow_up(statuses)
    counts = frame["last status"].value_counts()
    rows, kinds = len(frame), [f"{figure(n)} {str(name).replace('_', ' ')}" for name, n in counts.items()]
    path = write_follow_up(result, options.path, statuses=statuses)
    page.facts |= {"rows": 0 if path.why_kept else rows, "path": str(path)}
    if path.why_kept:
        page.line(f"{seen_from_here(path.absolute())}: {path.why_kept}")
        return ACCEPTED
    file = seen_from_here(path.absolute())
    page.say("follow_up_written", rows=rows, kinds=kinds if len(kinds) > 1 else [], file=file)
    return ACCEPTED


def run_history(options: argparse.Namespace, page: Page) -> int:
    paths = check_report_paths(options.report)
    campaigns = history(options.folder, try_outs=options.try_outs)
    rows = campaigns.to_dict("records")
    page.facts["campaigns"] = [as_json(row) | _masked(row) for row in rows]
    page.say("campaigns_listed", campaigns=len(campaigns), folder=options.folder)
    for row in rows:
        page.line()
        for line in _campaign_lines(row):
            page.line(line)
    return write_reports(paths, lambda path: write_report(campaigns, path), page)


def _masked(row: dict[Any, Any]) -> dict[str, str | None]:
    """What was written, with phone numbers masked; None for what there is not."""
    masked = {name: mask_text(row[name]) or None for name in ("currency", "sender", "template")}
    return masked | {"problem": mask_text(row["problem"], keep=row["folder"]) or None}


def _campaign_lines(row: dict[Any, Any]) -> list[str]:
    """One campaign in a few lines; what is not known is left out."""
    place = Path(row["folder"])
    state = f", {row['state']}" if row["state"] else ""
    lines = [f"{row['name'] or place.name} ({_where(row)}){state}"]
    if not pd.isna(row["people"]):
        accepted, people = counted(row["accepted"], "message"), counted(row["people"], "person", "people")
        counts = [f", {figure(int(row[name]))} {name}" for name in _COUNTS if row[name]]
        lines.append(f"  {_times(row)}, {accepted} accepted, cost {_cost(row)}")
        lines.append(f"  {people} in the last table{''.join(counts)}")
    if row["sender"]:
        lines.append(f"  from {mask_text(row['sender'])}: {mask_text(row['template'])}".rstrip(": "))
    if row["problem"]:
        lines.append(f"  cannot be read: {mask_text(row['problem'], keep=row['folder'])}")
    return [*lines, f"  {seen_from_here(place)}"]


def _where(row: dict[Any, Any]) -> str:
    return words_for(row["environment"]).where if row["environment"] else "environment unknown"


def _cost(row: dict[Any, Any]) -> str:
    unpriced = 0 if pd.isna(row["unpriced"]) else int(row["unpriced"])
    return cost_in_words(
        row["cost"], unpriced=unpriced, currency=row["currency"], environment=row["environment"]
    )


def _times(row: dict[Any, Any]) -> str:
    first, last = row["first_sent"], row["last_sent"]
    if pd.isna(first):
        return "never sent"
    return f"sent {LocalTimes().span(first.to_pydatetime(), last.to_pydatetime())}"


def _show_reconciliation(reconciliation: Reconciliation, page: Page) -> None:
    phrase = reconciliation.phrase
    page.facts |= {"reconciliation": _facts(reconciliation), "confirm": phrase or None}
    for finding in reconciliation.findings:
        page.line(SHELL.text(finding))
    for row in reconciliation.people.head(_SHOWN).to_dict("records"):
        page.line(f"  batch {row['batch']}, row {row['row']}, {mask_number(row['number'])}: {row['found']}")
    if len(reconciliation.people) > _SHOWN:
        page.line(f"  … and {figure(len(reconciliation.people) - _SHOWN)} more people")
    if phrase:
        page.say("not_settled_yet", phrase=quoted(phrase))


def _facts(reconciliation: Reconciliation) -> dict[str, Any]:
    """What the list says, for programs; people by their rows, without their numbers."""
    return {
        "findings": list(reconciliation.findings),
        "batches": records(reconciliation.batches),
        "people": records(reconciliation.people[["batch", "row", "found"]]),
    }
