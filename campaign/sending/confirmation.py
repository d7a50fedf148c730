"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

from collections.abc import Callable

from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.service.account import Account
from campaign.text import agreeing, counted


def check_confirmed(
    account: Account,
    confirm: str | None,
    load_plan: Callable[[], Plan],
    *,
    waiting: int,
    batch_size: int,
    concurrency: int,
) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless live sending was confirmed.

    The phrase names the number of waiting messages, so that it does not fit a table that has changed.
    """
    if account.environment != "live" or not waiting:
        return
    phrase = f"send {waiting} {agreeing(waiting, 'message', 'messages')} live"
    if confirm in (phrase, f"send {waiting} messages live"):
        return
    plan, exposed = load_plan(), min(concurrency * batch_size, waiting)
    example = plan.preview(int(plan.messages["row"].iloc[0]))
    raise ConfirmationError(
        f"This sends {counted(waiting, 'message')} to real phones ({account.label}), up to "
        f"{batch_size:,} in a request and {counted(concurrency, 'request')} at a time. If the service dies "
        f"meanwhile, the fate of up to {exposed:,} of them is unknown. For example:\n{example}\n"
        f'Look at the plan once more; to send it, give confirm="{phrase}".'
    )
