"""`release`: a person decides what workers may send, and how; nothing is sent by that."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from campaign.argument_checks import check_path
from campaign.contract import Changed, Elsewhere, OptedOut, Waiting
from campaign.messages.plan import Plan
from campaign.public_calls import public_call
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.hours import Hours
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.opening import check_where, open_campaign
from campaign.sending.options import Money, Place, SendOptions, check_plan
from campaign.sending.store.user_state import user_name
from campaign.sending.workers.shared_place import check_can_be_shared
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import agreeing, counted

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.ledger.postgres.ledger import PostgresLedger


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What was released: the campaign folder, how many messages wait, and in how many parts (files)."""

    folder: Path
    messages: int
    parts: int

    @property
    def sentence(self) -> str:
        """What was released, in words."""
        if not self.messages:
            return "Nothing was released: nothing waits to be sent."
        waits = agreeing(self.messages, "waits", "wait")
        return f"Released: {counted(self.messages, 'message')} {waits} for workers. Nothing was sent yet."

    def __str__(self) -> str:
        return self.sentence


@public_call
def release(
    plan: Plan | Place,
    *,
    account: Account | Sandbox | None = None,
    folder: Place | None = None,
    name: str | None = None,
    changed: Changed = "ask",
    waiting: Waiting = "ask",
    pilot: int | None = None,
    takeover: str | None = None,
    batch_size: int = 100,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    canary: bool = True,
    max_unknown: int = 1,
    confirm: str | None = None,
    ledger: Place | None = None,
    opted_out: OptedOut = "ask",
    elsewhere: Elsewhere = "ask",
) -> Release:
    """Register a plan for several workers to send, and send nothing: `campaign worker` and `work` do that.

    `plan` is a plan, or the folder of a campaign that is to go on with its last one. The options are those of
    `send`, and live asks for the same phrase. They are kept in the ledger and hold for all workers together:
    `rate` for the sum of what they send, `budget`, `hours`, the canary, the pilot and `max_unknown` for the
    campaign. Only `concurrency` is for each worker. The ledger has to be in PostgreSQL.

    A release ends when anything else opens the campaign for changes: `send`, `resume`, `resolve`, `close` or
    another release. Those are refused while workers are there; `campaign.order(folder, "stop")` ends them.

    Raises what `send` raises, and `UsageError` where the ledger is a file.
    """
    ledger = without_password(ledger)
    is_folder = not isinstance(plan, Plan) and isinstance(plan, (str, Path))
    if is_folder:
        check_path(plan, subject="plan", write='a plan, or the folder "campaigns/visits"')
        folder, plan_to_send = cast("Place", plan), None
    else:
        check_plan(plan)
        plan_to_send = cast("Plan", plan)
    options = SendOptions(
        account=account, folder=folder, name=name, changed=changed, waiting=waiting, opted_out=opted_out,
        pilot=pilot, takeover=takeover, batch_size=batch_size, concurrency=concurrency, rate=rate,
        budget=budget, hours=hours, canary=canary, max_unknown=max_unknown, confirm=confirm, progress=False,
        ledger=ledger, elsewhere=elsewhere,
    )  # fmt: skip
    return release_plan(plan_to_send, options)


def release_plan(plan: Plan | None, options: SendOptions, opt_outs: Any = None) -> Release:
    """The same with options that are checked; without a plan, for the campaign in their folder."""
    check_can_be_shared(check_where(plan, options), "The ledger of this campaign")
    opened = open_campaign(plan, options, opt_outs)
    try:
        waiting = opened.ledger.waiting_messages()
        if waiting:
            record = {"who": user_name(), "options": opened.options.as_record()}
            cast("PostgresLedger", opened.ledger).release(json.dumps(record))
    finally:
        opened.close()
    return Release(folder=opened.folder.path, messages=waiting, parts=opened.last_round.manifest.parts)
