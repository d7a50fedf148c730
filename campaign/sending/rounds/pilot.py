"""The pilot: a first stretch of messages, chosen at random once, after which the run ends."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.messages.plan_tables.plan_columns import numbers_at, rows_of_messages
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.round_content import RoundContent
from campaign.sending.store.rounds import Round


class PilotStretch(Struct, frozen=True, eq=False):
    """The positions in a plan of the messages that go out first; None without a pilot.

    `is_old` says that an earlier round has chosen them already.
    """

    positions: Ints | None
    is_old: bool = False

    @property
    def messages(self) -> int | None:
        """How many messages the pilot has; None without one."""
        return None if self.positions is None else len(self.positions)

    def fits_last_round(self) -> bool:
        """Whether the batches of the last round are cut for this pilot."""
        return self.positions is None or self.is_old or not len(self.positions)

    def order(self, outgoing: Ints) -> Ints:
        """The positions of outgoing messages, the pilot first."""
        if self.positions is None:
            return outgoing
        return np.concatenate([self.positions, np.setdiff1d(outgoing, self.positions)])


def choose_pilot(
    content: RoundContent, size: int | None, last_round: Round | None, record: CampaignRecord | None
) -> PilotStretch:
    """The first stretch of a round: about `size` messages, or what is left of the pilot of the last round.

    The pieces of one text stay together. The choice is random but the same each time for one plan, so that
    what a person has confirmed is what leaves. A plan with another template has a pilot of its own.
    """
    earlier = None if last_round is None else last_round.manifest.pilot
    if size is None:
        return PilotStretch(None)
    if earlier is not None and record is not None and earlier["template"] == content.plan.template:
        return PilotStretch(_rest_of_pilot(content, record, earlier["last_batch"]), is_old=True)
    rows = rows_of_messages(content.plan)[content.outgoing]
    labels, pieces = np.unique(rows, return_counts=True)
    seed = int(content.plan.fingerprint[:16], 16)
    order = np.random.default_rng(seed).permutation(len(labels))
    fitting = np.cumsum(pieces[order]) <= size
    fitting[:1] = True  # one text may have more pieces than the pilot messages
    return PilotStretch(content.outgoing[np.isin(rows, labels[order[fitting]])])


def _rest_of_pilot(content: RoundContent, record: CampaignRecord, last_batch: int) -> Ints:
    """The messages that are to go out to people in the pilot of the last round."""
    batches = np.zeros(len(record.knowledge), bool)
    own = [batch.batch for batch in record.ledger.batches if batch.round == record.rounds[-1].number]
    batches[[batch for batch in own if batch <= last_batch]] = True
    numbers = numbers_at(content.plan, content.outgoing)
    return content.outgoing[np.isin(numbers, record.reached_numbers(batches))]
