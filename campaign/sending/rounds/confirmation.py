"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from campaign.arrow_text import Ints
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.service.account import Account
from campaign.text import agreeing, counted


@dataclass(frozen=True, eq=False, kw_only=True)
class Departure:
    """What would leave now: messages of a plan, `batch_size` in a request, `concurrency` requests at a time.

    `positions` are those of the messages in the plan, in the order in which they leave. `comparison` is a
    sentence that says what the campaign has sent before, and `budget` says what all of it may cost.
    `reached_today` counts the people whom another campaign of the account reached in the last 24 hours.
    `remarks` are sentences that a person has to read before deciding.
    """

    plan: Plan
    positions: Ints
    batch_size: int
    concurrency: int
    comparison: str = ""
    budget: str = ""
    reached_today: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def phrase(self) -> str:
        """What a person types: how many messages, and a mark of what they say to whom."""
        count = len(self.positions)
        is_all = count == self.plan.totals.messages and not (np.diff(self.positions) <= 0).any()
        marked = (
            self.plan.fingerprint
            if is_all
            else fingerprint_of(count, lambda: messages_at(self.plan, self.positions))
        )
        mark = hashlib.sha256(marked.encode()).hexdigest()[:4]
        again = (
            f", {counted(self.reached_today, 'person', 'people')} for the second time in 24 hours"
            if self.reached_today
            else ""
        )
        return f"send {count} {agreeing(count, 'message', 'messages')} live {mark}{again}"


def check_confirmed(account: Account, confirm: str | None, departure: Departure) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless live sending was confirmed.

    The phrase carries a mark of the messages, so that it does not fit a table or a text that has changed.
    """
    count = len(departure.positions)
    if account.environment != "live" or not count or confirm == departure.phrase:
        return
    exposed = min(departure.concurrency * departure.batch_size, count)
    first = next(messages_at(departure.plan, departure.positions[:1]))
    example = departure.plan.preview(int(first["row"].iloc[0]))
    today = departure.reached_today
    again = (
        f"{counted(today, 'person', 'people')} of these {agreeing(today, 'was', 'were')} reached by another "
        "campaign of this account in the last 24 hours. "
        if today
        else ""
    )
    comparison = f"{departure.comparison} " if departure.comparison else ""
    budget = f"The campaign's budget is {departure.budget}. " if departure.budget else ""
    remarks = "".join(f"{remark} " for remark in departure.remarks)
    raise ConfirmationError(
        f"This sends {counted(count, 'message')} to real phones ({account.label}), up to "
        f"{departure.batch_size:,} in a request and {counted(departure.concurrency, 'request')} at a time. "
        f"If the service dies meanwhile, the fate of up to {exposed:,} of them is unknown. "
        f"{comparison}{budget}{again}{remarks}For example:\n{example}\nLook at the plan once more.",
        phrase=departure.phrase,
        purpose="send it",
        given=confirm,
    )
