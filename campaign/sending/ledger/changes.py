"""The changes of a ledger that are no moves of single batches, each to be made inside one transaction.

`now` is the SQL of the database's clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from campaign.errors import LedgerError
from campaign.sending.ledger.database import Connection
from campaign.sending.ledger.views import FOUND
from campaign.words.finding import Finding
from campaign.words.stored import stored

_IS_FOUND = f"batch IN (SELECT batch FROM journal WHERE now = '{FOUND}')"
_FOUND = f":batch, (SELECT state FROM batches WHERE batch = :batch), '{FOUND}', ''"
_PRICED = ":batch, (SELECT state FROM batches WHERE batch = :batch), 'priced', ''"
WITHDRAW = "UPDATE batches SET state = 'withdrawn' WHERE state = 'pending'"
_UNDER_WAY = "UPDATE batches SET state = 'unknown', error = :error, note = '' WHERE state = 'sending'"


def give_up_what_was_under_way(connection: Connection) -> None:
    """What was being sent when its program died is unknown."""
    remark = Finding("ended_before_answer", {"who": "program"})
    connection.execute(_UNDER_WAY, {"error": stored(remark)})


def insert_round(
    connection: Connection, now: str, digest: str, entries: Sequence[tuple[int, int, int, int, bytes]]
) -> int:
    """Insert a round with its batches, withdraw what still waits, and return the number of the round.

    Each entry has the number of the batch, its part, its first message, how many it has, and their digest.
    """
    number: int = connection.execute("SELECT coalesce(max(round), 0) + 1 FROM rounds").fetchone()[0]
    connection.execute(WITHDRAW)
    connection.executemany(
        "INSERT INTO batches (batch, round, part, first, messages, digest) "
        "VALUES (:batch, :round, :part, :first, :messages, :digest)",
        [
            {
                "batch": batch, "round": number, "part": part, "first": first, "messages": messages,
                "digest": content,
            }
            for batch, part, first, messages, content in entries
        ],
    )  # fmt: skip
    values = {"round": number, "digest": digest}
    connection.execute(f"INSERT INTO rounds VALUES (:round, :digest, {now})", values)
    return number


def withdraw_what_waits(connection: Connection, now: str, note: str) -> int:
    """Close the campaign, and return how many batches waited."""
    _note_in_journal(connection, now, "closed", note)
    update = "UPDATE batches SET state = 'withdrawn', note = :note WHERE state = 'pending'"
    return connection.execute(update, {"note": note}).rowcount


def erase_texts(connection: Connection, now: str, note: str) -> int:
    """End the campaign by the last entry of its journal, and take away what the ledger tells of people."""
    _note_in_journal(connection, now, "erased", note)
    connection.execute("UPDATE batches SET error = '', note = '', digest = :nothing", {"nothing": b""})
    return connection.execute("UPDATE journal SET error = '', note = '' WHERE batch > 0").rowcount


def note_budget(connection: Connection, now: str, record: str) -> int:
    """Note in the journal which budget the campaign has from now on."""
    return _note_in_journal(connection, now, "budget", record)


def note_pace(connection: Connection, now: str, record: str) -> int:
    """Note in the journal how many messages a second leave at most from now on, "" for as many as can."""
    return _note_in_journal(connection, now, "pace", record)


def give_cost(connection: Connection, now: str, batch: int, cost: str, note: str, before: str | None) -> int:
    """Give a batch its cost if it has the one `before`, None for none, and return 1; 0 if it has another.

    It has been accepted, or ordered to be sent again: of that, too, a person may learn what it cost.
    """
    update = (
        "UPDATE batches SET cost = :cost, note = CASE note WHEN '' THEN :note ELSE note || '; ' || :note END "
        f"WHERE batch = :batch AND (state = 'accepted' OR state = 'again' OR {_IS_FOUND}) AND "
    )
    values = {"batch": batch, "cost": cost, "note": note}
    if before is None:
        given = connection.execute(f"{update}cost IS NULL", values).rowcount
    else:
        given = connection.execute(f"{update}cost = :before", values | {"before": before}).rowcount
    if given:
        entry = f"INSERT INTO journal (at, batch, was, now, error, note) VALUES ({now}, {_PRICED}, :note)"
        connection.execute(entry, {"batch": batch, "note": note})
    return given


def note_found(
    connection: Connection, now: str, batches: Sequence[int], costs: Mapping[int, str], note: str
) -> int:
    """Note that batches were accepted, though a person has settled them as refused or ordered them again.

    `costs` are those that are known of them. Raises `LedgerError` for a batch of another state, and then
    nothing is noted.
    """
    update = (
        "UPDATE batches SET note = :note, cost = coalesce(:cost, cost) WHERE batch = :batch "
        f"AND (state = 'again' OR state = 'refused' AND note != '') AND NOT {_IS_FOUND}"
    )
    entry = f"INSERT INTO journal (at, batch, was, now, error, note) VALUES ({now}, {_FOUND}, :note)"
    for batch in batches:
        values = {"batch": batch, "note": note}
        if connection.execute(update, values | {"cost": costs.get(batch)}).rowcount != 1:
            raise LedgerError("ledger_refuses", batch=batch, reason="it was settled anew")
        connection.execute(entry, values)
    return len(batches)


def record_home(connection: Connection, now: str, home: Mapping[str, str], note: str) -> int:
    """Record where the ledger lives from now on and whose account it is."""
    _note_in_journal(connection, now, "takeover", note)
    pairs = [{"key": key, "value": value} for key, value in home.items()]
    return connection.executemany("UPDATE campaign SET value = :value WHERE key = :key", pairs).rowcount


def _note_in_journal(connection: Connection, now: str, event: str, note: str) -> int:
    insert = f"INSERT INTO journal (at, batch, was, now, error, note) VALUES ({now}, 0, '', :now, '', :note)"
    return connection.execute(insert, {"now": event, "note": note}).rowcount
