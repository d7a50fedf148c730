"""Folders of the first format, with one plan that never changed: read and reported, never sent to.

No release wrote them. `plan/`, `contacts.parquet` and `ledger.sqlite` lie in the folder itself, and the
ledger knows no rounds.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct

from campaign.contacts.reading_record import Reading
from campaign.messages.plan import Plan
from campaign.messages.totals import Totals
from campaign.results.tables import Result
from campaign.sending.ledger.connections import opened
from campaign.sending.ledger.integrity import check_ledger
from campaign.sending.ledger.views import batches_frame
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.frame_files import read_frame
from campaign.sending.store.frozen_messages import read_first_messages
from campaign.sending.store.manifest import FIRST_FORMAT, Manifest, is_first_format, read_folder_manifest
from campaign.sending.store.rounds import CONTACTS, ISSUES, PLAN, check_digests

_SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE batches (
    batch INTEGER PRIMARY KEY,
    part INTEGER NOT NULL,
    first INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state = 'pending' OR state = 'sending' OR state = 'accepted' OR state = 'refused'
               OR state = 'unknown'),
    attempts INTEGER NOT NULL DEFAULT 0,
    cost TEXT CHECK (cost GLOB '[0-9]*' AND cost NOT GLOB '*[^0-9.]*' AND cost NOT GLOB '*.*.*'),
    code TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    submitted_at TEXT CHECK (submitted_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T*'),
    seconds REAL,
    note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX batches_by_part ON batches (part);
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    batch INTEGER NOT NULL,
    was TEXT NOT NULL,
    now TEXT NOT NULL,
    error TEXT NOT NULL,
    note TEXT NOT NULL
) STRICT;
CREATE TRIGGER only_known_moves BEFORE UPDATE OF state ON batches
WHEN (
    old.state = 'pending' AND new.state = 'sending'
    OR old.state = 'sending' AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'unknown')
    OR old.state = 'unknown' AND new.note != ''
       AND (new.state = 'accepted' OR new.state = 'refused' OR new.state = 'pending')
) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'this move is not allowed'); END;
CREATE TRIGGER every_move_is_kept AFTER UPDATE OF state ON batches BEGIN
    INSERT INTO journal (at, batch, was, now, error, note)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), new.batch, old.state, new.state, new.error, new.note);
END;
CREATE TRIGGER plan_is_frozen BEFORE UPDATE OF batch, part, first, messages, digest ON batches
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
CREATE TRIGGER batches_stay BEFORE DELETE ON batches
BEGIN SELECT RAISE(ABORT, 'batches are never deleted'); END;
CREATE TRIGGER journal_stays BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER journal_stays_whole BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER plan_is_whole BEFORE INSERT ON batches
BEGIN SELECT RAISE(ABORT, 'the plan is frozen'); END;
"""
_OUTCOMES = """
SELECT batch, messages,
       CASE state WHEN 'pending' THEN 'not_sent' WHEN 'sending' THEN 'unknown' ELSE state END,
       cost, code, error, attempts, submitted_at, seconds, 1
FROM batches ORDER BY batch
"""


_NOTE = (
    "An earlier version of campaign made this folder: it is read and reported, and nothing is sent from it."
)


class FirstManifest(Manifest, frozen=True, kw_only=True):
    """Whose campaign a folder of the first format holds, and what was frozen in it."""

    fingerprint: str
    environment: str
    salt: str
    account: str
    messages: int
    parts: int
    batch_size: int
    canary: bool
    ledger: str
    totals: dict[str, Any]
    reading: dict[str, Any] | None
    digests: dict[str, str]
    format: int = FIRST_FORMAT

    @property
    def identity(self) -> dict[str, str]:
        """What the ledger has to agree with."""
        return {
            "fingerprint": self.fingerprint,
            "environment": self.environment,
            "account": self.account,
            "manifest": self.digest,
        }


class FirstFolder(Struct, frozen=True):
    """A folder of the first format."""

    path: Path
    manifest: FirstManifest

    def load_result(self) -> Result:
        """What came of the campaign; raises `FolderError` when a frozen file was changed."""
        ledger_path, manifest = self.path / self.manifest.ledger, self.manifest
        check_ledger(ledger_path, manifest.identity, _SCHEMA)
        check_digests(self.path, manifest.digests)
        with opened(ledger_path) as connection:
            batches = batches_frame(connection.execute(_OUTCOMES).fetchall())
        return Result(
            self._load_plan(),
            batches,
            name=self.path.name,
            environment=manifest.environment,
            folder=self.path,
            sentence=_NOTE,
        )

    def _load_plan(self) -> Plan:
        manifest = self.manifest
        return Plan(
            messages=read_first_messages(self.path / PLAN, manifest.parts),
            issues=read_frame(self.path / PLAN / ISSUES).reset_index(drop=True),
            contacts=read_frame(self.path / CONTACTS),
            totals=Totals.from_record(manifest.totals),
            fingerprint=manifest.fingerprint,
            reading=None if manifest.reading is None else Reading.from_record(manifest.reading),
        )


def open_to_read(path: str | os.PathLike[str]) -> Folder | FirstFolder:
    """Open a campaign folder of any format to read it; raises `FolderError` as `open_folder` does."""
    path = Path(path).absolute()
    if not is_first_format(path):
        return open_folder(path)
    return FirstFolder(path, read_folder_manifest(path, FirstManifest))
