"""`erase`: names, numbers and texts of a campaign are taken away, and what it did is kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.arrow_text import constant_array
from campaign.contract import MESSAGE_TEXTS
from campaign.errors import ConfirmationError, FolderError
from campaign.private_files import make_private_folder, new_private_file, sync_folder
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import folder_to_change, opened_ledger
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.options import Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder, finish_erasure
from campaign.sending.store.frame_files import count_parts, read_frame, write_frame
from campaign.sending.store.frozen_messages import (
    HASHES,
    read_part,
    read_settled,
    write_part,
    write_settled_table,
)
from campaign.sending.store.lock_holder import LOCK, NOTE
from campaign.sending.store.manifest import COMPOSED, MANIFEST, RoundManifest
from campaign.sending.store.rounds import (
    ALTERNATIVES,
    CONTACTS,
    ERASED,
    ISSUES,
    PLAN,
    RECIPIENTS,
    ROUNDS,
    Round,
    file_digest,
    sweep_rounds,
)
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, clean, counted
from campaign.values import replace

_ERASED = "The names, numbers and texts of this campaign were erased."
_ELSEWHERE = (
    " The spreadsheet, and reports, follow-up files, notebooks and copies elsewhere, still hold them: delete "
    "what you do not need."
)


@public_call
def erase(folder: Place, *, confirm: str | None = None) -> Result:
    """End a campaign: its names, numbers and texts are taken out of its folder, for good.

    What stays: the totals, the status and row number of each row, batches with their costs and codes, the
    campaign's name and the path of its file, its sender unless that may be from a column, and the journal.

    `confirm` is the phrase that the error shows. Afterwards nothing can be sent under this name, resumed,
    reconciled or named in `not_again=`: nobody knows any more whom it reached. Copies, backups and other
    files in the folder, such as reports, are left to you; the result's sentence names the latter.

    Raises `FolderError` while anything waits or is unknown, `ConfirmationError` with the phrase, and
    `LockedError` while a run is under way; one that a valve holds in this process is ended.
    """
    place = folder_to_change(folder, confirm)
    with opened_ledger(place) as ledger:
        record = CampaignRecord.of(place)
        _check_settled(place, record)
        if not record.is_erased:
            _check_confirmed(place, record.rounds, confirm)
            _erase(place, record.rounds, ledger)
        sweep_rounds(place.path, record.rounds[-1].number)  # a program that was killed may have left people
    return place.load_result(sentence=f"{_ERASED}{_other_files(place)}{_ELSEWHERE}")


def _erase(place: Folder, rounds: Sequence[Round], ledger: Ledger) -> None:
    """Write what is left, register it, and only then delete the originals."""
    try:
        for composed in place.path.glob(f"{COMPOSED}*"):  # what a program that was killed left, too
            composed.unlink(missing_ok=True)  # it has the text
        registered = {one_round.number: write_erased(one_round) for one_round in rounds}
    except OSError as error:
        raise FolderError(
            f"The campaign in {clean(place.path)} cannot be erased: {error.strerror or error}. Make room on "
            "the disk, or allow yourself to write to the folder, then erase it again."
        ) from None
    ledger.erase_rounds(registered, f"{user_name()}: erased")
    finish_erasure(place.path, ledger)


def _check_settled(place: Folder, record: CampaignRecord) -> None:
    """Raise `FolderError` if a message may still leave, or if it is not known whether one has."""
    if not record.rounds:
        raise FolderError(
            f"Nothing was sent in {clean(place.path)}, so there is nothing to erase. Delete the folder."
        )
    contents = record.ledger
    planned = record.rounds[-1].messages_by_batch(contents.batches)
    messages = {"pending": 0, "again": 0, "unknown": 0}
    for batch in contents.batches:
        if batch.state in messages:
            messages[batch.state] += planned.get(batch.batch, 0) if batch.state == "again" else batch.messages
    if messages["unknown"]:
        raise FolderError(
            f"It is unknown whether {counted(messages['unknown'], 'message was', 'messages were')} sent, so "
            "the campaign cannot be erased yet. Settle this with resolve or reconcile first."
        )
    waiting = 0 if contents.is_closed else messages["pending"] + messages["again"]
    if waiting:
        raise FolderError(
            f"{counted(waiting, 'message')} of this campaign {agreeing(waiting, 'waits', 'wait')} to be "
            "sent, so it cannot be erased yet. Finish it with resume, or close it first."
        )


def _check_confirmed(place: Folder, rounds: Sequence[Round], confirm: str | None) -> None:
    people, departed = rounds[-1].manifest.people, _departed(rounds)
    gone = f"{counted(departed, 'person', 'people')} who {agreeing(departed, 'is', 'are')} no longer in it"
    phrase = f"erase {counted(people, 'person', 'people')} of {clean(place.manifest.name)}"
    if confirm != phrase:
        raise ConfirmationError(
            f"This takes the names, numbers and texts of {counted(people, 'person', 'people')} in the last "
            f"table{f' and {gone}' if departed else ''} out of {clean(place.path)}, for good. Totals, costs "
            "and codes stay. Nothing more can be sent under this name: nobody will know whom it reached."
            f"{_other_files(place)}{_ELSEWHERE}",
            phrase=phrase,
            purpose="erase the campaign",
            given=confirm,
        )


def _departed(rounds: Sequence[Round]) -> int:
    """How many numbers of these rounds are in no row of the last of them."""
    *earlier, last = [read_frame(one_round.path / RECIPIENTS)["number"].to_numpy() for one_round in rounds]
    return len(np.setdiff1d(np.concatenate([np.zeros(1, np.int64), *earlier]), [*last, 0]))


def _other_files(place: Folder) -> str:
    """A sentence with what else is in the folder, which erasing leaves; "" if there is nothing."""
    own = {MANIFEST, ROUNDS, LOCK, NOTE, *place.ledger_place.file_names}
    names = (path.name for path in place.path.iterdir())
    others = sorted(clean(name) for name in names if name not in own and not name.startswith(COMPOSED))
    if not others:
        return ""
    return f" Other files in the folder are left as they are: {', '.join(others)}."


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
    """Messages without their numbers, texts, senders and priorities, and without the hashes of these."""
    nothing, zeros = constant_array("", table.num_rows), pa.array(np.zeros(table.num_rows, np.int64))
    blank = dict.fromkeys(MESSAGE_TEXTS, nothing) | dict.fromkeys(HASHES, zeros)
    for name in blank.keys() & {*table.column_names}:
        table = table.set_column(table.column_names.index(name), name, blank[name])
    return table


def _write_tables(one_round: Round, path: Path) -> None:
    contacts = read_frame(one_round.path / CONTACTS)[["status", "why"]]
    reasons = pd.Series(_REASON, contacts.index, dtype="str").where(contacts["status"] != "not_sent", "")
    write_frame(contacts.assign(reason=reasons), path / CONTACTS)
    recipients = read_frame(one_round.path / RECIPIENTS)
    write_frame(recipients.assign(number=0), path / RECIPIENTS)
    alternatives = read_frame(one_round.path / ALTERNATIVES)
    write_frame(alternatives.assign(**dict.fromkeys(MESSAGE_TEXTS, "")), path / ALTERNATIVES)
    write_frame(read_frame(one_round.path / ISSUES).iloc[:0], path / ISSUES)


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
