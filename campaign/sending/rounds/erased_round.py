"""What is left of a round when its campaign is erased: its shape, with digests for numbers and texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import array_to_series, combine_chunks, constant_array
from campaign.contract import EARLIER_TEXT, MESSAGE_TEXTS, REACHED_CORRECTED
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.sending.rounds.record import (
    CELL,
    STOPPED,
    digest_texts,
    first_pieces,
    whole_texts,
)
from campaign.sending.rounds.recorded_cells import number_cells
from campaign.sending.store.frame_files import count_parts, read_frame, write_frame
from campaign.sending.store.frozen_messages import read_part, read_settled, write_part, write_settled_table
from campaign.sending.store.keyed_digests import KeyedDigests
from campaign.sending.store.manifest import MANIFEST, RoundManifest
from campaign.sending.store.rounds import (
    ALTERNATIVES,
    CONTACTS,
    ERASED,
    ISSUES,
    PLAN,
    RECIPIENTS,
    Round,
    file_digest,
)
from campaign.values import replace

_REASON = "The reason was erased."


def write_erased(one_round: Round, digests: KeyedDigests) -> str:
    """Write beside a round what is left of it once it is erased; returns the digest of the new manifest.

    Rows keep their number in the file, their status and their batch, so that the result still adds up. All
    files are durable afterwards. Raises `FolderError` when the round is not what was frozen.
    """
    one_round.check_files()
    path = one_round.path / ERASED
    make_private_folder(path / PLAN)
    for part in range(one_round.manifest.parts):
        write_part(_without_people(read_part(one_round.plan_path, part), digests), path / PLAN, part)
    if one_round.manifest.settled:
        write_settled_table(_blank(read_settled(one_round.plan_path)), path / PLAN)
    _write_tables(one_round, digests, path)
    manifest = _manifest(one_round, path, digests)
    with new_private_file(path / MANIFEST) as file:
        file.write(manifest.content)
    for folder in (path / PLAN, path, one_round.path):
        sync_folder(folder)
    return manifest.digest


def _without_people(table: pa.Table, digests: KeyedDigests) -> pa.Table:
    """A part with the digest of each number, and that of each whole text with its first piece."""
    starts = first_pieces(table.column("row").to_numpy())
    texts = digest_texts(digests, whole_texts(combine_chunks(table.column("message")), starts))
    pieces = np.full(table.num_rows, -1)
    pieces[starts] = np.arange(len(starts))
    of_pieces = texts.take(pa.array(pieces, pa.int64(), mask=pieces < 0)).fill_null("")
    numbers = combine_chunks(table.column("number")).cast(pa.int64()).to_numpy()
    return _set(
        _blank(table),
        number=pa.array(digests.of_numbers(numbers)).cast(pa.large_string()),
        message=of_pieces,
    )


def _blank(table: pa.Table) -> pa.Table:
    """Messages without their numbers, texts, senders and priorities."""
    nothing = constant_array("", table.num_rows)
    return _set(table, number=nothing, message=nothing, sender=nothing, priority=nothing)


def _set(table: pa.Table, **columns: pa.Array[Any]) -> pa.Table:
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _write_tables(one_round: Round, digests: KeyedDigests, path: Path) -> None:
    status = read_frame(one_round.path / CONTACTS)["status"]
    reasons = pd.Series(_REASON, index=status.index, dtype="str").where(status != "not_sent", "")
    write_frame(pd.DataFrame({"status": status, "reason": reasons}), path / CONTACTS)
    issues, recipients = read_frame(one_round.path / ISSUES), read_frame(one_round.path / RECIPIENTS)
    stopped = issues.loc[issues["code"] == STOPPED, "row"]
    out = (status == "opted_out").to_numpy() | recipients.index.isin(stopped)  # who wants no messages
    numbers = recipients["number"].where(out, 0).to_numpy(dtype=np.int64)
    recipients = recipients.assign(number=digests.of_numbers(numbers), **{CELL: _cells(one_round, digests)})
    write_frame(recipients, path / RECIPIENTS)
    alternatives = read_frame(one_round.path / ALTERNATIVES)
    write_frame(alternatives.assign(**dict.fromkeys(MESSAGE_TEXTS, "")), path / ALTERNATIVES)
    # So that those who answered STOP stay out, and those whom a follow-up file reached count as reached.
    kept = issues[issues["code"].isin([STOPPED, REACHED_CORRECTED, EARLIER_TEXT])].assign(column="", value="")
    write_frame(kept, path / ISSUES)


def _cells(one_round: Round, digests: KeyedDigests) -> pd.Series[str]:
    """For each row the digest of what the columns of the number say; "" for rows that got no message."""
    contacts = read_frame(one_round.path / CONTACTS)
    rows = contacts.index[contacts["status"] == "not_sent"]
    cells = digests.of_texts(number_cells(contacts, one_round.manifest.number_columns, rows.to_numpy()))
    return array_to_series(cells, rows).reindex(contacts.index, fill_value="")


def _senders_of_nobody(one_round: Round) -> list[str]:
    """The one sender of a whole table, by which costs are added up; none where it may be from a column.

    Senders from a column are the words of each row. A table of one person, or a cell that says the same as
    the sender, leaves that open.
    """
    senders, contacts = one_round.manifest.senders, one_round.path / CONTACTS
    if len(senders) != 1:
        return []
    people = 0
    for part in range(count_parts(contacts)):
        rows = read_frame(contacts, part=part)
        people += int((rows["status"] == "not_sent").sum())
        if rows.isin(senders).to_numpy().any():
            return []
    return senders if people > 1 else []


def _manifest(one_round: Round, path: Path, digests: KeyedDigests) -> RoundManifest:
    manifest = one_round.manifest
    return replace(
        manifest,
        given=digests.of_text(manifest.given),
        fingerprint=digests.of_text(manifest.fingerprint),
        pilot=None,
        number_columns=[],
        template="",
        senders=_senders_of_nobody(one_round),
        options={},
        who="",
        reading=None,
        digests={
            file.relative_to(path).as_posix(): file_digest(file) for file in sorted(path.rglob("*.parquet"))
        },
        erased_with=digests.mark,
    )
