"""The options of `read_contacts`: what they may be, and which of them fit a source."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal, get_args

from campaign.argument_checks import check, check_choice, check_count, check_text, wrong
from campaign.contacts.cells.headers import Header
from campaign.errors import UsageError

DateOrder = Literal["dmy", "mdy", "ymd"]  # day, month and year as they follow each other
MAX_BYTES = 2_000_000_000  # of the file, and of each of its parts unpacked
MAX_CELLS = 200_000_000  # of the table: ten million rows of twenty columns


def check_words(sheet: object, delimiter: object, encoding: object, hidden: object, dates: object) -> None:
    check_text(sheet, subject="sheet", write='sheet="Visits"', or_none=True)
    if sheet == "":
        raise wrong(sheet, subject="sheet", needs="the name of a sheet", write='sheet="Visits"')
    one_character, write = 'one character such as ",", ";", "|" or "\\t"', 'delimiter=";"'
    check(delimiter, str, subject="delimiter", needs=one_character, write=write, or_none=True)
    is_one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if delimiter is not None and (not is_one or delimiter in ('"', "\r", "\n", "\0")):
        raise wrong(delimiter, subject="delimiter", needs=one_character, write=write)
    check_text(encoding, subject="encoding", write='encoding="cp1252"', or_none=True)
    if isinstance(encoding, str) and not (encoding.isascii() and encoding.isprintable()):
        raise wrong(encoding, subject="encoding", needs="the name of an encoding", write='encoding="cp1252"')
    check_choice(hidden, ("skip", "include"), subject="hidden")
    if dates is not None:
        check_choice(dates, get_args(DateOrder), subject="dates")


def check_limits(*, max_bytes: object, max_cells: object, max_seconds: object, max_memory: object) -> None:
    check_count(max_bytes, subject="max_bytes", write=f"max_bytes={MAX_BYTES:_}")
    check_count(max_cells, subject="max_cells", write=f"max_cells={MAX_CELLS:_}")
    check_count(max_memory, subject="max_memory", write="max_memory=4_000_000_000", or_none=True)
    is_number = isinstance(max_seconds, Real) and not isinstance(max_seconds, bool)
    if max_seconds is not None and not (is_number and max_seconds > 0):  # type: ignore[operator] # a number by now
        raise wrong(max_seconds, subject="max_seconds", needs="a number above 0", write="max_seconds=60")


def checked_missing(missing: object) -> Sequence[str]:
    """The texts that mean "no value", without white space around them."""
    texts = [missing] if isinstance(missing, str) else missing
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        needs, write = "a text, or a list of texts", 'missing="-" or missing=["NA", "unknown"]'
        raise wrong(missing, subject="missing", needs=needs, write=write)
    return [text.strip() for text in texts if text.strip()]


def checked_header(header: object) -> Header:
    """The header as it was given, a row number as an int."""
    if header is None or header is False:
        return header
    if isinstance(header, str) and header == "if any":
        return "if any"
    if isinstance(header, bool) or not isinstance(header, Integral) or header < 1:
        raise wrong(header, subject="header", needs='a row number, False or "if any"', write="header=1")
    return int(header)


def refuse_options(name: str, kind: str, options: dict[str, Any]) -> None:
    """Refuse an option that has no effect on this kind of source: the caller expects one."""
    fitting = {"text": ("header", "delimiter", "encoding"), "frame": (), "parquet": ()}
    for option, value in options.items():
        if value in (None, "if any") or option in fitting.get(kind, ("sheet", "header")):
            continue
        meant = {"sheet": "a workbook", "header": "a sheet or a text file"}.get(option, "a text file")
        raise UsageError("wrong_value", argument=option, needs=meant, given=name)
