"""A campaign under way, behind `start`, `send` and `asend`.

A run has a thread of its own, so that a notebook's cells and buttons stay usable. The buttons only give
orders; the engine on that thread is the only one that acts on them.
"""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial

from campaign.messages.plan import Plan
from campaign.paths import seen_from_here
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.engine.budget import Budget, budget_in_words
from campaign.sending.engine.delivery import Post
from campaign.sending.engine.engine import Engine, Listener
from campaign.sending.engine.engine_thread import EngineThread
from campaign.sending.engine.hold import MADE_WAY
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.tally import RunStatus, Snapshot
from campaign.sending.engine.unsent import UnsentBatches
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.views import snapshot
from campaign.sending.opening import OpenCampaign
from campaign.sending.options import check_seconds
from campaign.sending.rounds.standing import nothing_sent, tally_of
from campaign.sending.store import runs_here
from campaign.sending.store.frozen_messages import pending_batches
from campaign.sending.store.rounds import FrozenPlan
from campaign.sending.store.ways_on import call_to_resume
from campaign.sending.waiting.terminal import interruption, notebook_display, progress_bar
from campaign.sending.waiting.waiting import Waiting
from campaign.service.account_in_code import account_argument
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_UNDER_WAY = Finding("under_way", severity="info")
_OTHER_OPTIONS = "campaign.resume(run.folder, budget=100)"  # once this run has been stopped


# What Tab offers: a person needs no more of it.
_OFFERED = (
    "plan", "folder", "environment", "label", "status", "counts", "finding", "sentence", "comparison",
    "budget", "ended", "finished", "result", "pause", "resume", "stop", "cancel", "wait",
)  # fmt: skip


class Run:
    """A campaign under way. `start` makes one; all methods may be called at any time, from any thread.

    A run that is not attended ends when it pauses, because nobody could resume it. Once it has ended,
    nothing changes any more, and orders do nothing.

    Attributes
    ----------
    folder : pathlib.Path
        The campaign's folder.
    environment, label : str
        Where the messages go, and the same for everybody who looks at it.
    currency : str
        What the service counts costs in; "" if the account does not say.
    comparison : tuple of Finding
        What was sent before this run, if anything was compared.
    budget : str
        What the campaign may cost; "" for no limit.
    outgoing : int
        Messages that were to go out when it began.
    continuation : Run or None
        The run that a person has resumed the campaign with after its end: `wait` and `result` are about
        that one.

    Examples
    --------
    >>> run = campaign.start(plan, name="visits")
    >>> run.wait().totals["accepted"], run.status
    (1, 'finished')
    """

    def __init__(self, opened: OpenCampaign, *, attended: bool) -> None:
        account, self.options, self.comparison = opened.account, opened.options, opened.comparison
        self._frozen, self._folder, self._last_round = opened.frozen, opened.folder, opened.last_round
        self._process, self.progress = os.getpid(), opened.options.progress
        self.folder, self.environment = opened.folder.path, account.environment
        self.label, self.currency = account.label, account.currency
        self.budget = budget_in_words(Budget.of(opened.options.budget), account.currency)
        self.continuation: Run | None = None
        self._followers: list[Callable[[Run], None]] = []
        held = ExitStack()  # in reverse order: the interpreter's end is waited for until the ledger is closed
        held.callback(atexit.unregister, self._finish_at_exit)
        held.push(opened.held)
        try:
            make_engine = partial(self._make_engine, opened, attended)
            self._thread = EngineThread(make_engine, opened.account, held)
            self._engine, self._waiting = self._thread.engine, Waiting(self._thread)
            self.outgoing = 0 if self._complete else self.counts.waiting
            self.seconds_before, self._accepted_before = self.counts.seconds, self.counts.accepted
            atexit.register(self._finish_at_exit)
            self._thread.start(
                self._folder.path.name,
                connections=opened.options.concurrency,
                is_complete=self._complete,
            )
            runs_here.note(self)
        except BaseException:
            held.close()
            raise

    def _make_engine(self, opened: OpenCampaign, attended: bool, post: Post, listen: Listener) -> Engine:
        folder, last_round, ledger = opened.folder, opened.last_round, opened.ledger
        contents = snapshot(folder.ledger_place)
        tally = tally_of(folder.rounds(contents), contents, self.currency)
        self._complete = not any(batch.state == "pending" for batch in contents.batches)
        self.is_closed = self._complete and contents.is_closed
        if self._complete:
            self._nothing_sent = nothing_sent(tally, contents.outcomes, self.environment)
        manifest = last_round.manifest
        return Engine(
            UnsentBatches(
                pending_batches(last_round.plan_path, manifest.parts, ledger, opened.account.encoding)
            ),
            GroupCommit(ledger),
            post,
            tally=tally,
            valves=opened.options.valves(manifest.canary, opened.options.pilot_end(manifest.pilot)),
            pace=Pace(opened.options.rate),
            concurrency=opened.options.concurrency,
            listen=listen,
            end_when_paused=not attended,
        )

    @property
    def counts(self) -> Snapshot:
        """Where the run stands, refreshed about ten times a second."""
        ended = self._thread.ended  # read first: after the end, the thread's counts change no more
        counts = self._thread.counts
        return replace(counts, status="stopped") if ended and counts.status == "paused" else counts

    def __dir__(self) -> list[str]:
        return [*_OFFERED]

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<Run {self.status}: {counts.accepted:,} of {counts.messages:,} messages accepted, "
            f"{counts.refused:,} refused, {counts.unknown:,} unknown, {counts.waiting:,} waiting>"
        )

    @property
    def plan(self) -> Plan:
        """The plan as it was frozen."""
        return self._frozen_plan().plan

    @property
    def accepted_here(self) -> int:
        """How many of the outgoing messages were accepted so far."""
        return self.counts.accepted - self._accepted_before

    @property
    def status(self) -> RunStatus:
        return self.counts.status

    @property
    def ended(self) -> bool:
        """Whether it is over; then `counts`, `status` and `sentence` change no more."""
        return self._thread.ended

    @property
    def finding(self) -> Finding | None:
        """Why the run is not running; None while it is."""
        return self._nothing_sent if self._complete else self.counts.finding

    @property
    def sentence(self) -> str:
        """The finding in words, with what to do; "" for none."""
        return "" if self.finding is None else PYTHON.text(self.finding)

    @property
    def _is_of_this_process(self) -> bool:
        """Whether it was started here; a fork has a copy of it without its thread."""
        return os.getpid() == self._process

    @property
    def can_be_continued(self) -> bool:
        """Whether it has ended with something left that the same options could send: see `continued`."""
        hold = self._engine.hold
        is_over = self.status in ("finished", "stopped") and self.ended and not self._complete
        left = self.counts.waiting or self.counts.refused
        return bool(is_over and left and not (hold is not None and hold.needs_change))

    @property
    def call_for_the_rest(self) -> str:
        """The call of `resume` that sends what is left, ready to be copied."""
        account = account_argument(self.options.account)
        return call_to_resume(self.folder, account, self.options.as_record(), self.option_for_the_rest)

    @property
    def option_for_the_rest(self) -> str:
        """The option of `resume` without which it would end the same way again; "" if it needs none."""
        hold = self._engine.hold
        return "" if hold is None else hold.option

    def continue_as(self, run: Run) -> None:
        """Speak of this run from now on, and tell everybody who follows."""
        self.continuation = run
        for follower in self._followers:
            follower(run)

    def follow(self, follower: Callable[[Run], None]) -> None:
        """Have a function called with the run that goes on with this one, once there is one."""
        self._followers.append(follower)

    @public_call
    def make_way(self) -> None:
        """End because another call opens the campaign, and wait until that is done."""
        self._engine.hold_with(MADE_WAY)
        self.wait()

    @property
    def made_way(self) -> bool:
        """Whether the run was ended by another call that opened its campaign."""
        return self._engine.hold is MADE_WAY

    @property
    def is_waited_for(self) -> bool:
        """Whether somebody blocks the main thread in `wait`, so that it can do nothing else."""
        return self._waiting.blocks_main_thread

    @public_call
    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._engine.pause()

    @partial(public_call, instead=_OTHER_OPTIONS)
    def resume(self) -> None:
        """Go on after a pause, whoever caused it."""
        self._engine.resume()

    @public_call
    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._engine.stop()

    @public_call
    def cancel(self) -> None:
        """End at once; what has left without an answer becomes unknown."""
        self._engine.cancel()

    @property
    def result(self) -> Result:
        """What is known now, also while the run is under way."""
        if self.continuation is not None:
            return self.continuation.result
        ended = self.ended  # read first: after the end, the sentence changes no more
        if ended and self.made_way:
            return self._folder.load_result()  # what the other call did is true by now
        ending = self.finding or (None if ended else _UNDER_WAY)
        resume = self.call_for_the_rest if ended else ""
        return self._folder.load_result(
            self._frozen_plan(), ending, nothing_sent=self._complete, resume=resume
        )

    def _frozen_plan(self) -> FrozenPlan:
        if self._frozen is None:
            self._frozen = self._last_round.load(snapshot(self._folder.ledger_place).batches)
        return self._frozen

    # waiting for it

    @public_call
    def wait(self, timeout: float | None = None) -> Result:
        """Wait for the end and return what came of it.

        Returns early when the run is paused and everything under way has been answered, because a person has
        to decide then, and after `timeout` seconds, whatever is under way then.

        Ctrl-C stops the run cleanly: the first lets what is under way finish, the second ends it at once.
        Then `KeyboardInterrupt` is raised; `load_result(run.folder)` tells what is known. SIGTERM does the
        same and ends with `SystemExit(143)`.
        """
        check_seconds("timeout", timeout)
        if self.continuation is not None:
            return self.continuation.wait(timeout)
        if noted := self._waiting.until_settled(timeout, self._bar):
            raise interruption(noted, self._interruption_sentence())
        return self._outcome()

    @public_call
    async def finished(self) -> Result:
        """The same as `wait` for people with an event loop; a cancellation stops the run cleanly.

        It goes on waiting when a person has paused the run, because that person can still press Resume. Where
        a lost answer, refusals or the hours pause it, it returns, as `wait` does, and the result says so. A
        second cancellation ends the run at once.
        """
        if self.continuation is not None:
            return await self.continuation.finished()
        if noted := await self._waiting.until_ended(self._bar):
            raise interruption(noted, self._interruption_sentence())
        return await asyncio.to_thread(self._outcome)

    def _interruption_sentence(self) -> str:
        """What a person has to know who has stopped the run and gets no result from `wait`."""
        counts = self.counts
        others = {"refused": counts.refused, "unknown": counts.unknown, "not sent": counts.waiting}
        facts = {
            "run": "Run" if self.environment == "live" else "Rehearsal",
            "accepted": counts.accepted,
            "messages": counts.messages,
            "others": [f"{count:,} {status}" for status, count in others.items() if count],
            "folder": seen_from_here(self.folder),
            "call": self.call_for_the_rest,
        }
        return PYTHON.text(Finding("run_interrupted", facts))

    @property
    def is_held_by_valve(self) -> bool:
        """Whether the run is paused, but not by a person, and nothing is under way."""
        return self._waiting.is_held_by_valve

    def _outcome(self) -> Result:
        if self.ended:
            self._thread.join()
            self._thread.raise_failure()
        return self.result

    def _finish_at_exit(self) -> None:
        """The interpreter ends without `wait`: stop cleanly."""
        if not self._is_of_this_process:  # a fork has no thread of the run, and would wait forever
            return
        self._waiting.until_gone()

    def _bar(self) -> AbstractContextManager[Callable[[], None]]:
        if self.progress is True and (show := notebook_display()) is not None:
            show(self)  # as its dashboard, which needs no bar, or else as a card, which does
        return progress_bar(self.progress and not self._complete, self.environment, lambda: self.counts)
