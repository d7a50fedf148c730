"""The words of the command line: every command and its options."""

from __future__ import annotations

import argparse
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    words = argparse.ArgumentParser(
        prog="campaign",
        description="Bulk SMS campaigns from a spreadsheet: never one message twice, no row lost.",
        epilog="Exit codes: 0 all accepted; 2 wrong usage; 3 nothing could be sent because of issues in the "
        "file; 4 some messages refused, unknown or not sent; 130 stopped with Ctrl-C.",
    )
    commands = words.add_subparsers(required=True, metavar="command", dest="command")

    check = commands.add_parser("check", help="read a file and say what would be sent")
    _add_file_options(check)

    trying = commands.add_parser("try-out", help="send one message of the file to your own number")
    _add_file_options(trying)
    trying.add_argument("--to", required=True, help="your own number")
    trying.add_argument("--row", type=int, help="whose message (default: the first)")
    trying.add_argument("--confirm", help="the phrase that live sending asks for")
    _add_environment_option(trying)

    sending = commands.add_parser("send", help="send; running it again never sends again")
    _add_file_options(sending)
    _add_pace_options(sending)
    sending.add_argument("--folder", help="campaign folder (default: campaigns/<name>-<fingerprint>)")
    sending.add_argument("--name", help="another name says the same thing again on purpose")
    sending.add_argument("--batch-size", type=int, default=100, help="messages in one request (default: 100)")
    sending.add_argument("--no-canary", action="store_true", help="do not try with one message first")

    resuming = commands.add_parser("resume", help="go on with an interrupted campaign")
    resuming.add_argument("folder", help="the campaign folder")
    _add_pace_options(resuming)

    status = commands.add_parser("status", help="what is known about a campaign now")
    status.add_argument("folder", help="the campaign folder")

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

    report = commands.add_parser("report", help="write reports of a campaign")
    report.add_argument("folder", help="the campaign folder")
    report.add_argument(
        "path", nargs="*", type=Path, help=".html, .xlsx or .csv (default: report.html in the folder)"
    )
    report.add_argument("--reveal", action="store_true", help="show whole numbers")

    sandbox = commands.add_parser("sandbox", help="a stand-in of the service on this machine")
    sandbox.add_argument("--port", type=int, default=8025, help="port to listen on (default: 8025; 0: any)")
    sandbox.add_argument("--username", default="sandbox")
    sandbox.add_argument("--balance", default="1000000", help="cost units on the account")
    sandbox.add_argument("--price", default="35", help="cost units for a message")
    sandbox.add_argument("--charge", default="message", help="what has the price: message (default) or part")
    sandbox.add_argument("--decode", default="percent", help="decodes percent (default), form or none")
    sandbox.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    sandbox.add_argument(
        "--fault", action="append", type=_fault, default=[], metavar="REQUEST=NAME",
        help="what goes wrong, for example 3=accept_close: the third request is accepted and its answer "
        "lost; may be given several times",
    )  # fmt: skip
    sandbox.add_argument(
        "--random-fault", action="append", type=_chance, default=[], metavar="NAME=CHANCE",
        help="how often something goes wrong, for example html=0.02; may be given several times",
    )  # fmt: skip
    sandbox.add_argument("--seed", type=int, default=0, help="other random faults (default: 0)")
    return words


def _fault(text: str) -> tuple[int, str]:
    request, _, name = text.partition("=")
    if not (request.isascii() and request.isdigit() and name):
        raise argparse.ArgumentTypeError(f"{text!r} is no fault; write it like 3=accept_close")
    return int(request), name


def _chance(text: str) -> tuple[str, float]:
    name, _, chance = text.rpartition("=")
    try:
        return name, float(chance)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no chance; write it like html=0.02") from None


def _add_file_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the spreadsheet")
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--message", help='the text, for example "Hi {first_name}, …"')
    text.add_argument("--message-file", type=Path, help="a file with the text")
    parser.add_argument("--sender", required=True, help="the sender, at most 11 characters")
    parser.add_argument(
        "--region", help="country of numbers without a country code, for example UG; 001: all have theirs"
    )
    parser.add_argument("--number", action="append", help="column of the numbers; may be given several times")
    parser.add_argument("--priority", help="0 (highest) to 4 (lowest)")
    parser.add_argument("--overlong", choices=("flag", "truncate", "split"), default="flag")
    parser.add_argument("--duplicates", choices=("skip", "keep", "error"), default="skip")
    parser.add_argument(
        "--not-again", action="append", help="folder of an earlier campaign: whom it reached gets nothing"
    )
    parser.add_argument("--opt-outs", help="a file with numbers that get nothing")
    parser.add_argument("--max-parts", type=int, help="leave out messages with more SMS parts than this")
    parser.add_argument("--keep-words", action="store_true", help="truncate between words only")
    parser.add_argument(
        "--several", choices=("refuse", "first"), default="refuse", help="several numbers in a cell"
    )
    parser.add_argument("--sheet", help="sheet of a workbook (default: the first visible one)")
    header = parser.add_mutually_exclusive_group()
    header.add_argument("--header", type=int, help="row number of the header")
    header.add_argument(
        "--no-header",
        dest="header",
        action="store_const",
        const=False,
        help='the file has none: its columns are called "column A", "column B" and so on',
    )
    parser.add_argument("--delimiter", help="delimiter of a text file")
    parser.add_argument("--encoding", help="encoding of a text file")
    parser.add_argument("--include-hidden", action="store_true", help="send to hidden rows too")


def _add_environment_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--environment",
        choices=("local", "sandbox", "live"),
        default="local",
        help="where to send; sandbox and live take their account from CAMPAIGN_SANDBOX_… or CAMPAIGN_LIVE_… "
        "(default: local, where nothing is sent)",
    )


def _add_pace_options(parser: argparse.ArgumentParser) -> None:
    _add_environment_option(parser)
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
