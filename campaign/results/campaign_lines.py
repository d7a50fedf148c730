"""Several campaigns as people read them: one line for each, with its days, cost and state in words."""

from __future__ import annotations

import pandas as pd

from campaign.environments import words_for
from campaign.masking import mask_texts
from campaign.results.campaign_list import add_costs
from campaign.results.local_times import LocalTimes
from campaign.results.totals import cost_in_words

_COUNTS = ("people", "accepted", "refused", "unknown", "waiting", "rounds")
_ALWAYS = ("people", "accepted")


def campaign_lines(history: pd.DataFrame, times: LocalTimes) -> pd.DataFrame:
    """A frame of `history` in words; the zone of its days is that of `times`.

    What people look for comes first, because a narrow screen cuts off the end. What no campaign has,
    such as refused messages or a second round, gets no column, nor where they went if all went there.
    """
    days = [
        "never" if pd.isna(first) else times.short_day_span(first, last)
        for first, last in zip(history["first_sent"], history["last_sent"], strict=True)
    ]
    shown = [name for name in _COUNTS if name in _ALWAYS or (history[name] > (name == "rounds")).any()]
    lines = pd.DataFrame(
        {
            "Campaign": mask_texts(history["name"]),
            "State": history.get("state", ""),
            "Sent": days,
            "Cost": costs_in_words(history),
            "Sender": mask_texts(history["sender"]),
            **{name.capitalize(): history[name] for name in shown},
        }
    )
    if history["environment"].nunique() == 1:
        return lines
    return lines.assign(Where=[words_for(environment).name for environment in history["environment"]])


def costs_in_words(frame: pd.DataFrame) -> list[str]:
    """The cost of each line, as every report says it; made up where its `environment` says so."""
    environments = frame.get("environment", pd.Series("live", index=frame.index))
    return [
        cost_in_words(
            add_costs([cost]),
            unpriced=0 if pd.isna(unpriced) else int(unpriced),
            currency=currency,
            environment=environment,
        )
        for cost, unpriced, currency, environment in zip(
            frame["cost"], frame["unpriced"], frame["currency"], environments, strict=True
        )
    ]
