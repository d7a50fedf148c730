"""The counts of a result: rows by final status, and what the sending cost."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from campaign import markup
from campaign.contract import NO_PEOPLE, ORDERED_AGAIN
from campaign.environments import words_for
from campaign.messages.totals import Totals, kinds_of_rows
from campaign.text import agreeing, all_counted, capitalised, counted, money


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ResultTotals(Totals):
    """The totals of the plan with the final statuses, and the `batches` and `cost` of sending. Immutable.

    `accepted_in_all_rounds` counts the accepted messages of all batches, which the cost is for: also those
    that are in no row of the table any more, or that a row got besides its own.
    `cost` is the sum of the costs that the service reported, in its own units; None if it reported none for
    batches that it may have charged. `unpriced` counts those batches: with any, `cost` is a lower bound.
    `currency` is that of the account, "" if it was not given, and `environment` where it was sent. `sharing`
    counts the duplicates that are people of their own: they share a phone with another row, which has another
    text. Of those, `sharing_unreached` got nothing in earlier rounds either, and `sharing_corrected` of these
    have a number of their own in the follow-up file. `left_out` counts the duplicates whose number was
    reached before, as `not_again` says. `reached_earlier` counts the rows to correct whose
    people were reached earlier in the campaign, as after a follow-up file, and `in_doubt` those that were
    corrected in one and may have been reached. `kept_as_corrected` counts accepted rows whose people keep
    what they got as corrected in one.
    """

    batches: int = 0
    accepted_in_all_rounds: int = 0
    cost: Decimal | None = None
    unpriced: int = 0
    currency: str = ""
    environment: str = "live"
    sharing: int = 0
    sharing_unreached: int = 0
    sharing_corrected: int = 0
    reached_earlier: int = 0
    in_doubt: int = 0
    kept_as_corrected: int = 0

    @property
    def lacking_corrections(self) -> int:
        """The people who were reached with a correction that the table lacks."""
        return self.reached_earlier + self.kept_as_corrected

    @property
    def people(self) -> int:
        """The rows that are neither blank nor a copy (number and text) of another one, nor left out by
        `not_again`; see `contract`."""
        return people_in(self, self.sharing)

    @property
    def by_outcome(self) -> dict[str, int]:
        """The rows in each status, those of people who share a phone or were reached before apart from the
        other duplicates.

        Rows to correct that were reached earlier in the campaign, or perhaps, count as what they are.
        """
        counts: dict[str, int] = {}
        for status, count in self.items():
            counts[status] = count
            if status == "duplicate":
                counts |= {
                    "duplicate": count - self.sharing - self.left_out,
                    "sharing_a_phone": self.sharing_unreached,
                    **({"reached_before": self.left_out} if self.left_out else {}),
                }
        counts |= {"invalid": self.to_correct, "unknown": self["unknown"] + self.in_doubt}
        return counts | ({"reached_earlier": self.reached_earlier} if self.reached_earlier else {})

    @property
    def kinds(self) -> dict[str, int]:
        """The same in words, as people read them, with lines of totals and remarks apart from empty rows."""
        return kinds_of_rows(self.by_outcome, self)

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
        """The people who got nothing, or perhaps nothing, though they did not opt out."""
        return self.people - self["accepted"] - self["opted_out"] - self.reached_earlier

    @property
    def to_correct(self) -> int:
        """The invalid rows of people who got nothing."""
        sharing = self.sharing - self.sharing_unreached
        return self["invalid"] + sharing - self.reached_earlier - self.in_doubt

    @property
    def lacking_numbers(self) -> int:
        """The people who share a phone, got nothing, and of whom no other number is known."""
        return self.sharing_unreached - self.sharing_corrected

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
        statuses: Iterable["pd.Series[str]"],
        batches: pd.DataFrame,
        currency: str = "",
        environment: str = "live",
        *,
        sharing: int = 0,
        sharing_unreached: int = 0,
        sharing_corrected: int = 0,
        reached_earlier: int = 0,
        in_doubt: int = 0,
        kept_as_corrected: int = 0,
    ) -> "ResultTotals":
        """Count the final statuses of the rows, given in parts, and add up the batches."""
        costs = [cost for cost in batches["cost"] if isinstance(cost, Decimal)]
        unpriced = batches["status"].isin(["accepted", "unknown"]) & batches["cost"].isna()
        cost = None if unpriced.any() and not costs else sum(costs, Decimal(0))
        figures = {name: value for name, value in planned.as_record().items() if name != "statuses"}
        counts = Counter[str]()
        for part in statuses:
            counts.update({str(status): int(count) for status, count in part.value_counts().items()})
        return cls(
            counts,
            batches=len(batches),
            accepted_in_all_rounds=int(batches.loc[batches["status"] == "accepted", "messages"].sum()),
            cost=cost,
            unpriced=int(unpriced.sum()),
            currency=currency,
            environment=environment,
            sharing=sharing,
            sharing_unreached=sharing_unreached,
            sharing_corrected=sharing_corrected,
            reached_earlier=reached_earlier,
            in_doubt=in_doubt,
            kept_as_corrected=kept_as_corrected,
            **figures,
        )


def has_other_messages(totals: ResultTotals) -> bool:
    """Whether the cost is for another number of messages than the table has."""
    return totals.accepted_in_all_rounds not in (0, totals.messages)


def people_in(rows: Totals, sharing: int) -> int:
    """How many people some rows are, of whom `sharing` share a phone with somebody in another row."""
    return rows.rows - sum(rows[status] for status in NO_PEOPLE) + sharing


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


def lack_their_cost(batches: pd.DataFrame) -> "pd.Series[bool]":
    """Which batches have no cost that is known and get one from nobody but a person, by resolve.

    They were accepted, or ordered to be sent again: nobody asks any more what became of these.
    """
    return ((batches["status"] == "accepted") | (batches["error"] == ORDERED_AGAIN)) & batches["cost"].isna()


def average_price(batches: pd.DataFrame) -> Decimal | None:
    """What a message of the accepted batches has cost whose cost is known; None without one."""
    priced = batches[(batches["status"] == "accepted") & batches["cost"].notna()]
    if priced.empty:
        return None
    return sum(priced["cost"], Decimal(0)) / int(priced["messages"].sum())


def about_lacking_corrections(rows: int) -> str:
    """How many of the accepted rows have a mistake in the table all the same, as a continued sentence."""
    return f", {rows:,} of them with a correction that this table lacks" if rows else ""


def outcome_bars(totals: ResultTotals) -> str:
    """HTML bars: one for each kind of rows."""
    return markup.bars(totals.kinds, of="rows")


def about_outcomes(totals: ResultTotals) -> str:
    """How the bars are named where the column status has other words for their rows; "" where it has none."""
    pieces = [
        "the rows of “sharing a phone” are duplicate" if totals.sharing_unreached else "",
        "the rows of “reached before” are duplicate" if totals.left_out else "",
        "the rows of “reached earlier” are invalid or duplicate" if totals.reached_earlier else "",
    ]
    said = " and ".join(filter(None, pieces))
    return f"In the status of result.contacts, {said}; result.outcomes names them as here." if said else ""


def _about_corrected(as_in_table: int, earlier: int) -> str:
    """How many of the accepted rows the table has as they were sent, where that is not true of all."""
    if not earlier:
        return ""
    if not as_in_table:
        return f" with {agreeing(earlier, 'a correction', 'corrections')} that this table lacks"
    has = agreeing(as_in_table, "it", "them")
    return f" ({as_in_table:,} as this table has {has}, {earlier:,} with a correction that it lacks)"


def outcome_sentence(totals: ResultTotals) -> str:
    """How many rows were accepted, and what became of the rest."""
    lacking, service = totals.lacking_corrections, words_for(totals.environment).service
    accepted = totals["accepted"] + totals.reached_earlier
    by_service = f"by {service}{_about_corrected(accepted - lacking, lacking)}"
    if totals.rows == 0:
        return "The file has no rows, so there was nothing to send."
    if accepted == totals.rows:
        rows = f"{capitalised(all_counted(accepted, 'row'))} {agreeing(accepted, 'was', 'were')}"
        return f"{rows} accepted {by_service}."
    if totals.rows == 1:
        status = next(name for name, count in totals.items() if count)
        return f"The only row was not accepted by {service} ({status.replace('_', ' ')})."
    other_counts = [
        f"{count:,} {name}"
        for name, count in totals.kinds.items()
        if count and name not in ("accepted", "reached earlier", "line of totals", "remark")
    ] + totals.lines_in_words
    some = f"{accepted:,}" if accepted else "None"
    rows = f"{some} of {counted(totals.rows, 'row')} {agreeing(accepted, 'was', 'were')} accepted"
    return f"{rows} {by_service}; the rest: {', '.join(other_counts)}."
