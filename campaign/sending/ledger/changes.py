"""The changes of a ledger that are no moves of single batches, each to be made inside one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from campaign.sending.ledger.connections import Connection

WITHDRAW = "UPDATE batches SET state = 'withdrawn' WHERE state = 'pending'"
_NOTE_IN_JOURNAL = """
INSERT INTO journal (at, batch, was, now, error, note)
VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 0, '', ?, '', ?)
"""


def insert_round(
    connection: Connection, digest: str, entries: Sequence[tuple[int, int, int, int, bytes]]
) -> int:
    """Insert a round with its batches, withdraw what still waits, and return the number of the round.

    Each entry has the number of the batch, its part, its first message, how many it has, and their digest.
    """
    number: int = connection.execute("SELECT coalesce(max(round), 0) + 1 FROM rounds").fetchone()[0]
    connection.execute(WITHDRAW)
    connection.executemany(
        "INSERT INTO batches (batch, round, part, first, messages, digest) VALUES (?, ?, ?, ?, ?, ?)",
        ((batch, number, *rest) for batch, *rest in entries),
    )
    connection.execute(
        "INSERT INTO rounds VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))", (number, digest)
    )
    return number


def withdraw_what_waits(connection: Connection, note: str) -> int:
    """Close the campaign, and return how many batches waited."""
    connection.execute(_NOTE_IN_JOURNAL, ("closed", note))
    update = "UPDATE batches SET state = 'withdrawn', note = ? WHERE state = 'pending'"
    return connection.execute(update, (note,)).rowcount


def erase_texts(connection: Connection, digests: Mapping[int, str], note: str) -> int:
    """Erase what the ledger tells of people in some rounds; `digests` are those of their new manifests."""
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(_NOTE_IN_JOURNAL, ("erased", note))
    insert = "INSERT INTO erasures VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
    connection.executemany(insert, digests.items())
    rounds = [(number,) for number in digests]
    connection.executemany("UPDATE batches SET error = '', note = '', digest = x'' WHERE round = ?", rounds)
    return connection.executemany(
        "UPDATE journal SET error = '', note = '' WHERE batch IN (SELECT batch FROM batches WHERE round = ?)",
        rounds,
    ).rowcount


def note_budget(connection: Connection, record: str) -> int:
    """Note in the journal which budget the campaign has from now on."""
    return connection.execute(_NOTE_IN_JOURNAL, ("budget", record)).rowcount


def record_home(connection: Connection, home: Mapping[str, str], note: str) -> int:
    """Record where the ledger lives from now on and whose account it is."""
    connection.execute(_NOTE_IN_JOURNAL, ("takeover", note))
    pairs = [(value, key) for key, value in home.items()]
    return connection.executemany("UPDATE campaign SET value = ? WHERE key = ?", pairs).rowcount
