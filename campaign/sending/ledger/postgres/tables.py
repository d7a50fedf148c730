"""The tables of a ledger in PostgreSQL: those of a file (`schema`), with PostgreSQL's types, and what several
workers need: who they are, which batches each has claimed, and the pace that they share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Double, Index, LargeBinary, MetaData, Table, Text, text
from sqlalchemy.schema import SchemaItem


def _table(name: str, *items: SchemaItem) -> Table:
    return Table(name, MetaData(), *items)


def _key(name: str, kind: Any) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _required(name: str, kind: Any, default: str | None = None) -> Column[Any]:
    """A column without NULL; `default` is SQL as PostgreSQL itself writes it."""
    return Column(name, kind, nullable=False, server_default=None if default is None else text(default))


TABLES = (
    _table("campaign", _key("key", Text), _required("value", Text)),
    _table("rounds", _key("round", BigInteger), _required("digest", Text), _required("at", Text)),
    _table(
        "batches",
        _key("batch", BigInteger),
        _required("round", BigInteger),
        _required("part", BigInteger),
        _required("first", BigInteger),
        _required("messages", BigInteger),
        _required("digest", LargeBinary),
        _required("state", Text, "'pending'::text"),
        _required("attempts", BigInteger, "0"),
        Column("cost", Text),
        _required("code", Text, "''::text"),
        _required("error", Text, "''::text"),
        Column("submitted_at", Text),
        Column("seconds", Double),
        _required("note", Text, "''::text"),
        _required("worker", Text, "''::text"),  # who has claimed it, or sent it; '' for nobody
        Index("batches_by_part", "round", "part"),
    ),
    _table(
        "journal",
        _key("id", BigInteger),
        _required("at", Text),
        _required("batch", BigInteger),
        _required("was", Text),
        _required("now", Text),
        _required("error", Text),
        _required("note", Text),
    ),
    # Times are seconds since 1970 by the clock of the database. `messages` and `parts` are what a worker has
    # claimed or sent without an answer so far, `session` is its connection, and `gone` says how it ended.
    _table(
        "workers",
        _key("worker", Text),
        _required("name", Text),
        _required("session", Text),
        _required("joined", Double),
        _required("seen", Double),
        _required("messages", BigInteger, "0"),
        _required("parts", BigInteger, "0"),
        _required("gone", Text, "''::text"),
    ),
    # One row: when the next message may go out.
    _table("pace", _key("one", BigInteger), _required("free_at", Double)),
)
