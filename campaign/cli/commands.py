"""The same verbs from a shell: check, try-out, send, status, resume, resolve, report, sandbox. Holds no rule.

Exit codes: 0 everything was accepted (or, for `check`, can be sent); 2 wrong usage, or something that has to
be put right first; 3 nothing can be sent because of issues in the file; 4 some messages were refused, are
unknown or were not sent; 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from campaign.cli.arguments import parser
from campaign.contacts.reading import read_contacts
from campaign.errors import CampaignError, FileError
from campaign.masking import mask_text, mask_texts
from campaign.messages.plan import Plan, prepare
from campaign.results.report import write_report
from campaign.results.tables import ENVIRONMENTS, Result
from campaign.sending.campaigns import load_result, resolve, resume, send
from campaign.sending.try_out import try_out
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import clean, figure, money

ACCEPTED, USAGE, NOTHING_TO_SEND, NOT_ALL, INTERRUPTED = 0, 2, 3, 4, 130
_ISSUES_SHOWN = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        return _COMMANDS[options.command](options)
    except CampaignError as error:
        print(f"campaign: {clean(error)}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(
            "campaign: stopped. What was sent is in the campaign folder; resume sends the rest.",
            file=sys.stderr,
        )
        return INTERRUPTED


# the commands


def _check(options: argparse.Namespace) -> int:
    plan = _plan(options)
    _show_plan(plan)
    return ACCEPTED if len(plan.messages) else NOTHING_TO_SEND


def _send(options: argparse.Namespace) -> int:
    plan = _plan(options)
    _show_plan(plan)
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


def _try_out(options: argparse.Namespace) -> int:
    account = _account(options)
    tried = try_out(
        _plan(options),
        account,
        number=options.to,
        region=options.region,
        row=options.row,
        confirm=options.confirm,
    )
    print("\n".join(clean(line) for line in str(tried).splitlines()))
    if not (tried.result.messages["status"] == "accepted").all():
        return NOT_ALL
    if not sys.stdin.isatty() or account is None or account.environment != "live":
        return ACCEPTED
    return ACCEPTED if input("Does it? [y/n] ").strip().lower().startswith("y") else NOT_ALL


def _resume(options: argparse.Namespace) -> int:
    return _finish(resume(options.folder, account=_account(options), **_pace(options)), options)


def _report(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    for path in options.path or [Path(options.folder) / "report.html"]:
        print(f"Report: {write_report(result, path, reveal=options.reveal)}")
    return ACCEPTED


def _status(options: argparse.Namespace) -> int:
    result = load_result(options.folder)
    _show_result(result)
    unknown = result.batches[result.batches["status"] == "unknown"]
    for batch, count, error in zip(unknown["batch"], unknown["messages"], unknown["error"], strict=True):
        print(f"  batch {batch}: {figure(count)} messages unknown, {_said(error or 'no answer yet')}")
    return _exit_code(result)


def _resolve(options: argparse.Namespace) -> int:
    result = resolve(
        options.folder, options.batch, options.outcome, confirm=options.confirm, note=options.note
    )
    print(f"Batch {options.batch} is settled.")
    _show_result(result)
    return _exit_code(result)


def _sandbox(options: argparse.Namespace) -> int:
    given = os.environ.get("CAMPAIGN_LOCAL_PASSWORD")
    password = given or secrets.token_urlsafe(12)
    service = Sandbox(
        port=options.port, username=options.username, password=password,
        balance=options.balance, price=options.price, charge=options.charge, decode=options.decode,
        latency=options.latency, faults=dict(options.fault), random_faults=dict(options.random_fault),
        seed=options.seed,
    )  # fmt: skip
    with service:
        print("SANDBOX: nothing is sent. Stop it with Ctrl-C.")
        print(f"address   {service.account.endpoint}")
        print(f"username  {service.account.username}")
        print(f"password  {'as in CAMPAIGN_LOCAL_PASSWORD' if given else password}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            accepted, charged = figure(len(service.inbox)), money(service.charged)
            print(f"{accepted} messages accepted, {charged} charged.")
    return ACCEPTED


_COMMANDS = {
    "check": _check,
    "try-out": _try_out,
    "send": _send,
    "status": _status,
    "resume": _resume,
    "resolve": _resolve,
    "report": _report,
    "sandbox": _sandbox,
}


# what they share


def _account(options: argparse.Namespace) -> Account | None:
    return None if options.environment == "local" else Account.from_environment(options.environment)


def _plan(options: argparse.Namespace) -> Plan:
    contacts = read_contacts(
        options.file, sheet=options.sheet, header=options.header, delimiter=options.delimiter,
        encoding=options.encoding, hidden="include" if options.include_hidden else "skip",
    )  # fmt: skip
    return prepare(
        contacts,
        message=options.message if options.message is not None else _message_text(options.message_file),
        sender=options.sender,
        number=options.number,
        region=options.region,
        priority=options.priority,
        overlong=options.overlong,
        duplicates=options.duplicates,
        opt_outs=options.opt_outs,
        not_again=options.not_again,
        max_parts=options.max_parts,
        several=options.several,
        keep_words=options.keep_words,
    )


def _message_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"The message file {path} cannot be read ({type(error).__name__}).") from None


def _pace(options: argparse.Namespace) -> dict[str, Any]:
    names = ("concurrency", "rate", "budget", "hours", "max_unknown", "confirm")
    given = {name: getattr(options, name) for name in names}
    return given | {"progress": sys.stderr.isatty()}  # in a file, each move of a bar would be a line


def _show_plan(plan: Plan) -> None:
    if plan.reading is not None:
        print(clean(plan.reading.sentence))
    totals = plan.totals
    _print_counts({"rows": totals.rows, **{status: count for status, count in totals.items() if count}})
    print(
        f"{figure(totals.messages)} messages in {figure(totals.parts)} parts, "
        f"the longest {figure(totals.longest)} characters."
    )
    _print_issues(
        plan.issues[plan.issues["severity"] == "error"], "row that cannot be sent", "rows that cannot be sent"
    )


def _print_counts(counts: dict[str, int]) -> None:
    for name, count in counts.items():
        print(f"  {name.replace('_', ' '):<10} {figure(count):>12}")


def _print_issues(issues: pd.DataFrame, one: str, many: str) -> None:
    rows = issues["row"].nunique()
    if not rows:
        return
    print(f"{figure(rows)} {one if rows == 1 else many}:")
    shown = issues.head(_ISSUES_SHOWN)
    for row, column, detail in zip(shown["row"], shown["column"], mask_texts(shown["detail"]), strict=True):
        print(clean(f"  row {row}, {column}: {detail}"))
    if len(issues) > _ISSUES_SHOWN:
        print(f"  … and {figure(len(issues) - _ISSUES_SHOWN)} more; the report has them all.")


def _finish(result: Result, options: argparse.Namespace) -> int:
    reports = options.report or [(result.folder or Path()) / "report.html"]
    written = [write_report(result, path, reveal=options.reveal) for path in reports]
    _show_result(result)
    for path in written:
        print(f"Report: {_short(path)}")
    return _exit_code(result)


def _exit_code(result: Result) -> int:
    return ACCEPTED if (result.messages["status"] == "accepted").all() else NOT_ALL


def _show_result(result: Result) -> None:
    print()
    print(f"Where it went: {ENVIRONMENTS[result.environment]}.")
    print(_said(result.sentence))
    totals = result.totals
    _print_counts({"rows": totals.rows, **{status: count for status, count in totals.items() if count}})
    print(f"Cost: {money(totals.cost)} for {figure(len(result.batches))} batches.")
    print(f"Campaign folder: {_short(result.folder)}")


def _said(text: object) -> str:
    """What holds a text of the service, on one line of a terminal, its phone numbers masked."""
    return clean(mask_text(str(text)))


def _short(path: Path | None) -> str:
    here = Path.cwd()
    return clean(path.relative_to(here) if path is not None and path.is_relative_to(here) else path)
