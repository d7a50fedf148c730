"""The ledger of a campaign that a person settles, closes or erases: open for this process alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial

from campaign.argument_checks import check_path, check_text
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import identity_of, moves_of, rounds_and_reached, snapshot
from campaign.sending.options import Place
from campaign.sending.store.claim import check_newest
from campaign.sending.store.erasure import finish_erasure
from campaign.sending.store.folder import Folder, open_folder
from campaign.sending.store.runs_here import locked
from campaign.sending.store.user_list import ListEntry, listed_with_ledger


def folder_to_change(folder: Place, confirm: str | None) -> Folder:
    """The campaign folder that `close` or `erase` was given; raises `UsageError` for a wrong argument."""
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    return open_folder(folder)


@contextmanager
def opened_ledger(place: Folder) -> Iterator[Ledger]:
    """The ledger of a campaign, open for changes by this process alone.

    A run of this process that a valve holds is ended first, as `send` does. Raises `LockedError` if any other
    run has the campaign open, and `FolderError` if a round is not what was registered, or was erased.
    """
    with ledger_to_erase(place) as ledger:
        place.rounds(snapshot(place.ledger_place))
        yield ledger


@contextmanager
def ledger_to_erase(place: Folder) -> Iterator[Ledger]:
    """The same, also of a campaign that was erased: what a killed program left of that is deleted first."""
    with locked(place), closing(_open(place)) as ledger:
        finish_erasure(place.path, ledger)
        yield ledger


def _open(place: Folder) -> Ledger:
    """The ledger, with the user's list as its witness where the campaign is live and listed here.

    Without it, a backup from before the change would not be known to be one. Raises `FolderError` if this is
    such a backup.
    """
    identity, ledger_place = place.manifest.identity, place.ledger_place
    if place.manifest.environment != "live":
        return ledger_place.open(identity)
    ledger_place.check(identity)
    ledger_id = identity_of(ledger_place)["ledger"]
    listed = listed_with_ledger(ledger_id, place.path)
    if listed is None:
        return ledger_place.open(identity)
    check_newest(listed, place.path, moves_of(ledger_place))
    entry = ListEntry(listed.key, place.path, ledger_id, partial(rounds_and_reached, ledger_place))
    return ledger_place.open(identity, [entry])
