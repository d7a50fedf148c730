"""What live sending asks for before it begins: a look at what would go out, and a phrase that is typed."""

from __future__ import annotations

from collections.abc import Callable

from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.service.account import Account


def check_confirmed(
    account: Account,
    confirm: str | None,
    load_plan: Callable[[], Plan],
    *,
    waiting: int,
    batch_size: int,
    concurrency: int,
) -> None:
    """Raise `ConfirmationError` unless live sending was confirmed; it shows what would be sent.

    The phrase names the number of messages that wait, so that an edited table needs a new one.
    """
    if account.environment != "live" or not waiting:
        return
    phrase = f"send {waiting} message{'s' if waiting > 1 else ''} live"
    if confirm in (phrase, f"send {waiting} messages live"):
        return
    plan, exposed = load_plan(), min(concurrency * batch_size, waiting)
    example = plan.preview(int(plan.messages["row"].iloc[0]))
    raise ConfirmationError(
        f"This sends {waiting:,} message{'s' if waiting > 1 else ''} to real phones ({account.label}), up to "
        f"{batch_size:,} in a request and {concurrency} requests at a time. If the service dies meanwhile, "
        f"the fate of up to {exposed:,} of them is unknown. For example:\n{example}\n"
        f'Look at the plan once more; to send it, give confirm="{phrase}".'
    )
