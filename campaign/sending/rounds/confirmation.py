"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Ints
from campaign.contacts.phone_numbers.cleaning import clean_numbers
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import map_messages_at, messages_at, rows_with_why
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.results.totals import cost_in_words
from campaign.sending.rounds.amended_plan import SHARED_PHONE
from campaign.service.account import Account
from campaign.text import agreeing, capitalised, counted

COST_IS_NOT_KNOWN = "What it costs is not known before the first answer."
_TRY_FIRST = "To try it first: campaign.try_out(…) sends one message to your own phone."


class Extent(Struct, frozen=True, eq=False, kw_only=True):
    """What some messages of a plan amount to: their `numbers` (distinct), people (rows), SMS parts, and how
    many go to each country if the plan has several."""

    numbers: Ints
    people: int
    parts: int
    countries: Mapping[str, int]

    @classmethod
    def of(cls, plan: Plan, positions: Ints) -> Extent:
        several = len(plan.totals.countries) > 1
        of_part = partial(_extent_of, several=several)
        extents = [*map_messages_at(plan, np.sort(positions), of_part)]
        countries = sum((Counter(extent.countries) for extent in extents), Counter[str]())
        return cls(
            numbers=np.unique(np.concatenate([extent.numbers for extent in extents])),
            people=sum(extent.people for extent in extents),
            parts=sum(extent.parts for extent in extents),
            countries=dict(countries.most_common()),
        )


def _extent_of(messages: pd.DataFrame, *, several: bool) -> Extent:
    """The extent of messages of one part; `several` says whether their countries are asked for."""
    countries = pd.Series(dtype="int64")
    if several:
        countries = clean_numbers("+" + messages["number"], region=None)["region"].value_counts()
    return Extent(
        numbers=np.unique(messages["number"].astype("int64").to_numpy()),
        people=int(messages["row"].nunique()),
        parts=int(messages["parts"].sum()),
        countries={str(name): int(count) for name, count in countries.items()},
    )


class Departure(Struct, frozen=True, eq=False, kw_only=True):
    """What would leave now: messages of a plan, whose `positions` are in the order in which they leave.

    - `extent`: what they amount to, and `later` how many more wait until a pilot was looked at
    - `comparison`: a sentence that says what the campaign has sent before
    - `budget`: what all of it may cost, "" for no limit; `price`: what a message has cost so far on average,
      None if that is not known
    - `reached_today`: how many people another campaign of the account reached in the last 24 hours
    - `may_be_new`: whether nobody has got this text yet, so that it is worth a try-out
    - `remarks`: sentences that a person has to read before deciding
    """

    plan: Plan
    positions: Ints
    extent: Extent
    later: int = 0
    comparison: str = ""
    budget: str = ""
    price: Decimal | None = None
    reached_today: int = 0
    may_be_new: bool = False
    remarks: tuple[str, ...] = field(default=())

    @property
    def phrase(self) -> str:
        """What a person types: how many messages, and a mark of what they say to whom."""
        count = len(self.positions)
        is_all = count == self.plan.totals.messages and not (np.diff(self.positions) <= 0).any()
        marked = (
            self.plan.fingerprint
            if is_all
            else fingerprint_of(count, lambda: messages_at(self.plan, self.positions))
        )
        mark = hashlib.sha256(marked.encode()).hexdigest()[:4]
        again = (
            f", {counted(self.reached_today, 'person', 'people')} for the second time in 24 hours"
            if self.reached_today
            else ""
        )
        return f"send {count} {agreeing(count, 'message', 'messages')} live {mark}{again}"


def check_confirmed(account: Account, confirm: str | None, departure: Departure) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless live sending was confirmed.

    The phrase carries a mark of the messages, so that it does not fit a table or a text that has changed.
    """
    if account.environment != "live" or not len(departure.positions) or confirm == departure.phrase:
        return
    first = next(messages_at(departure.plan, departure.positions[:1]))
    example = departure.plan.preview(int(first["row"].iloc[0]))
    lines = (
        _about_messages(account, departure),
        _about_others(departure.plan),
        departure.comparison,
        _about_cost(account, departure),
        _about_today(departure.reached_today),
        *departure.remarks,
        _TRY_FIRST if departure.may_be_new else "",
        f"For example:\n{example}",
    )
    raise ConfirmationError(
        "\n".join(filter(None, lines)), phrase=departure.phrase, purpose="send it", given=confirm
    )


def _about_messages(account: Account, departure: Departure) -> str:
    """How many messages go to how many people where, and how many wait for the end of a pilot."""
    extent, later = departure.extent, departure.later
    shares = ", ".join(f"{name or 'unknown'} {count:,}" for name, count in extent.countries.items())
    countries = f" in {len(extent.countries)} countries ({shares})" if len(extent.countries) > 1 else ""
    pilot = f" {capitalised(counted(later, 'more message'))} {agreeing(later, 'waits', 'wait')} for resume."
    return (
        f"This sends {counted(len(departure.positions), 'message')} ({counted(extent.parts, 'SMS part')}) to "
        f"{counted(extent.people, 'person', 'people')}{countries} on real phones ({account.label})."
        f"{pilot if later else ''}"
    )


def _about_others(plan: Plan) -> str:
    """How many rows of the table get nothing; "" for none."""
    rows = plan.totals.rows - plan.totals["not_sent"]
    if not rows:
        return ""
    kinds = ", ".join(plan.totals.excluded_in_words(sharing=len(rows_with_why(plan, SHARED_PHONE))))
    get = agreeing(rows, "gets", "get")
    return (
        f"{capitalised(counted(rows, 'row'))} of the table {get} nothing ({kinds}). "
        "The issues of the plan say why."
    )


def _about_cost(account: Account, departure: Departure) -> str:
    """The budget, and what the messages would cost if that is known."""
    budget = f"The campaign's budget is {departure.budget}." if departure.budget else ""
    if departure.price is None:
        return budget or f"No budget is set: budget= sets a limit. {COST_IS_NOT_KNOWN}"
    expected = round(departure.price * len(departure.positions))
    cost = cost_in_words(Decimal(expected), currency=account.currency)
    return f"At the price so far this costs about {cost}. {budget or 'No budget is set.'}"


def _about_today(count: int) -> str:
    if not count:
        return ""
    return (
        f"{capitalised(counted(count, 'person', 'people'))} of these {agreeing(count, 'was', 'were')} "
        "reached by another campaign of this account in the last 24 hours."
    )
