"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import map_messages_at, messages_at, rows_with_why
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.results.totals import cost_in_words
from campaign.sending.rounds.amended_plan import SHARED_PHONE
from campaign.sending.rounds.kept_options import parts_of
from campaign.service.account import Account
from campaign.text import agreeing, capitalised, counted

COST_IS_NOT_KNOWN = "What it costs is not known before the first answer."
TRY_FIRST = "To see this text on your own phone first, send one message with campaign.try_out(…)."


class Departure(Struct, frozen=True, eq=False, kw_only=True):
    """What would leave now: messages of a plan, whose `positions` are in the order in which they leave.

    - `key`: name and account of the campaign, hashed; `last_entry`: that of its journal, "" for none
    - `numbers`: to whom they go, each once, and `later`: how many more wait until a pilot was looked at
    - `comparison`: a sentence that says what the campaign has sent before
    - `budget`: what all of it may cost, "" for no limit; `price`: what a message has cost so far on average,
      None if that is not known
    - `reached_today`: how many people another campaign of the account reached in the last 24 hours
    - `remarks`: sentences that a person has to read before deciding
    """

    plan: Plan
    positions: Ints
    numbers: Ints
    account: Account
    key: str
    last_entry: str
    later: int
    comparison: str
    budget: str
    price: Decimal | None
    reached_today: int
    remarks: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """What a person types: how many messages, and a mark of what they say to whom, in which campaign.

        The mark changes with whatever the campaign's journal keeps, so a phrase that was used fits nothing
        any more, and nothing has to be stored for that.
        """
        count = len(self.positions)
        is_all = count == self.plan.totals.messages and not (np.diff(self.positions) <= 0).any()
        messages = (
            self.plan.fingerprint
            if is_all
            else fingerprint_of(count, lambda: messages_at(self.plan, self.positions))
        )
        mark = hashlib.sha256(json.dumps([self.key, self.last_entry, messages]).encode()).hexdigest()[:4]
        again = (
            f", {counted(self.reached_today, 'person', 'people')} for the second time in 24 hours"
            if self.reached_today
            else ""
        )
        return f"send {count} {agreeing(count, 'message', 'messages')} live {mark}{again}"


def check_confirmed(confirm: str | None, departure: Departure) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless that was confirmed."""
    phrase = departure.phrase
    if confirm == phrase:
        return
    first = next(messages_at(departure.plan, departure.positions[:1]))
    lines = (
        _about_messages(departure),
        _about_others(departure.plan),
        departure.comparison,
        _about_cost(departure),
        _about_today(departure.reached_today),
        *departure.remarks,
        f"For example:\n{departure.plan.preview(int(first['row'].iloc[0]))}",
    )
    raise ConfirmationError("\n".join(filter(None, lines)), phrase=phrase, purpose="send it", given=confirm)


def _about_messages(departure: Departure) -> str:
    """How many messages go to how many people where, and how many wait for the end of a pilot."""
    later, countries = departure.later, departure.plan.totals.countries
    parts = sum(map_messages_at(departure.plan, np.sort(departure.positions), parts_of))
    shares = ", ".join(f"{name or 'unknown'} {count:,}" for name, count in countries.items())
    pilot = f" {capitalised(counted(later, 'more message'))} {agreeing(later, 'waits', 'wait')} for resume."
    where = f" The plan has {len(countries)} countries ({shares})."
    return (
        f"This sends {counted(len(departure.positions), 'message')} ({counted(parts, 'SMS part')}) to "
        f"{counted(len(departure.numbers), 'person', 'people')} on real phones ({departure.account.label})."
        f"{pilot if later else ''}{where if len(countries) > 1 else ''}"
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


def _about_cost(departure: Departure) -> str:
    """The budget, and what the messages would cost if that is known."""
    budget = f"The campaign's budget is {departure.budget}." if departure.budget else ""
    if departure.price is None:
        return budget or f"No budget is set: budget= sets a limit. {COST_IS_NOT_KNOWN}"
    expected = round(departure.price * len(departure.positions))
    cost = cost_in_words(Decimal(expected), currency=departure.account.currency)
    return f"At the price so far this costs about {cost}. {budget or 'No budget is set.'}"


def _about_today(count: int) -> str:
    if not count:
        return ""
    return (
        f"{capitalised(counted(count, 'person', 'people'))} of these {agreeing(count, 'was', 'were')} "
        "reached by another campaign of this account in the last 24 hours."
    )
