"""The counts of a result: rows by final status, and what the sending cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from campaign.contract import NO_PEOPLE, PEOPLE_OF_THEIR_OWN
from campaign.copied_field import CopiedField
from campaign.environments import words_for
from campaign.messages.totals import Totals
from campaign.results.result_part import ResultPart
from campaign.text import money

SHARING_A_PHONE = "sharing a phone"  # the status of a row whose number another row has


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ResultTotals(Totals):
    """The totals of the plan with the final statuses, and the `batches` and `cost` of sending. Immutable.

    `why` counts the duplicates by the code in that column of `Result.contacts`. `accepted_in_all_rounds`
    counts the accepted messages of all batches, which the cost is for: also those that are in no row of the
    table any more.

    `cost` is the sum of the costs that the service reported, in its own units; None if it reported none for
    batches that it may have charged. `unpriced` counts those batches: with any, `cost` is a lower bound.
    `currency` is that of the account, "" if it was not given, and `environment` where it was sent.
    """

    why: CopiedField[Mapping[str, int]] = CopiedField(dict)
    batches: int = 0
    accepted_in_all_rounds: int = 0
    cost: Decimal | None = None
    unpriced: int = 0
    currency: str = ""
    environment: str = "live"

    @property
    def people(self) -> int:
        """The rows that are neither blank nor a copy (number and text) of another one, nor left out by
        `not_again`; see `contract`."""
        return people_in(self, sum(self.why.get(code, 0) for code in PEOPLE_OF_THEIR_OWN))

    @property
    def reached(self) -> int:
        """The people whose text was accepted, or who keep an earlier one."""
        return self["accepted"] + self.with_earlier_text

    @property
    def with_earlier_text(self) -> int:
        """The people who keep an earlier text of the campaign."""
        return self.why.get("earlier_text", 0)

    @property
    def sharing(self) -> int:
        """The people who got nothing because another row has their number."""
        return self.why.get("shared_phone", 0)

    @property
    def repeated(self) -> int:
        """The rows that are a copy of another one."""
        others = sum(self.why.values()) - self.why.get("same_text", 0)
        return self["duplicate"] - others

    @property
    def messages_in_words(self) -> dict[str, int]:
        """The messages of the table, and where the cost is for another number of them, that number.

        Each by what reports and cards call it.
        """
        if not has_other_messages(self):
            return {"messages": self.messages}
        accepted = self.accepted_in_all_rounds
        return {"messages in the table": self.messages, "messages accepted in all rounds": accepted}

    @property
    def attention(self) -> int:
        """The rows that need a person: unknown, refused, invalid, and those that share a phone."""
        return self["unknown"] + self["refused"] + self.to_correct

    @property
    def to_correct(self) -> int:
        """The rows with a mistake, and those of people who share a phone."""
        return self["invalid"] + self.sharing

    @property
    def cost_in_words(self) -> str:
        """The cost with its currency, as every report and card says it: "UGX 311,990 or more"."""
        return cost_in_words(
            self.cost, unpriced=self.unpriced, currency=self.currency, environment=self.environment
        )

    @classmethod
    def of(
        cls,
        planned: Totals,
        parts: Iterable[ResultPart],
        batches: pd.DataFrame,
        currency: str = "",
        environment: str = "live",
    ) -> ResultTotals:
        """Count the final statuses of the rows, and why some are duplicates, and add up the batches."""
        cost, unpriced = cost_of(batches)
        figures = {name: value for name, value in planned.as_record().items() if name != "statuses"}
        counts, why = Counter[str](), Counter[str]()
        for part in parts:
            counts.update(_counted(part.status))
            why.update(_counted(part.duplicates))
        return cls(
            counts,
            why=why,
            batches=len(batches),
            accepted_in_all_rounds=int(batches.loc[batches["status"] == "accepted", "messages"].sum()),
            cost=cost,
            unpriced=unpriced,
            currency=currency,
            environment=environment,
            **figures,
        )


def _counted(texts: pd.Series[str]) -> dict[str, int]:
    return {str(text): int(count) for text, count in texts.value_counts().items()}


def has_other_messages(totals: ResultTotals) -> bool:
    """Whether the cost is for another number of messages than the table has."""
    return totals.accepted_in_all_rounds not in (0, totals.messages)


def people_in(rows: Totals, of_their_own: int) -> int:
    """How many people some rows are, of whose duplicates so many are people of their own."""
    return rows.rows - sum(rows[status] for status in NO_PEOPLE) + of_their_own


def cost_in_words(
    cost: Decimal | None, *, unpriced: int = 0, currency: str = "", environment: str = "live"
) -> str:
    """A cost with its unit: "UGX 311,990", "35 or more" while some batches are `unpriced`, "not known".

    That of a rehearsal on this machine is "1,785 (made up)".
    """
    if cost is None:
        return "not known"
    amount = f"{currency} {money(cost)}" if currency else money(cost)
    made_up = " (made up)" if words_for(environment).has_made_up_costs else ""
    return f"{amount}{' or more' if unpriced else ''}{made_up}"


def cost_of(batches: pd.DataFrame) -> tuple[Decimal | None, int]:
    """What batches have cost, None if that is not known, and how many may have a cost that is not."""
    costs, may_cost = batches["cost"].dropna(), batches["status"].isin(["accepted", "unknown"])
    unpriced = int((may_cost & batches["cost"].isna()).sum())
    return (None if unpriced and costs.empty else sum(costs, Decimal(0))), unpriced


def lack_their_cost(batches: pd.DataFrame) -> pd.Series[bool]:
    """Which batches have no cost that is known and get one from nobody but a person, by resolve.

    They were accepted, or ordered to be sent again: nobody asks any more what became of these.
    """
    return ((batches["status"] == "accepted") | (batches["why"] == "ordered_again")) & batches["cost"].isna()


def average_price(batches: pd.DataFrame) -> Decimal | None:
    """What a message of the accepted batches has cost whose cost is known; None without one."""
    priced = batches[(batches["status"] == "accepted") & batches["cost"].notna()]
    if priced.empty:
        return None
    return sum(priced["cost"], Decimal(0)) / int(priced["messages"].sum())
