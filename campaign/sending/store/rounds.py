"""A round: one plan of a campaign, frozen in a folder of its own.

rounds/0001/manifest.json           what was frozen, and the digests of the files
rounds/0001/plan/part-00000.parquet … messages that were to go out, in sending order
rounds/0001/plan/settled.parquet    messages that did not have to go out, each with the batch that holds it
rounds/0001/contacts.parquet        every input row with its status before sending
rounds/0001/recipients.parquet      the number of each of these rows, and the batch that had reached it
rounds/0001/issues.parquet          what was found in the contact table
rounds/0001/opt_outs.parquet        the numbers of people who want no messages, if there are any

A round exists once the ledger has registered it. Its files never change afterwards. Once the campaign is
erased, there is only what is left of the manifest.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import STATUSES
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart, whole_frame
from campaign.messages.recipients import Addressing
from campaign.private_files import open_ordinary
from campaign.results.sent_rounds import SentRound
from campaign.sending.ledger.views import RegisteredBatch, RegisteredRound
from campaign.sending.store.frame_files import read_frame, table_files
from campaign.sending.store.frozen_messages import batches_by_place, message_files
from campaign.sending.store.frozen_parts import FrozenParts
from campaign.sending.store.manifest import RoundManifest, read_round_manifest
from campaign.sending.store.opt_outs import OPT_OUTS, OptOuts

ROUNDS = "rounds"
UNFINISHED = "unfinished-"  # how the name of a file begins that a Dask worker has not written to the end
PLAN, CONTACTS, ISSUES = "plan", "contacts.parquet", "issues.parquet"
RECIPIENTS, ALTERNATIVES = "recipients.parquet", "alternatives.parquet"


class Round(Struct, frozen=True):
    """A round that the ledger has registered. `path` is where its files are."""

    number: int
    path: Path
    manifest: RoundManifest

    @property
    def sent(self) -> SentRound:
        """What a report tells about it."""
        manifest = self.manifest
        return SentRound(
            self.number,
            datetime.fromisoformat(manifest.created_at),
            manifest.template,
            tuple(manifest.senders),
            manifest.who,
            manifest.options,
            manifest.currency,
        )

    @property
    def opt_outs(self) -> OptOuts:
        """The people who want no messages, as the campaign knew them then."""
        return OptOuts.read(self.path) if OPT_OUTS in self.manifest.digests else OptOuts()

    @property
    def plan_path(self) -> Path:
        return self.path / PLAN

    def check_files(self) -> None:
        """Raise `FolderError` when a file is not what it was when it was frozen."""
        check_digests(self.path, self.manifest.digests)

    def load(self, batches: Sequence[RegisteredBatch]) -> FrozenPlan:
        """The plan as it was frozen; raises `FolderError` when a file is not what it was then."""
        self.check_files()
        return self.load_as_written(batches)

    def load_as_written(self, batches: Sequence[RegisteredBatch]) -> FrozenPlan:
        """The same of a round that was frozen a moment ago.

        Of a plan that was frozen as one part, the contacts are read, and checked, at once.
        """
        manifest = self.manifest
        frozen = FrozenParts(
            message_files(self.plan_path, manifest.parts, has_settled=bool(manifest.settled)),
            contacts=self.path / CONTACTS,
            recipients=self.path / RECIPIENTS,
            issues=self.path / ISSUES,
            alternatives=self.path / ALTERNATIVES,
        )
        by_message = batches_by_place(self.plan_path, frozen.files, self.batch_of_outgoing(batches))
        first, *others = frozen.parts()
        if frozen.messages != len(by_message) or (not others and not self._fits(first, frozen)):
            raise FolderError(f"The tables in {self.path} do not belong together. Restore them from a copy.")
        tables: dict[str, Any] = {
            name: whole_frame(frozen, name) if others else partial(getattr, first, name)
            for name in ("messages", "issues", "contacts", "alternatives")
        }
        plan = Plan(
            messages=tables["messages"],
            issues=tables["issues"],
            contacts=tables["contacts"],
            totals=manifest.load_totals(),
            fingerprint=manifest.fingerprint,
            reading=manifest.load_reading(),
            addressing=Addressing(
                lambda: np.concatenate([part.numbers for part in frozen.parts()]),
                tuple(manifest.number_columns),
                tables["alternatives"],
                manifest.every_text,
                self.opt_outs.listed,
            ),
            _store=frozen if others else None,
        )
        return FrozenPlan(plan, by_message, frozen.earlier_batches(plan.totals.rows))

    def _fits(self, part: PlanPart, frozen: FrozenParts) -> bool:
        """Whether the tables of a round that is one part belong together."""
        contacts = part.contacts
        rows = contacts.index
        return bool(
            len(rows) == self.manifest.load_totals().rows
            and rows.is_unique
            and rows.equals(read_frame(frozen.recipients, []).index)
            and np.isin(part.rows_of_messages, rows).all()
            and contacts["status"].isin(STATUSES).all()
        )

    def batch_of_outgoing(self, batches: Sequence[RegisteredBatch]) -> Ints:
        """The batch of each message in the part files, in their order."""
        own = [batch for batch in batches if batch.round == self.number]
        return np.repeat(
            np.array([batch.batch for batch in own], dtype=np.int64), [batch.messages for batch in own]
        )

    def messages_by_batch(self, batches: Sequence[RegisteredBatch]) -> dict[int, int]:
        """How many messages of this plan each batch holds."""
        counts = {batch.batch: batch.messages for batch in batches if batch.round == self.number}
        return counts | {int(batch): messages for batch, messages in self.manifest.settled.items()}


class FrozenPlan(Struct, frozen=True, eq=False):
    """The plan of a round, the batch of each of its messages, and for each row of its contacts that gets no
    message the batch that had reached its number, 0 for none."""

    plan: Plan
    batch_of_message: Ints
    batch_of_excluded: Ints


def round_path(folder: Path, number: int) -> Path:
    return folder / ROUNDS / f"{number:04d}"


def open_round(folder: Path, registered: RegisteredRound) -> Round:
    """A round of a campaign folder; raises `FolderError` unless its manifest is what was registered."""
    path = round_path(folder, registered.round)
    manifest = read_round_manifest(path)
    if manifest.digest != registered.digest:
        raise FolderError(
            f"The manifest in {path} was changed after the round was registered. Restore it from a copy."
        )
    return Round(registered.round, path, manifest)


def sweep_rounds(folder: Path, last: int) -> None:
    """Clear away what was frozen after the last registered round, by a program that was killed meanwhile."""
    for path in sorted((folder / ROUNDS).glob("[0-9]*")):
        if path.name.isdecimal() and int(path.name) > last:
            shutil.rmtree(path)


def sweep_unfinished_files(path: Path) -> None:
    """Clear away what killed Dask workers were writing, below a folder."""
    for leftover in path.rglob(f"{UNFINISHED}*"):
        with suppress(OSError):  # a worker that was taken for lost may be faster
            leftover.unlink()


def check_digests(folder: Path, digests: Mapping[str, str]) -> None:
    """Raise `FolderError` when a file is not what it was when it was frozen, by its path from the folder."""
    for name, digest in digests.items():
        if file_digest(folder / name) != digest:
            raise FolderError(f"{folder / name} was changed after it was frozen. Restore it from a copy.")
    for table in {path for name in digests if (path := (folder / name).parent).suffix == ".parquet"}:
        for file in table_files(table):  # all parts in a folder are read
            if file.relative_to(folder).as_posix() not in digests:
                raise FolderError(f"{file} was added after the round was frozen. Remove it.")


def file_digest(path: Path) -> str:
    """SHA-256 of a frozen file; raises `FolderError` when it cannot be read."""
    try:
        with open_ordinary(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise FolderError(f"{path} is missing. Restore it from a copy.") from None
    except OSError as error:
        raise FolderError(
            f"{path} cannot be read: {error.strerror}. Make it readable, or restore it from a copy."
        ) from None
