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
from campaign.messages.plan import Plan
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.sending.campaigns import compare, resume, send
from campaign.sending.opening import phrase_to_confirm
from campaign.sending.options import SendOptions
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.sending.try_out import try_out
from campaign.service.account import Account
from campaign.text import clean


def run_send(options: argparse.Namespace) -> int:
    plan = make_plan(options)
    print_plan(plan)
    if not len(plan.messages):
        return NOTHING_TO_SEND
    round_options = _round(options) | {
        "folder": options.folder, "name": options.name, "pilot": options.pilot,
        "batch_size": options.batch_size, "canary": not options.no_canary,
    }  # fmt: skip
    if options.dry_run:
        return _show(plan, SendOptions(**_pace(options), **round_options))
    return _finish(send(plan, **_pace(options), **round_options), options)


def _show(plan: Plan, options: SendOptions) -> int:
    """Print what would be sent, and the phrase that live asks for."""
    difference = compare(plan, name=options.name, account=options.account, folder=options.folder)
    if difference.is_first:
        print(NOTHING_SENT_YET)
    print(difference.sentence)
    phrase = phrase_to_confirm(difference, options)
    if phrase:
        print(f'To send it, add --confirm "{phrase}".')
    print("This was a dry run: nothing was sent.")
    return ACCEPTED


def run_resume(options: argparse.Namespace) -> int:
    result = resume(options.folder, opt_outs=options.opt_outs, **_pace(options), **_round(options))
    return _finish(result, options)


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
    # In a file, each update of a bar would be a line.
    return pace | {"account": _account(options), "progress": sys.stderr.isatty()}


def _round(options: argparse.Namespace) -> dict[str, Any]:
    return {"changed": options.changed, "gone": options.gone, "takeover": options.takeover}


def _finish(result: Result, options: argparse.Namespace) -> int:
    """Write the reports and print the result."""
    targets = options.report or [(result.folder or Path()) / "report.html"]
    reports = [write_report(result, path, reveal=options.reveal) for path in targets]
    print_result(result)
    for path in reports:
        print(f"Report: {seen_from_here(path)}")
    return exit_code(result)
