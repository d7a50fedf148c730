"""Where a table comes from (a path, bytes or an open file), and its format, judged by its content."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.contacts.files.octets import PIECE, FileOctets, Octets
from campaign.contacts.files.signatures import OWN, what_archive_it_is, what_else_it_is
from campaign.errors import FileError
from campaign.paths import is_file
from campaign.suggestions import similar_file
from campaign.text import clean, shorten

_ADDRESS = re.compile(r"[a-z][a-z\d+.-]+:/|www\.|(?:docs|drive|sheets)\.google\.com/|1drv\.ms/", re.I)
_QUOTES = "\"'`“”„‘’«»"
HEAD = 1 << 16  # bytes that show the format of a file
KINDS = {
    ".csv": "text", ".tsv": "text", ".txt": "text", ".tab": "text", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".xls": "xls", ".ods": "ods", ".parquet": "parquet",
}  # fmt: skip


def has_known_ending(name: str) -> bool:
    """Whether a text ends like the name of a file that can be read, whether or not there is one."""
    return Path(name).suffix.lower() in KINDS


class Source(Struct, frozen=True):
    """The bytes of a file, its name for messages, and its absolute path, "" where it has none."""

    name: str
    data: Octets
    path: str = ""


def open_source(source: Any, *, max_bytes: int) -> Source:
    """The bytes behind a path, bytes or an open file, at most `max_bytes` of them."""
    if isinstance(source, (str, os.PathLike)):
        opened = _from_path(path_meant(source))
        _refuse_size(opened.data, max_bytes)
        return opened
    if isinstance(source, (bytes, bytearray, memoryview)):
        _refuse_size(bytes(source), max_bytes)
        return Source("the given bytes", bytes(source))
    if hasattr(source, "read"):
        return _from_file(source, max_bytes)
    way = next((way for way in ("to_pandas", "collect", "compute") if hasattr(source, way)), "")
    raise wrong(
        source, subject="read_contacts", needs="a path, bytes, an open file, a DataFrame or a list of these",
        write=f"campaign.read_contacts(table.{way}())" if way else "",
    )  # fmt: skip


def path_meant(written: str | os.PathLike[str]) -> Path:
    """The path that was written, without the quotes of "Copy as path", or that of a file://… address.

    Raises FileError for any other address.
    """
    path = Path(os.path.expanduser(written))  # noqa: PTH111 - never raises
    text = str(written).strip().strip(_QUOTES).strip()
    if is_file(path) or (text == str(written) and not _ADDRESS.match(text)):
        return path
    if text.lower().startswith("file:/"):
        return Path(url2pathname(urlsplit(text).path))
    if _ADDRESS.match(text):
        raise FileError("web_address", address=shorten(text, 80))
    return Path(os.path.expanduser(text))  # noqa: PTH111 - never raises


def _from_path(path: Path) -> Source:
    name = clean(path.name)
    if locked := re.fullmatch(r"~\$(.*)|\.~lock\.(.*)#", name):
        raise FileError("lock_file", file=name, workbook=locked[1] or locked[2])
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind) and path.suffix.lower() == ".numbers":
            raise FileError("no_spreadsheet", file=name, kind="an Apple Numbers file")
        if not stat.S_ISREG(kind):
            kind_of_path = "a folder" if stat.S_ISDIR(kind) else "a device"
            raise FileError("not_a_file", file=str(path), kind=kind_of_path)
        return Source(name, FileOctets(path.open("rb", buffering=0)), str(path.resolve()))
    except FileNotFoundError:
        meant = similar_file(path, KINDS)
        folder = "" if meant else str(Path.cwd())
        raise FileError("file_missing", file=str(path), suggestion=meant, folder=folder) from None
    except (OSError, ValueError) as problem:
        raise _unreadable(name, problem) from None


def _from_file(opened: Any, max_bytes: int) -> Source:
    path = Path(opened.name).absolute() if isinstance(getattr(opened, "name", None), str) else None
    name = clean(path.name) if path else "an open file"
    try:
        data = b"".join(_pieces(opened, max_bytes))
    except (OSError, ValueError) as problem:
        raise _unreadable(name, problem) from None
    _refuse_size(data, max_bytes)
    return Source(name, data, str(path) if path else "")


def _unreadable(file: str, problem: OSError | ValueError) -> FileError:
    return FileError("file_unreadable", file=file, reason=getattr(problem, "strerror", "") or str(problem))


def _pieces(opened: Any, max_bytes: int) -> Iterator[bytes]:
    """The file from its current position, up to a little more than is allowed."""
    size = 0
    while size <= max_bytes and (piece := opened.read(PIECE)):
        if not isinstance(piece, bytes | str):
            raise wrong(piece, subject="The open file", needs="bytes or text")
        yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece
        size += len(piece)


def _refuse_size(data: Octets, max_bytes: int) -> None:
    if len(data) > max_bytes:
        raise FileError("file_too_large", most=max_bytes, unit="bytes", option="bytes")


def find_format(source: Source) -> str:
    """ "xlsx", "xls", "ods", "parquet" or "text". Raises FileError, with the remedy, for anything else.

    Only the content counts, whatever the file is called. Pickles are never opened: that would run their code.
    """
    head = source.data[:HEAD]
    kind = what_else_it_is(head)
    if kind is None and head.startswith(b"PK"):
        kind = what_archive_it_is(source.data[:])
        if kind in KINDS.values():
            return kind
    if kind is not None:
        is_packed = kind.startswith(("compressed", "an archive"))
        code = "own_report" if kind == OWN else "packed_file" if is_packed else "no_spreadsheet"
        raise FileError(code, file=source.name, kind=kind)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "xls"
    return "parquet" if head.startswith(b"PAR1") else "text"
