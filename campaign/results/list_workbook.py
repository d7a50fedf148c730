"""Several campaigns as a workbook: a summary, months, senders and campaigns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.masking import mask_text, mask_texts
from campaign.results.campaign_list import CampaignList, add_costs
from campaign.results.csv_file import write_csv
from campaign.results.replaced_file import replace_file
from campaign.results.workbook import SummarySheet, write_workbook
from campaign.text import counted, listed_words


def write_list_workbook(history: pd.DataFrame, path: Path) -> None:
    """Write the workbook of a frame of `history`; costs of several currencies are in rows of their own."""
    times = LocalTimes()
    campaigns = CampaignList(history, times)
    counts = {name: count for name, count in campaigns.by_outcome.items() if count}
    counts = counts or {"accepted": 0}
    summary = SummarySheet(
        facts=[
            ("Campaigns", counted(len(campaigns.counted), f"{campaigns.kind} campaign")),
            ("In all", campaigns.headline),
            (
                "Not counted",
                f"{campaigns.left_out} ({campaigns.why_left_out})" if campaigns.left_out else "none",
            ),
            ("Cost", campaigns.cost or "0"),
            ("Still unknown in", listed_words(campaigns.names_with("unknown")) or "none"),
            ("To correct in", listed_words(campaigns.names_with("to_correct")) or "none"),
            *(("Counts", words) for words in [campaigns.about_counts] if words),
            ("Months", f"A campaign counts in the month in which it began. {campaigns.about_lines}".rstrip()),
            ("Written", times.moment(datetime.now(UTC))),
        ],
        title=f"{campaigns.counted_as.capitalize()} by outcome",
        counts=counts,
        sums=[
            ("people in all", campaigns.total("people")),
            ("messages in all rounds", campaigns.total("accepted_in_all_rounds")),
        ],
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
    """The frame without phone numbers in its texts, and with costs that are known or None."""
    texts = {name: mask_texts(history[name]) for name in ("sender", "template") if name in history}
    problems = [
        mask_text(problem, keep=folder)
        for problem, folder in zip(history["problem"], history["folder"], strict=True)
    ]
    costs = pd.Series([add_costs([cost]) for cost in history["cost"]], index=history.index, dtype=object)
    return history.assign(**texts, problem=problems, cost=costs)
