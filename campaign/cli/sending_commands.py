"""`send`, `resume` and `try-out`: the commands that send."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from campaign.cli.check_command import make_plan, print_plan
from campaign.cli.exit_codes import ACCEPTED, NOT_ALL, NOTHING_TO_SEND
from campaign.cli.output import seen_from_here
from campaign.cli.result_commands import exit_code, print_result
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.sending.campaigns import resume, send
from campaign.sending.try_out import try_out
from campaign.service.account import Account
from campaign.text import clean


def run_send(options: argparse.Namespace) -> int:
    plan = make_plan(options)
    print_plan(plan)
    if not len(plan.messages):
        return NOTHING_TO_SEND
    result = send(
        plan,
        account=_account(options),
        folder=options.folder,
        name=options.name,
        batch_size=options.batch_size,
        canary=not options.no_canary,
        **_pace(options),
    )
    return _finish(result, options)


def run_resume(options: argparse.Namespace) -> int:
    return _finish(resume(options.folder, account=_account(options), **_pace(options)), options)


def run_try_out(options: argparse.Namespace) -> int:
    account = _account(options)
    trial = try_out(
        make_plan(options),
        account,
        number=options.to,
        region=options.region,
        row=options.row,
        confirm=options.confirm,
    )
    print("\n".join(clean(line) for line in str(trial).splitlines()))
    if not (trial.result.messages["status"] == "accepted").all():
        return NOT_ALL
    if not sys.stdin.isatty() or account is None or account.environment != "live":
        return ACCEPTED
    try:
        answer = input("Does it? [y/n] ")
    except EOFError:  # Ctrl-D
        return NOT_ALL
    return ACCEPTED if answer.strip().lower().startswith("y") else NOT_ALL


def _account(options: argparse.Namespace) -> Account | None:
    return None if options.environment == "local" else Account.from_environment(options.environment)


def _pace(options: argparse.Namespace) -> dict[str, Any]:
    names = ("concurrency", "rate", "budget", "hours", "max_unknown", "confirm")
    pace = {name: getattr(options, name) for name in names}
    return pace | {"progress": sys.stderr.isatty()}  # in a file, each update of a bar would be a line


def _finish(result: Result, options: argparse.Namespace) -> int:
    """Write the reports and print the result."""
    targets = options.report or [(result.folder or Path()) / "report.html"]
    reports = [write_report(result, path, reveal=options.reveal) for path in targets]
    print_result(result)
    for path in reports:
        print(f"Report: {seen_from_here(path)}")
    return exit_code(result)
