"""A Dask cluster whose scheduler and workers are processes of their own, so that each can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parent.parent


class DaskProcesses:
    """A scheduler and some workers without nannies; `address` is what a client connects to."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        paths = os.pathsep.join([str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])
        self._environment = {**os.environ, "PYTHONPATH": paths, **variables}
        self._log = (folder / "dask.log").open("wb")
        self._file = folder / "scheduler.json"
        self.scheduler = self._begin("scheduler", "--scheduler-file", str(self._file), "--port", "0")
        self._workers: list[subprocess.Popen[bytes]] = []
        while not self._file.exists():
            assert self.scheduler.poll() is None, "the scheduler did not start: see dask.log"
            time.sleep(0.05)

    @property
    def scheduler_file(self) -> str:
        return str(self._file)

    def begin_workers(self, count: int) -> None:
        options = ("--scheduler-file", str(self._file), "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self._workers += [self._begin("worker", *options) for _ in range(count)]

    def end(self) -> None:
        for process in [self.scheduler, *self._workers]:
            process.kill()
            process.wait()
        self._log.close()

    def _begin(self, *command: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1"]
        return subprocess.Popen(line, env=self._environment, stdout=self._log, stderr=self._log)


@contextmanager
def dask_processes(folder: Path, variables: Mapping[str, str]) -> Iterator[DaskProcesses]:
    """A cluster that is gone at the end, whatever was done to it."""
    cluster = DaskProcesses(folder, variables)
    try:
        yield cluster
    finally:
        cluster.end()


def freeze(process: int, seconds: float) -> None:
    """Have a process sleep, as a machine is that is out of reach, and wake it again."""
    os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)
