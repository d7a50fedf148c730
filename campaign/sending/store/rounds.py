"""A round: one plan of a campaign, frozen in a folder of its own.

rounds/0001/manifest.json   what was frozen, and the digests of the files
rounds/0001/plan/           messages that were to go out, in sending order
rounds/0001/settled/        messages that did not have to go out, each with the batch that holds it
rounds/0001/contacts/       every input row with its number, its status, and the batch that had reached it
rounds/0001/issues/         what was found in the contact table
rounds/0001/alternatives/   what rows would get that repeat another row's number
rounds/0001/opt_outs.parquet  the numbers of people who want no messages, if there are any

Each of the folders has a file for each part. A round exists once the ledger has registered it. Its files
never change afterwards. Once the campaign is erased, there is only what is left of the manifest.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.contract import STATUSES
from campaign.errors import FolderError, LedgerError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_part import PlanPart, whole_frame
from campaign.messages.recipients import Addressing
from campaign.results.sent_rounds import SentRound
from campaign.sending.ledger.views import RegisteredBatch, RegisteredRound
from campaign.sending.store.frozen_parts import FrozenParts
from campaign.sending.store.manifest import MANIFEST, RoundManifest, read_round_manifest
from campaign.sending.store.opt_outs import OPT_OUTS, OptOuts
from campaign.sending.store.part_files import (
    OUTGOING,
    UNFINISHED,
    as_frame,
    file_digest,
    part_path,
    read_part,
)

ROUNDS, PLAN = "rounds", "plan"
TABLES = (PLAN, "settled", "contacts", "issues", "alternatives")


class SentPart(Struct, frozen=True):
    """A part file of what was to go out in a round, and the batches that it was cut into."""

    path: Path
    batches: list[RegisteredBatch]

    def read(self, *columns: str) -> pa.Table:
        """Some columns of its messages; raises `LedgerError` where it has not those of its batches."""
        table = read_part(self.path, OUTGOING, columns)
        if table.num_rows != sum(batch.messages for batch in self.batches):
            raise LedgerError("campaign_file_damaged", file=self.path)
        return table

    @property
    def batch_of_message(self) -> Ints:
        """The batch of each message."""
        return _batch_of_message(self.batches)


def _batch_of_message(batches: Sequence[RegisteredBatch]) -> Ints:
    numbers = np.array([batch.batch for batch in batches], np.int64)
    return np.repeat(numbers, [batch.messages for batch in batches])


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

    def files(self, table: str) -> list[Path]:
        """The part files of a table, in order."""
        return [self.path / name for name in sorted(self.manifest.digests) if name.startswith(f"{table}/")]

    def check_files(self) -> None:
        """Raise `FolderError` when a file is not what it was when it was frozen."""
        for name, digest in self.manifest.digests.items():
            if file_digest(self.path / name) != digest:
                raise FolderError("campaign_file_damaged", file=self.path / name)

    def load(self, batches: Sequence[RegisteredBatch]) -> FrozenPlan:
        """The plan as it was frozen; raises `FolderError` when a file is not what it was then."""
        self.check_files()
        return self.load_as_written(batches)

    def load_as_written(self, batches: Sequence[RegisteredBatch]) -> FrozenPlan:
        """The same of a round that was frozen a moment ago.

        Of a plan that was frozen as one part, the contacts are read, and checked, at once.
        """
        manifest = self.manifest
        frozen = FrozenParts({table: self.files(table) for table in TABLES})
        own = [batch for batch in batches if batch.round == self.number]
        by_message = frozen.batch_of_message(_batch_of_message(own))
        first, *others = frozen.parts()
        if not others and not self._fits(first):
            raise FolderError("campaign_file_damaged", file=self.path)
        tables: dict[str, Any] = {
            name: whole_frame(frozen, name) if others else partial(getattr, first, name)
            for name in ("messages", "issues", "contacts", "alternatives")
        }
        alternatives = tables.pop("alternatives")
        plan = Plan(
            **tables,
            totals=manifest.load_totals(),
            fingerprint=manifest.fingerprint,
            reading=manifest.load_reading(),
            addressing=Addressing(
                lambda: np.concatenate([part.numbers for part in frozen.parts()]),
                tuple(manifest.number_columns),
                alternatives,
                manifest.every_text,
                self.opt_outs.listed,
            ),
            _store=frozen if others else None,
        )
        return FrozenPlan(plan, by_message, frozen.earlier_batches())

    def _fits(self, part: PlanPart) -> bool:
        """Whether the tables of a round that is one part belong together."""
        contacts = part.contacts
        rows = contacts.index
        return bool(
            len(rows) == self.manifest.load_totals().rows
            and rows.is_unique
            and np.isin(part.rows_of_messages, rows).all()
            and contacts["status"].isin(STATUSES).all()
        )

    def sent_parts(self, batches: Iterable[RegisteredBatch]) -> list[SentPart]:
        """What was to go out, part by part; of these batches, those of other rounds do not matter."""
        own = groupby((batch for batch in batches if batch.round == self.number), attrgetter("part"))
        return [SentPart(part_path(self.plan_path, part), [*of_part]) for part, of_part in own]

    def messages_by_batch(self, batches: Sequence[RegisteredBatch]) -> dict[int, int]:
        """How many messages of this plan each batch holds."""
        counts = {batch.batch: batch.messages for batch in batches if batch.round == self.number}
        return counts | {int(batch): messages for batch, messages in self.manifest.settled.items()}


def messages_in(
    rounds: Iterable[Round], registered: Sequence[RegisteredBatch], batches: Ints, *columns: str
) -> pd.DataFrame:
    """Some columns of the messages in some batches, and their batch; in the order of the batches.

    Only the part files that hold these batches are read. Raises `LedgerError` when one is damaged.
    """
    wanted = set(batches.tolist())
    frames = [as_frame(OUTGOING.empty_table().select(columns)).assign(batch=np.empty(0, np.int64))]
    for part in (part for one_round in rounds for part in one_round.sent_parts(registered)):
        if not wanted.isdisjoint(batch.batch for batch in part.batches):
            messages = as_frame(part.read(*columns)).assign(batch=part.batch_of_message)
            frames.append(messages[messages["batch"].isin(wanted)])
    return pd.concat(frames, ignore_index=True)


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
        raise FolderError("campaign_file_damaged", file=path / MANIFEST)
    return Round(registered.round, path, manifest)


def sweep_rounds(folder: Path, last: int) -> None:
    """Clear away what was frozen after the last registered round, by a program that was killed meanwhile."""
    for path in sorted((folder / ROUNDS).glob("[0-9]*")):
        if path.name.isdecimal() and int(path.name) > last:
            shutil.rmtree(path)


def sweep_unfinished_files(path: Path) -> None:
    """Clear away what killed programs and Dask workers were writing, below a folder."""
    for leftover in path.rglob(f"{UNFINISHED}*"):
        with suppress(OSError):  # a worker that was taken for lost may be faster
            leftover.unlink()
