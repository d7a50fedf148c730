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
from campaign.text import counted
from campaign.words.finding import Finding


@public_call
def close(folder: Place, *, confirm: str | None = None) -> Result:
    """Give up what a campaign has not sent: `resume` has nothing to send any more.

    Parameters
    ----------
    folder
        The campaign's folder.
    confirm
        The phrase that the error shows; none is needed where nothing waits.

    Returns
    -------
    Result
        The campaign can now be named in `not_again=`. Sending its plan again opens it.

    Raises
    ------
    ConfirmationError
        With the phrase.
    LockedError
        A run is under way.

    Examples
    --------
    >>> campaign.close(result.folder).totals["accepted"]
    1
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
    unsent = waiting + refused
    phrase = f"close with {counted(unsent, 'message')} not sent"
    if unsent and confirm != phrase:
        left = Finding("closes", {"messages": unsent, "waiting": waiting, "refused": refused})
        raise ConfirmationError("confirmation_needed", findings=[left], phrase=phrase, given=confirm)
