"""The standard streams of a command: a pipe that closes or a disk that is full never stops a campaign."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

# The reader has seen what it wanted to see: `| head -1`.
_READER_LEFT = (errno.EPIPE, errno.ESHUTDOWN)


class SteadyStream:
    """A text stream that goes silent, instead of raising, once it cannot be written to.

    Characters that its encoding lacks are escaped.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._failure: OSError | None = None
        if hasattr(stream, "reconfigure"):
            with self._without_raising():
                stream.reconfigure(errors="backslashreplace")

    @property
    def loss(self) -> str:
        """Why a reader who was still there did not get everything, in the system's words; "" otherwise."""
        if self._failure is None or self._failure.errno in _READER_LEFT:
            return ""
        return self._failure.strerror or type(self._failure).__name__

    def write(self, text: str) -> int:
        with self._without_raising():
            self._stream.write(text)
        if "\n" in text:
            self.flush()
        return len(text)

    def flush(self) -> None:
        with self._without_raising():
            self._stream.flush()

    @contextmanager
    def _without_raising(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failure = self._failure or error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def steady_streams() -> Iterator[SteadyStream]:
    """Standard streams that always exist and never raise, for as long as a command runs; yields the output.

    A stream that was closed (`>&-`) leads nowhere, and its number is taken, so that no ledger or socket gets
    it and what is written there.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as opened:
        sys.stdin = sys.stdin or opened.enter_context(Path(os.devnull).open(encoding="utf-8"))
        output, errors = (
            SteadyStream(stream or opened.enter_context(Path(os.devnull).open("w", encoding="utf-8")))
            for stream in (sys.stdout, sys.stderr)
        )
        sys.stdout, sys.stderr = output, errors
        try:
            yield output
        finally:
            output.flush()
            errors.flush()
            sys.stdin, sys.stdout, sys.stderr = before
