"""What live sending asks for before it begins: a look at what would be sent, and a typed phrase."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Ints
from campaign.errors import ConfirmationError
from campaign.masking import mask_number
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_columns import map_messages_at, messages_at, numbers_at
from campaign.messages.plan_tables.plan_fingerprint import fingerprint_of
from campaign.messages.preview import mask_own_number
from campaign.results.totals import average_price, cost_in_words
from campaign.sending.engine.budget import Budget, budget_in_words
from campaign.sending.options import SendOptions
from campaign.sending.rounds.compared_findings import overview
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import GOES_OUT, MAY_GO_OUT
from campaign.sending.rounds.kept_options import parts_of
from campaign.sending.rounds.other_campaigns import OtherCampaigns
from campaign.sending.store.claim import Claim
from campaign.sending.store.identity import campaign_key, is_try_out
from campaign.sending.store.round_content import RoundContent
from campaign.service.account import Account
from campaign.text import agreeing, clean, counted, shorten
from campaign.words.finding import Finding

_LENGTH = 100  # characters of the first message that are shown


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

        The mark changes with whatever is done in the campaign, so a phrase that was used fits nothing any
        more, and nothing has to be stored for that. It changes with the other campaigns that cannot be
        read, too: a person has to have seen that nobody knows whom these have reached.
        """
        count, claim, record = len(self.positions), self.claim, self.compared.record
        # Each try-out is a campaign of its own, named after the moment.
        key = campaign_key("try-out", claim.account) if is_try_out(claim.name) else claim.key
        last_act = str(claim.takeover or "") if record is None else record.ledger.last_act
        is_all = count == self.plan.totals.messages and not (np.diff(self.positions) <= 0).any()
        messages = (
            self.plan.fingerprint
            if is_all
            else fingerprint_of(count, lambda: messages_at(self.plan, self.positions))
        )
        facts = json.dumps([key, last_act, messages, *map(repr, self.others.unreadable)])
        mark = hashlib.sha256(facts.encode()).hexdigest()[:4]
        again = (
            f", {counted(self.reached_today, 'person', 'people')} for the second time in 24 hours"
            if self.reached_today
            else ""
        )
        return f"send {count} {agreeing(count, 'message', 'messages')} live {mark}{again}"


def check_confirmed(departure: Departure) -> None:
    """Raise `ConfirmationError`, which shows what would be sent, unless that was confirmed."""
    phrase, given = departure.phrase, departure.options.confirm
    if given == phrase:
        return
    findings = [*_findings(departure)]
    raise ConfirmationError("confirmation_needed", findings=findings, phrase=phrase, given=given)


def _findings(departure: Departure) -> Iterator[Finding]:
    """How much would be sent, what else a person has to know, and the first message."""
    plan, compared, positions = departure.plan, departure.compared, departure.positions
    yield _note(
        "sends_live",
        messages=len(positions),
        parts=sum(map_messages_at(plan, np.sort(positions), parts_of)),
        people=len(departure.numbers),
        label=departure.account.label,
    )
    if later := len(departure.content.outgoing) - len(positions):
        yield _note("after_pilot", messages=later)
    if len(plan.totals.countries) > 1:
        shares = [f"{name or 'unknown'} {count:,}" for name, count in plan.totals.countries.items()]
        yield _note("several_countries", countries=shares)
    if left_out := plan.totals.rows - plan.totals["not_sent"]:
        yield _note("rows_left_out", rows=left_out)
    yield from overview(compared)
    yield from _about_cost(departure)
    leaving = MAY_GO_OUT if departure.options.changed == "send" else GOES_OUT
    yield from departure.others.findings(np.isin(compared.recorded, leaving))
    if people := departure.reached_today:
        yield Finding("reached_today", {"people": people}, "warning")
    yield from plan.unused_marks
    if compared.record is None and not is_try_out(departure.claim.name):
        yield _note("not_tried")
    first = next(messages_at(plan, positions[:1])).iloc[0]
    text = mask_own_number(clean(first["message"]), first["number"])
    yield _note("first_message", number=mask_number(first["number"]), text=shorten(text, _LENGTH))


def _about_cost(departure: Departure) -> Iterator[Finding]:
    """What the messages would cost if that is known, and the budget."""
    record, currency = departure.compared.record, departure.account.currency
    price = None if record is None else average_price(record.ledger.outcomes)
    if price is not None:
        cost = Decimal(round(price * len(departure.positions)))
        yield _note("cost_expected", cost=cost_in_words(cost, currency=currency))
    budget = budget_in_words(Budget.of(departure.options.budget), currency)
    yield _note("budget_set", budget=budget or "none")


def _note(code: str, **facts: Any) -> Finding:
    return Finding(code, facts, "info")
