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
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

if TYPE_CHECKING:  # it brings SQLAlchemy, which only a ledger in a database needs
    from campaign.sending.workers.joined_campaign import JoinedCampaign

WhenPaused = Literal["wait", "end"]
WorkerStatus = Literal["finished", "paused", "stopped", "ended"]
_FOLDER_EXAMPLE = 'folder="campaigns/visits"'
_TICK = 0.1  # seconds between two looks at the engine, so that signals are noticed on every system


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """What one worker did, in messages, and what is left.

    Attributes
    ----------
    accepted, refused, unknown : int
        What became of the messages that this worker sent.
    waiting : int
        Messages of the campaign, or of the worker's parts, that still wait.
    status : str
        "finished" (nothing waits), "paused" or "stopped" (for all workers) or "ended" (this one alone).
    finding : Finding or None
        What held it, or has to be known.

    Examples
    --------
    >>> campaign.work("/shared/campaigns/visits").status  # doctest: +SKIP
    'finished'
    """

    accepted: int = 0
    refused: int = 0
    unknown: int = 0
    waiting: int = 0
    status: WorkerStatus = "finished"
    finding: Finding | None = None

    @property
    def sentence(self) -> str:
        """The finding in words, "" for none."""
        return "" if self.finding is None else PYTHON.text(self.finding)


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
    """Send a released campaign together with any number of other workers, until nothing is left.

    Parameters
    ----------
    folder
        The campaign's folder, shared or copied.
    account
        The one that it was released with.
    ledger
        The database's address, where its password has to be given.
    parts
        Numbers of part files, from 0; by default all.
    when_paused
        "wait" for `campaign.order`, or "end".
    progress
        Show a bar.

    Returns
    -------
    WorkerReport
        It may be called twice, at once, on any machine, and killed: nothing is sent twice. Others take over
        what a dead worker had claimed after 30 seconds; what it was sending is unknown.

    Raises
    ------
    FolderError
        The folder or its ledger cannot be used.
    UsageError, AccountError
        An argument cannot be used, or the account is another one.

    Examples
    --------
    >>> campaign.work("/shared/campaigns/visits")  # doctest: +SKIP
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
    """Send one frozen part of a released campaign, for Spark, Ray and the like.

    Parameters
    ----------
    folder
        The campaign's folder.
    part
        From 0 to `release(...).parts` - 1.
    account
        Make it on the machine of the task, so that no password travels.
    ledger
        The database's address, where its password has to be given.

    Returns
    -------
    WorkerReport
        It may be called twice, at once, on any machine: each message leaves once. A paused or stopped
        campaign is left at once, and `status` says so.

    Raises
    ------
    FolderError, UsageError, AccountError
        As `work` does.

    Examples
    --------
    >>> account = campaign.Account.from_environment("live")  # doctest: +SKIP
    >>> campaign.send_part("/shared/campaigns/visits", 0, account=account).accepted  # doctest: +SKIP
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
        self._finding: Finding | None = None

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
            finding=self._finding,
        )
        if noted:
            facts = {"sent": sum(self._settled.values()), "waiting": report.waiting}
            raise interruption(noted[0], PYTHON.text(Finding("worker_stopped", facts)))
        return report

    def _is_given_up_once(self, noted: list[int]) -> bool:
        """Join, send until the end and leave; whether others had given this worker up."""
        from campaign.sending.workers.joined_campaign import JoinedCampaign, join_campaign

        with ExitStack() as held:
            account = account_to_continue(self._place, self._options, held)
            joined = join_campaign(self._place, account, self._parts, held)
            if isinstance(joined, JoinedCampaign):
                return self._send(joined, held.pop_all(), noted)
            if joined is not None:
                self._status, self._finding = "stopped", joined.reason
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
        status, self._finding = thread.counts.status, thread.counts.finding
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
