"""What is left of a round when its campaign is erased: its shape, without names, numbers and texts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa

from campaign.arrow_text import constant_array
from campaign.contract import EARLIER_TEXT, MESSAGE_TEXTS, REACHED_CORRECTED
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.sending.store.frame_files import count_parts, read_frame, write_frame
from campaign.sending.store.frozen_messages import read_part, read_settled, write_part, write_settled_table
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


def write_erased(one_round: Round) -> str:
    """Write beside a round what is left of it once it is erased; returns the digest of the new manifest.

    Rows keep their number in the file, their status and their batch, so that the result still adds up. All
    files are durable afterwards. Raises `FolderError` when the round is not what was frozen.
    """
    one_round.check_files()
    path = one_round.path / ERASED
    make_private_folder(path / PLAN)
    for part in range(one_round.manifest.parts):
        write_part(_blank(read_part(one_round.plan_path, part)), path / PLAN, part)
    if one_round.manifest.settled:
        write_settled_table(_blank(read_settled(one_round.plan_path)), path / PLAN)
    _write_tables(one_round, path)
    manifest = _manifest(one_round, path)
    with new_private_file(path / MANIFEST) as file:
        file.write(manifest.content)
    for folder in (path / PLAN, path, one_round.path):
        sync_folder(folder)
    return manifest.digest


def _blank(table: pa.Table) -> pa.Table:
    """Messages without their numbers, texts, senders and priorities."""
    nothing = constant_array("", table.num_rows)
    for name in ("number", "message", "sender", "priority"):
        table = table.set_column(table.column_names.index(name), name, nothing)
    return table


def _write_tables(one_round: Round, path: Path) -> None:
    status = read_frame(one_round.path / CONTACTS)["status"]
    reasons = pd.Series(_REASON, index=status.index, dtype="str").where(status != "not_sent", "")
    write_frame(pd.DataFrame({"status": status, "reason": reasons}), path / CONTACTS)
    issues, recipients = read_frame(one_round.path / ISSUES), read_frame(one_round.path / RECIPIENTS)
    write_frame(recipients.assign(number=0), path / RECIPIENTS)
    alternatives = read_frame(one_round.path / ALTERNATIVES)
    write_frame(alternatives.assign(**dict.fromkeys(MESSAGE_TEXTS, "")), path / ALTERNATIVES)
    # Those whom a follow-up file reached count as reached.
    kept = issues[issues["code"].isin([REACHED_CORRECTED, EARLIER_TEXT])].assign(column="", value="")
    write_frame(kept, path / ISSUES)


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


def _manifest(one_round: Round, path: Path) -> RoundManifest:
    manifest = one_round.manifest
    return replace(
        manifest,
        given="",
        fingerprint="",
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
        erased_at=datetime.now(UTC).isoformat(),
    )
