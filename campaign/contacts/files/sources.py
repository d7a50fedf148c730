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

from campaign.contacts.files.octets import PIECE, FileOctets, Octets
from campaign.contacts.files.signatures import what_archive_it_is, what_else_it_is
from campaign.errors import FileError, UsageError
from campaign.paths import is_file
from campaign.suggestions import similar_file
from campaign.text import clean, shorten

ON_THE_WEB = (
    "“{}” is an address on the web, and only files on this machine are read. Open it in your browser, "
    "download the table as .xlsx or .csv (Google Sheets: File, Download), and give the path of that file."
)
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
        _refuse_size(opened.data, f'"{opened.name}"', max_bytes)
        return opened
    if isinstance(source, (bytes, bytearray, memoryview)):
        _refuse_size(bytes(source), "The given data", max_bytes)
        return Source("the given bytes", bytes(source))
    if hasattr(source, "read"):
        return _from_file(source, max_bytes)
    raise UsageError(
        "read_contacts takes a path, bytes, an open file, a DataFrame or a list of paths, "
        f"not {_described(source)}."
    )


def _described(source: object) -> str:
    """The kind of an object that is not a table, with its library: others have DataFrames, too."""
    library = type(source).__module__.partition(".")[0]
    name = f"a {type(source).__name__}" + (f" of {library}" if library != "builtins" else "")
    ways = [way for way in ("to_pandas", "collect", "compute") if hasattr(source, way)]
    return f"{name}. Give its .{ways[0]}()" if ways else name


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
        raise FileError(ON_THE_WEB.format(clean(shorten(text, 80))))
    return Path(os.path.expanduser(text))  # noqa: PTH111 - never raises


def _from_path(path: Path) -> Source:
    name = clean(path.name)
    if locked := re.fullmatch(r"~\$(.*)|\.~lock\.(.*)#", name):
        raise FileError(
            f'"{name}" is the lock file of an open workbook; read "{locked[1] or locked[2]}" itself.'
        )
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind) and path.suffix.lower() == ".numbers":
            raise FileError(f'"{name}" is an Apple Numbers file. Export it as Excel or CSV.')
        if stat.S_ISDIR(kind):
            raise FileError(f'"{clean(path)}" is a folder; name the file in it.')
        if not stat.S_ISREG(kind):
            raise FileError(f'"{clean(path)}" is not a file.')
        return Source(name, FileOctets(path.open("rb", buffering=0)), str(path.resolve()))
    except FileNotFoundError:
        meant = clean(similar_file(path, KINDS))
        hint = f'Did you mean "{meant}"?' if meant else f'The current folder is "{clean(Path.cwd())}".'
        raise FileError(f'There is no file "{clean(path)}". {hint}') from None
    except PermissionError:
        raise FileError(
            f'"{name}" cannot be read: another program has it open, or you do not have permission.'
        ) from None
    except (OSError, ValueError):
        raise FileError(f'"{name}" cannot be opened as a file.') from None


def _from_file(opened: Any, max_bytes: int) -> Source:
    path = Path(opened.name).absolute() if isinstance(getattr(opened, "name", None), str) else None
    name = clean(path.name) if path else "an open file"
    try:
        data = b"".join(_pieces(opened, max_bytes))
    except (OSError, ValueError):
        raise FileError(f'"{name}" cannot be read: is it still open?') from None
    _refuse_size(data, f'"{name}"', max_bytes)
    return Source(name, data, str(path) if path else "")


def _pieces(opened: Any, max_bytes: int) -> Iterator[bytes]:
    """The file from its current position, up to a little more than is allowed."""
    size = 0
    while size <= max_bytes and (piece := opened.read(PIECE)):
        if not isinstance(piece, bytes | str):
            raise UsageError(f"The open file gives a {type(piece).__name__} instead of bytes or text.")
        yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece
        size += len(piece)


def _refuse_size(data: Octets, name: str, max_bytes: int) -> None:
    if len(data) > max_bytes:
        raise FileError(
            f"{name} has more than {max_bytes:,} bytes. If that is intended, give a larger max_bytes=."
        )


def find_format(source: Source) -> str:
    """ "xlsx", "xls", "ods", "parquet" or "text". Raises FileError, with the remedy, for anything else.

    Only the content counts, whatever the file is called. Pickles are never opened: that would run their code.
    """
    head = source.data[:HEAD]
    if (sentence := what_else_it_is(head)) is not None:
        raise FileError(f'"{source.name}" {sentence}.')
    if head.startswith(b"PK"):
        found = what_archive_it_is(source.data[:])
        if found not in KINDS.values():
            raise FileError(f'"{source.name}" {found}.')
        return found
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "xls"
    return "parquet" if head.startswith(b"PAR1") else "text"
