"""Freezing a round of a plan on a Dask cluster: the workers write its files into the campaign folder.

Any of these calls may be made twice, by a worker that was taken for lost, too: the first file that is whole
gets the name and is never replaced.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import Ints
from campaign.cluster import Cluster, packed
from campaign.errors import FolderError
from campaign.messages.plan_tables.cluster_tables import ClusterTables
from campaign.messages.plan_tables.plan_columns import count_messages
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.private_files import (
    make_private_folder,
    name_new_file,
    new_private_file,
    read_ordinary,
    sync_folder,
)
from campaign.sending.ledger.ledger import Entry
from campaign.sending.store.frame_files import frame_table, part_path, write_tables
from campaign.sending.store.frozen_messages import (
    SETTLED,
    Cutting,
    batch_digests,
    cut_parts,
    message_table,
    settled_table,
)
from campaign.sending.store.hashed_rows import with_hashes
from campaign.sending.store.round_content import RoundContent
from campaign.sending.store.rounds import (
    ALTERNATIVES,
    CONTACTS,
    ISSUES,
    PLAN,
    RECIPIENTS,
    UNFINISHED,
    file_digest,
    sweep_unfinished_files,
)
from campaign.text import agreeing, clean, counted

Digests = dict[str, str]  # SHA-256 of files by their path from the round's folder


def freeze_on_cluster(
    tables: ClusterTables, path: Path, content: RoundContent, cutting: Cutting
) -> tuple[list[Entry], Digests]:
    """Have the workers write all tables of a round into its folder, which is there.

    Returns what the ledger has to register, and the digests of the files. Raises `FolderError` where the
    workers do not see the folder.
    """
    path = path.absolute()
    check_shared(tables.cluster, path)
    entries, digests = _write_messages(tables, path, content, cutting)
    digests |= _write_tables(tables, path, content.batch_of_excluded)
    if content.batch_of_message.any():
        digests |= _write_settled(tables, path, content.batch_of_message)
    _check_written(path, digests)
    return entries, dict(sorted(digests.items()))


def frequent_senders(part: PlanPart) -> Counter[str]:
    """How many messages of a part name each sender."""
    counts = part.messages["sender"].value_counts()
    return Counter({str(sender): int(count) for sender, count in counts.items()})


def recipients_of(part: PlanPart, batches: Ints) -> pd.DataFrame:
    """For each row of a part its number, the earlier batch that reached it, and how many messages it has."""
    index = part.status.index
    places = index.get_indexer(pd.Index(part.rows_of_messages))
    messages = np.bincount(places, minlength=len(index))
    return pd.DataFrame({"number": part.numbers, "batch": batches, "messages": messages}, index=index)


def check_shared(cluster: Cluster, folder: Path) -> None:
    """Raise `FolderError` unless each worker reads what is written into a folder here."""
    token, path = secrets.token_bytes(16), folder / "shared"
    with new_private_file(path) as file:
        file.write(token)
    try:
        answers = cluster.everywhere(_read_token, str(path))
    finally:
        path.unlink()
    blind = {worker: answer for worker, answer in answers.items() if answer != token}
    if not answers:
        raise FolderError("The Dask cluster has no worker. Nothing was sent. Start some, then send again.")
    if not blind:
        return
    worker, answer = next(iter(blind.items()))
    why = answer.strerror if isinstance(answer, OSError) and answer.strerror else "it reads something else"
    more = f", nor do {counted(len(blind) - 1, 'other')}" if len(blind) > 1 else ""
    raise FolderError(
        f"The Dask worker {clean(worker)} does not see the campaign folder {clean(folder.parent.parent)} "
        f"({why}){more}. Nothing was sent. Give a folder= on a disk that all machines of the cluster have at "
        "the same path, and let the workers run as the user who sends."
    )


def _write_messages(
    tables: ClusterTables, path: Path, content: RoundContent, cutting: Cutting
) -> tuple[list[Entry], Digests]:
    cuts = [*cut_parts(content.rows_of_outgoing, cutting)]
    stretches = [content.outgoing[cut.start : cut.stop] for cut in cuts]
    paths = [part_path(path / PLAN, part) for part in range(len(cuts))]
    bounds = [cut.batches for cut in cuts]
    extend = partial(with_hashes, content.plan.addressing.columns)
    written = tables.with_messages(
        _write_part, stretches, map(packed, stretches), paths, bounds, extend=extend
    )
    entries: list[Entry] = []
    digests: Digests = {}
    for part, (cut, (of_batches, of_file)) in enumerate(zip(cuts, written, strict=True)):
        entries += cut.entries(part, cutting.first_batch + len(entries), of_batches)
        digests[_name(paths[part], path)] = of_file
    return entries, digests


def _write_tables(tables: ClusterTables, path: Path, excluded: Ints) -> Digests:
    """Everything but the messages; `excluded` has the earlier batch of each row of the contacts."""
    folders = [path / name for name in (CONTACTS, RECIPIENTS, ALTERNATIVES, ISSUES)]
    for folder in folders:
        make_private_folder(folder)
    starts = np.cumsum([0, *tables.map_parts(_count_rows)])
    written = tables.map_parts(
        _write_tables_of_part, range(len(starts) - 1), _split(excluded, starts), repeat(path)
    )
    digests = _merged(written)
    for folder in folders:
        sync_folder(folder)
    return digests


def _write_settled(tables: ClusterTables, path: Path, batches: Ints) -> Digests:
    """The messages that earlier batches hold; `batches` has the batch of each message, 0 for none."""
    folder = path / PLAN / SETTLED
    make_private_folder(folder)
    starts = np.cumsum([0, *tables.map_parts(count_messages)])
    written = tables.map_parts(
        _write_settled_of_part, range(len(starts) - 1), starts, _split(batches, starts), repeat(path)
    )
    digests = _merged(written)
    sync_folder(folder)
    return digests


def _split(batches: Ints, starts: Ints) -> Iterator[Ints | None]:
    """The batches of each part, None where all are 0."""
    for start, stop in pairwise(starts.tolist()):
        own = batches[start:stop]
        yield own if own.any() else None


def _merged(written: Iterable[Digests]) -> Digests:
    return {name: digest for digests in written for name, digest in digests.items()}


def _name(file: Path, path: Path) -> str:
    return file.relative_to(path).as_posix()


def _check_written(path: Path, digests: Digests) -> None:
    """Raise `FolderError` unless what the workers have written is here; clear away what they left."""
    missing = [name for name in digests if not (path / name).is_file()]
    if missing:
        files, are = counted(len(missing), "file"), agreeing(len(missing), "is", "are")
        raise FolderError(
            f"{files} that the Dask workers wrote {are} not in {clean(path)}, so the folder is not shared. "
            "Nothing was sent. Give a folder= on a disk that all machines of the cluster have at the same "
            "path."
        )
    sweep_unfinished_files(path)


# what workers do


def _read_token(path: str) -> bytes:
    return read_ordinary(Path(path))


def _count_rows(part: PlanPart) -> int:
    return len(part.status)


def _write_part(
    messages: pd.DataFrame, places: Sequence[int], path: Path, batches: list[tuple[int, int]]
) -> tuple[list[bytes], str]:
    """Write a file of messages that are to go out; returns the digests of its batches, and its own."""
    table = message_table(messages, np.asarray(places, dtype=np.int64))
    return batch_digests(table, batches), _write_once(table, path)


def _write_tables_of_part(part: PlanPart, number: int, batches: Ints | None, path: Path) -> Digests:
    """Write a part of all tables with a row for each row of the contacts, or some for some of them."""
    batches = np.zeros(len(part.status), np.int64) if batches is None else batches
    frames = {
        CONTACTS: part.contacts,
        RECIPIENTS: recipients_of(part, batches),
        ALTERNATIVES: part.alternatives,
        ISSUES: part.issues,
    }
    paths = {name: part_path(path / name, number) for name in frames}
    return {
        _name(paths[name], path): _write_once(frame_table(frame), paths[name])
        for name, frame in frames.items()
    }


def _write_settled_of_part(
    part: PlanPart, number: int, start: int, batches: Ints | None, path: Path
) -> Digests:
    """Write the messages of a part that earlier batches hold; `start` is the position of its first one."""
    if batches is None:
        return {}
    places = np.flatnonzero(batches)
    table = settled_table(part.messages.iloc[places], places + start, batches[places])
    file = part_path(path / PLAN / SETTLED, number)
    return {_name(file, path): _write_once(table, file)}


def _write_once(table: pa.Table, path: Path) -> str:
    """Write a file that another worker may be writing, too; returns its digest."""
    unfinished = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        write_tables([table], unfinished)
        digest = file_digest(unfinished)
        try:
            name_new_file(unfinished, path)
        except FileExistsError:
            unfinished.unlink()
            if file_digest(path) != digest:
                raise FolderError(
                    f"Two Dask workers wrote different content for {path}, so they do not run the same "
                    "versions. Nothing was sent. Install the same versions on all machines, then send again."
                ) from None
        sync_folder(path.parent)
    except OSError as error:
        raise FolderError(
            f"A Dask worker cannot write {path}: {error.strerror or os.fsdecode(str(error))}. Nothing was "
            "sent. Make room there, or allow the workers to write, then send again."
        ) from None
    return digest
