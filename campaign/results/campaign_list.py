"""Several campaigns added up, for a donor or an accountant: by month, by sender, and in all."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeGuard

import pandas as pd

from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.results.totals import cost_in_words
from campaign.text import listed_words
from campaign.words.finding import Finding

COUNTS = ("people", "accepted", "refused", "unknown", "waiting")
_ALWAYS = ("people", "accepted")
_NEEDED = (
    "name", "environment", "first_sent", "last_sent", *COUNTS, "cost", "unpriced", "currency", "sender",
    "problem",
)  # fmt: skip


def is_campaign_list(frame: object) -> TypeGuard[pd.DataFrame]:
    """Whether this is a frame of `history`, or some of its rows."""
    return isinstance(frame, pd.DataFrame) and set(_NEEDED) <= set(frame.columns)


class CampaignList:
    """A frame of `history` as reports add it up.

    Live campaigns count; where there is none, the rehearsals do, and `is_live` says so. Campaigns that cannot
    be read, or have sent nothing, count nowhere; `left_out` is how many.
    """

    def __init__(self, history: pd.DataFrame, times: LocalTimes) -> None:
        self.all = history
        self._times = times
        sent = history[history["first_sent"].notna() & (history["problem"] == "")]
        live = sent[sent["environment"] == "live"]
        self.is_live = len(live) > 0
        self.counted = live if len(live) else sent
        self.left_out = len(history) - len(self.counted)

    def by_month(self) -> pd.DataFrame:
        """One row for each month in which campaigns began, currency and environment: the newest first."""
        months = [f"{self._times.local(moment):%Y-%m}" for moment in self.counted["first_sent"]]
        return self._added_up("month", months).sort_values("month", ascending=False, kind="stable")

    def by_sender(self) -> pd.DataFrame:
        """One row for each sender, currency and environment, those with most accepted messages first."""
        frame = self._added_up("sender", self.counted["sender"].replace("", "(not known)"))
        return frame.sort_values("accepted", ascending=False, kind="stable")

    def total(self, count: str) -> int:
        return int(self.counted[count].sum())

    @property
    def cost(self) -> str:
        """The cost of all, in each currency: "UGX 311,990 or more and KES 4,100"."""
        return listed_words(costs_in_words(self._added_up("all", ["all"] * len(self.counted))))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The sums of all campaigns, then what is unknown, and how many are not counted."""
        if self.counted.empty:
            return (Finding("no_campaign_sent", severity="info"),)
        facts = {
            "campaigns": len(self.counted),
            "span": self._times.day_span(self.counted["first_sent"].min(), self.counted["last_sent"].max()),
            "accepted": self.total("accepted"),
            "cost": self.cost,
        }
        found = [Finding("live_campaigns" if self.is_live else "rehearsals", facts, severity="info")]
        if unknown := self.total("unknown"):
            names = self.counted.loc[self.counted["unknown"] > 0, "name"].tolist()
            found.append(Finding("campaigns_unknown", {"messages": unknown, "names": names}, "warning"))
        if self.left_out:
            found.append(Finding("campaigns_not_counted", {"campaigns": self.left_out}, severity="info"))
        return tuple(found)

    @property
    def by_outcome(self) -> dict[str, int]:
        """What came of the messages, for a bar of all of them."""
        counts = {name: self.total(name) for name in COUNTS if name != "people"}
        counts["not_sent"] = counts.pop("waiting")
        return counts

    def _added_up(self, name: str, values: Iterable[str]) -> pd.DataFrame:
        keys = pd.Series(list(values), index=self.counted.index, dtype="str", name=name)
        groups = self.counted.assign(**{name: keys}).groupby([name, "currency", "environment"], sort=False)
        lines = [
            {
                name: value,
                "campaigns": len(group),
                **{count: int(group[count].sum()) for count in COUNTS},
                "cost": add_costs(group["cost"]),
                "unpriced": int(group["unpriced"].sum()),
                "currency": currency,
                "environment": environment,
            }
            for (value, currency, environment), group in groups
        ]
        columns = [name, "campaigns", *COUNTS, "cost", "unpriced", "currency", "environment"]
        return pd.DataFrame(lines, columns=columns).astype({"cost": object})


def problems_in_words(history: pd.DataFrame) -> list[str]:
    """Why campaigns cannot be read, with phone numbers masked but for those in the names of their folders."""
    pairs = zip(history["problem"], history["folder"], strict=True)
    return [mask_text(problem, keep=folder) for problem, folder in pairs]


def add_costs(costs: Iterable[Any]) -> Decimal | None:
    """The sum of those that are known; None where none is."""
    known = [cost for cost in costs if isinstance(cost, Decimal)]
    return sum(known, Decimal(0)) if known else None


def shown_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """The counts of a frame with the names that people read, without those that say nothing here."""
    is_told = {name: name in _ALWAYS or bool((frame[name] > 0).any()) for name in COUNTS}
    shown = frame[[name for name in COUNTS if is_told[name]]]
    return shown.rename(columns=lambda name: name.replace("_", " ").capitalize())


def costs_in_words(frame: pd.DataFrame) -> list[str]:
    """The cost of each line, as every report says it; made up where its `environment` says so."""
    return [
        cost_in_words(
            add_costs([cost]),
            unpriced=0 if pd.isna(unpriced) else int(unpriced),
            currency=currency,
            environment=environment,
        )
        for cost, unpriced, currency, environment in zip(
            frame["cost"], frame["unpriced"], frame["currency"], frame["environment"], strict=True
        )
    ]
