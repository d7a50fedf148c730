"""Two programs that send the same campaign at once."""

from __future__ import annotations

import re

import campaign
from campaign.errors import CampaignError, ConfirmationError, LockedError
from support.life_attempts import Sender
from support.life_intents import Intent
from support.witnessed_service import account_of

_OPTIONS = {
    "batch_size": 2, "changed": "send", "waiting": "withdraw", "elsewhere": "send", "progress": False,
}  # fmt: skip


def send_from_two_programs(life: Sender) -> None:
    """One of them goes on, the other is locked out or finds what is left; nobody gets anything twice.

    What is left is another number of messages than both of them confirmed, so it has to be confirmed anew.
    """
    if life.sheet.duplicates == "error" or life.truth.is_displaced is not False:
        return
    life.let_go()
    intent = Intent("send", _OPTIONS | {"concurrency": 2} | _confirmed(life))
    life.tell(f"two programs at once: {intent}")
    life.service.slow_down(0.01)
    work = {"sheet": str(life.sheet.source().absolute()), "preparation": life.sheet.preparation}
    rival = life.begin(work | {"options": {**intent.options, **life.names, **life.ledger}}, intent)
    refusals, lost = [], life.service.lost
    for attempt in (lambda: _send(life, intent), lambda: life.end(rival)):
        try:
            attempt()
        except CampaignError as error:
            refusals.append(error)
    life.service.slow_down(0)
    life.truth.lost_answers += life.service.lost - lost
    life.tell(f"  refused: {refusals}")
    life.observe(intent, None)
    expected = (LockedError, ConfirmationError) if "confirm" in intent.options else LockedError
    is_expected = len(refusals) < 2 and all(isinstance(error, expected) for error in refusals)
    life.check([] if is_expected else [f"refused both, or otherwise: {refusals}"])


def _send(life: Sender, intent: Intent) -> None:
    account = account_of(life.service.login())
    campaign.send(life.sheet.prepare(), account=account, **life.names, **life.ledger, **intent.options)


def _confirmed(life: Sender) -> dict[str, str]:
    """The phrase that both of them know, where one is needed."""
    if life.service.environment != "live":
        return {}
    try:
        _send(life, Intent("send", _OPTIONS))
    except ConfirmationError as error:
        return {"confirm": re.search(r'confirm="([^"]+)"', str(error))[1]}
    return {}
