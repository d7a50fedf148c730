"""A sender that dies by kill -9 at a named place: what the proofs run in processes of their own.

The package has no hook for this. The places are wrapped here, in the process that is to die.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from aiohttp.http_writer import StreamWriter

import campaign
from campaign.sending.engine import engine_thread
from campaign.sending.ledger import ledger, ledger_file
from campaign.sending.ledger.postgres.address import without_password
from campaign.sending.ledger.rollback_guard import RollbackGuard
from campaign.sending.store import freezing
from campaign.sending.store.folder import folder_exists, open_folder
from campaign.service import transport
from campaign.service.fast_loop import FastLoop
from support.wrong_designs import adopt

# Passed once by every process, by the first one only, or once for each batch or so.
ALWAYS = (
    "before what was under way is unknown",
    "after what was under way is unknown",
    "before the ledger is folded",
    "after the ledger is folded",
)
CREATING = (
    "before the ledger is made",
    "before the tables of the ledger are made",
    "before the ledger has its name",
    "after the ledger has its name",
    "after the ledger is made",
    "before the folder has its name",
    "after the folder has its name",
)
REGISTERING = (
    "before the messages are frozen",
    "after the messages are frozen",
    "before the round is whole",
    "before the round is registered",
    "inside the registration",
    "after the round is registered",
)
SENDING = (
    "before an intent is kept",
    "inside a transaction",
    "an intent waits for the disk",
    "after an intent is kept",
    "the gate is open",
    "half of a body has left",
    "a body has left",
    "an answer is read",
    "before an outcome is kept",
    "an outcome waits for the disk",
    "after an outcome is kept",
    "before a guard is written",
)
Passed = Callable[[str], None]


@lru_cache(16)
def plan_of(people: int, message: str = "Hi {name}", *, reverse: bool = False) -> campaign.Plan:
    """One message for each of so many people, the last of them first with `reverse`.

    Nothing can change a plan, so whoever asks for the same gets the same.
    """
    numbers = "2567720" + pd.Series(range(people)).astype(str).str.zfill(5)
    table = pd.DataFrame({"name": [f"Person {n}" for n in range(people)], "phone": numbers})
    table = table.iloc[::-1] if reverse else table
    return campaign.prepare(table, message=message, sender="CLINIC", region="UG")


def begin(send: Callable[..., None], *arguments: Any, **options: Any) -> multiprocessing.Process:
    """Call `send` in a process of its own, forked from one in which everything is imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["campaign", "campaign.sending.campaigns", "pyarrow.parquet", "aiohttp"])
    process = context.Process(target=send, args=arguments, kwargs=options, daemon=True)
    process.start()
    return process


def send(
    folder: Path,
    people: int,
    url: str,
    *,
    die: tuple[str, int] | None = None,
    design: str = "",
    **options: Any,
) -> None:
    """Send a campaign or go on with it; if told to, die at the n-th passing of a place.

    A campaign that died before its first round was registered is sent again. About every other process is on
    the event loop of the extra `fast`.
    """
    if die is not None:
        passed = Countdown(*die)
        arm(passed)
        if "ledger" in options:
            arm_for_a_database(passed)
    if "ledger" in options:
        options["ledger"] = without_password(options["ledger"])
    if design:
        adopt(design)
    if os.getpid() % 2:
        engine_thread.new_event_loop = lambda messages: FastLoop()
    account = campaign.Account("local", url, "sandbox", "sesame")
    options = {"concurrency": 4, "max_unknown": 10**6, "progress": False} | options
    size = options.pop("batch_size", 5)
    if folder_exists(folder) and open_folder(folder).snapshot().rounds:
        campaign.resume(folder, account=account, **options)
    else:
        campaign.send(plan_of(people), account=account, folder=folder, batch_size=size, **options)


class Countdown:
    """Kills this process when a place is passed for the n-th time."""

    def __init__(self, place: str, passes: int) -> None:
        self.place, self.left = place, passes

    def __call__(self, place: str) -> None:
        if place == self.place:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)


def arm(passed: Passed) -> None:
    """Wrap every place, so that `passed` is called with its name."""
    _around(ledger_file, "create_ledger", passed, "before the ledger is made", "after the ledger is made")
    _around(ledger_file, "connect", passed, "before the tables of the ledger are made", "")
    _around(
        ledger_file,
        "name_new_file",
        passed,
        "before the ledger has its name",
        "after the ledger has its name",
    )
    _around(freezing, "freeze", passed, "before the messages are frozen", "after the messages are frozen")
    _around(freezing, "_manifest", passed, "", "before the round is whole")
    _around(
        ledger.Ledger,
        "register_round",
        passed,
        "before the round is registered",
        "after the round is registered",
    )
    _inside_registrations(passed)
    _around(Path, "rename", passed, "before the folder has its name", "after the folder has its name")
    _around(ledger_file, "open_ledger", passed, "", "after what was under way is unknown")
    _around(ledger_file, "check_ledger", passed, "", "before what was under way is unknown")
    _around(ledger.Ledger, "_apply_all", passed, "", "inside a transaction")
    _around(ledger.Ledger, "close", passed, "before the ledger is folded", "after the ledger is folded")
    _around(RollbackGuard, "write", passed, "before a guard is written", "")
    _around(transport, "_outcome_of_answer", passed, "", "an answer is read")
    _around_commits(passed)
    _around_bodies(passed)


def arm_for_a_database(passed: Passed) -> None:
    """Wrap the places that a ledger in PostgreSQL has of its own."""
    from campaign.sending.ledger.postgres import place

    made, opened = "the ledger is made", "what was under way is unknown"
    _around(place.PostgresPlace, "create", passed, f"before {made}", f"after {made}")
    _around(place, "_make_tables", passed, "before the tables of the ledger are made", "")
    _around(place, "give_up_what_was_under_way", passed, f"before {opened}", f"after {opened}")


def _around(owner: Any, name: str, passed: Passed, before: str, after: str) -> None:
    real = getattr(owner, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        passed(before)
        answer = real(*arguments, **options)
        passed(after)
        return answer

    setattr(owner, name, wrapped)


def _inside_registrations(passed: Passed) -> None:
    real = ledger.Ledger._change

    def change(self: ledger.Ledger, made: Callable[[Any], int]) -> int:
        def make_and_pass(connection: Any) -> int:
            outcome = made(connection)
            passed("inside the registration")  # everything is written and nothing committed
            return outcome

        return real(self, make_and_pass)

    ledger.Ledger._change = change


def _around_commits(passed: Passed) -> None:
    real = ledger.Ledger._start

    def start(self: ledger.Ledger, moves: Any) -> Any:
        kinds = sorted({"an intent" if move.state == "sending" else "an outcome" for move in moves})
        for kind in kinds:
            passed(f"before {kind} is kept")
        end = real(self, moves)

        def end_and_pass() -> Any:  # on another thread, as a rule
            for kind in kinds:
                passed(f"{kind} waits for the disk")
            answers = end()
            for kind in kinds:
                passed(f"after {kind} is kept")
            return answers

        return end_and_pass

    ledger.Ledger._start = start


def _around_bodies(passed: Passed) -> None:
    real = StreamWriter.write

    async def write(self: StreamWriter, chunk: Any, **options: Any) -> None:
        if not isinstance(chunk, memoryview):  # only bodies are
            return await real(self, chunk, **options)
        passed("the gate is open")
        half = len(chunk) // 2
        await real(self, chunk[:half], **options)
        passed("half of a body has left")
        await real(self, chunk[half:], **options)
        passed("a body has left")

    StreamWriter.write = write
