"""The named places of a round at which a program can be killed, and the program that dies there.

As in `crash_sender`, the package has no hook: the places are wrapped in the process that is to die.
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import campaign
from campaign.errors import CampaignError
from campaign.sending import opening
from campaign.sending.ledger import ledger, ledger_file, rollback_guard
from campaign.sending.store import creation, freezing, frozen_messages
from campaign.service import transport
from support.crash_sender import Countdown
from support.witnessed_service import HOSTS, account_of
from support.wrong_rounds import adopt

ASKED = 3  # the exit code of a program whose call was refused; the error is in a file
QUESTION = "question.pickle"

# Each is passed before and after; the number is how often at most in a small campaign.
PLACES = {
    "a folder is swept of unfinished ones": 1,
    "the ledger is made": 1,
    "the tables of the ledger are made": 1,
    "the ledger gets its name": 1,
    "the campaign's manifest is written": 1,
    "the new folder is synced": 2,
    "the folder gets its name": 1,
    "rounds without registration are swept": 1,
    "a part is written": 2,
    "a table of the round is written": 3,
    "the round's manifest is written": 1,
    "a folder of the round is synced": 7,
    "the round is registered": 1,
    "a change of the ledger is made, not yet committed": 1,
    "a change of the ledger is committed": 2,
    "the ledger is opened": 1,
    "moves are committed": 6,
    "moves are made, not yet committed": 6,
    "the guard is written": 4,
    "an answer is read": 4,
}


def act(
    folder: Path,
    state: str,
    login: tuple[Any, ...],
    work: dict[str, Any],
    die: tuple[str, int] | None,
    design: str,
) -> None:
    """Send or resume, and die at the n-th passing of a place. A refusal ends with the exit code `ASKED`.

    `work` has the path of a campaign to resume, or the spreadsheet and the arguments of `prepare`.
    """
    os.chdir(folder)
    os.environ["CAMPAIGN_STATE_DIR"] = state
    adopt(design)
    if die is not None:
        arm(Countdown(*die))
    with names_mean_this_machine():
        account = account_of(login)
        try:
            if "resume" in work:
                campaign.resume(work["resume"], account=account, **work["options"])
            else:
                plan = campaign.prepare(campaign.read_contacts(work["sheet"]), **work["preparation"])
                campaign.send(plan, account=account, **work["options"])
        except CampaignError as error:
            vars(error).pop("proceed", None)  # a function goes into no file
            Path(QUESTION).write_bytes(pickle.dumps(error))
            sys.exit(ASKED)


@contextmanager
def names_mean_this_machine() -> Iterator[None]:
    """The hosts of the provider are this machine, for this process."""
    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host in HOSTS.values() else host, *arguments, **options)

    socket.getaddrinfo = getaddrinfo
    try:
        yield
    finally:
        socket.getaddrinfo = look_up


def arm(passed: Callable[[str], None]) -> None:
    """Wrap every place, so that `passed` is called with "before …" and "after …"."""
    for owner, name, place in (
        (creation, "sweep_unfinished", "a folder is swept of unfinished ones"),
        (ledger_file, "create_ledger", "the ledger is made"),
        (ledger_file, "_write_new", "the tables of the ledger are made"),
        (ledger_file, "name_new_file", "the ledger gets its name"),
        (creation, "sync_folder", "the new folder is synced"),
        (Path, "rename", "the folder gets its name"),
        (opening, "sweep_rounds", "rounds without registration are swept"),
        (frozen_messages, "write_part", "a part is written"),
        (freezing, "write_part", "a table of the round is written"),
        (freezing, "sync_folder", "a folder of the round is synced"),
        (ledger.Ledger, "register_round", "the round is registered"),
        (ledger_file, "open_ledger", "the ledger is opened"),
        (ledger.Ledger, "commit", "moves are committed"),
        (ledger.Ledger, "_apply_all", "moves are made, not yet committed"),
        (rollback_guard.RollbackGuard, "write", "the guard is written"),
        (transport, "_outcome_of_answer", "an answer is read"),
    ):
        _around(owner, name, passed, place)
    _around_file(creation, passed, "the campaign's manifest is written")
    _around_file(freezing, passed, "the round's manifest is written")
    _around_changes(passed)


def _around(owner: Any, name: str, passed: Callable[[str], None], place: str) -> None:
    real = getattr(owner, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        passed(f"before {place}")
        answer = real(*arguments, **options)
        passed(f"after {place}")
        return answer

    setattr(owner, name, wrapped)


def _around_file(module: Any, passed: Callable[[str], None], place: str) -> None:
    real = module.new_private_file

    @contextmanager
    def wrapped(path: Path) -> Iterator[Any]:
        passed(f"before {place}")
        with real(path) as file:
            yield file
        passed(f"after {place}")

    module.new_private_file = wrapped


def _around_changes(passed: Callable[[str], None]) -> None:
    """Inside a transaction that is no move of a single batch, and around it."""
    real, inside = ledger.Ledger._change, "a change of the ledger is made, not yet committed"

    def wrapped(self: ledger.Ledger, change: Callable[[Any], int]) -> int:
        def announced(connection: Any) -> int:
            passed(f"before {inside}")
            answer = change(connection)
            passed(f"after {inside}")
            return answer

        passed("before a change of the ledger is committed")
        answer = real(self, announced)
        passed("after a change of the ledger is committed")
        return answer

    ledger.Ledger._change = wrapped
