"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from functools import cached_property

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import ConfirmationError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import map_messages_at, messages_at, numbers_at, rows_with_why
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.results.totals import average_price, cost_in_words
from campaign.sending.engine.budget import Budget, budget_in_words
from campaign.sending.options import SendOptions
from campaign.sending.rounds.amended_plan import SHARED_PHONE
from campaign.sending.rounds.compared_in_words import overview
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import GOES_OUT, MAY_GO_OUT
from campaign.sending.rounds.kept_options import parts_of
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.sending.store.claim import Claim
from campaign.sending.store.identity import campaign_key, is_try_out
from campaign.sending.store.round_content import RoundContent
from campaign.service.account import Account
from campaign.text import agreeing, capitalised, counted

COST_IS_NOT_KNOWN = "What it costs is not known before the first answer."
TRY_FIRST = "To see this text on your own phone first, send one message with campaign.try_out(…)."


class Departure(Struct, frozen=True, eq=False, dict=True):
    """What would leave now: messages of a round, whose `positions` are in the order in which they leave.

    The other messages of its `content` that go out wait until a pilot was looked at.
    """

    compared: ComparedPlan
    others: OtherCampaigns
    content: RoundContent
    positions: Ints
    claim: Claim
    options: SendOptions

    @property
    def plan(self) -> Plan:
        return self.content.plan

    @property
    def account(self) -> Account:
        return self.claim.account

    @cached_property
    def numbers(self) -> Ints:
        """To whom they go, each once."""
        return np.unique(numbers_at(self.plan, self.positions))

    @cached_property
    def reached_today(self) -> int:
        """How many of these people another campaign of the account reached in the last 24 hours."""
        return self.others.reached_today(self.numbers)

    @property
    def phrase(self) -> str:
        """What a person types: how many messages, and a mark of what they say to whom, in which campaign.

        The mark changes with whatever the campaign's journal keeps, so a phrase that was used fits nothing
        any more, and nothing has to be stored for that. It changes with the other campaigns that cannot be
        read, too: a person has to have seen that nobody knows whom these have reached.
        """
        count, claim, record = len(self.positions), self.claim, self.compared.record
        # Each try-out is a campaign of its own, named after the moment.
        key = campaign_key("try-out", claim.account) if is_try_out(claim.name) else claim.key
        last_entry = str(claim.takeover or "") if record is None else record.ledger.last_entry
        is_all = count == self.plan.totals.messages and not (np.diff(self.positions) <= 0).any()
        messages = (
            self.plan.fingerprint
            if is_all
            else fingerprint_of(count, lambda: messages_at(self.plan, self.positions))
        )
        facts = json.dumps([key, last_entry, messages, *self.others.unreadable])
        mark = hashlib.sha256(facts.encode()).hexdigest()[:4]
        again = (
            f", {counted(self.reached_today, 'person', 'people')} for the second time in 24 hours"
            if self.reached_today
            else ""
        )
        return f"send {count} {agreeing(count, 'message', 'messages')} live {mark}{again}"


def check_confirmed(departure: Departure) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless that was confirmed."""
    phrase, given, compared = departure.phrase, departure.options.confirm, departure.compared
    if given == phrase:
        return
    first = next(messages_at(departure.plan, departure.positions[:1]))
    leaving = MAY_GO_OUT if departure.options.changed == "send" else GOES_OUT
    lines = (
        _about_messages(departure),
        _about_excluded(departure.plan),
        overview(compared),
        _about_cost(departure),
        _about_today(departure.reached_today),
        departure.others.about(np.isin(compared.recorded, leaving)),
        *departure.plan.unused_marks,
        TRY_FIRST if compared.record is None and not is_try_out(departure.claim.name) else "",
        f"For example:\n{departure.plan.preview(int(first['row'].iloc[0]))}",
    )
    raise ConfirmationError("\n".join(filter(None, lines)), phrase=phrase, purpose="send it", given=given)


def _about_messages(departure: Departure) -> str:
    """How many messages go to how many people where, and how many wait for the end of a pilot."""
    later = len(departure.content.outgoing) - len(departure.positions)
    countries = departure.plan.totals.countries
    parts = sum(map_messages_at(departure.plan, np.sort(departure.positions), parts_of))
    shares = ", ".join(f"{name or 'unknown'} {count:,}" for name, count in countries.items())
    pilot = f" {capitalised(counted(later, 'more message'))} {agreeing(later, 'waits', 'wait')} for resume."
    where = f" The plan has {len(countries)} countries ({shares})."
    return (
        f"This sends {counted(len(departure.positions), 'message')} ({counted(parts, 'SMS part')}) to "
        f"{counted(len(departure.numbers), 'person', 'people')} on real phones ({departure.account.label})."
        f"{pilot if later else ''}{where if len(countries) > 1 else ''}"
    )


def _about_excluded(plan: Plan) -> str:
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
    record, currency = departure.compared.record, departure.account.currency
    limit = budget_in_words(Budget.of(departure.options.budget), currency)
    budget = f"The campaign's budget is {limit}." if limit else ""
    price = None if record is None else average_price(record.ledger.outcomes)
    if price is None:
        return budget or f"No budget is set: budget= sets a limit. {COST_IS_NOT_KNOWN}"
    cost = cost_in_words(Decimal(round(price * len(departure.positions))), currency=currency)
    return f"At the price so far this costs about {cost}. {budget or 'No budget is set.'}"


def _about_today(count: int) -> str:
    if not count:
        return ""
    return (
        f"{capitalised(counted(count, 'person', 'people'))} of these {agreeing(count, 'was', 'were')} "
        "reached by another campaign of this account in the last 24 hours."
    )
