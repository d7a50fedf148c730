"""Batches that a person has settled, and which of them can still be found to be accepted."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pandas as pd

from campaign.sending.ledger.ledger import Ledger, Move
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord

# How batches were settled, as a label.
SETTLED = {"accepted": "settled as accepted", "refused": "settled as refused", "again": "ordered again"}


def settled_outcomes(batches: pd.DataFrame) -> pd.Series[str]:
    """How a person has settled these batches, "again" or "refused", by batch; the others are left out."""
    is_refused = (batches["status"] == "refused") & (batches["why"] == "batch_settled")
    outcomes = np.select([is_refused, batches["why"] == "ordered_again"], ["refused", "again"], "")
    settled: pd.Series[str] = pd.Series(outcomes, batches["batch"], dtype="str")[outcomes != ""]
    return settled


def changeable_outcomes(record: CampaignRecord) -> pd.Series[str]:
    """How a person has settled the batches that can still be found to be accepted, by batch.

    None of their texts waits for its number in a later batch, or may have left in one. Raises `FolderError`
    when a frozen file was changed.
    """
    settled = settled_outcomes(record.ledger.outcomes)
    if settled.empty:
        return settled
    columns = ["batch", "number", "text"]
    parts = [(part.batches, part.rows.numbers, part.rows.texts) for part in record.sent()]
    sent = pd.concat([pd.DataFrame(dict(zip(columns, part, strict=True))) for part in parts])
    cut = sent[(record.waiting | (record.knowledge >= AGAIN))[sent["batch"].to_numpy()]]
    pairs = sent[sent["batch"].isin(settled.index)].merge(cut, on=["number", "text"])
    cut_again = pairs.loc[pairs["batch_y"] > pairs["batch_x"], "batch_x"]
    return settled.drop(cut_again.unique())


def settle(
    ledger: Ledger,
    contents: LedgerSnapshot,
    outcomes: Mapping[int, str],
    costs: Mapping[int, Decimal],
    note: str,
) -> None:
    """Record what became of batches: of unknown ones, and of those that a person had settled otherwise and
    that were accepted after all."""
    before = settled_outcomes(contents.outcomes).index
    found = [batch for batch in outcomes if batch in before]
    if found:
        ledger.record_found(found, {batch: costs[batch] for batch in found if batch in costs}, note)
    moves = []
    for batch, outcome in outcomes.items():
        if batch not in before:
            cost = {"cost": costs[batch]} if batch in costs else {}
            error = {"error": ""} if outcome == "accepted" else {}
            moves.append(Move(batch, outcome, {"note": note, **error, **cost}))
    for refusal in ledger.commit(moves):
        if refusal is not None:
            raise refusal
