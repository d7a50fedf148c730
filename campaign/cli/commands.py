"""The commands: what each is for, where its function is, its options, its figures for --json, examples."""

from pathlib import Path
from typing import NamedTuple

from campaign.cli.file_options import ISSUES, NUMBERS, SPREADSHEET, TEXT
from campaign.cli.option import Option, OptionGroup, batches, chance, fault
from campaign.cli.sending_options import (
    ACCOUNT,
    BY,
    CAMPAIGN,
    CONFIRM,
    EARLIER_ROUNDS,
    FIRST_ROUND,
    FOLDER,
    PACE,
    REPORT,
    ledger,
)
from campaign.contract import STATUSES


class Command(NamedTuple):
    """A command: the sentence of its help, the module with its function, its options, and more.

    `facts` are the keys of the object that it prints with --json, besides those that every command has.
    `module` is imported when the command runs: help and usage errors do not load pandas.
    """

    help: str
    module: str
    groups: tuple[OptionGroup, ...]
    facts: tuple[str, ...]
    examples: tuple[str, ...]

    @property
    def usage(self) -> list[str]:
        """What has to be typed after the name."""
        return [option.usage for group in self.groups for option in group.options if option.usage]


def _of_folder(*options: Option) -> OptionGroup:
    return OptionGroup("the campaign", (FOLDER, *options))


_TRIAL = OptionGroup(
    "your phone",
    (
        Option("--to", required=True, metavar="NUMBER", help="the number of your own phone"),
        Option("--row", type=int, help="row whose message is sent (default: the first)"),
        Option("--confirm", metavar="PHRASE", help="the phrase that live sending asks for"),
    ),
)
_RESUMED = _of_folder(
    Option("--opt-outs", metavar="FILE", help="file of the numbers of people who answered STOP since")
)
_RESOLVED = _of_folder(
    Option(
        "batches", type=batches, metavar="BATCH",
        help="the number of the batch, as status shows it; several of the same outcome: 19,20,21",
    ),
    Option(
        "outcome", choices=("accepted", "refused", "again"),
        help="what became of the batch; again: nobody knows, and resume sends it once more",
    ),
    CONFIRM,
    Option("--note", default="", help="how you found out; kept in the journal"),
    Option(
        "--cost", metavar="AMOUNT",
        help="what the batch cost, in the units of the account",
    ),
)  # fmt: skip
_LIST = OptionGroup(
    "the provider's list",
    (
        Option("list", metavar="LIST", help="what the provider took: .csv, .xlsx, …"),
        Option("--number", metavar="COLUMN", help="column that has the numbers (default: found)"),
        Option("--text", metavar="COLUMN", help="column that has the texts (default: found)"),
        Option("--time", metavar="COLUMN", help="column that has the times (default: found)"),
    ),
)
_DATABASE = Option(
    "--ledger", metavar="ADDRESS", type=ledger,
    help="the address of its PostgreSQL database, to be compared with the campaign's",
)  # fmt: skip
_WORKER = OptionGroup(
    "this worker",
    (
        Option(
            "--part", dest="parts", action="append", type=int, metavar="NUMBER",
            help="send only this part of the round, from 0; may be repeated (default: all)",
        ),
        Option(
            "--when-paused", choices=("wait", "end"), default="wait",
            help="while the campaign is paused: wait for campaign order (default), or end",
        ),
    ),
)  # fmt: skip
_ORDERED = OptionGroup(
    "the campaign",
    (
        Option("folder", metavar="FOLDER", help="the campaign folder"),
        Option(
            "what", choices=("pause", "resume", "stop"),
            help="what all workers are to do; after stop, the campaign has to be released again",
        ),
        Option("--note", default="", help="why; kept in the journal"),
    ),
)  # fmt: skip
_REPORTED = _of_folder(
    Option(
        "path", nargs="*", default=[], type=Path, metavar="FILE",  # or argparse says that it is required
        help=".html, .xlsx or .csv (default: report.html in the folder)",
    ),
    BY,
    Option("--reveal", action="store_true", help="show phone numbers in full"),
)  # fmt: skip
_FOLLOWED_UP = _of_folder(
    Option("path", type=Path, metavar="FILE", help=".xlsx, .ods or .csv; numbers are written in full"),
    Option(
        "--status", action="append", choices=STATUSES, metavar="STATUS",
        help="status of the rows to write (default: refused and invalid); may be repeated",
    ),
)  # fmt: skip
_LISTED = OptionGroup(
    "the campaigns",
    (
        Option(
            "folder", nargs="?", default="campaigns", metavar="FOLDER",
            help="folder that holds campaigns (default: campaigns)",
        ),
        Option(
            "--report", action="append", type=Path, metavar="FILE",
            help="write a report of them all: .html, .xlsx or .csv; may be repeated",
        ),
        Option("--try-outs", action="store_true", help="also list messages that were tried out"),
    ),
)  # fmt: skip
_SERVICE = OptionGroup(
    "the service",
    (
        Option("--port", type=int, default=8025, help="to listen on; 0 for any free port (default: 8025)"),
        Option("--username", default="sandbox", help="user name of its account (default: sandbox)"),
        Option("--balance", default="1000000", help="cost units in the account (default: 1000000)"),
        Option("--price", default="35", help="cost units per message or part (default: 35)"),
        Option("--charge", default="part", help="what the price is for: part (default) or message"),
        Option("--decode", default="percent", help="how texts are decoded: percent (default), form or none"),
        Option("--tls", action="store_true", help="serve https, as the live service does"),
        Option("--latency", type=float, default=0.0, metavar="SECONDS", help="before each answer"),
        Option(
            "--fault", action="append", type=fault, default=[], metavar="REQUEST=NAME",
            help="make a request go wrong: 3=accept_close loses the answer to the third; may be repeated",
        ),
        Option(
            "--random-fault", action="append", type=chance, default=[], metavar="NAME=CHANCE",
            help="make requests go wrong at random, for example html=0.02; may be repeated",
        ),
        Option("--seed", type=int, default=0, help="seed of the random faults (default: 0)"),
    ),
)  # fmt: skip
_APP = OptionGroup(
    "the page",
    (
        Option("--port", type=int, default=0, help="to listen on (default: any free port)"),
        Option("--no-browser", dest="browser", action="store_false", help="only print the address"),
    ),
)
_SHELL = OptionGroup("the shell", (Option("shell", choices=("bash", "zsh", "fish"), help="your shell"),))

_VISITS = "visits.xlsx --message-file visit.txt --sender CLINIC --region UG"
_CHECKING, _SENDING = "campaign.cli.check_command", "campaign.cli.sending_commands"
_LOOKING, _AFTERWARDS = "campaign.cli.result_commands", "campaign.cli.afterwards_commands"
_WORKING = "campaign.cli.worker_commands"

COMMANDS = {
    "check": Command(
        "read a file and show what would be sent, and what was before", _CHECKING,
        (SPREADSHEET, TEXT, NUMBERS, ISSUES, CAMPAIGN, ACCOUNT), ("plan", "comparison", "reports"),
        (f"check {_VISITS}", f"check {_VISITS} --report issues.xlsx"),
    ),
    "try-out": Command(
        "send one of the messages to your own phone", _SENDING,
        (SPREADSHEET, TEXT, NUMBERS, _TRIAL, ACCOUNT), ("plan", "message", "confirm", "result"),
        (f'try-out {_VISITS} --to "+256 772 000 999" --account live',),
    ),
    "send": Command(
        "send the messages; run again, it sends what is missing and nothing twice", _SENDING,
        (SPREADSHEET, TEXT, NUMBERS, CAMPAIGN, ACCOUNT, FIRST_ROUND, EARLIER_ROUNDS, PACE, REPORT),
        ("plan", "comparison", "confirm", "release", "result", "reports"),
        (f"send {_VISITS}", f"send {_VISITS} --account live --dry-run"),
    ),
    "resume": Command(
        "continue a campaign: send what was not sent yet or was refused", _SENDING,
        (_RESUMED, ACCOUNT, EARLIER_ROUNDS, PACE, REPORT), ("confirm", "result", "reports"),
        ("resume campaigns/visits --account live",),
    ),
    "release": Command(
        "let workers send what is left of a campaign; the ledger has to be in PostgreSQL", _WORKING,
        (_of_folder(_DATABASE), ACCOUNT, EARLIER_ROUNDS, PACE), ("confirm", "release"),
        ("release campaigns/visits --account live --rate 100",),
    ),
    "worker": Command(
        "send a campaign that was released, together with other workers on any machines", _WORKING,
        (_of_folder(_DATABASE), ACCOUNT, _WORKER), ("worker",),
        ("worker campaigns/visits --account live",),
    ),
    "order": Command(
        "pause, resume or stop all workers of a campaign", _WORKING, (_ORDERED,), ("workers",),
        ('order campaigns/visits pause --note "the provider asked us to"', "order campaigns/visits resume"),
    ),
    "status": Command(
        "show what is known about a campaign", _LOOKING, (_of_folder(),),
        ("result", "rounds", "unknown", "workers"),
        ("status campaigns/visits", "status campaigns/visits --json"),
    ),
    "resolve": Command(
        "settle a batch whose outcome is unknown", _LOOKING, (_RESOLVED,), ("confirm", "result"),
        ('resolve campaigns/visits 7 accepted --note "asked the provider"',),
    ),
    "reconcile": Command(
        "compare unknown batches with the provider's own list, and settle them", _AFTERWARDS,
        (_of_folder(CONFIRM), _LIST), ("reconciliation", "confirm", "result"),
        ("reconcile campaigns/visits provider.csv",),
    ),
    "close": Command(
        "withdraw every message that waits to be sent, for good", _AFTERWARDS, (_of_folder(CONFIRM),),
        ("confirm", "result"), ("close campaigns/visits",),
    ),
    "erase": Command(
        "take names, numbers and texts out of a finished campaign", _AFTERWARDS, (_of_folder(CONFIRM),),
        ("confirm",), ("erase campaigns/visits",),
    ),
    "follow-up": Command(
        "write the rows to correct to a file", _AFTERWARDS, (_FOLLOWED_UP,), ("rows", "path"),
        ("follow-up campaigns/visits to_correct.xlsx",),
    ),
    "history": Command(
        "list campaigns: when they were sent, and what it cost", _AFTERWARDS, (_LISTED,),
        ("campaigns", "reports"), ("history", "history --report overview.html"),
    ),
    "report": Command(
        "write reports of a campaign", _LOOKING, (_REPORTED,), ("reports",),
        ("report campaigns/visits visits.html visits.xlsx", "report campaigns/visits by.html --by Clinic"),
    ),
    "app": Command(
        "compose and send a campaign in a web page of this machine: for people without notebooks",
        "campaign.cli.app_command", (_APP,), ("address",), ("app", "app --no-browser --port 8866"),
    ),
    "sandbox": Command(
        "run the embedded sandbox: a service on this machine that sends nothing",
        "campaign.cli.sandbox_command", (_SERVICE,), ("address", "username", "password", "ca_file"),
        ("sandbox --tls --fault 3=accept_close",),
    ),
    "completion": Command(
        "print a script with which your shell completes commands and options",
        "campaign.cli.completion_command", (_SHELL,), ("script",),
        (
            "completion bash > ~/.local/share/bash-completion/completions/campaign",
            "completion zsh > ~/.zfunc/_campaign",
            "completion fish > ~/.config/fish/completions/campaign.fish",
        ),
    ),
}  # fmt: skip
