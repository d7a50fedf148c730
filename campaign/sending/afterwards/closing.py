"""`close`: a person gives up what waits in a campaign."""

from __future__ import annotations

from campaign.errors import ConfirmationError
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import folder_to_change, opened_ledger
from campaign.sending.options import Place
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import Folder
from campaign.sending.store.runs_here import is_held_here
from campaign.sending.store.user_state import user_name
from campaign.text import capitalised, counted


@public_call
def close(folder: Place, *, confirm: str | None = None) -> Result:
    """Give up what a campaign has not sent: messages that wait are withdrawn, refused ones not tried again.

    Nothing is left that `resume` would send, so that the campaign can be named in `not_again=`. `confirm` is
    the phrase that the error shows; where nothing is left to send, none is needed. To send to these people
    after all, send the plan again. The journal keeps who closed it, and when.

    Raises `ConfirmationError` with the phrase, `LockedError` while a run is under way. One that a valve holds
    in this process is ended once the phrase is given.
    """
    place = folder_to_change(folder, confirm)
    if is_held_here(place):
        _check_confirmed(place, confirm)  # a question must not end the run
    with opened_ledger(place) as ledger:
        _check_confirmed(place, confirm)
        ledger.close_campaign(f"{user_name()}: closed")
    return place.load_result()


def _check_confirmed(place: Folder, confirm: str | None) -> None:
    """Raise `ConfirmationError` if anything would not go out and the phrase does not say how much."""
    waiting, refused = CampaignRecord.of(place).unsent_messages
    unsent = counted(waiting + refused, "message")
    phrase = f"close with {unsent} not sent"
    if waiting + refused and confirm != phrase:
        raise ConfirmationError(
            f"{capitalised(unsent)} of this campaign would never go out: {waiting:,} to be sent, and "
            f"{refused:,} refused.",
            phrase=phrase,
            purpose="close it",
            given=confirm,
        )
