"""From a plan to a result: `send`, `start` and `asend`, and going on with a campaign from its folder."""

from __future__ import annotations

import asyncio
import getpass
import os
from collections.abc import Hashable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from campaign.errors import AccountError, ConfirmationError, UsageError
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending.confirmation import check_confirmed
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.ledger import open_ledger
from campaign.sending.ledger.views import Count, count_by_state, result_frame
from campaign.sending.options import Money, Policy
from campaign.sending.run import Progress, Run
from campaign.sending.store.creation import create_folder
from campaign.sending.store.folder import Folder, folder_exists, locate_folder, open_folder
from campaign.sending.valves import Budget, Hours
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

Place = str | os.PathLike[str]

_SETTLED = {"accepted": "accepted", "refused": "refused", "again": "pending"}
_PHRASES = {
    "accepted": "batch {batch} was accepted",
    "refused": "batch {batch} was refused",
    "again": "send batch {batch} again, {people} people may get it twice",
}


def send(
    plan: Plan,
    *,
    account: Account | None = None,
    folder: Place | None = None,
    name: str | None = None,
    batch_size: int = 100,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    canary: bool = True,
    max_unknown: int = 1,
    confirm: str | None = None,
    progress: Progress = True,
    ledger: Place | None = None,
) -> Result:
    """Send a plan, wait for the end and return what came of it.

    Running it again never sends again: the campaign lives in `folder` (default
    `campaigns/<name>-<fingerprint>`), and the same plan for the same account meets its own ledger there. What
    is complete stays so; what was interrupted goes on. Give another `name` to say the same thing again.

    - `account`: where and as whom; without one, an embedded sandbox on this machine, which sends nothing
    - `batch_size`: messages in one request, at most 1000
    - `concurrency`: requests under way at once; if the service dies, up to `concurrency` x `batch_size`
      messages may end as unknown
    - `rate`: messages a second at most
    - `budget`: cost units at most, or a `Budget` of cost units and messages
    - `hours`: when messages may be sent, for example "08:00-20:00 Africa/Kampala"
    - `canary`: the first batch is one message, and the rest waits for its answer
    - `max_unknown`: the run pauses when the fate of this many batches is unknown
    - `confirm`: needed for live sending: the phrase that the error shows; it names the number of messages
    - `progress`: a progress bar; "tqdm" for the plain one also in notebooks
    - `ledger`: a file for the ledger outside the folder, for folders that are not on a local disk

    A pause ends it, because nobody is there to resume: `Result.sentence` says why, and `resume` goes on.
    Ctrl-C stops cleanly. Raises `ConfirmationError`, `FolderError` and its kinds, and `UsageError`.
    """
    policy = Policy.of(concurrency, rate, budget, hours, max_unknown, batch_size, canary)
    run = _begin(plan, account, folder, name, policy, confirm, progress, ledger, attended=False)
    return run.wait()


def start(
    plan: Plan,
    *,
    account: Account | None = None,
    folder: Place | None = None,
    name: str | None = None,
    batch_size: int = 100,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    canary: bool = True,
    max_unknown: int = 1,
    confirm: str | None = None,
    progress: Progress = True,
    ledger: Place | None = None,
) -> Run:
    """Send a plan in the background and return its `Run` at once; the options are those of `send`.

    A run that pauses waits for `run.resume()` or `run.stop()`. In a notebook the run shows its dashboard.
    """
    policy = Policy.of(concurrency, rate, budget, hours, max_unknown, batch_size, canary)
    return _begin(plan, account, folder, name, policy, confirm, progress, ledger, attended=True)


async def asend(
    plan: Plan,
    *,
    account: Account | None = None,
    folder: Place | None = None,
    name: str | None = None,
    batch_size: int = 100,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    canary: bool = True,
    max_unknown: int = 1,
    confirm: str | None = None,
    progress: Progress = True,
    ledger: Place | None = None,
) -> Result:
    """`send` as a coroutine. A cancellation stops the run cleanly before it is raised."""
    policy = Policy.of(concurrency, rate, budget, hours, max_unknown, batch_size, canary)
    run = await asyncio.to_thread(
        _begin, plan, account, folder, name, policy, confirm, progress, ledger, attended=False
    )
    return await run.finished()


def resume(
    folder: Place,
    *,
    account: Account | None = None,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    max_unknown: int = 1,
    confirm: str | None = None,
    progress: Progress = True,
) -> Result:
    """Go on with an interrupted campaign: what was never attempted goes out, and nothing else does.

    What was under way when a program died is `unknown` and stays so until a person decides. `account` is
    the one that the campaign was started with; a local one needs none. The other options are those of `send`.
    """
    policy = Policy.of(concurrency, rate, budget, hours, max_unknown)
    place = open_folder(folder)
    if account is None and place.manifest.environment != "local":
        environment = place.manifest.environment
        raise AccountError(
            f"This campaign is {environment}: give the account that it was started with, for example "
            f'account=campaign.Account.from_environment("{environment}").'
        )
    with ExitStack() as held:
        account = account or held.enter_context(Sandbox(tls=True)).account
        place.check_account(account)
        check_confirmed(
            account,
            confirm,
            place.load_plan,
            waiting=_waiting(place),
            batch_size=place.manifest.batch_size,
            concurrency=policy.concurrency,
        )
        run = Run(place, account, policy, held=held.pop_all(), attended=False, progress=progress)
    return run.wait()


def load_result(folder: Place) -> Result:
    """What is known about a campaign now, from its folder; also while it is being sent."""
    return open_folder(folder).load_result()


def resolve(
    folder: Place,
    batch: int,
    outcome: Literal["accepted", "refused", "again"],
    *,
    confirm: str | None = None,
    note: str = "",
) -> Result:
    """Settle a batch whose fate is unknown, after you have found out what became of it.

    `outcome` is "accepted" (the service has it), "refused" (it does not), or "again": it is not known, and
    `resume` shall send it again, so that people may get it twice. `confirm` is the phrase that the error
    shows together with the evidence; `note` says how you know. The journal keeps who decided, when and why.

    Raises `ConfirmationError` with the evidence and the phrase, `UsageError` for a batch that is not unknown,
    `LockedError` while a run has the campaign open.
    """
    if outcome not in _PHRASES:
        raise UsageError(f"outcome is {outcome!r}; it can be 'accepted', 'refused' or 'again'.")
    place = open_folder(folder)
    with place.lock(), closing(open_ledger(place.ledger_path, place.manifest.identity)) as ledger:
        batches = result_frame(place.ledger_path)
        unknown = batches[batches["status"] == "unknown"].set_index("batch")
        if batch not in unknown.index:
            raise UsageError(f"Batch {batch} is not unknown. Unknown are: {_listed(unknown.index.tolist())}.")
        found = unknown.loc[[batch]].to_dict("records")[0]
        phrase = _PHRASES[outcome].format(batch=batch, people=found["messages"])
        if confirm != phrase:
            raise ConfirmationError(f'{_evidence(batch, found)} To settle it, give confirm="{phrase}".')
        who = f"{getpass.getuser()}: {outcome}"
        ledger.move(
            batch, _SETTLED[outcome], error="" if outcome == "accepted" else found["error"],
            note=f"{who}, {note}" if note else who,
        )  # fmt: skip
    return place.load_result()


def _evidence(batch: int, found: Mapping[Hashable, Any]) -> str:
    """What is known about an unknown batch: when it left, how long was waited, what was heard."""
    when, waited = found["submitted_at"], found["seconds"]
    left = "" if pd.isna(when) else f" left at {when:%Y-%m-%d %H:%M:%S} UTC"
    heard = "" if pd.isna(waited) else f", after {waited:.0f} s"
    return f"Batch {batch} ({found['messages']:,} messages){left}{heard}: {found['error'] or 'no answer'}."


def _listed(batches: list[int]) -> str:
    return ", ".join(map(str, batches[:20])) + (" …" if len(batches) > 20 else "") if batches else "none"


def _begin(
    plan: Plan,
    account: Account | None,
    folder: Place | None,
    name: str | None,
    policy: Policy,
    confirm: str | None,
    progress: Progress,
    ledger: Place | None,
    *,
    attended: bool,
) -> Run:
    """Freeze the plan or find it again, and start the run."""
    with ExitStack() as held:
        account = account or held.enter_context(Sandbox(tls=True)).account
        path = Path(folder) if folder is not None else locate_folder(plan, account, name)
        known = open_folder(path) if folder_exists(path) else None
        if known is not None:
            known.check_account(account)
            known.check_plan(plan)
        check_confirmed(
            account, confirm, lambda: plan, concurrency=policy.concurrency,
            waiting=_waiting(known) if known else len(plan.messages),
            batch_size=known.manifest.batch_size if known else policy.batch_size,
        )  # fmt: skip
        place = known or create_folder(
            path, plan, account, batch_size=policy.batch_size, canary=policy.canary,
            ledger_path=None if ledger is None else Path(ledger),
        )  # fmt: skip
        return Run(
            place, account, policy, plan=plan, held=held.pop_all(), attended=attended, progress=progress
        )


def _waiting(place: Folder) -> int:
    """Messages of a campaign that were never attempted."""
    check_ledger(place.ledger_path, place.manifest.identity)
    return count_by_state(place.ledger_path).get("pending", Count(0, 0)).messages
