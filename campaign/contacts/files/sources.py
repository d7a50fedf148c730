"""Where a table comes from (a path, bytes or an open file), and its format, judged by its content."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct

from campaign.contacts.files.octets import FileOctets
from campaign.contacts.files.signatures import what_archive_it_is, what_else_it_is, what_text_it_is
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
TOO_LARGE = "{} has more than {:,} bytes. If that is intended, give a larger max_bytes=."
PIECE = 1 << 22  # bytes read from an open file at a time
HEAD = 1 << 16  # bytes that show the format of a file
KINDS = {
    ".csv": "text", ".tsv": "text", ".txt": "text", ".tab": "text", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".xls": "xls", ".ods": "ods", ".parquet": "parquet",
}  # fmt: skip
CALLED = {
    "text": "plain text (csv)",
    "xlsx": "an Excel workbook (.xlsx)",
    "xls": "an old Excel workbook (.xls)",
    "ods": "an OpenDocument sheet (.ods)",
    "parquet": "a parquet table",
}
BLANK = b"\xef\xbb\xbf\xff\xfe \t\r\n\0"  # marks, spaces and line ends of any encoding


def has_known_ending(name: str) -> bool:
    """Whether a text ends like the name of a file that can be read, whether or not there is one."""
    return Path(name).suffix.lower() in KINDS


class Source(Struct):
    """The bytes of a file, its name for messages, and its absolute path, "" where it has none."""

    name: str
    data: bytes
    path: str = ""

    def give(self) -> bytes:
        """The bytes, which are released here: the caller decides how long they take up memory."""
        data, self.data = self.data, b""
        return data


def open_source(source: Any, *, max_bytes: int) -> Source:
    """The bytes behind a path, bytes or an open file, at most `max_bytes` of them."""
    if isinstance(source, (str, os.PathLike)):
        return _from_path(path_meant(source), max_bytes)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Source("the given bytes", _held([bytes(source)], "The given data", max_bytes))
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


def open_in_pieces(source: str | os.PathLike[str]) -> tuple[Source, FileOctets]:
    """A file that is read piece by piece: its name, its first bytes, and all of them."""
    path = path_meant(source)
    with _opened(path) as (name, file):
        octets = FileOctets.of_path(Path(file.name))
        return Source(name, octets[:HEAD], str(path.resolve())), octets


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


def _from_path(path: Path, max_bytes: int) -> Source:
    with _opened(path) as (name, file):
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise FileError(TOO_LARGE.format(f'"{name}"', max_bytes))
        return Source(name, _held([file.read()], f'"{name}"', max_bytes), str(path.resolve()))


@contextmanager
def _opened(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The name of a file for messages, and the open file. Raises FileError where it cannot be read."""
    name = clean(path.name)
    if name.startswith("~$"):
        raise FileError(f'"{name}" is the lock file of an open workbook; read "{name[2:]}" itself.')
    if name.startswith(".~lock.") and name.endswith("#"):
        raise FileError(f'"{name}" is the lock file of an open file; read "{name[7:-1]}" itself.')
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind) and path.suffix.lower() == ".numbers":
            raise FileError(f'"{name}" is an Apple Numbers file. Export it as Excel or CSV.')
        if stat.S_ISDIR(kind):
            raise FileError(f'"{clean(path)}" is a folder; name the file in it.')
        if not stat.S_ISREG(kind):
            raise FileError(f'"{clean(path)}" is not a file.')
        with path.open("rb") as file:
            yield name, file
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
        pieces = list(_pieces(opened, max_bytes))
    except (OSError, ValueError):
        raise FileError(f'"{name}" cannot be read: is it still open?') from None
    kind = next((type(piece).__name__ for piece in pieces if not isinstance(piece, bytes)), None)
    if kind is not None:
        raise UsageError(f"The open file gives a {kind} instead of bytes or text.")
    return Source(name, _held(pieces, f'"{name}"', max_bytes), str(path) if path else "")


def _pieces(opened: Any, max_bytes: int) -> Iterator[Any]:
    """The file from its current position, up to a little more than is allowed."""
    size = 0
    while size <= max_bytes and (piece := opened.read(PIECE)):
        yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece
        size += len(piece)


def _held(pieces: list[bytes], name: str, max_bytes: int) -> bytes:
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    if len(data) > max_bytes:
        raise FileError(TOO_LARGE.format(name, max_bytes))
    return data


def find_format(source: Source) -> str:
    """ "xlsx", "xls", "ods", "parquet" or "text". Raises FileError, with the remedy, for anything else.

    Only the content counts, whatever the file is called. Pickles are never opened: that would run their code.
    """
    data = source.data
    if (sentence := what_else_it_is(data)) is not None:
        raise FileError(f'"{source.name}" {sentence}.')
    if not data[:1000].strip(BLANK) and not data.strip(BLANK):
        raise FileError(f'"{source.name}" is empty.')
    if data.startswith(b"PK"):
        found = what_archive_it_is(data)
        if found in CALLED:
            return found
        raise FileError(f'"{source.name}" {found}.')
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "xls"
    if data.startswith(b"PAR1"):
        return "parquet"
    if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise FileError(
            f'"{source.name}" is a pickle: opening it would run code. Save the table as .parquet or .csv.'
        )
    if (sentence := what_text_it_is(data)) is not None:
        raise FileError(f'"{source.name}" {sentence}.')
    return "text"


def misnamed(source: Source, kind: str) -> list[str]:
    """A notice if the name suggests another kind of file."""
    promised = KINDS.get(Path(source.name).suffix.lower(), kind)
    if promised == kind:
        return []
    suffix = Path(source.name).suffix
    return [f'"{source.name}" is called {suffix}, but holds {CALLED[kind]}; it was read as that.']
