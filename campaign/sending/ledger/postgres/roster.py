"""The workers that send one campaign: when each joined, was last seen, and how it went.

All by the clock of the database: those of the machines may differ. A worker that was not seen for the time to
live is given up. What it had claimed is free again; what it was sending is unknown, and if the worker only
slept, it records what it learns once it wakes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from campaign.sending.ledger.database import Connection
from campaign.sending.ledger.postgres.standing_orders import give_order, last_order
from campaign.words.finding import Finding
from campaign.words.stored import stored

TIME_TO_LIVE = 30.0  # seconds without a sign of life until a worker is given up
GIVEN_UP, LEFT = "given up", "left"
EVENTS_THAT_FREE = (GIVEN_UP, LEFT)  # what a worker had claimed is free again

_NOW = "extract(epoch FROM clock_timestamp())::double precision"
# The number of a process is used again; with the time of its beginning it names one session.
_SESSION = "pid || '@' || extract(epoch FROM backend_start)"
_OWN_SESSION = f"SELECT {_SESSION} FROM pg_stat_activity WHERE pid = pg_backend_pid()"
_JOIN = f"""
INSERT INTO workers (worker, name, session, joined, seen)
VALUES (:worker, :name, ({_OWN_SESSION}), {_NOW}, {_NOW})
"""
_RETURN = f"UPDATE workers SET session = ({_OWN_SESSION}) WHERE worker = :worker AND gone = ''"
# While the database was away, nobody could give a sign of life.
_OVERDUE = f"""
gone = '' AND greatest(seen, extract(epoch FROM pg_postmaster_start_time())) < {_NOW} - :time_to_live
"""
_FIND_OVERDUE = f"SELECT worker, name FROM workers WHERE {_OVERDUE} AND worker != :worker ORDER BY joined"
_END_SESSIONS = f"""
SELECT count(pg_terminate_backend(pid)) FROM workers JOIN pg_stat_activity ON session = {_SESSION}
WHERE gone != '' OR {_OVERDUE}
"""
_AT_WORK = f"""
SELECT name, joined, {_NOW} - seen, messages FROM workers WHERE gone = '' ORDER BY joined, worker
"""
_SIGN = f"""
WITH me AS (
    UPDATE workers SET seen = {_NOW}, messages = :messages, parts = :parts
    WHERE worker = :worker AND gone = '' RETURNING worker
)
SELECT EXISTS (SELECT FROM me), {_NOW}, (SELECT coalesce(max(id), 0) FROM journal),
       coalesce(sum(messages), 0)::bigint, coalesce(sum(parts), 0)::bigint, count(*) FILTER (WHERE {_OVERDUE})
FROM workers WHERE gone = '' AND worker != :worker
"""
_OPEN = "UPDATE workers SET messages = :messages, parts = :parts WHERE worker = :worker"
_GIVE_UP = """
UPDATE batches SET state = 'unknown', error = :error, note = :note
WHERE worker = :worker AND state = 'sending'
"""
_FREE = "UPDATE batches SET worker = '' WHERE worker = :worker AND state = 'pending'"
_GO = "UPDATE workers SET gone = :gone, messages = 0, parts = 0 WHERE worker = :worker AND gone = ''"
_EVENT = "INSERT INTO journal (at, batch, was, now, error, note) VALUES (utc_now(), 0, '', :event, '', :note)"


class WorkerAtWork(NamedTuple):
    """A worker that has not gone: host and process, when it joined (seconds since 1970), how many seconds ago
    it was seen, and how many messages it has claimed or sent without an answer so far."""

    name: str
    joined: float
    seconds: float
    messages: int


class SignOfLife(NamedTuple):
    """Whether a worker still counts as one; the time of the database in seconds since 1970; how many entries
    the journal has; what the others have claimed or sent without an answer; how many of them are overdue."""

    is_at_work: bool
    seconds: float
    entries: int
    messages: int
    parts: int
    are_overdue: int


class Measured(Protocol):
    """A batch, or anything else of which it is known how much it is."""

    @property
    def messages(self) -> int: ...

    @property
    def parts(self) -> int: ...


def enter(connection: Connection, worker: str, name: str) -> None:
    """Add a worker, which has this connection; inside a transaction."""
    connection.execute(_JOIN, {"worker": worker, "name": name})
    connection.execute(_EVENT, {"event": "joined", "note": name})


def has_returned(connection: Connection, worker: str) -> bool:
    """Whether a worker that has made a new connection may go on with it."""
    return connection.execute(_RETURN, {"worker": worker}).rowcount == 1


def give_sign_of_life(connection: Connection, worker: str, *, messages: int, parts: int) -> SignOfLife:
    """A worker is there, and has claimed or sent so much without an answer so far."""
    values = {"worker": worker, "messages": messages, "parts": parts, "time_to_live": TIME_TO_LIVE}
    return SignOfLife._make(connection.execute(_SIGN, values).fetchone())


def record_open(connection: Connection, worker: str, batches: Iterable[Measured]) -> None:
    """A worker has claimed these batches, or sent them without an answer so far."""
    sizes = [(batch.messages, batch.parts) for batch in batches]
    messages, parts = (sum(column) for column in zip(*sizes, strict=True)) if sizes else (0, 0)
    connection.execute(_OPEN, {"worker": worker, "messages": messages, "parts": parts})


def leave(connection: Connection, worker: str, name: str) -> None:
    """A worker goes: what it has claimed is free again."""
    if connection.execute(_GO, {"worker": worker, "gone": LEFT}).rowcount:
        connection.execute(_FREE, {"worker": worker})
        connection.execute(_EVENT, {"event": LEFT, "note": name})


def give_up_overdue(connection: Connection, worker: str) -> None:
    """Give up all others whose time is over; inside a transaction."""
    values = {"worker": worker, "time_to_live": TIME_TO_LIVE}
    for overdue, name in connection.execute(_FIND_OVERDUE, values).fetchall():
        _give_up(connection, overdue, name, f"{name} showed no sign of life for {TIME_TO_LIVE:g} seconds")


def give_up_all(connection: Connection) -> None:
    """A person has opened the campaign alone: no worker is there, and none sends what was released before."""
    at_work = connection.execute(
        "SELECT worker, name FROM workers WHERE gone = '' ORDER BY joined"
    ).fetchall()
    order = last_order(connection)
    is_recalled = order is None or order.kind == "recalled"
    if not at_work and is_recalled:
        return
    connection.execute("BEGIN")
    for worker, name in at_work:
        _give_up(connection, worker, name, f"{name} ended without a word")
    if not is_recalled:
        give_order(connection, "recalled", Finding("made_way"))
    connection.execute("COMMIT")


def end_overdue_sessions(connection: Connection) -> bool:
    """End the connections of workers that sleep, which would lock everybody else out; whether there were any.

    Those of workers that were given up already are among them.
    """
    ended: int = connection.execute(_END_SESSIONS, {"time_to_live": TIME_TO_LIVE}).fetchone()[0]
    return ended > 0


def workers_at_work(connection: Connection) -> list[WorkerAtWork]:
    """The workers that have not gone, in the order in which they joined."""
    return [WorkerAtWork._make(row) for row in connection.execute(_AT_WORK)]


def _give_up(connection: Connection, worker: str, name: str, why: str) -> None:
    values = {
        "worker": worker,
        "error": stored(Finding("ended_before_answer", {"who": "worker"})),
        "note": why,
    }
    connection.execute(_GIVE_UP, values)
    connection.execute(_FREE, {"worker": worker})
    connection.execute(_GO, {"worker": worker, "gone": GIVEN_UP})
    connection.execute(_EVENT, {"event": GIVEN_UP, "note": why})
