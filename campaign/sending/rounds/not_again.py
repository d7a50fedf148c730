"""A last look at the campaigns that `not_again=` named, when a round is about to be registered."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from campaign.arrow_text import Ints
from campaign.errors import FolderError, UsageError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import messages_at
from campaign.messages.suppression.suppression_lists import EarlierCampaign
from campaign.sending.rounds.comparison import AGAIN
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.folder import open_folder
from campaign.text import agreeing, counted


def read_earlier_campaign(folder: str) -> EarlierCampaign:
    """Whom a campaign has reached; raises `FolderError` while some of its messages still wait.

    They would go out later, to people who may by then have been reached by the campaign that is prepared now.
    """
    place = open_folder(folder)
    record = CampaignRecord.of(place)
    unsent = sum(unsent_messages(record))
    if unsent:
        raise FolderError(
            f"The campaign in {folder} is not finished: {counted(unsent, 'message')} "
            f"{agreeing(unsent, 'waits or was refused', 'wait or were refused')}, and would go out with the "
            "next run. Finish it with resume, or close it, before it can be named in not_again=."
        )
    # All rounds count: people who have left the table or opted out since were reached nevertheless.
    numbers = record.reached_numbers(record.knowledge >= AGAIN)
    return EarlierCampaign(folder, pd.Series(numbers).astype("str"), place.manifest.environment)


def unsent_messages(record: CampaignRecord) -> tuple[int, int]:
    """How many messages of the last round wait, and how many were refused: the next run would send both.

    None of a campaign that was closed.
    """
    if record.ledger.is_closed or not record.rounds:
        return 0, 0
    planned = record.rounds[-1].messages_by_batch(record.ledger.batches)
    counts = Counter[str]()
    for batch in record.ledger.batches:
        counts[batch.state] += planned.get(batch.batch, 0)
    return counts["pending"] + counts["again"], counts["refused"]


def check_not_again(plan: Plan, outgoing: Ints) -> None:
    """Raise if a campaign named in `not_again=` waits, or has reached people of the plan since it was read.

    `outgoing` are the positions of the messages that are to go out.
    """
    for campaign in plan.not_again:
        if not (isinstance(campaign, EarlierCampaign) and campaign.place):
            continue
        reached = read_earlier_campaign(campaign.place).reached
        reached = reached[~reached.isin(campaign.reached)]
        count = sum(int(frame["number"].isin(reached).sum()) for frame in messages_at(plan, outgoing))
        if count:
            raise UsageError(
                f"{campaign.place} has reached {counted(count, 'person', 'people')} of this plan since it "
                "was prepared. Prepare it again, so that they are left out."
            )
