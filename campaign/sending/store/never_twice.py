"""The second line of defence: a look at the files of a round that is about to be registered.

It does not trust the comparison: it reads again what is recorded, and what would be cut.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Bools, Ints
from campaign.errors import LedgerError
from campaign.messages.recipients import are_among
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.part_files import OUTGOING, read_part
from campaign.sending.store.rounds import PLAN, Round, SentPart

_LEFT = ("accepted", "unknown", "sending")
_KEY = ("number", "text_hash")


def check_never_twice(new_round: Round, rounds: Iterable[Round], ledger: LedgerSnapshot) -> None:
    """Raise `LedgerError` if a round would cut a text to a number that may have it already, or on a list.

    It may have it if the text was accepted, is unknown or under way in a batch of one of the `rounds`. What
    a person ordered again may be cut. Never raised unless this package is wrong.
    """
    earlier = [part for one in rounds for part in one.sent_parts(ledger.batches) if _has_left(part).any()]
    files = new_round.files(PLAN) if earlier else []
    cut = np.concatenate([np.empty(0, np.int64), *(_keys(read_part(file, OUTGOING, _KEY)) for file in files)])
    cut.sort()
    twice = 0
    for part in earlier if len(cut) else ():
        left = _keys(part.read(*_KEY))[_has_left(part)]
        places = np.minimum(np.searchsorted(cut, left), len(cut) - 1)
        twice += int((cut[places] == left).sum())
    for count, why in ((twice, "that may have it"), (_count_unwanted(new_round), "that opted out")):
        if count:
            raise LedgerError("would_send_twice", folder=new_round.path.parents[1], messages=count, why=why)


def _count_unwanted(new_round: Round) -> int:
    """How many messages in the part files of a round are for numbers on its lists of opt-outs."""
    listed = new_round.opt_outs.listed
    files = new_round.files(PLAN) if len(listed) else []
    numbers = (read_part(file, OUTGOING, ["number"]).column("number") for file in files)
    return sum(int(are_among(column.cast(pa.int64()).to_numpy(), listed).sum()) for column in numbers)


def _keys(messages: pa.Table) -> Ints:
    """What tells number and text of each message."""
    numbers = messages.column("number").cast(pa.int64()).to_numpy()
    keys: Ints = numbers * np.int64(1_000_003) + messages.column("text_hash").to_numpy()
    return keys


def _has_left(part: SentPart) -> Bools:
    """Which messages of a part were accepted, or may have been."""
    left = np.array([batch.state in _LEFT for batch in part.batches], dtype=bool)
    return np.repeat(left, [batch.messages for batch in part.batches])
