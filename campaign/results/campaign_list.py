"""Several campaigns added up, for a donor or an accountant: by month, by sender, and in all."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeGuard

import pandas as pd

from campaign.environments import words_for
from campaign.masking import mask_text
from campaign.results.local_times import LocalTimes
from campaign.results.totals import cost_in_words
from campaign.text import agreeing, capitalised, counted, listed_words

COUNTS = ("people", "accepted", "refused", "unknown", "waiting")
_NEEDED = (
    "name", "environment", "first_sent", "last_sent", "rounds", *COUNTS, "cost", "unpriced", "currency",
    "sender", "problem",
)  # fmt: skip


def is_campaign_list(frame: object) -> TypeGuard[pd.DataFrame]:
    """Whether this is a frame of `history`, or some of its rows."""
    return isinstance(frame, pd.DataFrame) and set(_NEEDED) <= set(frame.columns)


class CampaignList:
    """A frame of `history` as reports add it up.

    Live campaigns count; where there is none, the rehearsals do, and `kind` says so. Campaigns that cannot be
    read, or have sent nothing, count nowhere.
    """

    def __init__(self, history: pd.DataFrame, times: LocalTimes) -> None:
        self.all = history
        self._times = times
        sent = history[history["first_sent"].notna() & (history["problem"] == "")]
        live = sent[sent["environment"] == "live"]
        self.kind = "live" if len(live) else "rehearsed"
        self.counted = live if len(live) else sent
        self.left_out = len(history) - len(self.counted)

    def by_month(self) -> pd.DataFrame:
        """One row for each month in which campaigns began, and each currency: the newest first."""
        months = [f"{self._times.local(moment):%Y-%m}" for moment in self.counted["first_sent"]]
        return self._added_up("month", months).sort_values("month", ascending=False, kind="stable")

    def by_sender(self) -> pd.DataFrame:
        """One row for each sender and currency, those with most accepted messages first."""
        frame = self._added_up("sender", self.counted["sender"].replace("", "(not known)"))
        return frame.sort_values("accepted", ascending=False, kind="stable")

    def total(self, count: str) -> int:
        return int(self.counted[count].sum())

    @property
    def cost(self) -> str:
        """The cost of all, in each currency: "UGX 311,990 or more and KES 4,100"."""
        frame = self._added_up("all", ["all"] * len(self.counted))
        return listed_words(
            cost_in_words(cost, unpriced=unpriced, currency=currency)
            for cost, unpriced, currency in zip(
                frame["cost"], frame["unpriced"], frame["currency"], strict=True
            )
        )

    @property
    def headline(self) -> str:
        """How many campaigns, when, how many messages, for how much."""
        if self.counted.empty:
            return "No campaign has sent anything yet."
        campaigns = counted(len(self.counted), f"{self.kind} campaign")
        span = self._times.day_span(self.counted["first_sent"].min(), self.counted["last_sent"].max())
        accepted = counted(self.total("accepted"), "message")
        were = agreeing(self.total("accepted"), "was", "were")
        opened = self.total("unknown")
        unknown = (
            f" {capitalised(counted(opened, 'message'))} {agreeing(opened, 'is', 'are')} still unknown."
            if opened
            else ""
        )
        cost = f"The cost was {self.cost}{' (made up)' if self.has_made_up_costs else ''}."
        caution = "" if self.kind == "live" else "These were rehearsals: nobody got anything. "
        return f"{caution}In {campaigns} ({span}), {accepted} {were} accepted. {cost}{unknown}"

    @property
    def has_made_up_costs(self) -> bool:
        """Whether the costs of the embedded sandbox are among them, so that a sum is made up."""
        return any(words_for(environment).has_made_up_costs for environment in self.counted["environment"])

    def open_campaigns(self) -> list[str]:
        """The names of the campaigns in which messages are still unknown, masked."""
        return [mask_text(name) for name in self.counted.loc[self.counted["unknown"] > 0, "name"]]

    def _added_up(self, name: str, values: Iterable[str]) -> pd.DataFrame:
        keys = pd.Series(list(values), index=self.counted.index, dtype="str", name=name)
        groups = self.counted.assign(**{name: keys}).groupby([name, "currency"], sort=False)
        lines = [
            {
                name: value,
                "campaigns": len(group),
                **{count: int(group[count].sum()) for count in COUNTS},
                "cost": add_costs(group["cost"]),
                "unpriced": int(group["unpriced"].sum()),
                "currency": currency,
            }
            for (value, currency), group in groups
        ]
        columns = [name, "campaigns", *COUNTS, "cost", "unpriced", "currency"]
        return pd.DataFrame(lines, columns=columns).astype({"cost": object})


def add_costs(costs: Iterable[Any]) -> Decimal | None:
    """The sum of those that are known; None where none is."""
    known = [cost for cost in costs if isinstance(cost, Decimal)]
    return sum(known, Decimal(0)) if known else None
