"""Senders on the workers of a Dask cluster: long tasks, each of which is a worker of a released campaign.

Dask may run such a task again, on another machine, while the first one still sends. That does no harm: what
is sent by whom, and that nothing is sent twice, is the ledger's business alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from campaign.cluster import Cluster
from campaign.errors import AccountError, CampaignError, UsageError
from campaign.log import log
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending.engine.tally import Snapshot
from campaign.sending.ledger.postgres import roster
from campaign.sending.options import Progress, SendOptions
from campaign.sending.rounds.standing import tally_of
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.waiting.terminal import interruption, noted_signals, progress_bar
from campaign.sending.workers.ordering import order, workers
from campaign.sending.workers.release import release_plan
from campaign.sending.workers.worker import WorkerReport, work
from campaign.service.account import Account
from campaign.service.kept_account import kept_account
from campaign.service.passwords import variable_names
from campaign.service.wire import Encoding
from campaign.text import agreeing, counted
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_TICK = 0.2  # seconds between two looks at the tasks
_LOOK = 2.0  # seconds between two looks at who sends
_PATIENCE = 10.0  # seconds for a task to return after its worker has left the campaign


def send_from_cluster(
    plan: Plan | None, options: SendOptions, senders: int, cluster: Cluster | None, opt_outs: Any = None
) -> Result | None:
    """Release a plan, have `senders` tasks send it, and return what came of it; None if nothing waits.

    Without a plan, the campaign in the folder of the options goes on, without the people of `opt_outs`.
    Raises `UsageError` without a cluster, and `AccountError` where a worker has no account, before anything
    is registered. Ctrl-C and SIGTERM stop all senders cleanly.
    """
    if cluster is None:
        raise UsageError("cluster_missing")
    environment, encoding = _account_for_all(options)
    _check_accounts(cluster, environment, encoding)
    released = release_plan(plan, options, opt_outs=opt_outs)
    if not released.messages:
        return None
    tasks = cluster.start_long(_send, senders, str(released.folder.absolute()), environment, encoding)
    reports = _Senders(cluster, tasks, released.folder, environment, options.progress).reports()
    ending = next((report.finding for report in reports if report.finding), None)
    return open_folder(released.folder).load_result(ending=ending)


def _account_for_all(options: SendOptions) -> tuple[str, Encoding]:
    """The environment of the account, and how it encodes: all that a worker is told of it."""
    account = options.account
    if account is None:
        return "local", "url"
    if not isinstance(account, Account) or account.environment == "local":
        raise UsageError("account_not_on_workers")
    return account.environment, account.encoding


def _check_accounts(cluster: Cluster, environment: str, encoding: Encoding) -> None:
    """Raise `AccountError` unless each worker finds an account in its environment."""
    answers = cluster.everywhere(_find_account, environment, encoding)
    if not answers:
        raise CampaignError("cluster_missing")
    for worker, answer in answers.items():
        if isinstance(answer, CampaignError):
            cause = answer.finding
            is_missing = cause.code == "account_not_on_workers"
            facts = cause.facts if is_missing else {"cause": cause}
            raise AccountError("account_not_on_workers", worker=worker, **facts)
        if isinstance(answer, BaseException):
            raise CampaignError("cluster_differs", worker=worker, reason=type(answer).__name__)


class _Senders:
    """The tasks that send a campaign, until they have ended or no more comes of them."""

    def __init__(
        self, cluster: Cluster, tasks: Sequence[Any], folder: Path, environment: str, progress: Progress
    ) -> None:
        self._cluster, self._tasks, self._folder = cluster, tasks, folder
        self._environment, self._progress = environment, progress
        self._looked_at, self._heard_of = 0.0, time.monotonic()

    def reports(self) -> list[WorkerReport]:
        """Wait for them; raises what one of them raised if anything waits then."""
        with noted_signals() as noted:
            try:
                with self._bar() as draw:
                    while not self._are_over() and not noted:
                        time.sleep(_TICK)
                        draw()
                    if noted:
                        self._stop(noted)
            except CampaignError:
                raise self._lost() from None
        if noted:
            stopped = Finding("senders_stopped", {"folder": str(self._folder)})
            raise interruption(noted[0], PYTHON.text(stopped))
        return self._ended()

    @contextmanager
    def _bar(self) -> Iterator[Callable[[], None]]:
        if not self._progress:
            yield lambda: None
            return
        counts = SharedCounts(open_folder(self._folder))
        with progress_bar(self._progress, self._environment, counts) as draw:
            yield draw
            counts.expire()  # it is drawn once more at the end

    def _are_over(self) -> bool:
        """Whether all have ended; or one has, since nothing waits, and nobody else is heard of any more."""
        running = [task for task in self._tasks if not self._cluster.has_ended(task)]
        if not running:
            return True
        if len(running) == len(self._tasks) or self._is_anybody_heard_of():
            return False
        log.warning(
            "%s on the Dask cluster %s not heard of any more. What it had under way is unknown.",
            counted(len(running), "sender"), agreeing(len(running), "was", "were"),
        )  # fmt: skip
        self._cluster.forget(running)
        self._tasks = [task for task in self._tasks if task not in running]
        return True

    def _is_anybody_heard_of(self) -> bool:
        now = time.monotonic()
        if now - self._looked_at > _LOOK:
            self._looked_at = now
            if (workers(self._folder)["seconds"] <= roster.TIME_TO_LIVE).any():
                self._heard_of = now
        return now - self._heard_of <= _PATIENCE

    def _stop(self, noted: list[int]) -> None:
        """Have all senders finish what is under way; a second signal waits for nobody."""
        log.warning("Stopping: requests under way finish first. Press Ctrl-C again to wait no longer.")
        order(self._folder, "stop")
        while len(noted) == 1 and not self._are_over():
            time.sleep(_TICK)

    def _ended(self) -> list[WorkerReport]:
        reports, problems = [], []
        for task in self._tasks:
            try:
                reports.append(self._cluster.value(task))
            except CampaignError as problem:
                problems.append(problem)
        if problems and all(report.waiting for report in reports):
            problems[0].begun = True
            raise problems[0]
        return reports

    def _lost(self) -> CampaignError:
        """What a person has to know when the cluster is lost under the senders, or their ledger."""
        lost = CampaignError("senders_lost", folder=str(self._folder))
        lost.begun = True
        return lost


# what workers do


def _find_account(environment: str, encoding: Encoding) -> None:
    """Raise `AccountError` unless the environment of this worker has the account."""
    _account(environment, encoding)


def _account(environment: str, encoding: Encoding) -> Account | None:
    """The account of this worker, without asking anybody: there may be a terminal, but nobody at it."""
    if environment == "local":
        return None
    account = kept_account("live" if environment == "live" else "sandbox", encoding=encoding)
    if account is None:
        raise AccountError("account_not_on_workers", variables=variable_names(environment))
    return account


def _send(folder: str, environment: str, encoding: Encoding) -> WorkerReport:
    return work(Path(folder), account=_account(environment, encoding), when_paused="end")


_EVERY = 2.0  # seconds between two looks, so that the database has little to do
_SHARE = 20  # a look that takes long is followed by so many times as long without one


class SharedCounts:
    """The counts of a campaign, as old as it costs little to know."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._began = folder, time.monotonic()
        self._counts = self._look()
        self._next = self._began + _EVERY

    def __call__(self) -> Snapshot:
        """The last counts, looked up anew where it is time; those of before if that is not possible."""
        now = time.monotonic()
        if now >= self._next:
            with suppress(CampaignError):  # whoever sends will say what is wrong
                self._counts = self._look()
            ended = time.monotonic()
            self._next = ended + max(_EVERY, _SHARE * (ended - now))
        return self._counts

    def expire(self) -> None:
        """Have them looked up anew the next time."""
        self._next = 0.0

    def _look(self) -> Snapshot:
        contents = self._folder.snapshot()
        tally = tally_of(self._folder.rounds(contents), contents.before_answers())
        return tally.snapshot("running", time.monotonic() - self._began, None, None)
