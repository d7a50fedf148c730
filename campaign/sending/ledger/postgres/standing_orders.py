"""What a person or a valve has ordered for all workers of a campaign: entries of the journal.

An order stands until the next one. As entries of the journal, orders are in one sequence with the moves, and
reach every worker the way that those do.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

from campaign.errors import LedgerError
from campaign.sending.ledger.database import Connection
from campaign.words.finding import Finding
from campaign.words.stored import read_stored, stored

# "released": workers may send the last round, with the options in the note. "recalled": they may not any
# more, because a person has opened the campaign alone since. The note of the others is the finding that says
# who or why.
OrderKind = Literal["released", "paused", "resumed", "stopped", "recalled"]
_KINDS = "('released', 'paused', 'resumed', 'stopped', 'recalled')"
_LAST = f"SELECT id, now, note FROM journal WHERE batch = 0 AND now IN {_KINDS} ORDER BY id DESC LIMIT 1"  # noqa: S608 - constants
_LAST_RELEASE = (
    "SELECT id, now, note FROM journal WHERE batch = 0 AND now = 'released' ORDER BY id DESC LIMIT 1"
)
_BEGAN = "SELECT max(id) FROM journal WHERE batch = 0 AND now IN ('released', 'resumed')"
_GIVE = "INSERT INTO journal (at, batch, was, now, error, note) VALUES (utc_now(), 0, '', :kind, '', :note)"


class StandingOrder(NamedTuple):
    """An order: the number of its entry in the journal, what it orders, and its note."""

    number: int
    kind: OrderKind
    note: str

    @property
    def reason(self) -> Finding:
        """Who has ordered it, or why."""
        try:
            return read_stored(self.note)
        except ValueError:
            raise LedgerError("ledger_damaged", ledger="journal") from None

    @property
    def lets_send(self) -> bool:
        return self.kind in ("released", "resumed")


def order_of(event: str, number: int, note: str) -> StandingOrder | None:
    """The order that an entry of the journal without a batch is; None for other events."""
    return StandingOrder(number, cast("OrderKind", event), note) if f"'{event}'" in _KINDS else None


def last_order(connection: Connection) -> StandingOrder | None:
    """The order that stands; None where none was ever given."""
    row = connection.execute(_LAST).fetchone()
    return None if row is None else StandingOrder(*row)


def released_options(connection: Connection) -> str:
    """The record of the options that the last release came with."""
    row = connection.execute(_LAST_RELEASE).fetchone()
    return "" if row is None else str(row[2])


def began_at(connection: Connection) -> int:
    """The entry of the journal since which the run of all workers counts: the last release or resumption."""
    number: int | None = connection.execute(_BEGAN).fetchone()[0]
    return number or 0


def give_order(connection: Connection, kind: OrderKind, note: Finding | str) -> int:
    """Give an order, inside a transaction; returns how many entries were made."""
    note = stored(note) if isinstance(note, Finding) else note
    return connection.execute(_GIVE, {"kind": kind, "note": note}).rowcount
