"""People whom a campaign has left out because they wanted no messages, and whom a plan does not leave out."""

from __future__ import annotations

from campaign.arrow_text import Bools, Ints
from campaign.messages.recipients import is_on_list
from campaign.sending.rounds.record import CampaignRecord
from campaign.text import agreeing, counted


def opted_out_before(numbers: Ints, record: CampaignRecord) -> Bools:
    """Which numbers are of people whom the campaign has left out so far."""
    return is_on_list(numbers, record.opt_outs.numbers)


def about_opted_out(people: int, rows: str = "") -> str:
    """A sentence about people who were left out before and are not now, perhaps with their rows; "" for
    nobody."""
    if not people:
        return ""
    return (
        f"{counted(people, 'person', 'people')} who {agreeing(people, 'was', 'were')} left out before, "
        f"because they wanted no messages, {agreeing(people, 'is', 'are')} not left out "
        f"now{f' ({rows})' if rows else ''}."
    )
