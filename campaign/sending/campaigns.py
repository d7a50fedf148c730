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
    """What `send` would do with a plan, without sending: who is new, who was reached, whose text changed.

    Its sentence says, too, whom other campaigns beside this one have reached: under a new name everybody is
    new. The arguments are those of `send`. Nothing is written, and a run that is under way is not disturbed.
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
    """Send a plan, wait for the end and return what came of it.

    A campaign is a `name` and an account. What was sent under that name is in its folder, and `send` sends
    the difference: whoever was reached with this very text gets nothing, and everybody else gets theirs. So
    a corrected spreadsheet is sent again as a whole, and running the same twice sends nothing. The name is by
    default that of the file. Give another name to say the same thing again.

    - `name`: what the campaign is called; its folder is `campaigns/<name>`, with `.local` or `.sandbox` for
      rehearsals, which never count as having reached anyone. `folder` gives another place
    - `changed`: what happens to rows whose number was reached with another text, or whose very cell was
      reached as another number: "ask" raises an error that shows them, "skip" lets the number keep what it
      got, "send" sends the new text too
    - `waiting`: what happens to texts that still wait and are not in the plan, because their number is in no
      row any more or gets another text now: "ask" raises an error, "withdraw" never sends them
    - `opted_out`: what happens to people whom a mark in their row left out before, and not any more: "ask"
      raises an error, "skip" leaves them out, "send" sends to them
    - `elsewhere`: what happens live to people whom another campaign of this account gave this very text
      within six days, or has it waiting or unknown for them: "ask" raises an error, "send" sends it again
    - `pilot`: send about so many messages first, chosen at random, then end; `resume` sends the rest, and so
      does `send` without `pilot=`
    - `takeover`: the phrase that an error shows when the campaign was moved, copied or restored
    - `account`: where and as whom; without one, an embedded sandbox on this machine, which sends nothing. A
      `Sandbox` may be given itself; one that is not running is started for the length of the run
    - `batch_size`: messages in one request, at most 1000
    - `concurrency`: requests at a time, for each of several `senders`; if the service dies, up to
      `concurrency` x `batch_size` messages of each may end as unknown
    - `rate`: messages a second at most, over time: a batch leaves at once, so at `rate=40` one of 100
      messages leaves every 2.5 seconds. For a provider that counts each second, make `batch_size` smaller
    - `budget`: cost units at most over the campaign's life, or a `Budget` of cost units and messages. Without
      one, the one given last stays in force; `Budget()` lifts it
    - `hours`: when messages may be sent, for example "08:00-20:00 Africa/Kampala"
    - `canary`: the first batch is one message, and the rest waits for its answer
    - `max_unknown`: the run pauses when this many batches are unknown
    - `confirm`: needed for live sending: the phrase that the error shows; it names the number of messages
    - `progress`: a progress bar, in a notebook the dashboard; "tqdm" for the bar also in notebooks
    - `ledger`: a file for the ledger outside the folder, for folders that are not on a local disk; or the
      address of a PostgreSQL database, "postgresql+psycopg://user@host/database". Its password is kept
      nowhere: leave it to PGPASSWORD or a password file, or give it in the address, in every new program

    - `senders`: so many long tasks on the workers of a Dask cluster send, instead of this program. The ledger
      has to be in PostgreSQL, and `rate`, `budget` and all that holds a run then hold for them together. No
      secret travels: each worker needs the folder, the variables of `Account.from_environment` for the same
      account, and the password of the database in PGPASSWORD or a password file. Without an account, each
      rehearses in an embedded sandbox of its own
    - `client`: the client of that cluster; by default the current one

    A pause ends it, because nobody is there to resume: `Result.sentence` says why, and `resume` goes on.
    Whatever ends it, requests under way finish first, and the campaign can be resumed when this returns.
    Ctrl-C and SIGTERM stop cleanly: the first lets requests under way finish, the second ends at once. Then
    `KeyboardInterrupt` is raised, or for SIGTERM `SystemExit(143)`.

    Raises `ConfirmationError`, `FolderError` and its kinds, and `UsageError`.
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
        call.__annotations__ = {one.name: one.annotation for one in own} | {"return": returned}
        return public_call(call)

    return decorate


@_with_options_of(send)
def start(plan: Plan, options: SendOptions) -> Run:
    """Send a plan in the background and return its `Run` at once; the options are those of `send`.

    A run that pauses waits for `run.resume()` or `run.stop()`. An account that is out of money or refused,
    and a budget that is used up, end it: then `resume` goes on. In a notebook, end the cell with a line `run`
    after `run = campaign.start(plan)` to see its dashboard.
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
        raise UsageError(
            "This run cannot be continued: it is still under way, or nothing is left that the same options "
            f"could send. To go on with other options, write campaign.resume({str(run.folder)!r}, …)."
        )
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
    """`send` as a coroutine. A cancellation stops the run cleanly and is then raised."""
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
    """Continue a campaign: `send` of its last plan. What was never sent or was refused goes out.

    What was under way when a program died is `unknown` and stays so until a person decides. `opt_outs`: a
    file, DataFrame, Series or list of numbers of people who answered STOP since: none of them gets anything
    more under this name, also those who are in no row yet. A closed campaign takes none: give them to
    `prepare`.
    `account` is the one that the campaign was started with. A local campaign needs none, but then goes to an
    embedded sandbox of its own: give the `Sandbox` that you have topped up. After a pilot, this releases the
    rest. `ledger` is only needed for the password of its database. The other options are those
    of `send`. Batches that wait keep the size that they were cut to, whatever `batch_size` says, and the
    budget given last stays in force unless `budget` is given. While workers send the campaign, this is
    refused: `campaign.order` directs those.
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
    """What is known about a campaign now, from its folder; also while it is being sent."""
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
