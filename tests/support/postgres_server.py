"""A PostgreSQL server of our own: started on a free port, in a temporary folder, from the system's programs.

Debian's package is called postgresql. Its programs are in no PATH, and refuse to run as root.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

USER, PASSWORD = "keeper", "opal-sesame-77"
# In memory a sync costs nothing, and what is to be proven of PostgreSQL is not that it syncs.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class PostgresServer:
    """A running server; `database` makes an empty database in it and returns its address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._owner: dict[str, Any] = {}
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            self._owner = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        self.port = _free_port()
        self._numbers = itertools.count(1)
        self._make()
        self.start()

    def start(self) -> None:
        # Nobody tidies up: with a database for each test, a process would start every other second to do so.
        command = [
            _program("postgres"), "-D", str(self._folder / "data"), "-p", str(self.port), "-h", "127.0.0.1",
            "-k", str(self._folder), "-c", "shared_buffers=16MB", "-c", "max_connections=40",
            "-c", "autovacuum=off",
        ]  # fmt: skip
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self._owner)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                psycopg.connect(**self._as_owner("postgres")).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError((self._folder / "log").read_text())

    def stop(self, *, at_once: bool = False) -> None:
        """Stop it; `at_once` without a word to anybody, as a crash does."""
        self._process.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
        self._process.wait(30)

    def database(self) -> str:
        """The address of a new database, with the password."""
        name = f"ngo{next(self._numbers)}"
        # Copied as files it takes a third of the time; until release 15 there was no other way.
        by_file = " STRATEGY file_copy" if int(self.ask("SHOW server_version_num")[0][0]) >= 150_000 else ""
        self.ask(f"CREATE DATABASE {name}{by_file}")
        return self.address(name)

    def address(self, database: str, user: str = USER, password: str = PASSWORD) -> str:
        return f"postgresql+psycopg://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def ask(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the owner of everything."""
        with psycopg.connect(**self._as_owner(database), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def _as_owner(self, database: str) -> dict[str, Any]:
        return {
            "host": "127.0.0.1", "port": self.port, "user": USER, "password": PASSWORD, "dbname": database,
        }  # fmt: skip

    def _make(self) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        subprocess.run(
            [
                _program("initdb"), "-D", str(self._folder / "data"), "-U", USER, "--pwfile", str(secret),
                "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync",
            ],
            check=True, capture_output=True, cwd="/", **self._owner,
        )  # fmt: skip


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server that is stopped and deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=MEMORY))
    try:
        server = PostgresServer(folder)
        try:
            yield server
        finally:
            server.stop(at_once=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str:
    """The newest installed program of this name: in the PATH, or where Debian has it."""
    found = [*Path("/usr/lib/postgresql").glob(f"*/bin/{name}")]
    newest = max(found, key=lambda path: float(path.parts[-3]), default=shutil.which(name))
    assert newest, f"{name} is missing: install the package postgresql. No test of its ledger is left out."
    return str(newest)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
