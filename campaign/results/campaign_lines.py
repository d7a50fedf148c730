"""Several campaigns as people read them: one line for each, with its days, cost and state in words."""

from __future__ import annotations

import pandas as pd

from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.results.campaign_list import costs_in_words, shown_counts


def campaign_lines(history: pd.DataFrame, times: LocalTimes) -> pd.DataFrame:
    """A frame of `history` in words; the zone of its days is that of `times`.

    What people look for comes first, because a narrow screen cuts off the end. What no campaign has,
    such as refused messages or a second round, gets no column, nor where they went if all went there.
    """
    days = [
        "never" if pd.isna(first) else times.short_day_span(first, last)
        for first, last in zip(history["first_sent"], history["last_sent"], strict=True)
    ]
    lines = pd.DataFrame(
        {
            "Campaign": history["name"],
            "State": history.get("state", ""),
            "Sent": days,
            "Cost": costs_in_words(history),
            "Sender": mask_texts(history["sender"]),
            **shown_counts(history),
        }
    )
    if (history["rounds"] > 1).any():
        lines["Rounds"] = history["rounds"]
    return with_places(lines, history["environment"])


def with_places(lines: pd.DataFrame, environments: pd.Series[str]) -> pd.DataFrame:
    """The lines with where their messages went, unless all went to one place."""
    if environments.nunique() == 1:
        return lines
    return lines.assign(Where=[words_for(environment).name for environment in environments])
