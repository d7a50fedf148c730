"""A workbook or a parquet file opened in a process of its own, with limits on time and memory.

Libraries that read such files can be made to end the process, to loop or to fill the memory by a file of a
few kilobytes, and no list of checks covers them all. Here that happens to a child process, and the parent
raises FileError.

The exchange: the child says that it is ready, the parent sends a line of options and the file or its path,
the child sends the sheet, or a table in pieces, or an error. The parent ends the child when it takes too
long or grows too large; the child limits itself as well, and ends when its parent does.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from typing import IO, Any, cast

from msgspec import Struct

from campaign.contacts.cells.grid import Grid
from campaign.contacts.workbooks.child import READY, read_sheet
from campaign.contacts.workbooks.handover import receive_sheet
from campaign.contacts.workbooks.sheet_grid import grid_of
from campaign.errors import CampaignError, FileError
from campaign.words.finding import Finding

# What a file of a given size may take. Measured with 1,000,000 rows of six columns: see tests/benchmarks.
SECONDS, SECONDS_PER_MB = 9.0, 4.0
MEMORY, MEMORY_PER_BYTE = 1 << 30, 30
START = 60.0  # seconds by the clock in which the child must be ready; otherwise this process reads the file
WAITING = 10  # seconds by the clock for each second of computing
GRACE = 5.0  # seconds until the child ends itself: a living parent ends it earlier, and can say why
PAUSE = 0.02  # seconds between two looks at the child
LARGE = 1_000_000  # bytes of a workbook that has much to keep
# What the child runs. It finds modules where this process does, and nothing in the current folder (-P).
# It does not live long enough to need Python's garbage collector, which would take a tenth of its start.
CODE = (
    "import gc, json, sys; gc.disable(); sys.path[:] = json.loads(sys.stdin.buffer.readline()); "
    "from campaign.contacts.workbooks.child import main; main()"
)


class Limits(Struct, frozen=True):
    """How many seconds of computing reading a file may take, and how many bytes of memory.

    Computing, because on a busy machine the same file takes ten times as long by the clock.
    """

    max_seconds: float
    max_memory: int

    @classmethod
    def for_size(cls, size: int, max_seconds: float | None, max_memory: int | None) -> "Limits":
        """The given limits; without one, in proportion to the size of the file."""
        seconds = SECONDS + SECONDS_PER_MB * size / 1e6 if max_seconds is None else float(max_seconds)
        return cls(seconds, MEMORY + MEMORY_PER_BYTE * size if max_memory is None else int(max_memory))


def read_workbook(
    kind: str, data: bytes, *, sheet: str | None, max_bytes: int, max_cells: int, limits: Limits
) -> Grid:
    """One sheet of a workbook. Raises FileError for whatever happens to the process that opens it."""
    options = {"kind": kind, "sheet": sheet, "max_bytes": int(max_bytes), "max_cells": int(max_cells)}
    with answer_about(data, options, limits) as answer:
        if answer is not None:
            return grid_of(receive_sheet(answer))
    cells = read_sheet(kind, data, sheet=sheet, max_bytes=max_bytes, max_cells=max_cells)
    return grid_of(cells._replace(notices=[*cells.notices, Finding("no_process", {}, "info")]))


@contextmanager
def answer_about(
    source: bytes | str, options: dict[str, Any], limits: Limits
) -> Iterator[BufferedIOBase | None]:
    """What a child process answers about a file, given as its bytes or its path; None if none can be started.

    The child ends with the block. Raises FileError if it ends before its answer does.
    """
    child = _start(len(source) if isinstance(source, bytes) else LARGE)
    if child is None:
        yield None
        return
    watch = _Watch(child)
    own_limits = {"clock": limits.max_seconds * WAITING + GRACE, "memory": limits.max_memory}
    path, data = ("", source) if isinstance(source, bytes) else (source, b"")
    try:
        is_ready = watch.sees_ready()
        if is_ready:
            watch.limit(limits)
            if hasattr(signal, "siginterrupt"):
                # With polars loaded, interrupted system calls begin anew, and Ctrl-C waits for the child.
                signal.siginterrupt(signal.SIGINT, True)
            _send(child, options | {"limits": own_limits, "path": path, "size": len(data)}, data)
        yield _pipe(child.stdout) if is_ready else None
    except CampaignError:
        raise  # the child's answer
    except (OSError, ValueError):  # a broken pipe, half a line, half a stream: the child is gone
        raise watch.error or FileError("file_damaged_or_large") from None
    finally:
        watch.end()


def _start(size: int) -> "subprocess.Popen[bytes] | None":
    """A child process for a file of so many bytes, or None if none can be started."""
    if not sys.executable or getattr(sys, "frozen", False):  # a frozen program would start itself again
        return None
    # It opens untrusted files, so it gets no credentials. More threads of numpy, and pools of memory for each
    # thread, would only reserve memory.
    env = {name: value for name, value in os.environ.items() if not name.startswith("CAMPAIGN_")}
    env["OPENBLAS_NUM_THREADS"] = env["MALLOC_ARENA_MAX"] = "1"
    env["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    if size >= LARGE:
        # Fresh memory costs a fault for each page: in large pages, a tenth of the time (Linux with glibc).
        env.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    try:
        return subprocess.Popen(  # noqa: S603 - nothing in the command comes from the file
            [sys.executable, "-P", "-c", CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError):
        return None


def _send(child: "subprocess.Popen[bytes]", request: object, data: bytes = b"") -> None:
    pipe = _pipe(child.stdin)
    pipe.write(json.dumps(request).encode() + b"\n")
    pipe.write(data)
    pipe.flush()


def _pipe(pipe: IO[bytes] | None) -> BufferedIOBase:
    return cast(BufferedIOBase, pipe)  # there is one: the child is started with PIPE


class _Watch(threading.Thread):
    """Ends the child when its time is over or its memory too large, and keeps the error."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        super().__init__(name="campaign-workbook", daemon=True)
        self.error: FileError | None = None
        self._child, self._done = child, threading.Event()
        self._limits, self._until = Limits(START, sys.maxsize), time.monotonic() + START
        self.start()

    def sees_ready(self) -> bool:
        """Whether the child has started and waits for the request."""
        try:
            _send(self._child, [entry for entry in sys.path if isinstance(entry, str)])
            return _pipe(self._child.stdout).readline() == READY
        except OSError:
            return False

    def limit(self, limits: Limits) -> None:
        """Apply these limits from now on."""
        self._limits, self._until = limits, time.monotonic() + limits.max_seconds * WAITING

    def run(self) -> None:
        import psutil

        with suppress(psutil.Error):  # it has ended, or the system does not report its memory
            process = psutil.Process(self._child.pid)
            while not self._done.wait(PAUSE):
                computing = process.cpu_times()
                too_long = computing.user + computing.system > self._limits.max_seconds
                if too_long or time.monotonic() > self._until:
                    self.error = self._too_much(self._limits.max_seconds, "seconds of computing", "seconds")
                elif process.memory_info().rss > self._limits.max_memory:
                    self.error = self._too_much(self._limits.max_memory, "bytes of memory", "memory")
                if self.error:
                    self._child.kill()
                    return

    @staticmethod
    def _too_much(most: float, unit: str, option: str) -> FileError:
        return FileError("file_too_large", most=most, unit=unit, option=option)

    def end(self) -> None:
        """End the child and close its pipes."""
        self._done.set()
        self._child.kill()
        self.join()
        for pipe in (self._child.stdin, self._child.stdout):
            with suppress(OSError):  # bytes that were never sent
                _pipe(pipe).close()
        self._child.wait()
