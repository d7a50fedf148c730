"""The command line: every command and its options."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    program = argparse.ArgumentParser(
        prog="campaign",
        description="Bulk SMS campaigns from a spreadsheet: no message sent twice, no row lost.",
        epilog="Exit codes: 0 everything was accepted; 2 wrong usage; 3 nothing can be sent, see the "
        "issues; 4 some messages were refused, are unknown or were not sent; 130 stopped "
        "with Ctrl-C; 143 by SIGTERM.",
    )
    commands = program.add_subparsers(required=True, metavar="command", dest="command")

    check = commands.add_parser("check", help="read a file and show what would be sent, and what was before")
    _add_file_options(check)
    _add_campaign_options(check)
    _add_environment_option(check)

    trying = commands.add_parser("try-out", help="send one of the messages to your own phone")
    _add_file_options(trying)
    trying.add_argument("--to", required=True, help="the number of your own phone")
    trying.add_argument("--row", type=int, help="row whose message is sent (default: the first)")
    trying.add_argument("--confirm", help="the phrase that live sending asks for")
    _add_environment_option(trying)

    sending = commands.add_parser(
        "send", help="send the messages; run again, it sends what is missing and nothing twice"
    )
    _add_file_options(sending)
    _add_campaign_options(sending)
    _add_round_options(sending)
    _add_pace_options(sending)
    sending.add_argument(
        "--dry-run",
        action="store_true",
        help="only show what would be sent and, for live, the phrase to confirm it with",
    )
    sending.add_argument(
        "--pilot",
        type=int,
        help="send about this many messages first, chosen at random; resume sends the rest",
    )
    sending.add_argument("--batch-size", type=int, default=100, help="messages per request (default: 100)")
    sending.add_argument("--no-canary", action="store_true", help="do not send a single message first")

    resuming = commands.add_parser(
        "resume", help="continue a campaign: send what was not sent yet or was refused"
    )
    resuming.add_argument("folder", help="the campaign folder")
    resuming.add_argument("--opt-outs", help="file of the numbers of people who answered STOP since")
    _add_round_options(resuming)
    _add_pace_options(resuming)

    status = commands.add_parser("status", help="show what is known about a campaign")
    status.add_argument("folder", help="the campaign folder")

    resolving = commands.add_parser("resolve", help="settle a batch whose outcome is unknown")
    resolving.add_argument("folder", help="the campaign folder")
    resolving.add_argument("batch", type=int, help="the number of the batch, as status shows it")
    resolving.add_argument(
        "outcome",
        choices=("accepted", "refused", "again"),
        help="what became of the batch; again: nobody knows, and resume sends it once more",
    )
    resolving.add_argument("--confirm", help="the phrase that the command asks for")
    resolving.add_argument("--note", default="", help="how you found out; kept in the journal")

    report = commands.add_parser("report", help="write reports of a campaign")
    report.add_argument("folder", help="the campaign folder")
    report.add_argument(
        "path", nargs="*", type=Path, help=".html, .xlsx or .csv (default: report.html in the folder)"
    )
    report.add_argument("--reveal", action="store_true", help="show phone numbers in full")

    _add_afterwards_commands(commands)

    sandbox = commands.add_parser(
        "sandbox", help="run the embedded sandbox: a service on this machine that sends nothing"
    )
    sandbox.add_argument(
        "--port", type=int, default=8025, help="port to listen on; 0 for any free port (default: 8025)"
    )
    sandbox.add_argument("--username", default="sandbox", help="user name of its account (default: sandbox)")
    sandbox.add_argument("--balance", default="1000000", help="cost units in the account (default: 1000000)")
    sandbox.add_argument("--price", default="35", help="cost units per message or part (default: 35)")
    sandbox.add_argument(
        "--charge", default="message", help="what the price is for: message (default) or part"
    )
    sandbox.add_argument(
        "--decode", default="percent", help="how texts are decoded: percent (default), form or none"
    )
    sandbox.add_argument("--tls", action="store_true", help="serve https, as the live service does")
    sandbox.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    sandbox.add_argument(
        "--fault", action="append", type=_fault, default=[], metavar="REQUEST=NAME",
        help="make a request go wrong: 3=accept_close accepts the third request and loses its answer; "
        "may be repeated",
    )  # fmt: skip
    sandbox.add_argument(
        "--random-fault", action="append", type=_chance, default=[], metavar="NAME=CHANCE",
        help="make requests go wrong at random, for example html=0.02; may be repeated",
    )  # fmt: skip
    sandbox.add_argument("--seed", type=int, default=0, help="seed of the random faults (default: 0)")
    return program


def _fault(text: str) -> tuple[int, str]:
    request, _, name = text.partition("=")
    if not (request.isascii() and request.isdigit() and name):
        raise argparse.ArgumentTypeError(f"{text!r} is not a fault; write it like 3=accept_close")
    return int(request), name


def _chance(text: str) -> tuple[str, float]:
    name, _, chance = text.rpartition("=")
    try:
        return name, float(chance)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a chance; write it like html=0.02") from None


def _add_file_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the spreadsheet")
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--message", help='text of the messages, for example "Hi {first_name}, …"')
    text.add_argument("--message-file", type=Path, help="file that holds the text")
    parser.add_argument("--sender", required=True, help="sender ID, at most 11 characters")
    parser.add_argument(
        "--region",
        help="country of numbers without a country code, for example UG; 001 if all numbers have one",
    )
    parser.add_argument("--number", action="append", help="column that holds the numbers; may be repeated")
    parser.add_argument("--priority", help="0 (highest) to 4 (lowest)")
    parser.add_argument(
        "--overlong",
        choices=("flag", "truncate", "split"),
        default="flag",
        help="what to do with messages that are too long (default: flag)",
    )
    parser.add_argument(
        "--duplicates",
        choices=("skip", "keep", "error"),
        default="skip",
        help="what to do with rows whose number an earlier row has (default: skip)",
    )
    parser.add_argument(
        "--not-again", action="append", help="folder of an earlier campaign; leave out everybody it reached"
    )
    parser.add_argument("--opt-outs", help="file of numbers that must not be messaged")
    parser.add_argument("--max-parts", type=int, help="leave out messages that take more SMS parts than this")
    parser.add_argument("--keep-words", action="store_true", help="truncate only between words")
    parser.add_argument(
        "--as-written",
        action="store_true",
        help="send placeholders of other tools, such as [Name], as they are",
    )
    parser.add_argument(
        "--several",
        choices=("refuse", "first"),
        default="refuse",
        help="what to do with cells that hold several numbers (default: refuse)",
    )
    parser.add_argument("--sheet", help="sheet of a workbook (default: the first visible sheet)")
    header = parser.add_mutually_exclusive_group()
    header.add_argument("--header", type=int, help="row that holds the header")
    header.add_argument(
        "--no-header",
        dest="header",
        action="store_const",
        const=False,
        help='the file has no header; its columns are called "column A", "column B" and so on',
    )
    parser.add_argument("--delimiter", help="delimiter of a text file")
    parser.add_argument("--encoding", help="encoding of a text file")
    parser.add_argument("--include-hidden", action="store_true", help="include hidden rows")


def _add_campaign_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name",
        help="name of the campaign (default: the file's name); another name says the same thing "
        "again, on purpose",
    )
    parser.add_argument("--folder", help="campaign folder (default: campaigns/<name>)")


def _add_round_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--changed",
        choices=("ask", "skip", "send"),
        default="ask",
        help="people who were reached with another text: ask shows them and sends nothing (default), skip "
        "lets them keep what they got, send sends the new text too",
    )
    parser.add_argument(
        "--gone",
        choices=("ask", "withdraw"),
        default="ask",
        help="messages that wait for people who are no longer in the file: ask (default) or withdraw them",
    )
    parser.add_argument(
        "--takeover", help="the phrase that is asked for when the campaign was moved, copied or restored"
    )


def _add_environment_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--environment",
        choices=("local", "sandbox", "live"),
        default="local",
        help="where to send: local is the embedded sandbox, which sends nothing (default); sandbox (the "
        "provider's) and live read their account from CAMPAIGN_SANDBOX_… and CAMPAIGN_LIVE_…",
    )


def _add_pace_options(parser: argparse.ArgumentParser) -> None:
    _add_environment_option(parser)
    parser.add_argument("--concurrency", type=int, default=8, help="requests under way at once (default: 8)")
    parser.add_argument("--rate", type=float, help="messages per second, at most")
    parser.add_argument("--budget", help="cost units to spend, at most")
    parser.add_argument("--hours", help='when to send, for example "08:00-20:00 Africa/Kampala"')
    parser.add_argument(
        "--max-unknown",
        type=int,
        default=1,
        help="pause when the outcome of this many batches is unknown (default: 1)",
    )
    parser.add_argument("--confirm", help="the phrase that live sending asks for")
    parser.add_argument(
        "--report", action="append", type=Path, help="where to write a report; may be repeated"
    )
    parser.add_argument("--reveal", action="store_true", help="show phone numbers in full in the reports")


def _add_afterwards_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """What is done with a campaign once it was sent."""
    follow_up = commands.add_parser("follow-up", help="write the rows to correct to a file")
    follow_up.add_argument("folder", help="the campaign folder")
    follow_up.add_argument("path", type=Path, help=".xlsx, .ods or .csv; phone numbers are written in full")
    follow_up.add_argument(
        "--status",
        action="append",
        help="status of the rows to write (default: refused and invalid); may be repeated",
    )

    reconciling = commands.add_parser(
        "reconcile", help="compare unknown batches with the provider's own list, and settle them"
    )
    reconciling.add_argument("folder", help="the campaign folder")
    reconciling.add_argument("list", help="the provider's list of what it took: .csv, .xlsx, …")
    reconciling.add_argument("--confirm", help="the phrase that the comparison shows, to settle it")
    for name, content in {
        "number": "the numbers", "text": "the texts", "code": "the follow-up codes",
        "time": "the times", "cost": "the costs",
    }.items():  # fmt: skip
        reconciling.add_argument(f"--{name}", help=f"column of the list that has {content} (default: found)")

    closing = commands.add_parser("close", help="withdraw every message that waits to be sent, for good")
    closing.add_argument("folder", help="the campaign folder")
    closing.add_argument("--confirm", help="the phrase that the command asks for")

    erasing = commands.add_parser("erase", help="take names, numbers and texts out of a finished campaign")
    erasing.add_argument("folder", help="the campaign folder")
    erasing.add_argument("--confirm", help="the phrase that the command asks for")

    listing = commands.add_parser("history", help="list campaigns: when they were sent, and what it cost")
    listing.add_argument(
        "folder", nargs="?", default="campaigns", help="folder that holds campaigns (default: campaigns)"
    )
