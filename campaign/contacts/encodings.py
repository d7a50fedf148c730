"""Bytes of a text file to UTF-8, and which encoding they were in."""

import codecs
from dataclasses import dataclass

import pyarrow as pa

from campaign.errors import FileError, UsageError

# The longer mark first: UTF-32 LE begins like UTF-16 LE.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Text:
    """The text of a file as UTF-8 without a byte order mark."""

    data: bytes
    encoding: str
    notices: tuple[str, ...] = ()


def to_text(data: bytes, encoding: str | None) -> Text:
    """The file as UTF-8. Found by its byte order mark, else UTF-8 where the bytes allow it, else UTF-16
    where every second byte is zero, else guessed and said.
    """
    if encoding is not None:
        return _convert(data, encoding)
    for mark, name in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            rest = data[len(mark) :]
            if name == "utf-8-sig" and is_utf8(rest):
                return Text(rest, name)
            return _convert(data, name)
    if wide := _wide(data):
        return _convert(data, wide)
    if is_utf8(data):
        return Text(data, "utf-8")
    text = _convert(data, "cp1252")
    return Text(text.data, "cp1252", ("The file is not UTF-8: read as Windows Western European (cp1252).",))


def is_utf8(data: bytes) -> bool:
    """Arrow's check: several times faster than decoding, and without a copy."""
    offsets = pa.py_buffer(b"\0" * 8 + len(data).to_bytes(8, "little"))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: in the first characters every second byte is zero."""
    start = data[:200]
    if len(start) >= 4 and len(data) % 2 == 0:
        if not any(start[1::2]) and all(start[::2]):
            return "utf-16-le"
        if not any(start[::2]) and all(start[1::2]):
            return "utf-16-be"
    return None


def _convert(data: bytes, encoding: str) -> Text:
    try:
        name = codecs.lookup(encoding).name
        text = data.decode(name)
    except LookupError:
        raise UsageError(
            f'There is no encoding called "{encoding}"; known are "utf-8", "utf-16", "cp1252" …'
        ) from None
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise FileError(
            f"The file is not {encoding}: line {line} holds bytes that this encoding does not have."
        ) from None
    return Text(text.removeprefix("\ufeff").encode("utf-8", "surrogatepass"), encoding)
