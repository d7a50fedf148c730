"""The options that say where, when and how fast to send, and what becomes of earlier rounds."""

from argparse import SUPPRESS, ArgumentTypeError
from pathlib import Path

from campaign.cli.option import Group, Option


def ledger(given: str) -> str:
    """A file, or an address without a password: arguments are shown to every user of the machine."""
    from campaign.sending.ledger.postgres.address import has_password

    if has_password(given):
        raise ArgumentTypeError(
            "leave the password out of the address, because every user of this machine can see the arguments "
            "of a command. Set PGPASSWORD, or use a password file."
        )
    return given


FOLDER = Option("folder", metavar="FOLDER", help="the campaign folder")
CONFIRM = Option("--confirm", metavar="PHRASE", help="the phrase that the command asks for")
BY = Option(
    "--by", action="append", metavar="COLUMN",
    help="column of the file for whose values the report has the outcome, such as a clinic; may be repeated",
)  # fmt: skip

CAMPAIGN = Group(
    "the campaign",
    (
        Option(
            "--name",
            help="name of the campaign (default: the file's name); another name says the same thing "
            "again, on purpose",
        ),
        Option("--folder", help="campaign folder (default: campaigns/NAME)"),
    ),
)

ACCOUNT = Group(
    "the account",
    (
        Option(
            "--account", choices=("local", "sandbox", "live"), default="local",
            help="where to send: local is the embedded sandbox, which sends nothing (default); sandbox (the "
            "provider's) and live are read from CAMPAIGN_SANDBOX_… and CAMPAIGN_LIVE_…: URL, USERNAME, "
            "PASSWORD (or PASSWORD_FILE, a file that has it) and, if you like, CURRENCY, CA_FILE with the "
            "certificates to trust, and PROXY (or PROXY_FILE), the address of an HTTP proxy",
        ),
        Option(  # its name before the first release
            "--environment", dest="account", choices=("local", "sandbox", "live"), default="local",
            help=SUPPRESS,
        ),
        Option(
            "--account-encoding", choices=("url", "plain"), default="url",
            help="how texts are sent: url (default), or plain where the service does not decode them",
        ),
    ),
)  # fmt: skip

EARLIER_ROUNDS = Group(
    "what was sent before",
    (
        Option(
            "--changed", choices=("ask", "skip", "send"), default="ask",
            help="numbers that were reached with another text: ask shows them and sends nothing (default), "
            "skip lets them keep what they got, send sends the new text too",
        ),
        Option(
            "--waiting", choices=("ask", "withdraw"), default="ask",
            help="texts that wait to be sent and are not in the file any more, because the number is gone or "
            "gets another text now: ask shows them and sends nothing (default), withdraw gives them up",
        ),
        Option(
            "--opted-out", choices=("ask", "skip", "send"), default="ask",
            help="people who were left out before, because they wanted no messages, and are not on the list "
            "now: ask sends nothing (default), skip leaves them out, send sends to them",
        ),
        Option(
            "--elsewhere", choices=("ask", "send"), default="ask",
            help="people who have this very text from another campaign of the account, or may get it from "
            "there: ask sends nothing (default), send sends it to them again",
        ),
        Option(
            "--takeover", metavar="PHRASE",
            help="the phrase that is asked for when the campaign was moved, copied or restored",
        ),
    ),
)  # fmt: skip

PACE = Group(
    "how fast, and how far",
    (
        Option("--confirm", metavar="PHRASE", help="the phrase that live sending asks for"),
        Option(
            "--budget", metavar="UNITS",
            help="cost units to spend over the campaign's life, at most; it stays in force until another one "
            'is given, or "none"',
        ),
        Option("--budget-messages", type=int, metavar="MESSAGES", help="the same in messages to send"),
        Option("--hours", help='when to send, for example "08:00-20:00 Africa/Kampala"'),
        Option("--rate", type=float, metavar="MESSAGES", help="messages per second, at most"),
        Option("--batch-size", type=int, default=100, metavar="MESSAGES", help="in a request (default: 100)"),
        Option(
            "--concurrency", type=int, default=8, metavar="REQUESTS",
            help="under way at once (default: 8), for each worker if there are several",
        ),
        Option(
            "--no-canary", dest="canary", action="store_const", const=False, default=True,
            help="do not send a single message first",
        ),
        Option(
            "--max-unknown", type=int, default=1, metavar="BATCHES",
            help="pause when the outcome of this many is unknown (default: 1)",
        ),
    ),
)  # fmt: skip

REPORT = Group(
    "the report",
    (
        Option(
            "--report", action="append", type=Path, metavar="FILE",
            help=".html, .xlsx or .csv (default: report.html in the campaign folder); may be repeated",
        ),
        BY,
        Option("--reveal", action="store_true", help="show phone numbers in full in the reports"),
    ),
)  # fmt: skip

FIRST_ROUND = Group(
    "how to begin",
    (
        Option(
            "--dry-run", action="store_true",
            help="only show what would be sent and, for live, the phrase to confirm it with",
        ),
        Option(
            "--release", action="store_true",
            help="send nothing now, but let workers do it: campaign worker on any machines; the ledger has "
            "to be in PostgreSQL",
        ),
        Option(
            "--pilot", type=int, metavar="MESSAGES",
            help="send about this many first, chosen at random; resume sends the rest",
        ),
        Option(
            "--ledger", metavar="FILE", type=ledger,
            help="file for the ledger, if the folder is not on a local disk; or the address of a PostgreSQL "
            "database, postgresql+psycopg://USER@HOST/DATABASE, whose password is in PGPASSWORD or a "
            "password file",
        ),
    ),
)  # fmt: skip
