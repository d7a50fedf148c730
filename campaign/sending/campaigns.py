"""The verbs that send or look: `compare`, `send`, `start`, `asend`, `resume` and `load_result`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from campaign.argument_checks import check_count, check_path
from campaign.cluster import Cluster
from campaign.contract import Changed, Elsewhere, OptedOut, Waiting
from campaign.environments import Environment
from campaign.errors import ConfirmationError, UsageError
from campaign.messages.plan import Plan
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.hours import Hours
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.opening import OpenCampaign, compare_in, open_campaign
from campaign.sending.options import Money, Place, Progress, SendOptions, check_plan
from campaign.sending.rounds.difference import Difference
from campaign.sending.run import Run
from campaign.sending.store.folder import open_folder
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.values import replace

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_OF_SEND_ALONE = ("senders", "client")


@public_call
def compare(
    plan: Plan,
    *,
    name: str | None = None,
    account: Account | Sandbox | None = None,
    folder: Place | None = None,
) -> Difference:
    """Tell what `send` would do with a plan, without sending.

    Parameters
    ----------
    plan
        What `prepare` made.
    name, account, folder
        Which campaign: see `send`.

    Returns
    -------
    Difference
        Who is new, who was reached, whose text changed. Nothing is written, and no run is disturbed.

    Raises
    ------
    FolderError
        The campaign cannot be read.

    Examples
    --------
    >>> campaign.compare(plan, name="reminder").new
    1
    """
    check_plan(plan)
    options = SendOptions(account=account, folder=folder, name=name)
    environment: Environment = account.environment if isinstance(account, Account) else "local"
    return compare_in(plan, options, environment)


@public_call
def send(
    plan: Plan,
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
    progress: Progress = True,
    ledger: Place | None = None,
    opted_out: OptedOut = "ask",
    elsewhere: Elsewhere = "ask",
    senders: int | None = None,
    client: Any = None,
) -> Result:
    """Send what a campaign has not sent yet, wait for the end, and return what came of it.

    Parameters
    ----------
    plan
        What `prepare` made.
    account
        Where and as whom; by default an embedded sandbox, which sends nothing.
    folder
        Instead of `campaigns/<name>`.
    name
        By default that of the file. Nobody gets the same text twice under it.
    changed, waiting, opted_out, elsewhere
        Answers where "ask" raises an error that shows the choices.
    pilot
        Send so many at random first, then end.
    takeover
        The phrase for a folder that was moved.
    batch_size
        Messages in a request, at most 1000.
    concurrency
        Requests at a time.
    rate
        Messages a second.
    budget
        Cost units of the whole campaign, or a `Budget`.
    hours
        Such as "08:00-20:00 Africa/Kampala".
    canary
        Send one message first.
    max_unknown
        Unknown batches that end the run.
    confirm
        The phrase for live sending.
    progress
        A bar, in notebooks the dashboard.
    ledger
        File or PostgreSQL address, where it is not in the folder.
    senders, client
        Send from so many tasks of a Dask cluster.

    Returns
    -------
    Result
        The whole table. Ctrl-C and SIGTERM stop cleanly; `resume` goes on.

    Raises
    ------
    ConfirmationError
        A person has to decide.
    FolderError
        The folder cannot be used, or another run has it open.
    UsageError
        An argument cannot be used.

    Examples
    --------
    >>> result = campaign.send(plan, name="visits", progress=False)
    >>> result.totals["accepted"]
    1
    """
    ledger = without_password(ledger)
    check_plan(plan)
    options = SendOptions(
        account=account, folder=folder, name=name, changed=changed, waiting=waiting, opted_out=opted_out,
        pilot=pilot, takeover=takeover, batch_size=batch_size, concurrency=concurrency, rate=rate,
        budget=budget, hours=hours, canary=canary, max_unknown=max_unknown, confirm=confirm,
        progress=progress, ledger=ledger, elsewhere=elsewhere,
    )  # fmt: skip
    return _sent(plan, options, senders, client)


def _sent(
    plan: Plan | None, options: SendOptions, senders: int | None, client: Any, opt_outs: Any = None
) -> Result:
    """What comes of a plan, or of the campaign in the folder of the options, sent here or by `senders`."""
    check_count(senders, subject="senders", write="senders=2", or_none=True)
    cluster = Cluster.of(client) if senders or client is not None else None
    if senders is not None:
        # Most campaigns need no worker.
        from campaign.sending.workers.cluster_senders import send_from_cluster

        result = send_from_cluster(plan, options, int(senders), cluster, opt_outs)
        if result is not None:
            return result
    return Run(open_campaign(plan, options, opt_outs), attended=False).wait()


def _with_options_of(
    send: Callable[Given, object],
) -> Callable[[Callable[[Plan, SendOptions], Returned]], Callable[Given, Returned]]:
    """Give a verb the signature of `send` without what only that can do; it gets plan and options."""
    signature = inspect.signature(send)
    own = [one for one in signature.parameters.values() if one.name not in _OF_SEND_ALONE]

    def decorate(verb: Callable[[Plan, SendOptions], Returned]) -> Callable[Given, Returned]:
        returned = verb.__annotations__["return"]

        @wraps(verb)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
            options = signature.bind(*args, **kwargs).arguments
            options["ledger"] = without_password(options.get("ledger"))
            del args, kwargs  # a password can be among them, and tracebacks may show local variables
            plan = options.pop("plan")
            check_plan(plan)
            return verb(plan, SendOptions(**options))

        call.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined] # any function may have one
        public = public_call(call)
        # Last: from Python 3.14 on, wrapping takes over no annotations that were set.
        public.__annotations__ = {one.name: one.annotation for one in own} | {"return": returned}
        return public

    return decorate


@_with_options_of(send)
def start(plan: Plan, options: SendOptions) -> Run:
    """Send a plan in the background and return its `Run` at once.

    Parameters
    ----------
    plan
        What `prepare` made.
    account, folder, name, changed, waiting, pilot, takeover, batch_size, concurrency, rate, budget, hours
        See `send`.
    canary, max_unknown, confirm, progress, ledger, opted_out, elsewhere
        See `send`.

    Returns
    -------
    Run
        As the last line of a cell it is a dashboard. A run that pauses waits for `run.resume()` or
        `run.stop()`.

    Raises
    ------
    ConfirmationError, FolderError, UsageError
        As `send` does.

    Examples
    --------
    >>> run = campaign.start(plan, name="visits")
    >>> run.wait().totals["accepted"]
    1
    """

    def begin(phrase: str | None) -> Run:
        return Run(open_campaign(plan, replace(options, confirm=phrase)), attended=True)

    return _ask_first(begin, options.confirm)


def continued(run: Run, *, confirm: str | None = None) -> Run:
    """Go on with a run that has ended, with the same options: what waits and what was refused goes out.

    Returns the new run at once; from then on it is `run.continuation`. Raises `ConfirmationError` where live
    sending has to be confirmed again, and `UsageError` where nothing can be continued.
    """
    if not run.can_be_continued:
        raise UsageError("nothing_to_continue", folder=str(run.folder))
    # Somebody may have given the campaign another budget since: without one, that one holds.
    options = replace(run.options, folder=run.folder, name=None, pilot=None, budget=None, ledger=None)

    def go_on(phrase: str | None) -> Run:
        continuation = Run(open_campaign(None, replace(options, confirm=phrase)), attended=True)
        run.continue_as(continuation)
        return continuation

    return _ask_first(go_on, confirm)


def _ask_first(attempt: Callable[[str | None], Run], phrase: str | None) -> Run:
    """Make the attempt. If it asks for a phrase, the question that it raises knows how to proceed."""
    try:
        return attempt(phrase)
    except ConfirmationError as question:
        if question.phrase:
            question.proceed = partial(_ask_first, attempt)
        raise


@_with_options_of(send)
async def asend(plan: Plan, options: SendOptions) -> Result:
    """Send a plan as a coroutine: `send` for programs with an event loop.

    Parameters
    ----------
    plan
        What `prepare` made.
    account, folder, name, changed, waiting, pilot, takeover, batch_size, concurrency, rate, budget, hours
        See `send`.
    canary, max_unknown, confirm, progress, ledger, opted_out, elsewhere
        See `send`.

    Returns
    -------
    Result
        A cancellation stops the run cleanly and is then raised.

    Raises
    ------
    ConfirmationError, FolderError, UsageError
        As `send` does.

    Examples
    --------
    >>> result = asyncio.run(campaign.asend(plan, name="visits", progress=False))
    >>> result.totals["accepted"]
    1
    """
    opened = await _opened(asyncio.create_task(asyncio.to_thread(open_campaign, plan, options)))
    return await Run(opened, attended=False).finished()


@public_call
def resume(
    folder: Place,
    *,
    opt_outs: Any = None,
    account: Account | Sandbox | None = None,
    changed: Changed = "ask",
    waiting: Waiting = "ask",
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
    opted_out: OptedOut = "ask",
    elsewhere: Elsewhere = "ask",
    senders: int | None = None,
    client: Any = None,
) -> Result:
    """Continue a campaign: what was never sent, or was refused, goes out.

    Parameters
    ----------
    folder
        The campaign's folder.
    opt_outs
        Numbers of people who want nothing more: a file, DataFrame, Series or list.
    account
        The one that the campaign began with; for the embedded sandbox none, or the `Sandbox` itself.
    changed, waiting, takeover, batch_size, concurrency, rate, budget, hours, canary, max_unknown, confirm
        See `send`. Batches keep their size, and a budget stays in force.
    progress, ledger, opted_out, elsewhere, senders, client
        See `send`.

    Returns
    -------
    Result
        The whole table. What is unknown stays so until a person decides. After a pilot, the rest goes out.

    Raises
    ------
    ConfirmationError
        A person has to decide.
    FolderError
        The folder cannot be used, or another run or worker has it open.

    Examples
    --------
    >>> campaign.resume(result.folder, progress=False).totals["accepted"]
    1
    """
    ledger = without_password(ledger)
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    options = SendOptions(
        account=account, folder=folder, changed=changed, waiting=waiting, opted_out=opted_out,
        takeover=takeover, batch_size=batch_size, concurrency=concurrency, rate=rate, budget=budget,
        hours=hours, canary=canary, max_unknown=max_unknown, confirm=confirm, progress=progress,
        ledger=ledger, elsewhere=elsewhere,
    )  # fmt: skip
    return _sent(None, options, senders, client, opt_outs)


@public_call
def load_result(folder: Place) -> Result:
    """Return what is known about a campaign now, also while it is being sent.

    Parameters
    ----------
    folder
        The campaign's folder.

    Returns
    -------
    Result
        Nothing is written.

    Raises
    ------
    FolderError
        There is no campaign, or it cannot be read.

    Examples
    --------
    >>> campaign.load_result(result.folder).totals["accepted"]
    1
    """
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    return open_folder(folder).load_result()


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
