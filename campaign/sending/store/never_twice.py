"""The second line of defence: a look at the files of a round that is about to be registered.

It does not trust the comparison: it reads again what is recorded, and what would be cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from campaign.arrow_text import Bools, Ints
from campaign.errors import LedgerError
from campaign.messages.recipients import is_on_list
from campaign.sending.ledger.views import LedgerSnapshot
from campaign.sending.store.frozen_messages import read_part
from campaign.sending.store.rounds import Round
from campaign.text import clean, counted

_LEFT = ("accepted", "unknown", "sending")


def check_never_twice(new_round: Round, rounds: Iterable[Round], ledger: LedgerSnapshot) -> None:
    """Raise `LedgerError` if a round would cut a text to a number that may have it already, or on a list.

    It may have it if the text was accepted, is unknown or under way in a batch of one of the `rounds`. What
    a person ordered again may be cut. Never raised unless this package is wrong.
    """
    earlier = [one for one in rounds if any(state in _LEFT for state in _states(one.number, ledger))]
    cut = np.concatenate([np.empty(0, np.int64), *(_keys(new_round) if earlier else ())])
    cut.sort()
    twice = 0
    for one_round in earlier if len(cut) else ():
        for part, keys in enumerate(_keys(one_round)):
            left = keys[_has_left(one_round.number, part, ledger)]
            places = np.minimum(np.searchsorted(cut, left), len(cut) - 1)
            twice += int((cut[places] == left).sum())
    for count, whom in (
        (twice, "has this very text, or may have it"),
        (_count_unwanted(new_round), "is on a list of opt-outs"),
    ):
        if count:
            raise LedgerError(
                f"Nothing was sent: {counted(count, 'message')} of {clean(new_round.path.parents[1])} would "
                f"go to a number that {whom}. This is a mistake in campaign: please report it."
            )


def _count_unwanted(new_round: Round) -> int:
    """How many messages in the part files of a round are for numbers on its lists of opt-outs."""
    listed = new_round.opt_outs.listed
    parts = range(new_round.manifest.parts if len(listed) else 0)
    numbers = (read_part(new_round.plan_path, part, ["number"]).column("number") for part in parts)
    return sum(int(is_on_list(column.cast(pa.int64()).to_numpy(), listed).sum()) for column in numbers)


def _states(number: int, ledger: LedgerSnapshot) -> Iterator[str]:
    return (batch.state for batch in ledger.batches if batch.round == number)


def _keys(one_round: Round) -> Iterator[Ints]:
    """What tells number and text of each message in the part files of a round, part by part."""
    for part in range(one_round.manifest.parts):
        table = read_part(one_round.plan_path, part, ["number", "text_hash"])
        numbers = table.column("number").cast(pa.int64()).to_numpy()
        yield numbers * np.int64(1_000_003) + table.column("text_hash").to_numpy()


def _has_left(number: int, part: int, ledger: LedgerSnapshot) -> Bools:
    """Which messages of a part were accepted, or may have been."""
    batches = [batch for batch in ledger.batches if (batch.round, batch.part) == (number, part)]
    left = np.array([batch.state in _LEFT for batch in batches], dtype=bool)
    return np.repeat(left, [batch.messages for batch in batches])
