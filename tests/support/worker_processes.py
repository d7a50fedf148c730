"""Workers in processes of their own, as several machines would run them: killed, frozen, woken."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import campaign
from campaign.sending.ledger.postgres.address import without_password
from support.crash_sender import begin
from support.wrong_designs import record_after_the_answer

TIME_TO_LIVE = 2.0  # seconds; shorter than that of the product, or each test would take half a minute
SETTINGS = "SET idle_in_transaction_session_timeout TO 700; SET lock_timeout TO 15000"


def work(folder: Path, url: str, ledger: str, *, naive: bool = False) -> None:
    """Be a worker until nothing is left."""
    hurry()
    without_password(ledger)
    if naive:
        adopt_no_claims()
    campaign.work(folder, account=account_at(url))


def hurry() -> None:
    """Have this process give up others after a few seconds."""
    from campaign.sending.ledger.postgres import place, roster, worker_ledger

    roster.TIME_TO_LIVE, worker_ledger.SIGN_OF_LIFE, place.SESSION = TIME_TO_LIVE, 0.5, SETTINGS


def begin_worker(folder: Path, url: str, ledger: str, **options: Any) -> multiprocessing.Process:
    return begin(work, folder, url, ledger, **options)


def account_at(url: str) -> campaign.Account:
    return campaign.Account("local", url, "sandbox", "sesame")


def adopt_no_claims() -> None:
    """Break what keeps workers apart: each sends what it finds waiting, and writes it down afterwards."""
    from campaign.sending.ledger.postgres import worker_ledger

    record_after_the_answer(setattr)
    real = worker_ledger.WorkerLedger.__init__

    def belong_to_nobody(self: Any, *arguments: Any, **options: Any) -> None:
        real(self, *arguments, **options)
        self._own = {}

    worker_ledger.WorkerLedger.__init__ = belong_to_nobody
    worker_ledger._CLAIMABLE = worker_ledger._CLAIMABLE.replace("worker = '' OR", "worker != :worker OR")
