"""A worker: one of any number of programs that send a campaign together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from campaign.argument_checks import check, check_choice, check_count, check_path
from campaign.public_calls import public_call
from campaign.sending.engine.engine_thread import EngineThread
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.opening import account_to_continue
from campaign.sending.options import Place, Progress, SendOptions
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.waiting.terminal import interruption, noted_signals, progress_bar
from campaign.sending.workers.shared_place import shared_place
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import agreeing, counted

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.workers.joined_campaign import JoinedCampaign

WhenPaused = Literal["wait", "end"]
WorkerStatus = Literal["finished", "paused", "stopped", "ended"]
_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_TICK = 0.1  # seconds between two looks at the engine, so that signals are noticed on every system


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """What one worker did, in messages, and what is left.

    `accepted`, `refused` and `unknown` are what became of those that this worker has sent. `waiting` are
    those of the campaign that still wait, or of the parts that the worker was given. `status` says why it is
    over: "finished" (nothing waits), "paused" or "stopped" (for all workers), "ended" (this one alone), and
    `sentence` tells it in words.
    """

    accepted: int = 0
    refused: int = 0
    unknown: int = 0
    waiting: int = 0
    status: WorkerStatus = "finished"
    sentence: str = ""


@public_call
def work(
    folder: Place,
    *,
    account: Account | Sandbox | None = None,
    ledger: Place | None = None,
    parts: Collection[int] | None = None,
    when_paused: WhenPaused = "wait",
    progress: Progress = False,
) -> WorkerReport:
    """Send a campaign that was released, together with any number of other workers, until nothing is left.

    Call it on every machine that shares the campaign folder, or has a copy of it; the ledger has to be in
    PostgreSQL. What is sent, how fast, and when all hold was decided by `campaign.release`: rate, budget,
    hours, canary and `max_unknown` hold for all workers together. A worker needs the folder, the account, and
    `ledger` only for the password of its database.

    It claims a few batches at a time, so it may be called twice, at once, on any machine, and killed: nothing
    is sent twice. Others take over what a dead worker had claimed after 30 seconds; what it was sending is
    unknown. One that slept that long joins again by itself. `parts` restricts it to some part files of the
    round, by their numbers from 0. While the campaign is paused it waits for `campaign.order`, or ends with
    `when_paused="end"`.

    Ctrl-C stops this worker cleanly, and no other. Raises `FolderError` and its kinds, `UsageError` and
    `AccountError`.
    """
    ledger = without_password(ledger)
    check_path(folder, subject="folder", write=_FOLDER_EXAMPLE)
    check_choice(when_paused, get_args(WhenPaused), subject="when_paused")
    _check_parts(parts)
    options = SendOptions(account=account, folder=folder, ledger=ledger, progress=progress)
    place = open_folder(folder)
    place.check_ledger(ledger)
    shared_place(place)
    return _Worker(place, options, parts, when_paused).work()


@public_call
def send_part(
    folder: Place, part: int, *, account: Account | Sandbox | None = None, ledger: Place | None = None
) -> WorkerReport:
    """Send one frozen part of a campaign that was released, for Spark, Ray and the like.

    `part` is a number from 0 to `release(…).parts` - 1. The task of an engine needs no more than a folder, a
    number, and an account that it makes from the environment of its own machine, so that no password travels:

        def task(part):
            account = campaign.Account.from_environment("live")
            return campaign.send_part("/shared/campaigns/visits", part, account=account).accepted

    The contract is that of `work`, restricted to the part. It may be called again, twice at once, on any
    machine, by an engine that repeats what was done already: each message leaves once, and a call that finds
    nothing to do returns zeros. Where the campaign is paused or stopped, it returns at once and says so in
    `status`; it never waits for a person. Until the canary is accepted, and while a pilot goes out, each call
    sends what comes first in the round, whatever its part.
    """
    check_count(part, subject="part", write="part=0", least=0)
    return work(folder, account=account, ledger=ledger, parts=[int(part)], when_paused="end")


def _check_parts(parts: Collection[int] | None) -> None:
    """Raise `UsageError` unless these are numbers of parts."""
    if parts is not None:
        kinds = (list, tuple, set, frozenset, range)
        check(parts, kinds, subject="parts", needs="a list of numbers of parts", write="parts=[0, 1]")
    for part in parts or ():
        check_count(part, subject="parts", write="parts=[0, 1]", least=0)


class _Worker:
    """A worker from its first joining to its end. It joins again when others have given it up meanwhile."""

    def __init__(
        self, place: Folder, options: SendOptions, parts: Collection[int] | None, when_paused: WhenPaused
    ) -> None:
        self._place, self._options, self._parts = place, options, parts
        self._waits_when_paused = when_paused == "wait"
        self._settled = Counter[str]()  # messages by their status
        self._status: WorkerStatus = "finished"
        self._sentence = ""

    def work(self) -> WorkerReport:
        with noted_signals() as noted:
            while self._is_given_up_once(noted) and not noted:
                pass
        report = WorkerReport(
            accepted=self._settled["accepted"],
            refused=self._settled["refused"],
            unknown=self._settled["unknown"],
            waiting=shared_place(self._place).waiting_messages(self._parts),
            status="ended" if noted else self._status,
            sentence=self._sentence,
        )
        if noted:
            raise interruption(noted[0], _goodbye(report))
        return report

    def _is_given_up_once(self, noted: list[int]) -> bool:
        """Join, send until the end and leave; whether others had given this worker up."""
        from campaign.sending.workers.joined_campaign import JoinedCampaign, join_campaign

        with ExitStack() as held:
            account = account_to_continue(self._place, self._options, held)
            joined = join_campaign(self._place, account, self._parts, held)
            if isinstance(joined, JoinedCampaign):
                return self._send(joined, held.pop_all(), noted)
            self._status, self._sentence = ("finished", "") if joined is None else ("stopped", joined.note)
            return False

    def _send(self, joined: JoinedCampaign, held: ExitStack, noted: list[int]) -> bool:
        try:
            make_engine = partial(joined.make_engine, self._parts, self._waits_when_paused)
            thread = EngineThread(make_engine, joined.account, held)
            name, connections = self._place.path.name, joined.options.concurrency
            thread.start(name, connections=connections, is_complete=False)
        except BaseException:
            held.close()
            raise
        environment = joined.account.environment
        with progress_bar(self._options.progress, environment, lambda: thread.counts) as draw:
            _wait(thread, noted, draw)
        self._settled.update(joined.ledger.settled)
        if joined.ledger.is_given_up:
            return True
        thread.raise_failure()
        status, self._sentence = thread.counts.status, thread.counts.sentence
        self._status = status if status in ("paused", "stopped") else "finished"
        return False


def _wait(thread: EngineThread, noted: list[int], draw: Callable[[], None]) -> None:
    """Wait for the end. A first signal lets what is under way finish, a second one ends it at once."""
    heard = 0
    try:
        while not thread.ended:
            if len(noted) > heard:
                (thread.engine.cancel if heard else thread.engine.stop)()
                heard = len(noted)
            thread.await_end(_TICK)
            draw()
    except BaseException:  # from a signal handler that the program set for itself
        thread.engine.stop()
        raise
    finally:
        thread.join()


def _goodbye(report: WorkerReport) -> str:
    """What a person has to know who has stopped a worker, and gets no report."""
    sent = report.accepted + report.refused + report.unknown
    waiting = "nothing waits any more"
    if report.waiting:
        waiting = f"{counted(report.waiting, 'message')} still {agreeing(report.waiting, 'waits', 'wait')}"
    return (
        f"This worker has stopped, and no other: {counted(sent, 'message')} "
        f"{agreeing(sent, 'was', 'were')} sent by it, and {waiting}."
    )
