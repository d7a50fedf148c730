"""`close`: a person gives up what waits in a campaign."""

from __future__ import annotations

from campaign.argument_checks import check_path, check_text
from campaign.errors import ConfirmationError
from campaign.results.tables import Result
from campaign.sending.afterwards.opened_ledger import opened_ledger
from campaign.sending.options import Place
from campaign.sending.rounds.not_again import unsent_messages
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted


def close(folder: Place, *, confirm: str | None = None) -> Result:
    """Give up what a campaign has not sent: messages that wait are withdrawn, refused ones not tried again.

    Nothing is left that `resume` would send, so that the campaign can be named in `not_again=`. `confirm` is
    the phrase that the error shows; where nothing is left to send, none is needed. To send to these people
    after all, send the plan again. The journal keeps who closed it, and when.

    Raises `ConfirmationError` with the phrase, `LockedError` while a run is under way; one that
    a valve holds in this process is ended.
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    with opened_ledger(place) as ledger:
        contents = place.snapshot()
        record = CampaignRecord(place.manifest.name, place.rounds(contents), contents)
        unsent = 0 if contents.is_closed else unsent_messages(record)
        phrase = f"close with {counted(unsent, 'message')} not sent"
        if unsent and confirm != phrase:
            raise ConfirmationError(
                f"{counted(unsent, 'message')} of this campaign {agreeing(unsent, 'waits', 'wait')} to be "
                f"sent, or {agreeing(unsent, 'was', 'were')} refused, and would never go out.",
                phrase=phrase,
                purpose="close it",
            )
        ledger.close_campaign(f"{user_name()}: closed")
    return place.load_result()
