"""`close`: a person gives up what waits in a campaign."""

from __future__ import annotations

from campaign.argument_checks import check_path, check_text
from campaign.errors import ConfirmationError
from campaign.results.tables import Result
from campaign.sending.options import Place
from campaign.sending.store.folder import open_folder
from campaign.sending.store.user_state import user_name
from campaign.text import agreeing, counted


def close(folder: Place, *, confirm: str | None = None) -> Result:
    """Withdraw every message of a campaign that waits to be sent, for good.

    Nothing is left that `resume` would send, so that the campaign can be erased or named in `not_again=`.
    `confirm` is the phrase that the error shows; where nothing waits none is needed. To send to these people
    after all, send the plan again. The journal keeps who closed it, and when.

    Raises `ConfirmationError` with the phrase, `LockedError` while a run has the campaign open.
    """
    check_path(folder, subject="folder", write='folder="campaigns/visits"')
    check_text(confirm, subject="confirm", write="the phrase that the error shows", or_none=True)
    place = open_folder(folder)
    with place.opened_ledger() as ledger:
        waiting = ledger.waiting_messages()
        phrase = f"close with {counted(waiting, 'message')} not sent"
        if waiting and confirm != phrase:
            raise ConfirmationError(
                f"{counted(waiting, 'message')} of this campaign {agreeing(waiting, 'waits', 'wait')} to be "
                f'sent, and would never go out. To close it, give confirm="{phrase}".'
            )
        ledger.withdraw_pending(f"{user_name()}: closed")
    return place.load_result()
