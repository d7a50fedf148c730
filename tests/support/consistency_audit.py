"""The one question of every proof: do plans, ledger and the service's own record tell the same story?"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from campaign.sending.ledger.views import journal_frame
from campaign.sending.store.folder import open_folder

STATUSES = {"accepted", "refused", "unknown", "not_sent"}
NEVER_SENT = ["pending", "withdrawn", "refused"]


def audit(batched: pd.DataFrame, received: pd.DataFrame) -> list[str]:
    """Every broken promise, in words; empty when all are kept.

    `batched` has each message of each batch (number, message, state), over all rounds: the same text may be
    there again after a batch that was refused, withdrawn, or ordered to go out again. `received` is the
    service's own record of what it accepted (number, text).
    """
    state = batched["state"]
    messages = pd.MultiIndex.from_frame(batched[["number", "message"]])
    took = pd.MultiIndex.from_frame(received[["number", "text"]], names=messages.names)
    current = messages[~state.isin(["withdrawn", "refused", "again"])]
    ordered_again = messages[state == "again"]
    possible = messages[~state.isin(NEVER_SENT)]
    wrong = {
        "are to go out twice": current[current.duplicated()],
        "were received twice": took[took.duplicated()].difference(ordered_again),
        "were received and never planned": took.difference(messages),
        "are accepted and were never received": messages[state == "accepted"].difference(took),
        "were received and are in no batch that left": took.intersection(messages).difference(possible),
    }
    return [f"{len(found)} messages {what}" for what, found in wrong.items() if len(found)]


def audit_folder(folder: Path, received: pd.DataFrame) -> list[str]:
    """The same for a campaign folder, read anew from disk; each batch may have been begun once.

    In a folder in which no round was registered nothing may have been received.
    """
    place = open_folder(folder)
    ledger = place.snapshot()
    moves = journal_frame(place.ledger_place)
    intents = moves.loc[moves["now"] == "sending", "batch"]
    found = [f"batch {batch} was begun twice" for batch in intents[intents.duplicated()].unique()]
    if not ledger.rounds:
        return found + ([f"{len(received)} messages of no round were received"] if len(received) else [])
    result = place.load_result()
    statuses = result.messages["status"]
    if not set(statuses) <= STATUSES or sum(result.totals.values()) != len(result.contacts):
        found.append("the statuses do not add up to the table")
    return found + audit(batched_messages(folder), received) + _audit_result(result.messages, received)


def batched_messages(folder: Path) -> pd.DataFrame:
    """Each message of each batch of a campaign folder, over all rounds: number, message, batch and state."""
    place = open_folder(folder)
    ledger = place.snapshot()
    frames = []
    for one_round in place.rounds(ledger):
        for part in one_round.sent_parts(ledger.batches):
            batches = pd.DataFrame(part.batches)
            repeated = batches.loc[batches.index.repeat(batches["messages"])].reset_index(drop=True)
            frame = part.read("number", "message").to_pandas()
            frames.append(frame.join(repeated[["batch", "state"]], how="outer"))
    columns = ["number", "message", "batch", "state"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def _audit_result(messages: pd.DataFrame, received: pd.DataFrame) -> list[str]:
    """What the table of today says of people, beside what the service received."""
    texts = pd.MultiIndex.from_frame(messages[["number", "message"]])
    took = pd.MultiIndex.from_frame(received[["number", "text"]], names=texts.names)
    never = texts[messages["status"].isin(["not_sent", "refused"])].intersection(took)
    accepted = texts[messages["status"] == "accepted"].difference(took)
    wrong = {"are shown as not sent and were received": never, "are shown as accepted and were not": accepted}
    return [f"{len(found)} messages {what}" for what, found in wrong.items() if len(found)]
