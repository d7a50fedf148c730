"""A campaign under way: the thread behind `start`, `send` and `asend`, and waiting for it.

A run has a thread of its own with its own event loop, so that a notebook's cells and buttons stay usable. The
buttons only give orders; the engine on that thread is the only one that acts on them.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending.engine.engine import Engine
from campaign.sending.engine.tally import RunStatus, Snapshot
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import snapshot
from campaign.sending.options import SendOptions, check_seconds
from campaign.sending.rounds.amended_plan import rows_that_keep_earlier_messages
from campaign.sending.rounds.standing import nothing_sent, tally_of
from campaign.sending.store.folder import Folder
from campaign.sending.store.frozen_messages import pending_batches
from campaign.sending.store.rounds import FrozenPlan, Round
from campaign.sending.terminal import interruption, noted_signals, progress_bar
from campaign.service.account import Account
from campaign.service.gate import Gate
from campaign.service.outcome import Outcome

if TYPE_CHECKING:  # it brings the network client, which only a run that sends something needs
    from campaign.service.transport import Transport

log = logging.getLogger("campaign")

_STOPPING = "Stopping: requests under way finish first. Press Ctrl-C again to end at once."
_TICK = 0.1  # seconds between two looks at a run, so that signals are noticed on every system


@dataclass(frozen=True, slots=True)
class OpenCampaign:
    """A campaign that is checked, confirmed and locked for one run, with a round that is registered.

    `held` is what has to be let go at the end, in reverse order: the embedded sandbox, the lock, the ledger.
    `frozen` is None where the frozen plan has not been loaded. `comparison` says in a sentence what the
    campaign has sent before; it is "" where nothing was compared.
    """

    folder: Folder
    last_round: Round
    ledger: Ledger
    account: Account
    options: SendOptions
    frozen: FrozenPlan | None
    held: ExitStack
    comparison: str = ""

    def close(self) -> None:
        """Let go of it without a run."""
        self.held.close()


_runs: weakref.WeakValueDictionary[Path, Run] = weakref.WeakValueDictionary()  # of this process, by folder


def end_held_run(folder: Path) -> None:
    """End the run of this process that a valve holds in a folder, so that the next one can go on."""
    run = _runs.get(folder.resolve())
    if run is not None and run.is_held_by_valve:
        run.stop()
        run.wait()


class Run:
    """A campaign under way. Made by `start`; all methods may be called at any time, from any thread.

    `counts` is a frozen snapshot, `status` is "running", "paused", "stopping", "finished", "stopped" or
    "failed", and `sentence` says why the run is not running and what to do. Once it has ended, nothing
    changes any more, and orders do nothing. A run that is not `attended` ends when it pauses, because nobody
    could resume it.
    """

    def __init__(self, opened: OpenCampaign, *, attended: bool) -> None:
        self._frozen, self._folder, self._account = opened.frozen, opened.folder, opened.account
        self._last_round, self._connections = opened.last_round, opened.options.concurrency
        self.progress, self._comparison = opened.options.progress, opened.comparison
        self._end: Future[None] = Future()
        self._held = opened.held
        try:
            self._engine = self._make_engine(opened, attended)
            self.counts: Snapshot = self._engine.snapshot()
            self._outgoing = 0 if self._complete else self.counts.waiting
            self._transport: Transport | None = None
            self._process = os.getpid()
            self._thread = threading.Thread(
                target=self._work, name=f"campaign {self._folder.path.name}", daemon=True
            )
            atexit.register(self._finish_at_exit)
            self._thread.start()
            _runs[self._folder.path.resolve()] = self
        except BaseException:
            atexit.unregister(self._finish_at_exit)
            self._held.close()
            raise

    def _make_engine(self, opened: OpenCampaign, attended: bool) -> Engine:
        folder, last_round, ledger = opened.folder, opened.last_round, opened.ledger
        contents = snapshot(folder.ledger_path)
        tally = tally_of(folder.rounds(contents), contents, folder.ledger_path)
        self._complete = not any(batch.state == "pending" for batch in contents.batches)
        if self._complete:
            kept = opened.frozen is not None and bool(rows_that_keep_earlier_messages(opened.frozen.plan))
            self._nothing_sent = nothing_sent(tally, contents.outcomes, kept_another_text=kept)
        manifest = last_round.manifest
        is_pilot = opened.options.pilot is not None and manifest.pilot is not None
        pilot_end = manifest.pilot["last_batch"] if is_pilot and manifest.pilot else None
        return Engine(
            pending_batches(last_round.plan_path, manifest.parts, ledger, self._account.encoding),
            GroupCommit(ledger),
            self._post,
            tally=tally,
            valves=opened.options.valves(manifest.canary, pilot_end),
            pace=opened.options.pace,
            concurrency=opened.options.concurrency,
            listen=self._listen,
            end_when_paused=not attended,
        )

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
    def folder(self) -> Path:
        return self._folder.path

    @property
    def environment(self) -> str:
        return self._account.environment

    @property
    def label(self) -> str:
        """Where the messages go, in words."""
        return self._account.label

    @property
    def comparison(self) -> str:
        """What the campaign had sent before this run, in a sentence; "" where nothing was compared."""
        return self._comparison

    @property
    def outgoing(self) -> int:
        """How many messages were to go out when this run began."""
        return self._outgoing

    @property
    def status(self) -> RunStatus:
        return self.counts.status

    @property
    def ended(self) -> bool:
        """Whether it is over; then `counts`, `status` and `sentence` change no more."""
        return self._end.done()

    @property
    def sentence(self) -> str:
        """Why the run is not running, and what to do; empty while it is."""
        if self._complete:
            return self._nothing_sent
        return self.counts.sentence

    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._engine.pause()

    def resume(self) -> None:
        """Go on after a pause, whoever caused it."""
        self._engine.resume()

    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._engine.stop()

    def cancel(self) -> None:
        """End at once; what has left without an answer becomes unknown."""
        self._engine.cancel()

    @property
    def result(self) -> Result:
        """What is known now, also while the run is under way."""
        return self._folder.load_result(self._frozen_plan(), self.sentence, nothing_sent=self._complete)

    def _frozen_plan(self) -> FrozenPlan:
        if self._frozen is None:
            self._frozen = self._last_round.load(snapshot(self._folder.ledger_path).batches)
        return self._frozen

    # waiting for it

    def wait(self, timeout: float | None = None) -> Result:
        """Wait for the end and return what came of it.

        Returns early when the run is paused and everything under way has been answered, because a person has
        to decide then, and after `timeout` seconds, whatever is under way then.

        Ctrl-C stops the run cleanly: the first lets what is under way finish, the second ends it at once.
        Then `KeyboardInterrupt` is raised; `load_result(run.folder)` tells what is known. SIGTERM does the
        same and ends with `SystemExit(143)`.
        """
        check_seconds("timeout", timeout)
        until = None if timeout is None else time.monotonic() + timeout
        with noted_signals() as noted:
            try:
                with self._bar() as draw:
                    while not (
                        noted or self._is_settled() or (until is not None and time.monotonic() >= until)
                    ):
                        self._await_end(_TICK)
                        draw()
            except KeyboardInterrupt:  # from a handler that the program set for itself
                noted.append(signal.SIGINT)
            if noted:
                self._see_to_the_end(noted, heard=1)
        if noted:
            raise interruption(noted[0])
        return self._outcome()

    async def finished(self) -> Result:
        """The same as `wait` for people with an event loop; a cancellation stops the run cleanly.

        It goes on waiting when a person has paused the run, because that person can still press Resume. A
        second cancellation ends the run at once.
        """
        with noted_signals() as noted, self._bar() as draw:
            try:
                while not (noted or self._is_settled(by_hand=False)):
                    await asyncio.sleep(_TICK)
                    draw()
            except asyncio.CancelledError:
                await self._stopped(noted)
                raise
            if noted:
                await self._stopped(noted)
        if noted:
            raise interruption(noted[0])
        return await asyncio.to_thread(self._outcome)

    @property
    def is_held_by_valve(self) -> bool:
        """Whether the run is paused, but not by a person, and nothing is under way."""
        hold = self._engine.hold
        return not self.ended and self._engine.at_rest and hold is not None and not hold.by_hand

    def _is_settled(self, *, by_hand: bool = True) -> bool:
        """Whether nothing more comes by itself; `by_hand` says whether a person's own pause counts."""
        hold = self._engine.hold
        return self.ended or (self._engine.at_rest and (by_hand or (hold is not None and not hold.by_hand)))

    def _outcome(self) -> Result:
        if self._end.done():
            self._thread.join()
            self._end.result()  # raises what ended the run
        return self.result

    def _await_end(self, seconds: float) -> None:
        with suppress(TimeoutError):
            self._end.exception(seconds)

    def _see_to_the_end(self, noted: list[int], heard: int) -> None:
        """Stop cleanly and wait for the end; at once when a signal is noted beyond those `heard` before."""
        log.warning(_STOPPING)
        self.stop()
        while not self.ended:
            try:
                if len(noted) > heard:
                    heard = len(noted)
                    self.cancel()
                self._await_end(_TICK)
            except KeyboardInterrupt:
                noted.append(signal.SIGINT)
        self._thread.join()

    async def _stopped(self, noted: list[int]) -> None:
        """The same on an event loop; at once also when this is cancelled again."""
        log.warning(_STOPPING)
        self.stop()
        while not self.ended:
            try:
                if len(noted) > 1:
                    self.cancel()
                await asyncio.sleep(_TICK)
            except asyncio.CancelledError:
                self.cancel()
        self._thread.join()

    def _finish_at_exit(self) -> None:
        """The interpreter ends without `wait`: stop cleanly."""
        if os.getpid() != self._process:  # a fork has no thread of the run, and would wait for ever
            return
        with noted_signals() as noted:
            self._see_to_the_end(noted, heard=0)

    def _bar(self) -> AbstractContextManager[Callable[[], None]]:
        return progress_bar(self.progress and not self._complete, self.environment, lambda: self.counts)

    # the thread

    def _work(self) -> None:
        failure: CampaignError | None = None
        try:
            asyncio.run(self._send())
        except CampaignError as error:
            failure = error
        except Exception as error:  # its frames hold bodies with the password: only the class is shown
            failure = CampaignError(
                f"The run ended because of an error in this program ({type(error).__name__}). "
                "The ledger knows what was sent: look at it with load_result, then resume."
            )
        finally:
            try:
                self._held.close()
            finally:
                atexit.unregister(self._finish_at_exit)
                counts = self._engine.snapshot()
                if failure is None:
                    self.counts = counts
                    self._end.set_result(None)
                else:
                    self.counts = replace(counts, status="failed", sentence=str(failure))
                    self._end.set_exception(failure)

    async def _send(self) -> None:
        if self._complete:
            self._engine.status = "finished"
            return
        from campaign.service.transport import Transport

        async with Transport(self._account, connections=self._connections) as self._transport:
            counting = asyncio.create_task(self._keep_counting())
            try:
                await self._engine.run()
            finally:
                counting.cancel()

    async def _keep_counting(self) -> None:
        """Refresh the counts between the engine's snapshots, which come only when something happens."""
        while True:
            await asyncio.sleep(_TICK)
            self.counts = self._engine.snapshot()

    async def _post(self, entries: memoryview, gate: Gate) -> Outcome:
        assert self._transport is not None  # noqa: S101 - the engine runs inside its context
        return await self._transport.post(entries, gate)

    def _listen(self, counts: Snapshot) -> None:
        self.counts = counts
