"""What a ledger says, as tables and figures. Reading never changes it and needs no lock."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import BATCH_COLUMNS
from campaign.errors import LedgerError
from campaign.results.sending_time import Paces
from campaign.sending.ledger.database import Connection, Readable
from campaign.sending.ledger.postgres.standing_orders import StandingOrder, last_order
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON
from campaign.words.stored import as_json, from_json, read_stored

# The journal's word for a batch that the provider's list has after all: a person has settled it as refused or
# ordered it again, and it was accepted. Its state never moves on, so that a program before this one knows it.
FOUND = "found"
# The batches with the state that they count as; every question about their states asks these.
BATCHES = f"""(
    SELECT batch, round, part, first, messages, cost, code, error, attempts, submitted_at, seconds, note,
           CASE WHEN (state = 'refused' OR state = 'again')
                     AND batch IN (SELECT batch FROM journal WHERE now = '{FOUND}')
                THEN 'accepted' ELSE state END AS state
    FROM batches
) AS batches"""
# Batches of the last round are withdrawn because a person has closed the campaign.
_OUTCOMES = f"""
SELECT batch, messages,
       CASE state WHEN 'pending' THEN 'not_sent' WHEN 'withdrawn' THEN 'not_sent'
                  WHEN 'sending' THEN 'unknown' WHEN 'again' THEN 'unknown' ELSE state END,
       cost, code,
       CASE WHEN state = 'withdrawn' AND round = (SELECT max(round) FROM rounds) THEN 'campaign_closed'
            WHEN state = 'again' THEN 'ordered_again'
            WHEN (state = 'accepted' OR state = 'refused') AND note NOT IN ('', :late) THEN 'batch_settled'
            WHEN state = 'refused' THEN 'service'
            ELSE 'remark' END,
       error, note, attempts, submitted_at, seconds, round
FROM {BATCHES} ORDER BY batch
"""
ROUNDS = "SELECT round, digest, at FROM rounds ORDER BY round"
# The note of an answer that a worker recorded after the others had given it up: no person has settled it.
LATE_ANSWER = "the answer came after its worker had been given up"
_LAST_EVENT = "SELECT now FROM journal WHERE now = 'round' OR now = 'closed' ORDER BY id DESC LIMIT 1"
LAST_ENTRY = "SELECT id, at, batch, now FROM journal ORDER BY id DESC LIMIT 1"
_LAST_ACT = "SELECT id, at, batch, now FROM journal WHERE now != 'unknown' ORDER BY id DESC LIMIT 1"
_LAST_BUDGET = "SELECT note FROM journal WHERE now = 'budget' ORDER BY id DESC LIMIT 1"
_PACES = "SELECT at, note FROM journal WHERE now = 'pace' ORDER BY id"
_ATTEMPTED = ("accepted", "unknown", "again", "sending")
# What `_OUTCOMES` selects. `kind` is whose words the error is, or else the code of what stands in its place.
_SELECTED = (
    "batch", "messages", "status", "cost", "code", "kind", "error", "note", "attempts", "submitted_at",
    "seconds", "round",
)  # fmt: skip
_TYPES = {
    "batch": "int64", "messages": "int64", "status": "str", "code": "str", "why": "str", "error": "str",
    "attempts": "int64", "seconds": "float64", "round": "int64", "facts": "str",
}  # fmt: skip
_COST, _STATUS = _SELECTED.index("cost"), _SELECTED.index("status")


class RegisteredRound(NamedTuple):
    """A round that exists: its number, the digest of its manifest, and when it was registered (UTC)."""

    round: int
    digest: str
    at: str


class RegisteredBatch(NamedTuple):
    """Where the messages of a batch are, and its state."""

    batch: int
    round: int
    part: int
    first: int
    messages: int
    state: str


class LedgerSnapshot(Struct, frozen=True, eq=False, dict=True):
    """What a ledger says at one moment: its rounds, its batches, and what came of them."""

    rounds: list[RegisteredRound]
    batches: list[RegisteredBatch]
    outcome_rows: list[tuple[Any, ...]]
    is_closed: bool  # a person has closed the campaign since its last round
    erased_at: str  # when a person has erased it, which ends it (UTC); "" for never
    moves: int  # as many as the journal has
    last_act: str = ""  # what identifies the last of them but for those to unknown, "" for none
    budget: str = ""  # the record of the one that was given last, "" for none
    paces: Paces = ()
    order: StandingOrder | None = None  # what holds for all workers; None where it was never released to any

    def before_answers(self) -> LedgerSnapshot:
        """The same as if what is under way were still waiting."""
        sending = [batch.state == "sending" for batch in self.batches]
        return replace(
            self,
            batches=[
                batch._replace(state="pending") if is_sending else batch
                for batch, is_sending in zip(self.batches, sending, strict=True)
            ],
            outcome_rows=[
                (*row[:_STATUS], "not_sent", *row[_STATUS + 1 :]) if is_sending else row
                for row, is_sending in zip(self.outcome_rows, sending, strict=True)
            ],
        )

    def costs(self) -> dict[int, Decimal | None]:
        """The cost, where it is known, of each batch that was accepted, or may have been."""
        return {
            batch.batch: None if row[_COST] is None else Decimal(row[_COST])
            for batch, row in zip(self.batches, self.outcome_rows, strict=True)
            if batch.state in _ATTEMPTED
        }

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """The frame `Result.batches`, made when first needed: that takes longer than reading the rows."""
        return batches_frame(self.outcome_rows)

    def outcomes_of(self, batch_of_message: Ints) -> pd.DataFrame:
        """The outcomes as they concern a plan: batches that were withdrawn never left, and count only if they
        hold messages of the plan. `batch_of_message` has the batch of each of these."""
        held = np.bincount(batch_of_message, minlength=len(self.batches) + 1)  # which sorts nothing
        superseded = [
            batch.batch for batch in self.batches if batch.state == "withdrawn" and not held[batch.batch]
        ]
        remaining = self.outcomes[~self.outcomes["batch"].isin(superseded)]
        return remaining.reset_index(drop=True)


def snapshot(place: Readable) -> LedgerSnapshot:
    """Everything that a ledger says, read at one moment; also while it is being written."""
    with place.reading() as connection:
        return snapshot_in(connection)


def snapshot_in(connection: Connection) -> LedgerSnapshot:
    """The same by a connection for reading."""
    rounds = [RegisteredRound._make(row) for row in connection.execute(ROUNDS)]
    batches = connection.execute(
        f"SELECT batch, round, part, first, messages, state FROM {BATCHES} ORDER BY batch"
    )
    return LedgerSnapshot(
        rounds,
        [RegisteredBatch._make(row) for row in batches],
        _outcome_rows(connection),
        is_closed=is_closed(connection),
        erased_at=erased_at(connection),
        moves=moves_in(connection),
        last_act=last_act(connection),
        budget=recorded_budget(connection),
        paces=tuple((str(at), float(rate) if rate else None) for at, rate in connection.execute(_PACES)),
        order=last_order(connection),
    )


def recorded_budget(connection: Connection) -> str:
    """The record of the budget that was kept last, "" if there is none."""
    row: Any = connection.execute(_LAST_BUDGET).fetchone()
    return "" if row is None else str(row[0])


def is_closed(connection: Connection) -> bool:
    """Whether a person has closed the campaign since its last round."""
    last_event: Any = connection.execute(_LAST_EVENT).fetchone()
    return last_event is not None and tuple(last_event) == ("closed",)


def last_act(connection: Connection) -> str:
    """What identifies the last thing in the journal that somebody did, "" for none.

    Opening a ledger notes as unknown what was under way: nobody did that, and nothing of what waits changes.
    """
    row: Any = connection.execute(_LAST_ACT).fetchone()
    return "" if row is None else " ".join(map(str, row))


def erased_at(connection: Connection) -> str:
    """When a person has erased the campaign (UTC), "" for never: nothing follows that in a journal."""
    return erasure_in(connection.execute(LAST_ENTRY).fetchone())


def erasure_in(last_entry: Any) -> str:
    """When a campaign with this last entry was erased, "" for never."""
    return str(last_entry[1]) if last_entry is not None and last_entry[3] == "erased" else ""


def _outcome_rows(connection: Connection) -> list[tuple[Any, ...]]:
    """The rows that `batches_frame` takes: a batch under way is unknown in them, one that waits not_sent."""
    return connection.execute(_OUTCOMES, {"late": LATE_ANSWER}).fetchall()


def batches_frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """The frame `Result.batches` of the rows of a snapshot."""
    cells = zip(*rows, strict=True) if rows else repeat((), len(_SELECTED))
    selected = dict(zip(_SELECTED, cells, strict=True))
    keys = [*zip(selected["kind"], selected["error"], selected["note"], strict=True)]
    said = {key: _what_is_said(*key) for key in set(keys)}
    why, errors, facts = zip(*map(said.get, keys), strict=True) if keys else ((), (), ())
    selected |= {"why": why, "error": errors, "facts": facts}
    columns = {name: pd.Series(selected[name], dtype=_TYPES.get(name, "object")) for name in BATCH_COLUMNS}
    costs = [None if cost is None else Decimal(cost) for cost in columns["cost"]]
    moments = pd.to_datetime(columns["submitted_at"], utc=True, format="ISO8601", errors="coerce")
    columns["cost"] = pd.Series(costs, dtype="object")
    columns["submitted_at"] = moments.astype("datetime64[us, UTC]")
    return pd.DataFrame(columns)


def _what_is_said(kind: str, error: str, note: str) -> tuple[str, str, str]:
    """Code, words and facts of what is said of a batch; the service's own words have no code."""
    if kind == "service":
        return "", error, "{}"
    if kind == "remark":
        finding = remark_in(error)
    else:
        finding = Finding(kind, {"note": note} if kind == "batch_settled" else {})
    return (
        ("", "", "{}")
        if finding is None
        else (finding.code, PYTHON.headline(finding), as_json(finding.facts))
    )


def remark_in(error: str) -> Finding | None:
    """The remark on an exchange that a ledger keeps as an error, None for none. Raises `LedgerError` where
    somebody has changed it."""
    try:
        return read_stored(error) if error else None
    except ValueError:
        raise LedgerError("ledger_damaged", ledger="batches") from None


def finding_of(outcome: Mapping[Any, Any]) -> Finding | None:
    """What is said of a batch, a row of `Result.batches`; None for nothing, and for the service's words."""
    return Finding(outcome["why"], from_json(outcome["facts"])) if outcome["why"] else None


def journal_frame(place: Readable) -> pd.DataFrame:
    """Every move of every batch, oldest first: at, batch, was, now, error, note."""
    with place.reading() as connection:
        rows = connection.execute(
            "SELECT at, batch, was, now, error, note FROM journal ORDER BY id"
        ).fetchall()
    frame = pd.DataFrame(rows, columns=["at", "batch", "was", "now", "error", "note"])
    return frame.astype({"batch": "int64", "was": "str", "now": "str", "error": "str", "note": "str"})


def is_of_interest(place: Readable, since: str) -> bool:
    """Whether anything waits or is unknown in a ledger, or was accepted since some moment (UTC)."""
    query = f"""SELECT count(*) FROM {BATCHES} WHERE state IN ('pending', 'sending', 'unknown', 'again')
    OR state = 'accepted' AND (submitted_at IS NULL OR submitted_at >= :since)"""
    with place.reading() as connection:
        return bool(connection.execute(query, {"since": since}).fetchone()[0])


def identity_of(place: Readable) -> dict[str, str]:
    """Whose ledger it is, and where it lives."""
    with place.reading() as connection:
        return dict(connection.execute("SELECT key, value FROM campaign"))


def rounds_and_reached(place: Readable) -> tuple[int, int]:
    """How many rounds there are, and how many messages were accepted, or may have been."""
    query = (
        f"SELECT (SELECT count(*) FROM rounds), CAST(coalesce(sum(messages), 0) AS BIGINT) FROM {BATCHES} "
        "WHERE state NOT IN ('pending', 'refused', 'withdrawn')"
    )
    with place.reading() as connection:
        rounds, messages = connection.execute(query).fetchone()
        return rounds, messages


def moves_of(place: Readable) -> int:
    """How many moves the journal has, rounds and takeovers included."""
    with place.reading() as connection:
        return moves_in(connection)


def moves_in(connection: Connection) -> int:
    """How many moves the journal has."""
    moves: int = connection.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()[0]
    return moves
