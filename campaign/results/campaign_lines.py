"""Several campaigns as people read them: one line for each, with its days, cost and state in words."""

from __future__ import annotations

import pandas as pd

from campaign import markup
from campaign.environments import words_for
from campaign.local_times import LocalTimes
from campaign.masking import mask_texts
from campaign.results.campaign_list import (
    CampaignList,
    costs_in_words,
    is_campaign_list,
    problems_in_words,
    shown_counts,
)
from campaign.results.finding_lines import in_words
from campaign.text import counted
from campaign.words.python import PYTHON

_SHOWN = 20  # campaigns


def campaign_lines(history: pd.DataFrame, times: LocalTimes) -> pd.DataFrame:
    """A frame of `history` in words; the zone of its days is that of `times`.

    What people look for comes first, because a narrow screen cuts off the end. What no campaign has,
    such as refused messages, gets no column, nor where they went if all went there.
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
    return with_places(lines, history["environment"])


def with_places(lines: pd.DataFrame, environments: pd.Series[str]) -> pd.DataFrame:
    """The lines with where their messages went, unless all went to one place."""
    if environments.nunique() == 1:
        return lines
    return lines.assign(Where=[words_for(environment).name for environment in environments])


class HistoryFrame(pd.DataFrame):
    """A DataFrame with a card of its own: times in the zone of this machine, costs and places in words.

    What is selected of it is one as well; without the columns that the card needs it is shown as any frame.
    """

    @property
    def _constructor(self) -> type[HistoryFrame]:
        return HistoryFrame

    def _repr_html_(self) -> str:
        if not is_campaign_list(self):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator] # for the stubs, None
        times, broken = LocalTimes(), self[self["problem"] != ""]
        pieces = [markup.paragraph(in_words([one], PYTHON)) for one in CampaignList(self, times).findings]
        if len(broken) < len(self):
            lines = campaign_lines(self[self["problem"] == ""], times)
            table = markup.table(lines, limit=_SHOWN, of=("campaign", "campaigns"), figures=["Cost"])
            pieces.append(markup.scroller(table, "Campaigns"))
        for name, problem in zip(broken["name"], problems_in_words(broken), strict=True):
            pieces.append(markup.paragraph(f"{name or '?'}: {problem}"))
        pieces.append(markup.paragraph(times.written_now(), note=True))
        return markup.card(counted(len(self), "campaign"), pieces)
