"""A campaign folder: everything that is needed to report a campaign and to go on with it.

manifest.json     whose it is: name, environment, account (hashed)
rounds/           the plans of the campaign, each frozen when it was sent
ledger.sqlite     which rounds exist, what was attempted and what came of it
composed.json     what was decided at the composer, if it was composed there
lock              held while a run has the campaign open; lock.json says which program that is
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import CampaignError, FolderError, OtherFileError, UsageError
from campaign.local_times import LocalTimes
from campaign.paths import impossible
from campaign.results.sending_time import Paces
from campaign.results.sent_rounds import SentRound
from campaign.results.tables import Result
from campaign.sending.ledger.ledger_place import LedgerPlace, ledger_place
from campaign.sending.ledger.postgres.address import is_address
from campaign.sending.ledger.postgres.standing_orders import StandingOrder
from campaign.sending.ledger.views import (
    LedgerSnapshot,
    RegisteredBatch,
    moves_of,
    snapshot,
)
from campaign.sending.store.identity import ChosenName, folded_name
from campaign.sending.store.lock_holder import hold_campaign, open_in
from campaign.sending.store.manifest import MANIFEST, CampaignManifest, read_campaign_manifest
from campaign.sending.store.rounds import FrozenPlan, Round, messages_in, open_round
from campaign.sending.store.ways_on import call_to_resume, options_of_last_run
from campaign.service.account_in_code import account_of
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON


class Folder(Struct, frozen=True):
    """A campaign folder that exists."""

    path: Path
    manifest: CampaignManifest

    @property
    def ledger_place(self) -> LedgerPlace:
        return ledger_place(self.path, self.manifest.ledger, self.manifest.salt)

    def snapshot(self) -> LedgerSnapshot:
        """What the ledger says now; raises `LedgerError` unless it is a sound ledger of this campaign."""
        place = self.ledger_place
        place.check(self.manifest.identity)
        return snapshot(place)

    @property
    def open_in(self) -> str:
        """Where a run has the campaign open now, in words; "" where none is known to."""
        return open_in(self.path)

    def check_ledger(self, given: str | os.PathLike[str] | None) -> None:
        """Raise `UsageError` if a database is given and the ledger is elsewhere, or the other way round."""
        recorded = self.manifest.ledger
        if given is not None and given != recorded and (is_address(given) or is_address(recorded)):
            raise UsageError("ledger_elsewhere", folder=self.path, recorded=recorded, given=os.fspath(given))

    def rounds(self, ledger: LedgerSnapshot) -> list[Round]:
        """The registered rounds, in order; raises `FolderError` if the campaign was erased."""
        self.check_not_erased(ledger.erased_at)
        return [open_round(self.path, registered) for registered in ledger.rounds]

    def check_not_erased(self, erased_at: str) -> None:
        """Raise `FolderError` if the campaign was erased: nobody knows any more what it sent to whom."""
        if erased_at:
            raise FolderError("erased_before", folder=self.path, day=erased_at[:10])

    def load_result(
        self,
        frozen: FrozenPlan | None = None,
        ending: Finding | None = None,
        *,
        nothing_sent: bool = False,
        resume: str | None = None,
    ) -> Result:
        """What is known now: the plan of the last round joined with the ledger.

        Give the frozen plan where it is at hand. `ending` says why a run ended, and `nothing_sent` that it
        had nothing to send. `resume` is the line that sends what is left, where a run knows it better.
        """
        ledger = self.snapshot()
        rounds = self.rounds(ledger)
        if frozen is None:
            if not rounds:
                raise FolderError("never_begun", folder=self.path)
            frozen = rounds[-1].load(ledger.batches)
        outcomes = ledger.outcomes_of(frozen.batch_of_message)
        ending = ending or _why_workers_wait(ledger.order)
        return Result(
            frozen.plan,
            outcomes,
            batch_of_message=frozen.batch_of_message,
            batch_of_excluded=frozen.batch_of_excluded,
            name=self.manifest.name,
            environment=self.manifest.environment,
            folder=self.path,
            ending=ending,
            nothing_sent=nothing_sent,
            rounds=_told(rounds, ledger),
            is_closed=ledger.is_closed,
            open_in=self.open_in,
            order="" if ledger.order is None else ledger.order.kind,
            changes=LaterChanges(self.ledger_place, ledger.moves, datetime.now(UTC)),
            resume=self._call_to_resume(rounds, ledger.paces) if resume is None else resume,
            recorded=partial(_recorded, rounds, ledger.batches),
        )

    def _call_to_resume(self, rounds: Sequence[Round], paces: Paces) -> str:
        """The line that sends what is left, as far as the folder and this process know how it was sent."""
        chosen = options_of_last_run(rounds[-1].sent.options, paces) if rounds else {}
        return call_to_resume(self.path, account_of(self.manifest.environment), chosen)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the campaign for one run; raises `LockedError` at once if another has it."""
        return hold_campaign(self.path)

    def check_name(self, name: ChosenName) -> None:
        """Raise unless this is the campaign of that name.

        A default name must be that of a file which the campaign was sent from, in whatever round: of these a
        person has decided that they are its own.
        """
        manifest = self.manifest
        if name.from_folder:
            return
        if folded_name(manifest.name) != folded_name(name.name):
            raise FolderError("folder_unusable", folder=self.path, found=manifest.name)
        if not name.source or not manifest.source or name.source == manifest.source:
            return
        sent = self.files_sent()
        if name.source not in sent:
            last = [manifest.source, *sent][-1]
            raise OtherFileError("other_file", campaign=manifest.name, sent_from=last, file=name.source)

    def files_sent(self) -> dict[str, str]:
        """When each file was sent last, the newest at the end, without files of rows to correct."""
        sent: dict[str, str] = {}
        for manifest in (one_round.manifest for one_round in self.rounds(self.snapshot())):
            reading = manifest.load_reading()
            if reading is not None and reading.path and reading.continues is None:
                sent.pop(reading.path, None)
                sent[reading.path] = manifest.created_at
        return sent


def _recorded(
    rounds: Sequence[Round], registered: Sequence[RegisteredBatch], batches: Ints, *texts: str
) -> pd.DataFrame:
    """The number, the batch and the row of then (int64) of each message of some batches, and some texts."""
    return messages_in(rounds, registered, batches, "number", "row", *texts).astype({"number": "int64"})


def _told(rounds: Sequence[Round], ledger: LedgerSnapshot) -> list[SentRound]:
    """What a report tells of the rounds; the last one with the budget in force and the paces of all runs."""
    *earlier, last = (one_round.sent for one_round in rounds)
    return [*earlier, replace(last.with_budget(ledger.budget), paces=ledger.paces)]


def _why_workers_wait(order: StandingOrder | None) -> Finding | None:
    """Why no worker sends any more, if a person or a valve has ordered that."""
    return order.reason if order is not None and order.kind in ("paused", "stopped") else None


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Open a campaign folder; raises `FolderError` when there is none or its manifest is damaged."""
    path = Path(path).absolute()
    return Folder(path, read_campaign_manifest(path))


def folder_exists(path: Path) -> bool:
    """Whether there is a campaign at this place; raises `FolderError` if something else is in the way."""
    try:
        reason = impossible(path)
        if not reason and (path / MANIFEST).is_file():
            return True
        occupied = not reason and path.exists() and (not path.is_dir() or any(path.iterdir()))
    except OSError as error:
        reason = error.strerror or type(error).__name__
    if reason:
        raise FolderError("folder_unusable", folder=path, reason=reason)
    if occupied:
        raise FolderError("folder_unusable", folder=path, reason="it holds other files")
    return False


class LaterChanges(Struct, frozen=True):
    """Called, it says that a ledger has changed since it had so many `moves`; "" if it has not.

    A query that takes no time. A ledger that cannot be read any more, or is in a database on the network,
    is not asked.
    """

    place: LedgerPlace
    moves: int
    read_at: datetime

    def __call__(self) -> str:
        try:
            if not self.place.file_names or moves_of(self.place) == self.moves:
                return ""
        except (CampaignError, OSError):
            return ""
        return PYTHON.text(Finding("changed_since", {"moment": LocalTimes().moment(self.read_at)}))
