"""Files in an object store, or in any other place that fsspec knows: the one door to fsspec.

Nothing that fsspec or the library of a store says is repeated: it could hold what they log in with.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeGuard

from campaign.errors import CampaignError, FolderError, UsageError
from campaign.text import clean

_SCHEME = re.compile(r"([a-z][a-z0-9.+-]+)://")
_WRITE = 'Write an address as in "s3://bucket/visits".'


def is_url(folder: object) -> TypeGuard[str]:
    """Whether a folder is given as the address of a store, and not as a path."""
    return isinstance(folder, str) and _SCHEME.match(folder) is not None


class RemoteFiles:
    """The files below an address; `url` ends without a slash."""

    def __init__(self, url: str) -> None:
        """Raises `UsageError` for an address that cannot be used, or whose library is not installed."""
        _check_url(url)
        self.url = url.rstrip("/")
        self._files, self._root = _opened(self.url)

    def place(self, name: str) -> str:
        """The address of a file, as sentences show it."""
        return clean(f"{self.url}/{name}")

    def digest(self, name: str) -> str:
        """SHA-256 of a file, "" if there is none."""
        with self._told(name, "read"):
            try:
                with self._files.open(self._path(name), "rb") as file:
                    return hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                return ""

    def put(self, name: str, path: Path) -> None:
        """Write a file there, in place of another one."""
        target = self._path(name)
        with self._told(name, "written"):
            try:
                self._files.put_file(str(path), target)
            except FileNotFoundError:  # a disk needs folders; a store has none, and nobody asked for a bucket
                top = re.match(r"/*[^/]*", target)
                if top is None or not self._files.exists(top[0]):
                    raise
                self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
                self._files.put_file(str(path), target)

    def fetch(self, name: str, path: Path) -> bool:
        """Write a file that is there to a path here; False if there is none."""
        with self._told(name, "read"):
            try:
                self._files.get_file(self._path(name), str(path))
            except FileNotFoundError:
                return False
            return True

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _told(self, name: str, done: str) -> Iterator[None]:
        """Whatever the store raises becomes a `FolderError`."""
        try:
            yield
            return
        except CampaignError:
            raise
        except Exception as error:  # each store has its own
            kind = type(error).__name__
        raise FolderError(
            f"{self.place(name)} cannot be {done} ({kind}). See that the store can be reached from this "
            "machine, and that its own variables or files let you in, then try again."
        )


def _check_url(url: str) -> None:
    """Raise `UsageError` unless this is an address without a secret; nothing of it is repeated."""
    scheme = _SCHEME.match(url)
    if scheme is None or not url[scheme.end() :].strip("/"):
        raise UsageError(f"That is no address of a store. {_WRITE}")
    if re.search(r"[@?#]", url):
        raise UsageError(
            "Leave user names, passwords and keys out of the address of a store: its own variables or files "
            f"have them. {_WRITE}"
        )
    if scheme[1] == "memory" or "::" in url:
        raise UsageError(f"Other machines cannot read that address. {_WRITE}")
    if find_spec("fsspec") is None:
        raise UsageError('An address of a store needs fsspec: pip install "campaign[remote]".')


def _opened(url: str) -> tuple[Any, str]:
    """The file system of an address, and the path there."""
    import fsspec

    scheme = url.partition("://")[0]
    try:
        files, root = fsspec.core.url_to_fs(url)
        return files, root.rstrip("/")
    except ImportError:
        install = fsspec.registry.known_implementations.get(scheme, {}).get("err", "Install its library")
        problem = f"Addresses that begin with {scheme}:// need a library of their own. {clean(install)}."
    except ValueError:
        problem = f"No store has addresses that begin with {scheme}://. {_WRITE}"
    except Exception as error:
        problem = f"The store of {clean(url)} cannot be opened ({type(error).__name__})."
    raise UsageError(problem)
