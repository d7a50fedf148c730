"""What a ledger needs of a database, whether it is a file of SQLite or tables of PostgreSQL.

The queries of both are the same, with named parameters such as `:batch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Cursor(Protocol):
    """What a statement returned: its rows as tuples, and how many rows it changed."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection that commits each statement by itself, unless a transaction was begun."""

    def execute(self, sql: str, values: Mapping[str, Any] = ..., /) -> Cursor: ...

    def executemany(self, sql: str, values: Iterable[Mapping[str, Any]], /) -> Cursor: ...

    def close(self) -> None: ...


class Readable(Protocol):
    """A ledger that can be read, also while it is being written."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection for reading: all queries see the ledger as it is at one moment.

        Whatever is wrong with the database becomes a `LedgerError`.
        """
        ...
