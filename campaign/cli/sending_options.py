"""The options that say where, when and how fast to send, and what becomes of earlier rounds."""

from argparse import SUPPRESS
from pathlib import Path

from campaign.cli.option import Option, OptionGroup
from campaign.errors import AccountError


def ledger(given: str) -> str:
    """A file, or an address without a password: arguments are shown to every user of the machine."""
    from campaign.sending.ledger.postgres.address import has_password

    if has_password(given):
        raise AccountError("password_shown")  # and not a ValueError, with which argparse repeats it
    return given


FOLDER = Option("folder", metavar="FOLDER", help="the campaign folder")
CONFIRM = Option("--confirm", metavar="PHRASE", help="the phrase that the command asks for")
BY = Option(
    "--by", action="append", metavar="COLUMN",
    help="column whose values the report compares, such as a clinic; may be repeated",
)  # fmt: skip

CAMPAIGN = OptionGroup(
    "the campaign",
    (
        Option(
            "--name",
            help="name of the campaign (default: the file's name); a new name sends again",
        ),
        Option("--folder", help="campaign folder (default: campaigns/NAME)"),
    ),
)

ACCOUNT = OptionGroup(
    "the account",
    (
        Option(
            "--account", choices=("local", "sandbox", "live"), default="local",
            help="where to send: local (default) sends nothing; sandbox and live are read from the variables "
            "CAMPAIGN_SANDBOX_… and CAMPAIGN_LIVE_…: URL, USERNAME, PASSWORD (or PASSWORD_FILE) and, if "
            "needed, CURRENCY, CA_FILE and PROXY",
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

EARLIER_ROUNDS = OptionGroup(
    "what was sent before",
    (
        Option(
            "--changed", choices=("ask", "skip", "send"), default="ask",
            help="people who got another text: ask first (default), skip them, or send the new text too",
        ),
        Option(
            "--waiting", choices=("ask", "withdraw"), default="ask",
            help="texts that wait and are not in the file any more: ask first (default), or withdraw them",
        ),
        Option(
            "--opted-out", choices=("ask", "skip", "send"), default="ask",
            help="people who opted out before and are not on the list now: ask first (default), skip or send",
        ),
        Option(
            "--elsewhere", choices=("ask", "send"), default="ask",
            help="people who have this very text from another campaign: ask first (default), or send again",
        ),
        Option(
            "--takeover", metavar="PHRASE",
            help="the phrase that is asked for when the campaign was moved, copied or restored",
        ),
    ),
)  # fmt: skip

PACE = OptionGroup(
    "how fast, and how far",
    (
        Option("--confirm", metavar="PHRASE", help="the phrase that live sending asks for"),
        Option(
            "--budget", metavar="UNITS",
            help='cost units that the campaign may spend in all, also later; "none" ends the limit',
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

REPORT = OptionGroup(
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

FIRST_ROUND = OptionGroup(
    "how to begin",
    (
        Option(
            "--dry-run", action="store_true",
            help="only show what would be sent and, for live, the phrase to confirm it with",
        ),
        Option(
            "--release", action="store_true",
            help="leave the sending to campaign worker on any machines; the ledger has to be in PostgreSQL",
        ),
        Option(
            "--pilot", type=int, metavar="MESSAGES",
            help="send about this many first, chosen at random; resume sends the rest",
        ),
        Option(
            "--ledger", metavar="FILE", type=ledger,
            help="file for the ledger, if the folder is not on a local disk, or a PostgreSQL database: "
            "postgresql+psycopg://USER@HOST/DATABASE (password in PGPASSWORD)",
        ),
    ),
)  # fmt: skip
