"""What a round holds: a plan, which of its messages go out, and what earlier batches hold of the others."""

from __future__ import annotations

from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import rows_of_messages
from campaign.sending.store.opt_outs import OptOuts


class RoundContent(Struct, frozen=True, eq=False, kw_only=True):
    """What is to be frozen.

    `plan` is whole; `given` is the fingerprint that it was prepared with. `outgoing` are the positions of the
    messages that are to go out, in sending order. `batch_of_message` and `batch_of_excluded` have the earlier
    batch of each message and of each row of the contacts, 0 for none. `opt_outs` are those that the campaign
    remembers from then on.
    """

    plan: Plan
    given: str
    outgoing: Ints
    batch_of_message: Ints
    batch_of_excluded: Ints
    opt_outs: OptOuts

    @property
    def rows_of_outgoing(self) -> Ints:
        """The row number of each message that is to go out, in sending order."""
        rows, outgoing = rows_of_messages(self.plan), self.outgoing
        is_all = len(outgoing) == len(rows) and not (outgoing[1:] <= outgoing[:-1]).any()
        return rows if is_all else rows[outgoing]
