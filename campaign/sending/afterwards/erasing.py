"""`erase`: names, numbers and texts of a campaign are taken away, and what it did is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from campaign.arrow_text import Ints
from campaign.errors import ConfirmationError, FolderError
from campaign.log import log
from campaign.public_calls import public_call
from campaign.sending.afterwards.opened_ledger import folder_to_change, ledger_to_erase
from campaign.sending.ledger.views import LedgerSnapshot, snapshot
from campaign.sending.options import Place
from campaign.sending.store.erasure import finish_erasure
from campaign.sending.store.folder import Folder
from campaign.sending.store.lock_holder import LOCK, NOTE
from campaign.sending.store.manifest import COMPOSED, MANIFEST
from campaign.sending.store.part_files import CONTACTS, read_part
from campaign.sending.store.rounds import ROUNDS, Round
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, clean, counted


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
        contents = snapshot(place.ledger_place)
        rounds = place.rounds(contents)
        _check_settled(place, rounds, contents)
        _check_confirmed(place, rounds, confirm)
        ledger.erase_campaign(f"{user_name()}: erased")
        finish_erasure(place.path, ledger)


def _check_settled(place: Folder, rounds: Sequence[Round], contents: LedgerSnapshot) -> None:
    """Raise `FolderError` if a message may still leave, or if it is not known whether one has."""
    if not rounds:
        raise FolderError(
            f"Nothing was sent in {clean(place.path)}, so there is nothing to erase. Delete the folder."
        )
    planned = rounds[-1].messages_by_batch(contents.batches)
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
            f"{_other_files(place)} The spreadsheet, and reports, follow-up files, notebooks and copies "
            "elsewhere, still hold them: delete what you do not need.",
            phrase=phrase,
            purpose="erase the campaign",
            given=confirm,
        )


def _departed(rounds: Sequence[Round]) -> int:
    """How many numbers of these rounds are in no row of the last of them."""
    *earlier, last = map(_numbers_in, rounds)
    return len(np.setdiff1d(np.concatenate([np.zeros(1, np.int64), *earlier]), [*last, 0]))


def _numbers_in(one_round: Round) -> Ints:
    files = one_round.files("contacts")
    return np.concatenate([read_part(file, CONTACTS, ["number"]).column(0).to_numpy() for file in files])


def _other_files(place: Folder) -> str:
    """A sentence with what else is in the folder, which erasing leaves; "" if there is nothing."""
    own = {MANIFEST, ROUNDS, LOCK, NOTE, *place.ledger_place.file_names}
    names = (path.name for path in place.path.iterdir())
    others = sorted(clean(name) for name in names if name not in own and not name.startswith(COMPOSED))
    if not others:
        return ""
    return f" Other files in the folder are left as they are: {', '.join(others)}."
