"""`HistoryFrame`: the table that `history` returns, which a notebook shows in words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from campaign import markup
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.results.campaign_lines import campaign_lines
from campaign.results.campaign_list import CampaignList, is_campaign_list
from campaign.text import counted

_SHOWN = 20  # campaigns


class HistoryFrame(pd.DataFrame):
    """A DataFrame with a card of its own: times in the zone of this machine, costs and places in words.

    What is selected of it is one as well; without the columns that the card needs it is shown as any frame.
    """

    @property
    def _constructor(self) -> type[HistoryFrame]:
        return HistoryFrame

    def _repr_html_(self) -> str:
        if not is_campaign_list(self):
            return str(pd.DataFrame(self)._repr_html_())  # type: ignore[operator]
        times = LocalTimes()
        readable = self[self["problem"] == ""]
        broken: Any = self[self["problem"] != ""]
        campaigns = CampaignList(self, times)
        pieces = [markup.paragraph(campaigns.headline)]
        if len(readable):
            lines = markup.table(
                campaign_lines(readable, times),
                limit=_SHOWN,
                of=("campaign", "campaigns"),
                figures=["Cost"],
            )
            pieces.append(markup.scroller(lines, "Campaigns"))
        pieces += [markup.paragraph(words, note=True) for words in [campaigns.about_counts] if words]
        for name, problem, folder in zip(broken["name"], broken["problem"], broken["folder"], strict=True):
            why = mask_text(problem, keep=folder)
            pieces.append(markup.paragraph(f"{name or 'A campaign'} cannot be read: {why}"))
        pieces.append(markup.paragraph(times.written_now(), note=True))
        return markup.card(counted(len(self), "campaign"), pieces)
