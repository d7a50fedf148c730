"""Files that are not spreadsheets, known by their first bytes, whatever they are called; and what to do."""

import tomllib
from pathlib import Path

OWN_PAGE = '<meta name="generator" content="campaign">'  # near the top of a report that this package wrote
TOP_OF_PAGE = 4096  # bytes

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SENTENCES: dict[str, str] = _TABLE.pop("sentences")
_MARKS: list[dict[bytes, str]] = [
    {mark.encode("latin-1"): _SENTENCES.get(said, said) for mark, said in marks.items()}
    for marks in _TABLE.values()
]
_STARTS, _RIFF, _TEXTS, _ZIPS = _MARKS
_HEAD_ONLY = (b"opendocument.spreadsheet", b"mimetypeapplication/")  # in the first bytes of an archive
_HEAD = 200  # bytes
_PICTURE_BRANDS = (b"heic", b"heix", b"mif1", b"msf1", b"avif")
_LEADING = b"\xef\xbb\xbf\xff\xfe \t\r\n\0"  # what programs put in front: a mark, blank lines
_LINK = (b'"doc_id"', b"docs.google.com", b"<key>url</key>")

_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1a\x1b"})
_LOOKED_AT = 4_000  # bytes
_ODD_SHARE = 0.02  # texts in the encodings of the last century have none; random bytes have a tenth


def what_else_it_is(data: bytes) -> str | None:
    """What a file is that is not a spreadsheet, and what to do, to follow its name in a sentence.

    None where the first bytes say nothing of that kind.
    """
    start = data[:64].lstrip(_LEADING[:3] + b" \t\r\n")
    if (sentence := _of_start(start, _STARTS)) is not None:
        return sentence
    if data.startswith(b"PARE") and data.endswith(b"PARE"):
        return "is an encrypted parquet file. Save it without encryption"
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":
        return _SENTENCES["picture" if data[8:12] in _PICTURE_BRANDS else "film"]
    if data.startswith(b"BM") and int.from_bytes(data[2:6], "little") == len(data):
        return _SENTENCES["picture"]  # BMP
    return None


def _of_start(start: bytes, marks: dict[bytes, str]) -> str | None:
    return next((said for mark, said in marks.items() if start.startswith(mark)), None)


def what_text_it_is(data: bytes) -> str | None:
    """What a text is that is no table, and what to do; None if it may be one."""
    start = data[:2000].lstrip(_LEADING).replace(b"\0", b"").lower()
    sentence = _of_start(start, _TEXTS)
    if sentence == _SENTENCES["page"] and OWN_PAGE.encode() in data[:TOP_OF_PAGE]:
        return "is a report that campaign wrote. Use your own spreadsheet, or the file of rows to correct"
    may_be_link = sentence in (_SENTENCES["json"], _SENTENCES["xml"])
    return _SENTENCES["link"] if may_be_link and any(mark in start for mark in _LINK) else sentence


def what_archive_it_is(data: bytes) -> str:
    """The format of a zip archive, "xlsx" or "ods"; of any other, what it is and what to do."""
    return next(
        said for mark, said in _ZIPS.items() if mark in (data[:_HEAD] if mark in _HEAD_ONLY else data)
    )


def is_binary(data: bytes) -> bool:
    """Whether these are the bytes of no text in any encoding of a byte or two for each letter."""
    start = data[:_LOOKED_AT]
    return len(start) - len(start.translate(None, _CONTROLS)) > _ODD_SHARE * len(start)
