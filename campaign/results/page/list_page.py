"""Several campaigns as a page: what they came to, by month and by sender, and each of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.results import charts
from campaign.results.campaign_lines import campaign_lines, with_places
from campaign.results.campaign_list import CampaignList, costs_in_words, problems_in_words, shown_counts
from campaign.results.finding_lines import in_words
from campaign.results.page.rendering import table, write_page
from campaign.text import figure
from campaign.words.page import PAGE

_MOST_CAMPAIGNS = 200
_AMOUNTS = ("Cost",)


def write_list_page(history: pd.DataFrame, path: Path) -> None:
    """Write the page of a frame of `history`."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    months, senders = campaigns.by_month(), campaigns.by_sender()
    readable = history[history["problem"] == ""].head(_MOST_CAMPAIGNS)
    broken = history[history["problem"] != ""]
    problems = broken[["name", "folder"]].assign(problem=problems_in_words(broken))
    problems = problems.rename(columns=str.capitalize)
    headline, *remarks = [in_words([finding], PAGE) for finding in campaigns.findings]
    values = {
        "name": "Campaigns",
        "environment": "live" if campaigns.is_live else "local",
        "where": "rehearsals only",
        "headline": headline,
        "remarks": remarks,
        "outcomes": charts.outcome_bar(campaigns.by_outcome, of="messages"),
        "figures": [
            (figure(len(campaigns.counted)), "campaigns" if len(campaigns.counted) != 1 else "campaign"),
            (figure(campaigns.total("people")), "people in their last tables"),
            (figure(campaigns.total("accepted")), "messages accepted"),
            (campaigns.cost or "0", "cost"),
        ],
        "months": table(_as_read(months), "Months", figures=_AMOUNTS) if len(months) else "",
        "senders": table(_as_read(senders), "Senders", figures=_AMOUNTS) if len(senders) else "",
        "campaigns": table(_lines(readable, times), "All campaigns", rows=len(history), figures=_AMOUNTS),
        "problems": table(problems, "Campaigns that cannot be read") if len(broken) else "",
    }  # fmt: skip
    write_page(path, "list.html.jinja", values, times)


def _lines(history: pd.DataFrame, times: LocalTimes) -> pd.DataFrame:
    """A line for each campaign that fits the page: what is left to do is in one column."""
    lines = campaign_lines(history, times)
    counts = [name for name in ("Refused", "Unknown", "Waiting") if name in lines]
    shown = lines.drop(columns=counts)
    if (history["environment"] == "live").any() and "Where" in lines:
        shown = shown.drop(columns="Where")
        # some are live: of the others it is enough that nobody got anything
        shown["State"] = lines["State"].where((history["environment"] == "live").to_numpy(), "rehearsal")
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
    """The table with its costs in words, and where its messages went if that differs."""
    lines = frame.iloc[:, :2].rename(columns=str.capitalize).assign(Cost=costs_in_words(frame))
    return with_places(lines.join(shown_counts(frame)), frame["environment"])
