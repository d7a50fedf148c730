"""Freezing a round: all its files are durable before the ledger registers it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints
from campaign.contract import PEOPLE_OF_THEIR_OWN
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.cluster_tables import ClusterTables
from campaign.messages.plan_tables.plan_columns import MessageStream, messages_at, rows_with_why
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.results.totals import people_in
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.cluster_freezing import freeze_on_cluster, frequent_senders, recipients_of
from campaign.sending.store.frame_files import write_frames
from campaign.sending.store.frozen_messages import Cutting, freeze, write_settled
from campaign.sending.store.hashed_rows import with_hashes
from campaign.sending.store.manifest import MANIFEST, RoundManifest
from campaign.sending.store.round_content import RoundContent
from campaign.sending.store.rounds import (
    ALTERNATIVES,
    CONTACTS,
    ISSUES,
    PLAN,
    RECIPIENTS,
    file_digest,
)
from campaign.sending.store.user_state import user_name
from campaign.version import VERSION

_SENDERS = 10  # senders that a manifest names; more than one or two are a column of the file


def freeze_round(
    path: Path,
    content: RoundContent,
    cutting: Cutting,
    options: Mapping[str, Any],
    currency: str,
) -> tuple[RoundManifest, list[Entry]]:
    """Write all files of a round into a new folder; returns what the ledger has to register.

    `options` is what `send` was given, as JSON can hold it, and `currency` that of the account.
    """
    try:
        make_private_folder(path / PLAN)
        on_cluster = tables_on_cluster(content.plan)
        entries, digests = (
            _write_here(path, content, cutting)
            if on_cluster is None
            else freeze_on_cluster(on_cluster, path, content, cutting)
        )
        digests |= {file.name: file_digest(file) for file in content.opt_outs.write(path)}
        manifest = _manifest(content, cutting, entries, dict(options), currency, digests)
        with new_private_file(path / MANIFEST) as file:
            file.write(manifest.content)
        for folder in (path / PLAN, path, path.parent):
            sync_folder(folder)
    except OSError as error:
        raise FolderError(
            f"The messages cannot be kept in {path}: {error.strerror or error}. Nothing was sent. Make room "
            "on the disk, or allow yourself to write to the folder, then try again."
        ) from None
    return manifest, entries


def tables_on_cluster(plan: Plan) -> ClusterTables | None:
    """The tables of a plan on the workers of a cluster; None for a plan of this machine."""
    return plan.store if isinstance(plan.store, ClusterTables) else None


def _write_here(path: Path, content: RoundContent, cutting: Cutting) -> tuple[list[Entry], dict[str, str]]:
    entries = _write_messages(path, content, cutting)
    _write_tables(path, content)
    files = sorted(file for file in path.rglob("*.parquet") if file.is_file())
    return entries, {file.relative_to(path).as_posix(): file_digest(file) for file in files}


def _write_messages(path: Path, content: RoundContent, cutting: Cutting) -> list[Entry]:
    plan, outgoing = content.plan, content.outgoing
    stream = MessageStream(messages_at(plan, outgoing, partial(with_hashes, plan.addressing.columns)))
    entries = list(freeze(stream, content.rows_of_outgoing, outgoing, path / PLAN, cutting))
    settled = content.batch_of_message.nonzero()[0]
    if len(settled):
        batches = content.batch_of_message[settled]
        write_settled(messages_at(plan, settled), settled, batches, path / PLAN)
    return entries


def _write_tables(path: Path, content: RoundContent) -> None:
    plan = content.plan
    write_frames((part.contacts for part in plan.parts()), path / CONTACTS)
    write_frames(_recipients(content), path / RECIPIENTS)
    write_frames((part.alternatives for part in plan.parts()), path / ALTERNATIVES)
    write_frames((part.issues for part in plan.parts()), path / ISSUES)


def _recipients(content: RoundContent) -> Iterator[pd.DataFrame]:
    """The recipients of each part of the contacts."""
    start = 0
    for part in content.plan.parts():
        batches = content.batch_of_excluded[start : start + len(part.numbers)]
        yield recipients_of(part, batches)
        start += len(part.numbers)


def _frequent_senders(plan: Plan) -> list[str]:
    senders = Counter[str]()
    for counts in plan.map_parts(frequent_senders):
        senders.update(counts)
    return [sender for sender, _ in senders.most_common(_SENDERS)]


def _settled(batch_of_message: Ints) -> dict[str, int]:
    """How many messages each earlier batch holds, by its number; 0 is none."""
    counts = np.bincount(batch_of_message)
    return {str(batch): int(counts[batch]) for batch in np.flatnonzero(counts) if batch}


def _manifest(
    content: RoundContent,
    cutting: Cutting,
    entries: list[Entry],
    options: dict[str, Any],
    currency: str,
    digests: dict[str, str],
) -> RoundManifest:
    plan = content.plan
    return RoundManifest(
        given=content.given,
        fingerprint=plan.fingerprint,
        messages=plan.totals.messages,
        settled=_settled(content.batch_of_message),
        parts=entries[-1].part + 1 if entries else 0,
        batch_size=cutting.batch_size,
        canary=cutting.canary,
        pilot=_pilot(plan, cutting, entries),
        number_columns=list(plan.addressing.columns),
        every_text=plan.addressing.every_text,
        template=plan.template,
        senders=_frequent_senders(plan),
        options=options,
        who=user_name(),
        currency=currency,
        totals={
            **plan.totals.as_record(),
            "people": people_in(plan.totals, len(rows_with_why(plan, *PEOPLE_OF_THEIR_OWN))),
            "sharing_a_phone": len(rows_with_why(plan, "shared_phone")),
        },
        reading=asdict(plan.reading) if plan.reading is not None else None,
        digests=digests,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=VERSION,
    )


def _pilot(plan: Plan, cutting: Cutting, entries: list[Entry]) -> dict[str, Any] | None:
    """The last batch of the pilot, if there is one; nothing else leaves with it while it holds."""
    if cutting.pilot is None:
        return None
    ends = np.cumsum([entry.messages for entry in entries])
    batches = int(np.searchsorted(ends, cutting.pilot, "right"))
    return {"last_batch": cutting.first_batch + batches - 1, "template": plan.template}
