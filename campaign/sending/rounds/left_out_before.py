"""People whom a campaign has left out because they wanted no messages, and whom a plan does not leave out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from campaign.arrow_text import Bools, Ints
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.part_files import CONTACTS, read_part
from campaign.sending.store.rounds import Round
from campaign.text import agreeing, counted

_OPTED_OUT = "opted_out"


def opted_out_before(numbers: Ints, record: CampaignRecord) -> Bools:
    """Which numbers wanted no messages in the last round that left them out or had a message for them.

    The rounds are read only if there are any.
    """
    return np.isin(numbers, numbers_opted_out(record)) if len(numbers) else np.zeros(0, dtype=bool)


def numbers_opted_out(record: CampaignRecord) -> Ints:
    """The numbers whose people wanted no messages in the last round that had them, in ascending order.

    The rounds are read part by part, from the first one on that left anybody out.
    """
    opted_out = np.empty(0, np.int64)
    for one_round in record.rounds:
        if not len(opted_out) and not one_round.manifest.load_totals()[_OPTED_OUT]:
            continue
        for written_to in record.numbers_to_send_to(one_round):
            opted_out = opted_out[~np.isin(opted_out, written_to)]
        opted_out = np.unique(np.concatenate([opted_out, *_opted_out_in(one_round)]))
    return opted_out


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


def _opted_out_in(one_round: Round) -> Iterator[Ints]:
    """The numbers of the people whom a round left out because they wanted no messages, part by part."""
    for file in one_round.files("contacts"):
        contacts = read_part(file, CONTACTS, ["status", "number"]).to_pandas()
        yield contacts.loc[contacts["status"] == _OPTED_OUT, "number"].to_numpy()
