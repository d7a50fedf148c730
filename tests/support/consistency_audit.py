"""The one question of every proof: do plan, ledger and the service's own record tell the same story?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from campaign.sending.ledger.views import journal_frame, result_frame
from campaign.sending.store.folder import open_folder
from campaign.sending.store.frozen_messages import read_messages

STATUSES = {"accepted", "refused", "unknown", "not_sent"}


def audit(messages: pd.DataFrame, batches: pd.DataFrame, received: pd.DataFrame) -> list[str]:
    """Every broken promise, in words; empty when all are kept.

    `messages` are those of the plan in sending order (number, message), `batches` what the ledger knows
    (messages, status), `received` the service's own record of what it accepted (number, text).
    """
    if batches["messages"].sum() != len(messages) or not set(batches["status"]) <= STATUSES:
        return [f"the states of the ledger do not sum to the plan of {len(messages)} messages"]
    planned = pd.MultiIndex.from_frame(messages[["number", "message"]])
    took = pd.MultiIndex.from_frame(received[["number", "text"]], names=planned.names)
    status = batches["status"].repeat(batches["messages"]).to_numpy()
    wrong = {
        "are planned twice": planned[planned.duplicated()],
        "were received twice": took[took.duplicated()],
        "were received and never planned": took.difference(planned),
        "are accepted and were never received": planned[status == "accepted"].difference(took),
        "are not_sent and were received": planned[status == "not_sent"].intersection(took),
        "are refused and were received": planned[status == "refused"].intersection(took),
    }
    return [f"{len(found)} messages {what}" for what, found in wrong.items() if len(found)]


def audit_folder(folder: Path, received: pd.DataFrame) -> list[str]:
    """The same for a campaign folder, read anew from disk; each batch may have been begun once."""
    place = open_folder(folder)
    moves = journal_frame(place.ledger_path)
    intents = moves.loc[moves["now"] == "sending", "batch"]
    batches = result_frame(place.ledger_path)
    found = audit(read_messages(place.plan_path, place.manifest.parts), batches, received)
    return found + [f"batch {batch} was begun twice" for batch in intents[intents.duplicated()].unique()]
