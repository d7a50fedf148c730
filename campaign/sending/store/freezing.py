"""Freezing a round: all its files are durable before the ledger registers it.

Each part of a plan is written where it is: here, or by the workers of a Dask cluster, which share the folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import count, pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np

from campaign.arrow_text import Ints
from campaign.contract import PEOPLE_OF_THEIR_OWN
from campaign.errors import FolderError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.cluster_tables import ClusterTables
from campaign.messages.plan_tables.plan_columns import (
    MessageStream,
    count_messages,
    messages_at,
    rows_with_why,
)
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.results.totals import people_in
from campaign.sending.ledger.file_faults import unusable
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.frozen_messages import Cutting, Digests, MessageSource, freeze, in_order
from campaign.sending.store.hashed_rows import with_hashes
from campaign.sending.store.manifest import MANIFEST, RoundManifest
from campaign.sending.store.part_files import (
    ISSUES,
    MESSAGES,
    SETTLED,
    arrow_table,
    contacts_table,
    part_path,
    write_part,
)
from campaign.sending.store.round_content import RoundContent
from campaign.sending.store.rounds import PLAN, TABLES, sweep_unfinished_files
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
    path = path.absolute()
    folders = [path / table for table in TABLES]
    try:
        for folder in folders:
            make_private_folder(folder)
        messages = _outgoing_messages(content)
        entries, digests = freeze(messages, content.rows_of_outgoing, content.outgoing, path / PLAN, cutting)
        digests |= _write_tables(content, path) | content.opt_outs.write(path)
        _check_written(path, digests)
        manifest = _manifest(content, cutting, entries, dict(options), currency, digests)
        with new_private_file(path / MANIFEST) as file:
            file.write(manifest.content)
        for folder in (*folders, path, path.parent):
            sync_folder(folder)
    except OSError as error:
        raise unusable(path, error) from None
    return manifest, entries


def tables_on_cluster(plan: Plan) -> ClusterTables | None:
    """The tables of a plan on the workers of a cluster; None for a plan of this machine."""
    return plan.store if isinstance(plan.store, ClusterTables) else None


def _outgoing_messages(content: RoundContent) -> MessageSource:
    """Where the messages are that are to go out, with their hashes."""
    plan = content.plan
    extend, on_cluster = partial(with_hashes, plan.addressing.columns), tables_on_cluster(plan)
    if on_cluster is not None:
        return partial(on_cluster.with_messages, extend=extend)
    return in_order(MessageStream(messages_at(plan, content.outgoing, extend)))


def _write_tables(content: RoundContent, path: Path) -> Digests:
    """Write everything but the messages that are to go out, part by part."""
    plan = content.plan
    rows = np.cumsum([0, *plan.map_parts(_count_rows)])
    messages = np.cumsum([0, *plan.map_parts(count_messages)])
    excluded = _split(content.batch_of_excluded, rows)
    settled = _split(content.batch_of_message, messages)
    written = plan.map_parts(_write_tables_of_part, count(), excluded, settled, messages, repeat(path))
    return {name: digest for digests in written for name, digest in digests.items()}


def _split(batches: Ints, starts: Ints) -> Iterator[Ints | None]:
    """The batches of each part, None where all are 0."""
    for start, stop in pairwise(starts.tolist()):
        own = batches[start:stop]
        yield own if own.any() else None


def _count_rows(part: PlanPart) -> int:
    return len(part.numbers)


def _write_tables_of_part(
    part: PlanPart, number: int, excluded: Ints | None, settled: Ints | None, start: int, path: Path
) -> Digests:
    """Write the tables of a part; `start` is the position of its first message.

    `excluded` and `settled` have the earlier batch of each row of the contacts, and of each message, 0 for
    none.
    """
    excluded = np.zeros(len(part.numbers), np.int64) if excluded is None else excluded
    tables = {
        "contacts": contacts_table(part, excluded),
        "issues": arrow_table(part.issues, ISSUES),
        "alternatives": arrow_table(part.alternatives, MESSAGES),
    }
    if settled is not None:
        places = np.flatnonzero(settled)
        messages = part.messages.iloc[places].assign(place=places + start, batch=settled[places])
        tables["settled"] = arrow_table(messages, SETTLED)
    files = {name: part_path(path / name, number) for name in tables}
    return {f"{name}/{file.name}": write_part(tables[name], file) for name, file in files.items()}


def _check_written(path: Path, digests: Digests) -> None:
    """Raise `FolderError` unless what Dask workers have written is here; clear away what they left."""
    missing = [name for name in digests if not (path / name).is_file()]
    if missing:
        raise FolderError("folder_not_shared", folder=path, files=len(missing))
    sweep_unfinished_files(path)


def _senders_of(part: PlanPart) -> Counter[str]:
    """How many messages of a part name each sender."""
    counts = part.messages["sender"].value_counts()
    return Counter({str(sender): int(count) for sender, count in counts.items()})


def _frequent_senders(plan: Plan) -> list[str]:
    senders = Counter[str]()
    for counts in plan.map_parts(_senders_of):
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
        },
        reading=plan.reading.as_record() if plan.reading is not None else None,
        digests=dict(sorted(digests.items())),
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
