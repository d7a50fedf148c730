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
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.ledger.postgres.ledger import PostgresLedger


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What was released for workers to send.

    Attributes
    ----------
    folder : pathlib.Path
        The campaign's folder.
    messages : int
        Messages that wait.
    parts : int
        Files that they are in; see `send_part`.

    Examples
    --------
    >>> campaign.release(plan, name="visits", ledger="postgresql+psycopg://clinic@db/sms")  # doctest: +SKIP
    """

    folder: Path
    messages: int
    parts: int

    @property
    def finding(self) -> Finding:
        """What was released."""
        return Finding("released", {"messages": self.messages})

    @property
    def sentence(self) -> str:
        """What was released, in words."""
        return PYTHON.text(self.finding)

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
    """Register a plan for several workers to send; nothing is sent yet.

    Parameters
    ----------
    plan
        What `prepare` made, or the folder of a campaign that goes on.
    account, folder, name, changed, waiting, pilot, takeover, batch_size, rate, budget, hours, canary
        See `send`. They hold for all workers together.
    concurrency
        Requests at a time of each worker.
    max_unknown, confirm, opted_out, elsewhere
        See `send`.
    ledger
        Address of a PostgreSQL database.

    Returns
    -------
    Release
        Call `work` or `campaign worker` on each machine. `send`, `resume`, `resolve` and `close` end a
        release, and are refused while workers are there.

    Raises
    ------
    UsageError
        The ledger is a file.
    ConfirmationError, FolderError
        As `send` does.

    Examples
    --------
    >>> campaign.release(plan, name="visits", ledger="postgresql+psycopg://clinic@db/sms")  # doctest: +SKIP
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
    check_can_be_shared(check_where(plan, options))
    opened = open_campaign(plan, options, opt_outs)
    try:
        waiting = opened.ledger.waiting_messages()
        if waiting:
            record = {"who": user_name(), "options": opened.options.as_record()}
            cast("PostgresLedger", opened.ledger).release(json.dumps(record))
    finally:
        opened.close()
    return Release(folder=opened.folder.path, messages=waiting, parts=opened.last_round.manifest.parts)
