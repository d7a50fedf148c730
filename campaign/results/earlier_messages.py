"""Sentences about what earlier rounds of a campaign sent, and today's table does not show."""

from __future__ import annotations

import pandas as pd

from campaign.arrow_text import Ints
from campaign.text import agreeing, capitalised, counted


def about_kept_texts(people: int) -> str:
    """That so many people keep another text that they got before; "" for none."""
    if not people:
        return ""
    keep, they = agreeing(people, "keeps", "keep"), agreeing(people, "this person", "they")
    return f"{capitalised(counted(people, 'person', 'people'))} {keep} the text that {they} got before."


def about_departed(
    batches: pd.DataFrame, planned: Ints, *, has_new_texts: bool, has_reached_rows: bool
) -> str:
    """What was sent in earlier rounds and is in no row of today's table; "" if there is nothing.

    `planned` says how many messages for rows of the plan each of the batches has. Where people were sent new
    texts, or rows that get nothing now were reached before, these may be the messages.
    """
    sent = batches["status"].isin(["accepted", "unknown"]).to_numpy()
    count = int((batches["messages"].to_numpy() - planned)[sent].clip(0).sum())
    if not count:
        return ""
    earlier = f"Earlier rounds sent {counted(count, 'message')} that {agreeing(count, 'is', 'are')}"
    if has_new_texts:
        where = "not in this table: an earlier text of people in it, or messages to people who have left it"
    elif has_reached_rows:
        where = "not in this table: to rows that get nothing now, or to people who have left it"
    else:
        where = "in no row of this table any more"
    return f"{earlier} {where}; the cost includes {agreeing(count, 'it', 'them')}."
