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
from campaign.words.finding import Finding


@public_call
def erase(folder: Place, *, confirm: str | None = None) -> None:
    """End a campaign: delete its names, numbers and texts from its folder, for good.

    Parameters
    ----------
    folder
        The campaign's folder.
    confirm
        The phrase that the error shows.

    Returns
    -------
    None
        Totals, batches, costs, codes and the journal stay; `history` lists it as "erased". Nothing can be
        sent under its name any more. Copies and reports are left to you.

    Raises
    ------
    FolderError
        Something waits or is unknown.
    ConfirmationError
        With the phrase.
    LockedError
        A run is under way.

    Examples
    --------
    >>> campaign.erase(result.folder)
    Traceback (most recent call last):
    campaign.errors.ConfirmationError: ...
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
        raise FolderError("nothing_to_erase")
    unknown = sum(batch.messages for batch in record.ledger.batches if batch.state == "unknown")
    waiting, _ = record.unsent_messages
    if unknown or waiting:
        raise FolderError("campaign_not_settled", unknown=unknown, waiting=waiting)


def _check_confirmed(place: Folder, rounds: Sequence[Round], confirm: str | None) -> None:
    people = rounds[-1].manifest.people
    phrase = f"erase {counted(people, 'person', 'people')} of {clean(place.manifest.name)}"
    if confirm != phrase:
        facts = {"people": people, "folder": str(place.path), "files": _other_files(place)}
        findings = [Finding("erases", facts, "warning")]
        raise ConfirmationError("confirmation_needed", findings=findings, phrase=phrase, given=confirm)


def _other_files(place: Folder) -> list[str]:
    """What else is in the folder."""
    own = {MANIFEST, ROUNDS, LOCK, NOTE, *place.ledger_place.file_names}
    names = (path.name for path in place.path.iterdir())
    return sorted(name for name in names if name not in own and not name.startswith(COMPOSED))
