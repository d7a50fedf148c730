"""`erase`: names, numbers and texts of a campaign are taken away, and what it did is kept."""

from __future__ import annotations

from collections.abc import Sequence

from campaign.errors import ConfirmationError, FolderError
from campaign.log import log
from campaign.public_calls import public_call
from campaign.sending.afterwards.opened_ledger import folder_to_change, ledger_to_erase
from campaign.sending.options import Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.erasure import finish_erasure
from campaign.sending.store.folder import Folder
from campaign.sending.store.lock_holder import LOCK, NOTE
from campaign.sending.store.manifest import COMPOSED, MANIFEST
from campaign.sending.store.rounds import ROUNDS, Round
from campaign.sending.store.user_state import user_name
from campaign.text import clean, counted


@public_call
def erase(folder: Place, *, confirm: str | None = None) -> None:
    """End a campaign: its names, numbers and texts are deleted from its folder, for good.

    What stays: the totals, the batches with their costs and codes, the campaign's name, the path of its file,
    and the journal, so that `history` lists it as "erased". Everything else that is given its folder or name
    afterwards is refused: nobody knows any more whom it reached. Copies, backups and other files in the
    folder, such as reports, are left to you; the question names the latter.

    `confirm` is the phrase that the error shows. Called again, it deletes what a program that was killed has
    left, and needs none.

    Raises `FolderError` while anything waits or is unknown, `ConfirmationError` with the phrase, and
    `LockedError` while a run is under way; one that a valve holds in this process is ended.
    """
    place = folder_to_change(folder, confirm)
    with ledger_to_erase(place) as ledger:
        if erased_at := ledger.erased_at():
            log.warning("The campaign in %s was erased on %s.", clean(place.path), erased_at[:10])
            return
        record = CampaignRecord.of(place)
        _check_settled(record)
        _check_confirmed(place, record.rounds, confirm)
        ledger.erase_campaign(f"{user_name()}: erased")
        finish_erasure(place.path, ledger)


def _check_settled(record: CampaignRecord) -> None:
    """Raise `FolderError` if nothing was sent, if a message may still leave, or if one may have."""
    if not record.rounds:
        raise FolderError(
            "Nothing was sent from this campaign, so there is nothing to erase. Delete its folder."
        )
    unknown = sum(batch.messages for batch in record.ledger.batches if batch.state == "unknown")
    waiting, _ = record.unsent_messages
    if unknown or waiting:
        raise FolderError(
            f"The campaign cannot be erased yet: of its messages, {unknown:,} are unknown and "
            f"{waiting:,} unsent. "
            "Settle what is unknown with resolve or reconcile, and finish or close the campaign first."
        )


def _check_confirmed(place: Folder, rounds: Sequence[Round], confirm: str | None) -> None:
    people = counted(rounds[-1].manifest.people, "person", "people")
    phrase = f"erase {people} of {clean(place.manifest.name)}"
    if confirm != phrase:
        raise ConfirmationError(
            f"This takes the names, numbers and texts of {people} in the last table, and of all who were in "
            f"earlier ones, out of {clean(place.path)}, for good. Totals, costs and codes stay. Nothing more "
            "can be sent under this name: nobody will know whom it reached. Other files are left to you. In "
            f"the folder: {_other_files(place)}. The spreadsheet, reports, follow-up files, notebooks and "
            "copies still hold these people: delete what you do not need.",
            phrase=phrase,
            purpose="erase the campaign",
            given=confirm,
        )


def _other_files(place: Folder) -> str:
    """What else is in the folder, "none" for nothing."""
    own = {MANIFEST, ROUNDS, LOCK, NOTE, *place.ledger_place.file_names}
    names = (path.name for path in place.path.iterdir())
    others = (clean(name) for name in names if name not in own and not name.startswith(COMPOSED))
    return ", ".join(sorted(others)) or "none"
