"""Batches that were settled although the service gave no answer, and what became of their messages since."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from campaign.contract import ORDERED_AGAIN, SETTLED_BY
from campaign.sending.ledger.ledger import Ledger, Move
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord

WAITS, LEFT = "waits", "left"  # what became of a message that was cut into another batch


def settled_outcomes(batches: pd.DataFrame) -> pd.Series[str]:
    """How a person has settled these batches, "again" or "refused", by batch; the others are left out."""
    outcomes = pd.Series("", index=batches["batch"], dtype="str")
    errors, statuses = (batches[name].to_numpy() for name in ("error", "status"))
    by_hand = batches["error"].str.startswith(SETTLED_BY).to_numpy()
    outcomes[(statuses == "refused") & by_hand] = "refused"
    outcomes[(statuses == "unknown") & (errors == ORDERED_AGAIN)] = "again"
    return outcomes[outcomes != ""]


def rows_cut_again(record: CampaignRecord, batches: pd.Index[int]) -> pd.DataFrame:
    """The rows of these batches (batch, row), with what became of them in a later batch.

    `again` is "left" if the same text has left for the same number since, perhaps, "waits" if it waits to
    leave, and "" for neither. Raises `FolderError` when a frozen file was changed.
    """
    columns = ["batch", "row", "number", "text"]
    nothing = pd.DataFrame(np.empty((0, 4), np.int64), columns=columns)
    if batches.empty:
        return nothing[["batch", "row"]].assign(again="")
    parts = [(part.batches, part.labels, part.rows.numbers, part.rows.texts) for part in record.sent()]
    frames = [pd.DataFrame(dict(zip(columns, part, strict=True))) for part in parts]
    sent = pd.concat([nothing, *frames], ignore_index=True)
    rows = sent[sent["batch"].isin(batches)].reset_index(drop=True)
    counted = sent["batch"].to_numpy()
    for again, are_so in ((WAITS, record.waiting), (LEFT, record.knowledge >= AGAIN)):
        last = sent[are_so[counted]].groupby(["number", "text"])["batch"].max().rename(again)
        rows = rows.join(last, on=["number", "text"])
    conditions = [rows[LEFT] > rows["batch"], rows[WAITS] > rows["batch"]]
    return rows[["batch", "row"]].assign(again=np.select(conditions, [LEFT, WAITS], ""))


def settle(
    ledger: Ledger,
    contents: LedgerSnapshot,
    outcomes: Mapping[int, str],
    costs: Mapping[int, Decimal],
    note: str,
) -> None:
    """Record what became of batches, by their numbers: of unknown ones, and of those that a person had
    settled otherwise and that were accepted after all."""
    before = settled_outcomes(contents.outcomes)
    errors = contents.outcomes.set_index("batch")["error"]
    found = [batch for batch in outcomes if batch in before.index]
    if found:
        ledger.record_found(found, {batch: costs[batch] for batch in found if batch in costs}, note)
    moves = []
    for batch, outcome in outcomes.items():
        facts: dict[str, Any] = {"error": "" if outcome == "accepted" else str(errors[batch]), "note": note}
        facts |= {"cost": costs[batch]} if batch in costs else {}
        moves += [] if batch in before.index else [Move(batch, outcome, facts)]
    for refusal in ledger.commit(moves):
        if refusal is not None:
            raise refusal
