"""`close`: a person gives up what waits in a campaign."""

from __future__ import annotations

from campaign.errors import ConfirmationError
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import folder_to_change, opened_ledger
from campaign.sending.options import Place
from campaign.sending.rounds.not_again import unsent_messages
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted


@public_call
def close(folder: Place, *, confirm: str | None = None) -> Result:
    """Give up what a campaign has not sent: messages that wait are withdrawn, refused ones not tried again.

    Nothing is left that `resume` would send, so that the campaign can be named in `not_again=`. `confirm` is
    the phrase that the error shows; where nothing is left to send, none is needed. To send to these people
    after all, send the plan again. The journal keeps who closed it, and when.

    Raises `ConfirmationError` with the phrase, `LockedError` while a run is under way; one that
    a valve holds in this process is ended.
    """
    place = folder_to_change(folder, confirm)
    with opened_ledger(place) as ledger:
        record = CampaignRecord.of(place)
        unsent = 0 if record.ledger.is_closed else unsent_messages(record)
        phrase = f"close with {counted(unsent, 'message')} not sent"
        if unsent and confirm != phrase:
            raise ConfirmationError(
                f"{counted(unsent, 'message')} of this campaign {agreeing(unsent, 'waits', 'wait')} to be "
                f"sent, or {agreeing(unsent, 'was', 'were')} refused, and would never go out.",
                phrase=phrase,
                purpose="close it",
                given=confirm,
            )
        ledger.close_campaign(f"{user_name()}: closed")
    return place.load_result()
