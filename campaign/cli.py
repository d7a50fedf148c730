"""The same verbs from a shell: check, send, status, resume, resolve, report, sandbox. Holds no rule.

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

from campaign import display
from campaign.contacts.reading import read_contacts
from campaign.errors import CampaignError, FileError
from campaign.messages.plan import Plan, prepare
from campaign.results.report import write_report
from campaign.results.tables import ENVIRONMENTS, Result
from campaign.sending.campaigns import load_result, resolve, resume, send
from campaign.service.account import Account
from campaign.service.sandbox import Sandbox

ACCEPTED, USAGE, NOTHING_TO_SEND, NOT_ALL, INTERRUPTED = 0, 2, 3, 4, 130
_ISSUES_SHOWN = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except CampaignError as error:
        print(f"campaign: {display.clean(error)}", file=sys.stderr)
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
    account = None if options.environment == "local" else Account.from_environment(options.environment)
    result = send(
        plan,
        account=account,
        folder=options.folder,
        name=options.name,
        batch_size=options.batch_size,
        canary=not options.no_canary,
        **_pace(options),
    )
    return _finish(result, options)


def _resume(options: argparse.Namespace) -> int:
    account = None if options.environment == "local" else Account.from_environment(options.environment)
    return _finish(resume(options.folder, account=account, **_pace(options)), options)


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
        print(
            display.clean(
                f"  batch {batch}: {display.figure(count)} messages unknown, {error or 'no answer yet'}"
            )
        )
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
        balance=options.balance, price=options.price, latency=options.latency,
    )  # fmt: skip
    with service:
        print("SANDBOX: nothing is sent. Stop it with Ctrl-C.")
        print(f"address   {service.account.endpoint}")
        print(f"username  {service.account.username}")
        print(f"password  {'as in CAMPAIGN_LOCAL_PASSWORD' if given else password}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            accepted, charged = display.figure(len(service.inbox)), display.money(service.charged)
            print(f"{accepted} messages accepted, {charged} charged.")
    return ACCEPTED


# what they share


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
        max_parts=options.max_parts,
    )


def _message_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"The message file {path} cannot be read ({type(error).__name__}).") from None


def _pace(options: argparse.Namespace) -> dict[str, Any]:
    names = ("concurrency", "rate", "budget", "hours", "max_unknown", "confirm")
    return {name: getattr(options, name) for name in names}


def _show_plan(plan: Plan) -> None:
    if plan.reading is not None:
        print(display.clean(plan.reading.sentence))
    totals = plan.totals
    _print_counts({"rows": totals.rows, **{status: count for status, count in totals.items() if count}})
    print(
        f"{display.figure(totals.messages)} messages in {display.figure(totals.parts)} parts, "
        f"the longest {display.figure(totals.longest)} characters."
    )
    _print_issues(
        plan.issues[plan.issues["severity"] == "error"], "row that cannot be sent", "rows that cannot be sent"
    )


def _print_counts(counts: dict[str, int]) -> None:
    for name, count in counts.items():
        print(f"  {name.replace('_', ' '):<10} {display.figure(count):>12}")


def _print_issues(issues: pd.DataFrame, one: str, many: str) -> None:
    rows = issues["row"].nunique()
    if not rows:
        return
    print(f"{display.figure(rows)} {one if rows == 1 else many}:")
    shown = issues.head(_ISSUES_SHOWN)
    for row, column, detail in zip(
        shown["row"], shown["column"], display.mask_texts(shown["detail"]), strict=True
    ):
        print(display.clean(f"  row {row}, {column}: {detail}"))
    if len(issues) > _ISSUES_SHOWN:
        print(f"  … and {display.figure(len(issues) - _ISSUES_SHOWN)} more; the report has them all.")


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
    print(display.clean(result.sentence))
    totals = result.totals
    _print_counts({"rows": totals.rows, **{status: count for status, count in totals.items() if count}})
    print(f"Cost: {display.money(totals.cost)} for {display.figure(len(result.batches))} batches.")
    print(f"Campaign folder: {_short(result.folder)}")


def _short(path: Path | None) -> str:
    here = Path.cwd()
    return str(path.relative_to(here) if path is not None and path.is_relative_to(here) else path)


# the words


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="campaign",
        description="Bulk SMS campaigns from a spreadsheet: never one message twice, no row lost.",
        epilog="Exit codes: 0 all accepted; 2 wrong usage; 3 nothing could be sent because of issues in the "
        "file; 4 some messages refused, unknown or not sent; 130 stopped with Ctrl-C.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    check = commands.add_parser("check", help="read a file and say what would be sent")
    _add_file_options(check)
    check.set_defaults(run=_check)

    sending = commands.add_parser("send", help="send; running it again never sends again")
    _add_file_options(sending)
    _add_pace_options(sending)
    sending.add_argument("--folder", help="campaign folder (default: campaigns/<name>-<fingerprint>)")
    sending.add_argument("--name", help="another name says the same thing again on purpose")
    sending.add_argument("--batch-size", type=int, default=100, help="messages in one request (default: 100)")
    sending.add_argument("--no-canary", action="store_true", help="do not try with one message first")
    sending.set_defaults(run=_send)

    resuming = commands.add_parser("resume", help="go on with an interrupted campaign")
    resuming.add_argument("folder", help="the campaign folder")
    _add_pace_options(resuming)
    resuming.set_defaults(run=_resume)

    status = commands.add_parser("status", help="what is known about a campaign now")
    status.add_argument("folder", help="the campaign folder")
    status.set_defaults(run=_status)

    resolving = commands.add_parser("resolve", help="settle a batch whose fate is unknown")
    resolving.add_argument("folder", help="the campaign folder")
    resolving.add_argument("batch", type=int, help="its number, as status shows it")
    resolving.add_argument(
        "outcome",
        choices=("accepted", "refused", "again"),
        help="what became of it; again: send it once more",
    )
    resolving.add_argument("--confirm", help="the phrase that the command asks for")
    resolving.add_argument("--note", default="", help="how you know; kept in the journal")
    resolving.set_defaults(run=_resolve)

    report = commands.add_parser("report", help="write reports of a campaign")
    report.add_argument("folder", help="the campaign folder")
    report.add_argument(
        "path", nargs="*", type=Path, help=".html, .xlsx or .csv (default: report.html in the folder)"
    )
    report.add_argument("--reveal", action="store_true", help="show whole numbers")
    report.set_defaults(run=_report)

    sandbox = commands.add_parser("sandbox", help="a stand-in of the service on this machine")
    sandbox.add_argument("--port", type=int, default=8025, help="port to listen on (default: 8025; 0: any)")
    sandbox.add_argument("--username", default="sandbox")
    sandbox.add_argument("--balance", default="1000000", help="cost units on the account")
    sandbox.add_argument("--price", default="35", help="cost units for a message")
    sandbox.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    sandbox.set_defaults(run=_sandbox)
    return parser


def _add_file_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the spreadsheet")
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--message", help='the text, for example "Hi {first_name}, …"')
    text.add_argument("--message-file", type=Path, help="a file with the text")
    parser.add_argument("--sender", required=True, help="the sender, at most 11 characters")
    parser.add_argument("--region", help="country of numbers without a country code, for example UG")
    parser.add_argument("--number", action="append", help="column of the numbers; may be given several times")
    parser.add_argument("--priority", help="0 (highest) to 4 (lowest)")
    parser.add_argument("--overlong", choices=("flag", "truncate", "split"), default="flag")
    parser.add_argument("--duplicates", choices=("skip", "keep", "error"), default="skip")
    parser.add_argument("--opt-outs", help="a file with numbers that get nothing")
    parser.add_argument("--max-parts", type=int, help="leave out messages with more SMS parts than this")
    parser.add_argument("--sheet", help="sheet of a workbook (default: the first visible one)")
    parser.add_argument("--header", type=int, help="row number of the header")
    parser.add_argument("--delimiter", help="delimiter of a text file")
    parser.add_argument("--encoding", help="encoding of a text file")
    parser.add_argument("--include-hidden", action="store_true", help="send to hidden rows too")


def _add_pace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--environment",
        choices=("local", "sandbox", "live"),
        default="local",
        help="where to send; sandbox and live take their account from CAMPAIGN_SANDBOX_… or CAMPAIGN_LIVE_… "
        "(default: local, where nothing is sent)",
    )
    parser.add_argument("--concurrency", type=int, default=8, help="requests at a time (default: 8)")
    parser.add_argument("--rate", type=float, help="messages a second at most")
    parser.add_argument("--budget", help="cost units at most")
    parser.add_argument("--hours", help='when to send, for example "08:00-20:00 Africa/Kampala"')
    parser.add_argument(
        "--max-unknown", type=int, default=1, help="pause at so many unknown batches (default: 1)"
    )
    parser.add_argument("--confirm", help="the phrase that live sending asks for")
    parser.add_argument(
        "--report", action="append", type=Path, help="where to write reports (may be repeated)"
    )
    parser.add_argument("--reveal", action="store_true", help="show whole numbers in the reports")
