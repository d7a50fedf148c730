"""`reconcile`, `close`, `erase`, `follow-up`, `history`: what is done with campaigns once they were sent."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL
from campaign.cli.output import masked_line, seen_from_here
from campaign.cli.result_commands import exit_code, print_result
from campaign.masking import mask_number
from campaign.results.follow_up_file import write_follow_up
from campaign.results.tables import SAFE_TO_PREPARE_AGAIN
from campaign.sending.afterwards.closing import close
from campaign.sending.afterwards.erasing import erase
from campaign.sending.afterwards.history import history
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.settling import reconcile
from campaign.sending.campaigns import load_result
from campaign.text import agreeing, capitalised, clean, counted, figure, money

_SHOWN = 20  # batches or people of a reconciliation that are printed
_COUNTS = ("accepted", "refused", "unknown", "waiting")


def run_reconcile(options: argparse.Namespace) -> int:
    columns = {name: getattr(options, name) for name in ("number", "text", "code", "time", "cost")}
    if options.confirm is None:
        reconciliation = reconcile(options.folder, options.list, **columns)
        _print_reconciliation(reconciliation)
        return NOT_ALL if len(reconciliation.batches) else ACCEPTED
    result = reconcile(options.folder, options.list, **columns, confirm=options.confirm)
    print("What is certain is settled.")
    print_result(result)
    return exit_code(result)


def run_close(options: argparse.Namespace) -> int:
    result = close(options.folder, confirm=options.confirm)
    print("The campaign is closed: nothing waits in it.")
    print_result(result)
    return exit_code(result)


def run_erase(options: argparse.Namespace) -> int:
    result = erase(options.folder, confirm=options.confirm)
    print_result(result)
    return exit_code(result)


def run_follow_up(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    statuses = options.status or SAFE_TO_PREPARE_AGAIN
    rows = int(result.contacts["status"].isin(statuses).sum())
    path = write_follow_up(result, options.path, statuses=statuses)
    print(f"{capitalised(counted(rows, 'row'))} to correct: {seen_from_here(path.absolute())}")
    print("Phone numbers are written in full: keep the file to yourself.")
    return ACCEPTED


def run_history(options: argparse.Namespace) -> int:
    campaigns = history(options.folder)
    print(f"{capitalised(counted(len(campaigns), 'campaign'))} in {clean(options.folder)}")
    for row in campaigns.to_dict("records"):
        print()
        for line in _campaign_lines(row):
            print(line)
    return ACCEPTED


def _campaign_lines(row: dict[Any, Any]) -> list[str]:
    """One campaign in a few lines; what is not known is left out."""
    place = Path(row["folder"])
    lines = [f"{masked_line(row['name'] or place.name)} ({row['environment'] or 'environment unknown'})"]
    if not pd.isna(row["rounds"]):
        lines.append(f"  {_times(row)}, {counted(row['rounds'], 'round')}, cost {money(row['cost'])}")
    if not pd.isna(row["people"]):
        counts = [f"{figure(int(row[name]))} {name}" for name in _COUNTS if row[name]]
        people = counted(row["people"], "person", "people")
        lines.append(f"  {people}; messages: {', '.join(counts) or 'none'}")
    if row["sender"]:
        lines.append(f"  from {masked_line(row['sender'])}: {masked_line(row['template'])}".rstrip(": "))
    if row["problem"]:
        lines.append(f"  cannot be read: {masked_line(row['problem'])}")
    return [*lines, f"  {seen_from_here(place)}"]


def _times(row: dict[Any, Any]) -> str:
    first, last = row["first_sent"], row["last_sent"]
    if pd.isna(first):
        return "never sent"
    until = "" if f"{first:%Y-%m-%d %H:%M}" == f"{last:%Y-%m-%d %H:%M}" else f" to {last:%Y-%m-%d %H:%M}"
    return f"sent {first:%Y-%m-%d %H:%M}{until} UTC"


def _print_reconciliation(reconciliation: Reconciliation) -> None:
    print(masked_line(reconciliation.sentence))
    lines = [
        f"  batch {row['batch']}: {row['in_list']} of {counted(row['messages'], 'message')} in the list, "
        f"{_verdict(row)}"
        for row in reconciliation.batches.to_dict("records")
    ]
    lines += [
        f"  batch {row['batch']}, row {row['row']}, {mask_number(row['number'])}: {row['found']}"
        for row in reconciliation.people.head(_SHOWN).to_dict("records")
    ]
    if len(reconciliation.people) > _SHOWN:
        lines.append(f"  … and {figure(len(reconciliation.people) - _SHOWN)} more people to look at")
    for line in [*lines, *_accepted_lines(reconciliation)]:
        print(clean(line))
    if reconciliation.phrase:
        print(f'Nothing is settled yet. To settle what is certain: --confirm "{reconciliation.phrase}"')


def _accepted_lines(reconciliation: Reconciliation) -> list[str]:
    """The accepted batches that the list lacks or prices otherwise."""
    missing = [
        f"  batch {row['batch']} was accepted, and {row['in_list']} of "
        f"{counted(row['messages'], 'message')} {agreeing(row['in_list'], 'is', 'are')} in the list"
        for row in reconciliation.accepted_missing.to_dict("records")
    ]
    priced = [
        f"  batch {row['batch']} cost {money(row['cost'])}, and {money(row['cost_in_list'])} in the list"
        for row in reconciliation.priced_otherwise.to_dict("records")
    ]
    return missing + priced


def _verdict(row: dict[Any, Any]) -> str:
    """What becomes of an unknown batch, in words."""
    verdicts = {"all": "it was accepted", "none": "it was refused"}
    return verdicts.get(row["verdict"], f"it stays unknown. {row['why']}".rstrip())
