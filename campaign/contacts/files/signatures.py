"""Files that are not spreadsheets, known by their first bytes, whatever they are called."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

OWN_PAGE = '<meta name="generator" content="campaign">'  # near the top of a report that this package wrote
TOP_OF_PAGE = 4096  # bytes
OWN = "a report"  # of this package

_TABLE: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_STARTS, _TEXTS, _ZIPS = (
    {mark.encode("latin-1"): kind for mark, kind in marks.items()} for marks in _TABLE.values()
)
_HEAD_ONLY = (b"opendocument.spreadsheet", b"mimetypeapplication/")  # in the first bytes of an archive
_HEAD = 200  # bytes
_MARK, _BLANK = b"\xef\xbb\xbf \t\r\n", b"\xff\xfe\0"  # what programs put in front

_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1a\x1b"})
_LOOKED_AT = 4_000  # bytes
_ODD_SHARE = 0.02  # texts in the encodings of the last century have none; random bytes have a tenth


def what_else_it_is(data: bytes) -> str | None:
    """What a file is that is not a spreadsheet; None where its first bytes do not show that."""
    top = data[:TOP_OF_PAGE]
    letters = top.lstrip(_MARK + _BLANK).replace(b"\0", b"").lower()
    return _kind_of(_STARTS.items(), top.lstrip(_MARK)) or _kind_of(_TEXTS.items(), letters)


def _kind_of(marks: Iterable[tuple[bytes, str]], start: bytes) -> str | None:
    return next((kind for mark, kind in marks if re.match(mark, start, re.DOTALL)), None)


def what_archive_it_is(data: bytes) -> str:
    """The format of a zip archive, "xlsx" or "ods"; of any other, what it is."""
    return next(
        kind for mark, kind in _ZIPS.items() if mark in (data[:_HEAD] if mark in _HEAD_ONLY else data)
    )


def is_binary(data: bytes) -> bool:
    """Whether these are the bytes of no text in any encoding of a byte or two for each letter."""
    start = data[:_LOOKED_AT]
    return len(start) - len(start.translate(None, _CONTROLS)) > _ODD_SHARE * len(start)
