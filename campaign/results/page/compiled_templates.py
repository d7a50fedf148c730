"""Templates compiled once, and kept beside the bytecode of Python's own modules."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket, bc_magic


class CompiledTemplates(BytecodeCache):
    """Keeps what each template in a folder was compiled to, which takes 17 ms, where Python keeps what it
    compiles: in `__pycache__`, or wherever it is told to.

    Where nothing can be written there, each process compiles its own. What is of another version of the
    template, of Python or of jinja2, or is damaged, is not used.
    """

    def __init__(self, templates: Path) -> None:
        self._templates = templates

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was kept, if there is something that fits."""
        with suppress(OSError, NotImplementedError, EOFError, ValueError, TypeError):
            kept, version = self._place(bucket).read_bytes(), _version(bucket)
            if kept.startswith(version):
                bucket.code = marshal.loads(kept[len(version) :])  # noqa: S302 - as trusted as Python's own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it for the next process; two that do so at a time do not disturb each other."""
        if sys.dont_write_bytecode:
            return
        with suppress(OSError, NotImplementedError):
            place = self._place(bucket)
            place.parent.mkdir(exist_ok=True)
            unfinished = place.with_name(f"{place.name}.{os.getpid()}")
            unfinished.write_bytes(_version(bucket) + marshal.dumps(bucket.code))
            unfinished.replace(place)

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name of the template, which is that of its file."""
        return name

    def _place(self, bucket: Bucket) -> Path:
        """Raises NotImplementedError where Python keeps nothing."""
        return Path(cache_from_source(self._templates / bucket.key))


def _version(bucket: Bucket) -> bytes:
    return bc_magic + bucket.checksum.encode()
