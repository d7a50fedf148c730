"""Whom the messages of some batches were for, as the rounds of a campaign have recorded it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.sending.ledger.views import RegisteredBatch
from campaign.sending.store.frozen_messages import read_part
from campaign.sending.store.rounds import Round


def recorded_messages(
    rounds: Sequence[Round], registered: Sequence[RegisteredBatch], batches: Ints, *texts: str
) -> pd.DataFrame:
    """The number, the batch and the row of then (int64) of each message of some batches.

    `texts` are further columns of `Plan.messages` to read, such as sender. Only the part files that hold
    these batches are read. Raises `LedgerError` when one is missing or damaged.
    """
    wanted = set(batches.tolist())
    frames = [
        pd.DataFrame({"number": [], "batch": [], "row": []}, dtype="int64").assign(**dict.fromkeys(texts, ""))
    ]
    for one_round in rounds:
        own = [batch for batch in registered if batch.round == one_round.number]
        for part in range(one_round.manifest.parts):
            of_part = [batch for batch in own if batch.part == part]
            if any(batch.batch in wanted for batch in of_part):
                messages = _messages_of(one_round, part, of_part, texts)
                frames.append(messages[messages["batch"].isin(wanted)])
    return pd.concat(frames, ignore_index=True)


def _messages_of(
    one_round: Round, part: int, batches: Sequence[RegisteredBatch], texts: Sequence[str]
) -> pd.DataFrame:
    """The same of all batches of a part, which lie in it in this order."""
    messages = read_part(one_round.plan_path, part, ["number", "row", *texts]).to_pandas()
    in_order = np.repeat([batch.batch for batch in batches], [batch.messages for batch in batches])
    columns = {name: messages[name].astype("str") for name in texts}
    own = {"number": messages["number"].astype("int64"), "batch": in_order, "row": messages["row"]}
    return pd.DataFrame({**own, **columns})
