"""Several campaigns as a page: what they came to, by month and by sender, and each of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from campaign.environments import words_for
from campaign.results import charts
from campaign.results.campaign_lines import campaign_lines, costs_in_words
from campaign.results.campaign_list import CampaignList
from campaign.results.local_times import LocalTimes
from campaign.results.page.rendering import table, write_page
from campaign.text import counted, figure

_MOST_CAMPAIGNS = 200


def write_list_page(history: pd.DataFrame, path: Path) -> None:
    """Write the page of a frame of `history`."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    months, senders = campaigns.by_month(), campaigns.by_sender()
    readable = history[history["problem"] == ""].head(_MOST_CAMPAIGNS)
    broken = history[history["problem"] != ""]
    problems = broken[["name", "folder", "problem"]].rename(columns=str.capitalize)
    values = {
        "name": "Campaigns",
        "environment": "live" if campaigns.kind == "live" else "local",
        "where": "rehearsals only: no live campaign is among them",
        "headline": campaigns.headline,
        "left_out": campaigns.left_out,
        "outcomes": charts.outcome_bar(
            {"accepted": campaigns.total("accepted"), "unknown": campaigns.total("unknown"),
             "refused": campaigns.total("refused"), "not_sent": campaigns.total("waiting")}
        ),
        "figures": [
            (figure(len(campaigns.counted)), "campaigns" if len(campaigns.counted) != 1 else "campaign"),
            (figure(campaigns.total("people")), "people in their tables"),
            (figure(campaigns.total("accepted")), "messages accepted"),
            (campaigns.cost or "0", "made-up cost" if campaigns.has_made_up_costs else "cost"),
        ],
        "open_campaigns": campaigns.open_campaigns(),
        "unknown": counted(campaigns.total("unknown"), "message"),
        "months": table(_as_read(months), "Months") if len(months) else "",
        "senders": table(_as_read(senders), "Senders") if len(senders) else "",
        "campaigns": table(_lines(readable, times), "All campaigns", rows=len(history)),
        "has_made_up_costs": any(words_for(one).has_made_up_costs for one in readable["environment"]),
        "problems": table(problems, "Campaigns that cannot be read") if len(broken) else "",
    }  # fmt: skip
    write_page(path, "list.html.jinja", values, times)


def _lines(history: pd.DataFrame, times: LocalTimes) -> pd.DataFrame:
    """A line for each campaign that fits the page: what is left to do in one column, costs without notes."""
    lines = campaign_lines(history, times)
    counts = [name for name in ("Refused", "Unknown", "Waiting") if name in lines]
    shown = lines.drop(columns=[*counts, "Rounds", "Where"], errors="ignore")
    if "Where" in lines:  # some are live: of the others it is enough that nobody got anything
        shown["State"] = lines["State"].where((history["environment"] == "live").to_numpy(), "rehearsal")
    shown["Cost"] = costs_in_words(history.drop(columns="environment"))
    if counts:
        left = [
            ", ".join(
                f"{figure(count)} {name.lower()}" for name, count in zip(counts, line, strict=True) if count
            )
            for line in lines[counts].itertuples(index=False, name=None)
        ]
        shown.insert(list(shown).index("Accepted") + 1, "Left to do", left)
    return shown


def _as_read(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its costs in words."""
    costs = costs_in_words(frame)
    return frame.drop(columns=["unpriced", "currency"]).assign(cost=costs).rename(columns=str.capitalize)
