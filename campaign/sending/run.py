"""Sending a plan: the thread behind `start`, `send` and `asend`, and its progress bar.

A run has a thread of its own with its own event loop, so that a notebook's cells and buttons stay usable. The
buttons only give orders; the engine on that thread is the only one that acts on them.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.results.tables import Result
from campaign.sending import valves
from campaign.sending.batches import pending_batches
from campaign.sending.engine import Engine
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.ledger import open_ledger
from campaign.sending.ledger.views import total_cost
from campaign.sending.options import Policy
from campaign.sending.store.folder import Folder
from campaign.sending.tally import RunStatus, Snapshot, Tally
from campaign.service.account import Account
from campaign.service.body import Gate
from campaign.service.transport import Outcome, Transport

log = logging.getLogger("campaign")

_TICK = 0.1  # seconds between two looks at a run, so that Ctrl-C is noticed on every system

_BAR_TITLES = {"local": "SANDBOX (nothing is sent)", "sandbox": "the provider's SANDBOX", "live": "LIVE"}

Progress = bool | Literal["tqdm"]


class Run:
    """A campaign under way. Made by `start`; all methods may be called at any time, from any thread.

    `counts` is a frozen snapshot, `status` is "running", "paused", "stopping", "finished", "stopped" or
    "failed", and `sentence` says in words why it is not running and what to do. Ends are final: an order that
    comes after the end does nothing.
    """

    def __init__(
        self,
        folder: Folder,
        account: Account,
        policy: Policy,
        *,
        plan: Plan | None = None,
        held: ExitStack,
        attended: bool,
        progress: Progress,
    ) -> None:
        self._plan, self._folder, self._account, self._policy = plan, folder, account, policy
        self.progress = progress
        self._end: Future[None] = Future()
        self._paused = threading.Event()  # a person has to decide
        self._ordered = False
        self._stack = held  # what the run holds, let go in reverse order at its end
        try:
            self._stack.enter_context(folder.lock())
            self._ledger = open_ledger(folder.ledger_path, folder.manifest.identity)
            self._stack.callback(self._ledger.close)
            counts, cost = self._ledger.counts(), total_cost(folder.ledger_path)
            self._complete = "pending" not in counts
            self._engine = Engine(
                pending_batches(folder.plan_path, folder.manifest.parts, self._ledger, account.encoding),
                GroupCommit(self._ledger),
                self._post,
                tally=Tally.of(counts, cost),
                valves=policy.valves(folder.manifest.canary),
                pace=valves.Pace(policy.rate),
                concurrency=policy.concurrency,
                listen=self._listen,
                end_when_paused=not attended,
            )
        except BaseException:
            self._stack.close()
            raise
        self.counts: Snapshot = self._engine.snapshot()
        self._transport: Transport | None = None
        self._thread = threading.Thread(target=self._work, name=f"campaign {folder.path.name}", daemon=True)
        atexit.register(self._finish_at_exit)
        self._thread.start()

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<Run {self.status}: {counts.accepted:,} of {counts.messages:,} messages accepted, "
            f"{counts.refused:,} refused, {counts.unknown:,} unknown, {counts.waiting:,} waiting>"
        )

    @property
    def plan(self) -> Plan:
        """The plan as it was frozen."""
        if self._plan is None:
            self._plan = self._folder.load_plan()
        return self._plan

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
            return "Complete, nothing to send. To say the same thing again on purpose, give another name."
        return self.counts.sentence

    def pause(self) -> None:
        """Issue nothing more until `resume`; what is under way finishes."""
        self._engine.pause()

    def resume(self) -> None:
        """Go on after a pause, whoever caused it."""
        self._expect_a_move()
        self._engine.resume()

    def stop(self) -> None:
        """Issue nothing more and end; what is under way finishes."""
        self._expect_a_move()
        self._engine.stop()

    def cancel(self) -> None:
        """End at once; what has left without an answer becomes unknown."""
        self._expect_a_move()
        self._engine.cancel()

    def wait(self, timeout: float | None = None) -> Result:
        """Wait for the end and return what came of it.

        Returns early when the run is paused, because a person has to decide then, and after `timeout`
        seconds. Ctrl-C stops the run cleanly: the first lets what is under way finish, the second
        ends it at once. Then `KeyboardInterrupt` is raised; `load_result(run.folder)` tells what is known.
        """
        until = None if timeout is None else time.monotonic() + timeout
        try:
            with self._bar() as draw:
                while not (self.ended or self._paused.is_set() or (until and time.monotonic() >= until)):
                    with suppress(TimeoutError):
                        self._end.exception(_TICK)
                    draw()
        except KeyboardInterrupt:
            self.stop()
            log.warning("Stopping: requests under way finish first. Press Ctrl-C again to end at once.")
            self._see_to_the_end()
            raise
        return self._outcome()

    @property
    def result(self) -> Result:
        """What is known now, also while the run is under way."""
        return self._folder.load_result(self.plan, self.sentence)

    async def finished(self) -> Result:
        """The same as `wait` for people with an event loop; a cancellation stops the run cleanly.

        It goes on waiting when a person has paused the run, because that person can still press Resume.
        """
        try:
            with self._bar() as draw:
                while not (self.ended or self._is_held_by_a_valve()):
                    await asyncio.sleep(_TICK)
                    draw()
        except asyncio.CancelledError:
            self.stop()
            while not self._end.done():
                await asyncio.sleep(_TICK)
            raise
        return await asyncio.to_thread(self._outcome)

    def _outcome(self) -> Result:
        if self._end.done():
            self._end.result()  # raises what ended the run
        return self.result

    def _is_held_by_a_valve(self) -> bool:
        hold = self._engine.hold
        return self._paused.is_set() and hold is not None and not hold.by_hand

    # the thread

    def _work(self) -> None:
        failure: CampaignError | None = None
        try:
            asyncio.run(self._send())
        except CampaignError as error:
            failure = error
        except Exception as error:  # its frames hold bodies with the password: only the class is told
            failure = CampaignError(
                f"The run ended by a fault of this program ({type(error).__name__}). "
                "The ledger knows what was sent: look at it with load_result, then resume."
            )
        finally:
            try:
                self._stack.close()
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
        async with Transport(self._account, connections=self._policy.concurrency) as self._transport:
            counting = asyncio.create_task(self._keep_counting())
            try:
                await self._engine.run()
            finally:
                counting.cancel()

    async def _keep_counting(self) -> None:
        """Between two events of the engine time goes on, and of several at once it tells only the first."""
        while True:
            await asyncio.sleep(_TICK)
            self.counts = self._engine.snapshot()

    async def _post(self, entries: memoryview, gate: Gate) -> Outcome:
        assert self._transport is not None  # noqa: S101 - the engine runs inside its context
        return await self._transport.post(entries, gate)

    def _listen(self, counts: Snapshot) -> None:
        self.counts = counts
        if counts.status != "paused":
            self._ordered = False
            self._paused.clear()
        elif not self._ordered:
            self._paused.set()

    def _expect_a_move(self) -> None:
        """An order was given: until the engine has acted on it, an old pause is no reason to stop waiting."""
        self._ordered = True
        self._paused.clear()

    # waiting

    def _see_to_the_end(self) -> None:
        while not self._end.done():
            try:
                with suppress(TimeoutError):
                    self._end.exception(_TICK)
            except KeyboardInterrupt:
                self.cancel()

    def _finish_at_exit(self) -> None:
        """The interpreter ends without `wait`: issue nothing more, and see what is under way to its end."""
        self.stop()
        self._see_to_the_end()

    @contextmanager
    def _bar(self) -> Iterator[Callable[[], None]]:
        """A progress bar for as long as somebody waits; yields what draws it anew."""
        if not self.progress or self._complete:
            yield lambda: None
            return
        from tqdm import tqdm as plain_bar
        from tqdm.auto import tqdm as any_bar

        make = plain_bar if self.progress == "tqdm" else any_bar
        title = _BAR_TITLES[self.environment]
        with make(total=self.counts.messages, unit="msg", desc=title, initial=_done(self.counts)) as bar:

            def draw() -> None:
                bar.set_postfix_str(_bar_note(self.counts), refresh=False)
                bar.n = _done(self.counts)
                bar.refresh()

            try:
                yield draw
            finally:
                draw()


def _done(counts: Snapshot) -> int:
    return counts.accepted + counts.refused + counts.unknown


def _bar_note(counts: Snapshot) -> str:
    parts = [f"{getattr(counts, name):,} {name}" for name in ("refused", "unknown") if getattr(counts, name)]
    return ", ".join([f"cost {counts.cost:,}", *parts])
