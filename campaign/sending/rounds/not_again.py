"""A last look at the campaigns that `not_again=` named, when a round is about to be registered."""

from __future__ import annotations

import numpy as np
import pandas as pd

from campaign.errors import FolderError, UsageError
from campaign.messages.plan import Plan
from campaign.messages.suppression import EarlierCampaign, reached_numbers
from campaign.sending.rounds.comparison import AGAIN, missing_numbers
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.first_format import FirstFolder, open_to_read
from campaign.text import agreeing, counted


def read_earlier_campaign(folder: str) -> EarlierCampaign:
    """Whom a campaign has reached; raises `FolderError` while some of its messages still wait.

    They would go out later, to people who may by then have been reached by the campaign that is prepared now.
    """
    place = open_to_read(folder)
    if isinstance(place, FirstFolder):  # nothing more is sent from it, whatever waits
        reached = reached_numbers(place.load_result().messages)
        return EarlierCampaign(folder, reached, place.manifest.environment)
    ledger = place.snapshot()
    record = CampaignRecord(place.manifest.name, place.rounds(ledger), ledger)
    waiting = sum(batch.messages for batch in ledger.batches if batch.state == "pending")
    if waiting:
        raise FolderError(
            f"The campaign in {folder} is not finished: {counted(waiting, 'message')} "
            f"{agreeing(waiting, 'waits', 'wait')} in it. Finish it with resume, or close it, before it can "
            "be named in not_again=."
        )
    # Of all rounds: who has left the table or opted out since was reached nevertheless.
    numbers = missing_numbers(record.texts, record.knowledge >= AGAIN, np.empty(0, np.int64))
    return EarlierCampaign(folder, pd.Series(numbers).astype("str"), place.manifest.environment)


def check_not_again(plan: Plan, outgoing: pd.DataFrame) -> None:
    """Raise if a campaign named in `not_again=` waits, or has reached people of the plan since."""
    for campaign in plan.not_again:
        if not (isinstance(campaign, EarlierCampaign) and campaign.place):
            continue
        reached = read_earlier_campaign(campaign.place).reached
        count = int(outgoing["number"].isin(reached).sum())
        if count:
            raise UsageError(
                f"{campaign.place} has reached {counted(count, 'person', 'people')} of this plan since it "
                "was prepared. Prepare it again, so that they are left out."
            )
