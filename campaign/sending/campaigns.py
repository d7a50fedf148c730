"""The verbs of a campaign: `send`, `start`, `asend`, `resume`, `load_result` and `resolve`."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Hashable, Mapping
from contextlib import closing
from typing import Any, Literal

import pandas as pd

from campaign.argument_checks import check_choice, check_count, check_path, check_text, described
from campaign.errors import ConfirmationError, UsageError
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending.engine.valves import Budget, Hours
from campaign.sending.ledger.ledger import open_ledger
from campaign.sending.ledger.views import result_frame
from campaign.sending.opening import open_campaign
from campaign.sending.options import Changed, Gone, Money, Place, Progress, SendOptions
from campaign.sending.run import OpenCampaign, Run
from campaign.sending.store.folder import open_folder
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import counted

_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_SETTLED = {"accepted": "accepted", "refused": "refused", "again": "again"}


def send(
    plan: Plan,
    *,
    account: Account | Sandbox | None = None,
    folder: Place | None = None,
    name: str | None = None,
    changed: Changed = "ask",
    gone: Gone = "ask",
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
    progress: Progress = True,
    ledger: Place | None = None,
) -> Result:
    """Send a plan, wait for the end and return what came of it.

    Running it again never sends again: the campaign lives in `folder` (default
    `campaigns/<name>-<fingerprint>`), and the same plan for the same account meets its own ledger there. What
    is complete stays so; what was interrupted goes on. Give another `name` to say the same thing again.

    - `account`: where and as whom; without one, an embedded sandbox on this machine, which sends nothing. A
      `Sandbox` may be given itself; one that is not running is started for the length of the run
    - `batch_size`: messages in one request, at most 1000
    - `concurrency`: requests at a time; if the service dies, up to `concurrency` x `batch_size` messages may
      end as unknown
    - `rate`: messages a second at most
    - `budget`: cost units at most, or a `Budget` of cost units and messages
    - `hours`: when messages may be sent, for example "08:00-20:00 Africa/Kampala"
    - `canary`: the first batch is one message, and the rest waits for its answer
    - `max_unknown`: the run pauses when this many batches are unknown
    - `confirm`: needed for live sending: the phrase that the error shows; it names the number of messages
    - `progress`: a progress bar; "tqdm" for the plain one also in notebooks
    - `ledger`: a file for the ledger outside the folder, for folders that are not on a local disk

    A pause ends it, because nobody is there to resume: `Result.sentence` says why, and `resume` goes on.
    Whatever ends it, requests under way finish first, and the campaign can be resumed when this returns.
    Ctrl-C and SIGTERM stop cleanly: the first lets requests under way finish, the second ends at once. Then
    `KeyboardInterrupt` is raised, or for SIGTERM `SystemExit(143)`.

    Raises `ConfirmationError`, `FolderError` and its kinds, and `UsageError`.
    """
    check_plan(plan)
    options = SendOptions(
        account=account, folder=folder, name=name, changed=changed, gone=gone, pilot=pilot, takeover=takeover,
        batch_size=batch_size, concurrency=concurrency, rate=rate, budget=budget, hours=hours, canary=canary,
        max_unknown=max_unknown, confirm=confirm, progress=progress, ledger=ledger,
    )  # fmt: skip
    return Run(open_campaign(plan, options), attended=False).wait()


def start(
    plan: Plan,
    *,
    account: Account | Sandbox | None = None,
    folder: Place | None = None,
    name: str | None = None,
    changed: Changed = "ask",
    gone: Gone = "ask",
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
    progress: Progress = True,
    ledger: Place | None = None,
) -> Run:
    """Send a plan in the background and return its `Run` at once; the options are those of `send`.

    A run that pauses waits for `run.resume()` or `run.stop()`. In a notebook the run shows its dashboard.
    """
    check_plan(plan)
    options = SendOptions(
        account=account, folder=folder, name=name, changed=changed, gone=gone, pilot=pilot, takeover=takeover,
        batch_size=batch_size, concurrency=concurrency, rate=rate, budget=budget, hours=hours, canary=canary,
        max_unknown=max_unknown, confirm=confirm, progress=progress, ledger=ledger,
    )  # fmt: skip
    return Run(open_campaign(plan, options), attended=True)


async def asend(
    plan: Plan,
    *,
    account: Account | Sandbox | None = None,
    folder: Place | None = None,
    name: str | None = None,
    changed: Changed = "ask",
    gone: Gone = "ask",
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
    progress: Progress = True,
    ledger: Place | None = None,
) -> Result:
    """`send` as a coroutine. A cancellation stops the run cleanly and is then raised."""
    check_plan(plan)
    options = SendOptions(
        account=account, folder=folder, name=name, changed=changed, gone=gone, pilot=pilot, takeover=takeover,
        batch_size=batch_size, concurrency=concurrency, rate=rate, budget=budget, hours=hours, canary=canary,
        max_unknown=max_unknown, confirm=confirm, progress=progress, ledger=ledger,
    )  # fmt: skip
    opened = await _opened(asyncio.create_task(asyncio.to_thread(open_campaign, plan, options)))
    return await Run(opened, attended=False).finished()


def resume(
    folder: Place,
    *,
    opt_outs: Any = None,
    account: Account | Sandbox | None = None,
    changed: Changed = "ask",
    gone: Gone = "ask",
    takeover: str | None = None,
    batch_size: int = 100,
    concurrency: int = 8,
    rate: float | None = None,
    budget: Budget | Money | None = None,
    hours: Hours | str | None = None,
    canary: bool = True,
    max_unknown: int = 1,
    confirm: str | None = None,
    progress: Progress = True,
) -> Result:
    """Continue a campaign: `send` of its last plan. What was never sent or was refused goes out.

    What was under way when a program died is `unknown` and stays so until a person decides. `opt_outs`: a
    file, DataFrame, Series or list of numbers of people who answered STOP since; they get nothing more.
    `account` is the one that the campaign was started with; a local one needs none. After a pilot, this
    releases the rest. The other options are those of `send`.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    options = SendOptions(
        account=account, folder=folder, changed=changed, gone=gone, takeover=takeover, batch_size=batch_size,
        concurrency=concurrency, rate=rate, budget=budget, hours=hours, canary=canary,
        max_unknown=max_unknown, confirm=confirm, progress=progress,
    )  # fmt: skip
    return Run(open_campaign(None, options, opt_outs), attended=False).wait()


def load_result(folder: Place) -> Result:
    """What is known about a campaign now, from its folder; also while it is being sent."""
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
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

    `outcome` is "accepted" (the service has it), "refused" (the service does not have it), or "again": nobody
    knows, and `resume` shall send it once more, so that people may get it twice. `confirm` is the phrase that
    the error shows together with the evidence; `note` says how you know. The journal keeps who decided, when
    and why.

    Raises `ConfirmationError` with the evidence and the phrase, `UsageError` for a batch that is not unknown,
    `LockedError` while a run has the campaign open.
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_count(batch, subject="batch", write="the number of one batch, for example batch=2")
    batch = int(batch)  # one of numpy's cannot be looked up
    check_choice(outcome, list(_SETTLED), subject="outcome")
    check_text(note, subject="note", write='note="how you know"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    with place.lock(), closing(open_ledger(place.ledger_path, place.manifest.identity)) as ledger:
        batches = result_frame(place.ledger_path)
        unknown = batches[batches["status"] == "unknown"].set_index("batch")
        if batch not in unknown.index:
            raise UsageError(f"Batch {batch} is not unknown. Unknown are: {_listed(unknown.index.tolist())}.")
        evidence = unknown.loc[[batch]].to_dict("records")[0]
        phrase = _phrase(batch, evidence["messages"], outcome)
        if confirm != phrase:
            raise ConfirmationError(f'{_evidence(batch, evidence)} To settle it, give confirm="{phrase}".')
        decision = f"{getpass.getuser()}: {outcome}"
        ledger.move(
            batch, _SETTLED[outcome], error="" if outcome == "accepted" else evidence["error"],
            note=f"{decision}, {note}" if note else decision,
        )  # fmt: skip
    return place.load_result()


def _phrase(batch: int, people: int, outcome: str) -> str:
    """What a person types to settle a batch."""
    if outcome != "again":
        return f"batch {batch} was {outcome}"
    return f"send batch {batch} again, {counted(people, 'person', 'people')} may get it twice"


def _evidence(batch: int, evidence: Mapping[Hashable, Any]) -> str:
    """What is known about an unknown batch: when it left, how long the answer was awaited, what came."""
    when, waited = evidence["submitted_at"], evidence["seconds"]
    left = "" if pd.isna(when) else f" left at {when:%Y-%m-%d %H:%M:%S} UTC"
    wait = "" if pd.isna(waited) else f", after {waited:.0f} s"
    messages = counted(evidence["messages"], "message")
    return f"Batch {batch} ({messages}){left}{wait}: {evidence['error'] or 'no answer'}."


def _listed(batches: list[int]) -> str:
    return ", ".join(map(str, batches[:20])) + (" …" if len(batches) > 20 else "") if batches else "none"


def check_plan(plan: object) -> None:
    """Raise `UsageError` unless this is a plan, with what to do about the usual mistakes."""
    if isinstance(plan, Plan):
        return
    if isinstance(plan, Result):
        raise UsageError(
            "plan is a Result: that plan was sent already. To send what is left of it, use "
            "campaign.resume(result.folder)."
        )
    kind = "a table of contacts" if isinstance(plan, pd.DataFrame) else described(plan)
    raise UsageError(
        f"plan is {kind}, not a Plan. Make one first: "
        "plan = campaign.prepare(contacts, message=..., sender=...)."
    )


async def _opened(opening: asyncio.Task[OpenCampaign]) -> OpenCampaign:
    """Wait for a campaign that a thread opens. When this is cancelled, the campaign is closed again first."""
    cancelled: asyncio.CancelledError | None = None
    while not opening.done():
        try:
            await asyncio.wait([opening])
        except asyncio.CancelledError as error:  # a thread cannot be interrupted: let it finish
            cancelled = error
    if cancelled is None:
        return opening.result()
    if opening.exception() is None:
        opening.result().close()
    raise cancelled
