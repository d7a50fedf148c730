"""The options that say what is sent: the spreadsheet, the text, and who gets it."""

from pathlib import Path

from campaign.cli.option import OneOf, Option, OptionGroup, words

SPREADSHEET = OptionGroup(
    "the spreadsheet",
    (
        Option(
            "file", metavar="FILE",
            help="the spreadsheet; - reads it from standard input",
        ),
        Option("--sheet", help="sheet of a workbook (default: the first visible sheet)"),
        OneOf(
            Option("--header", type=int, metavar="ROW", help="row that holds the header (default: found)"),
            Option(
                "--no-header", dest="header", action="store_const", const=False,
                help='the file has no header; its columns are called "column A", "column B" and so on',
            ),
        ),
        Option("--delimiter", help="delimiter of a text file (default: found)"),
        Option("--encoding", help="encoding of a text file (default: found)"),
        Option(
            "--include-hidden", dest="hidden", action="store_const", const="include", default="skip",
            help="include hidden rows and columns",
        ),
        Option(
            "--missing", action="append", metavar="TEXT",
            help='text that means "no value", such as n/a; may be repeated',
        ),
        Option(
            "--dates", choices=("dmy", "mdy", "ymd"),
            help="order of day, month and year in dates such as 03/04/2026 (default: found)",
        ),
        Option("--max-bytes", type=int, metavar="BYTES", help="refuse a larger file"),
        Option("--max-cells", type=int, metavar="CELLS", help="refuse a larger table"),
        Option("--max-memory", type=int, metavar="BYTES", help="memory for opening a workbook"),
        Option("--max-seconds", type=float, metavar="SECONDS", help="computing time for opening a workbook"),
        Option(
            "--stream", action="store_const", const=True,
            help="read and send the table in parts, so that it may be larger than the memory",
        ),
    ),
)  # fmt: skip

TEXT = OptionGroup(
    "the text",
    (
        OneOf(
            Option("--message", metavar="TEXT", help='the text itself, for example "Hi {first_name}, …"'),
            Option(
                "--message-file", action="append", metavar="FILE",
                help="file that holds the text, - for standard input; with --language: LANGUAGE=FILE",
            ),
            required=True,
        ),
        Option("--language", metavar="COLUMN", help="column that says which language a row gets"),
        Option("--sender", required=True, help="sender ID, at most 11 characters; may have placeholders"),
        Option("--priority", help="0 (highest) to 4 (lowest); may have placeholders"),
        Option(
            "--overlong", choices=("flag", "truncate", "split"), default="flag",
            help="what to do with messages that are too long (default: flag)",
        ),
        Option("--ellipsis", default="...", metavar="TEXT", help="end of a truncated message (default: ...)"),
        Option(
            "--keep-words", action="store_const", const=True, default=False,
            help="truncate only between words",
        ),
        Option(
            "--max-parts", type=int, metavar="PARTS",
            help="leave out messages that take more SMS parts than this",
        ),
        Option(
            "--no-downgrade", dest="downgrade", action="store_const", const=False, default=True,
            help="keep curly quotes and long dashes, which can cost more parts",
        ),
        Option(
            "--as-written", action="store_const", const=True, default=False,
            help="send placeholders of other tools, such as [Name], as they are",
        ),
    ),
)  # fmt: skip

NUMBERS = OptionGroup(
    "the numbers",
    (
        Option(
            "--number", action="append", metavar="COLUMN",
            help="column of the numbers (default: found by its header); may be repeated: next best column",
        ),
        Option(
            "--region",
            help="country of numbers without a country code, such as UG, or the column that holds it",
        ),
        Option(
            "--several", choices=("refuse", "first"), default="refuse",
            help="what to do with cells that hold several numbers (default: refuse)",
        ),
        Option(
            "--kinds", type=words, metavar="KINDS",
            help="kinds of numbers to send to, with commas (default: mobile,fixed_or_mobile)",
        ),
        Option(
            "--duplicates", choices=("skip", "keep", "error"), default="skip",
            help="what to do with rows whose number an earlier row has (default: skip)",
        ),
        Option("--opt-outs", metavar="FILE", help="file of numbers that must not be messaged"),
        Option(
            "--not-again", action="append", metavar="FOLDER",
            help="folder of an earlier campaign; leave out everybody it reached; may be repeated",
        ),
    ),
)  # fmt: skip

ISSUES = OptionGroup(
    "what is shown",
    (
        Option("--all", action="store_true", help="show every row that cannot be sent, not the first ten"),
        Option(
            "--report", action="append", type=Path, metavar="FILE",
            help="write what was found in the file: .xlsx, .csv or .html; may be repeated",
        ),
        Option("--reveal", action="store_true", help="show phone numbers in full in the report"),
    ),
)  # fmt: skip
