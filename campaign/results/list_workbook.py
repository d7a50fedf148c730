"""Several campaigns as a workbook: a summary, months, senders and campaigns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from campaign.masking import mask_texts
from campaign.results.campaign_list import CampaignList, add_costs
from campaign.results.csv_file import write_csv
from campaign.results.local_times import LocalTimes
from campaign.results.replaced_file import replace_file
from campaign.results.workbook import SummarySheet, write_workbook
from campaign.text import counted, listed_words


def write_list_workbook(history: pd.DataFrame, path: Path) -> None:
    """Write the workbook of a frame of `history`; costs of several currencies are in rows of their own."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    counts = {name: campaigns.total(name) for name in ("accepted", "refused", "unknown", "waiting")}
    summary = SummarySheet(
        facts=[
            ("Campaigns", counted(len(campaigns.counted), f"{campaigns.kind} campaign")),
            ("In all", campaigns.headline),
            (
                "Not counted",
                f"{campaigns.left_out} (rehearsals, those that have sent nothing or cannot be read)",
            ),
            ("Made-up cost" if campaigns.has_made_up_costs else "Cost", campaigns.cost or "0"),
            ("Still unknown in", listed_words(campaigns.open_campaigns()) or "none"),
            ("Months", "A campaign counts in the month in which it began."),
            ("Written", times.moment(datetime.now(UTC))),
        ],
        title="Messages by outcome",
        counts=counts,
        sums=[("all messages", sum(counts.values()))],
        currency="",
    )
    sheets = {
        "Months": campaigns.by_month(),
        "Senders": campaigns.by_sender(),
        "Campaigns": written_rows(history),
    }
    replace_file(path, lambda new_path: write_workbook(new_path, summary, sheets))


def write_list_csv(history: pd.DataFrame, path: Path) -> None:
    replace_file(path, lambda new_path: write_csv(new_path, written_rows(history), index=False))


def written_rows(history: pd.DataFrame) -> pd.DataFrame:
    """The frame with its texts masked and costs that are known or None."""
    texts = {name: mask_texts(history[name]) for name in ("name", "template", "problem") if name in history}
    costs = pd.Series([add_costs([cost]) for cost in history["cost"]], index=history.index, dtype=object)
    return history.assign(**texts, cost=costs)
