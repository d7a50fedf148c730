"""What one SMS costs and when sending has cost enough, as a person types them, and what follows from both."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import floor

import pandas as pd
from ipywidgets import HTML, HBox, VBox
from msgspec import Struct

from campaign import markup
from campaign.argument_checks import check_amount
from campaign.errors import CampaignError, UsageError
from campaign.masking import mask_text
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import FIELDS
from campaign.notebook.composer.fields import Field
from campaign.results.totals import cost_in_words
from campaign.sending.afterwards.settled_batches import settled_outcomes
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.tally import Spending
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.difference import Difference, plan_behind
from campaign.sending.rounds.kept_options import batch_size_within
from campaign.sending.rounds.standing import cost_so_far
from campaign.text import agreeing, clean, counted, figure, rounded_up
from campaign.values import replace

_NO_PRICE = "Write the price as a number, such as 35 or 0.04, without a currency. It can stay empty."
_NO_BUDGET = "Write the amount as a number, such as 5000, without a currency. It can stay empty."
_NO_COST = "Write the cost as a number, such as 350 or 0.4, without a currency. It can stay empty."
_STOPS = (
    "Sending stops before it costs more than {}. Whoever has no text by then waits: to go on, write a higher "
    "amount.{}"
)
_NOT_TWICE = " Under this name nobody gets a text twice."
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_EITHER = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_SPACE = re.compile(r"(?<=[0-9])[ \u00a0\u202f](?=[0-9]{3})")


class _FilledIn(Struct, frozen=True):
    """An amount that nobody typed, and the one that it replaced; for a campaign that has spent so much."""

    amount: str
    before: str
    campaign: str
    spent: Decimal


class CostChoice(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Two fields that may stay empty, and what the texts cost, in `said`.

    `typed` is called when a person writes in one.
    """

    def __init__(self, desk: Desk, typed: Callable[[], None]) -> None:
        self._desk, self._typed = desk, typed
        self._spending, self._in_force = Spending(), Budget()
        self._compared: ComparedPlan | None = None
        self._filled_in: _FilledIn | None = None
        self._of_campaign = "", ""  # a campaign, and the amount that was for it
        self._is_used_up = False
        self.shortage = ""  # how many SMS the budget covers, where it does not cover all
        self.enough = ""  # the budget that covers all, then
        self.price = Field("Price of one SMS", "price", written=self._take_price, at_once=True)
        self.limit = Field(FIELDS["budget"], "budget", written=self._take_budget, at_once=True)
        self._price_fault, self._budget_fault = _fault("price-fault"), _fault("budget-fault")
        self.said = HTML()  # what follows from both, to be shown above the fields
        pairs = [VBox([self.price, self._price_fault]), VBox([self.limit, self._budget_fault])]
        for pair in pairs:
            pair.layout.flex, pair.layout.min_width = "1 1 16em", "0"
        fields = HBox(pairs)
        fields.layout.max_width = "42em"
        super().__init__([fields])

    def refill(self) -> None:
        """Show what was typed before the page was loaded again."""
        self.price.fill(self._desk.price)
        self.limit.fill(self._desk.composition.budget or "")

    def compare(self, difference: Difference) -> None:
        """Take what the campaign has cost so far, and the budget that is in force for it."""
        self._compared = plan_behind(difference)
        record = self._compared.record
        self._spending, self._in_force = Spending(), Budget()
        if record is not None:
            self._spending = cost_so_far(record.rounds, record.ledger)
            self._in_force = Budget.from_record(record.ledger.budget)
        chosen, in_force = self._desk.composition.budget, self._in_force.cost
        if self.obstacle != "budget":  # else it is being corrected
            self.limit.fill(f"{in_force:f}" if chosen is None and in_force is not None else chosen or "")
        if in_force is not None and self.limit.value == f"{in_force:f}":
            self._of_campaign = self._desk.name, self.limit.value

    def suggest(self, amount: str) -> None:
        """Write another budget, as a person would, and say so until it is used."""
        self._filled_in = _FilledIn(amount, self.limit.value, self._desk.name, self._spending.cost)
        self._of_campaign = self._desk.name, amount
        self.limit.value = amount

    @property
    def amount(self) -> Decimal | None:
        """The price that was typed, None if none was; raises `UsageError` for what is no number."""
        return _amount(self.price.value, _NO_PRICE)

    @property
    def obstacle(self) -> str:
        """What has to be put right before anything is sent: "price", "budget", "used up" or ""."""
        for name, field in (("price", self.price), ("budget", self.limit)):
            try:
                _amount(field.value, "")
            except UsageError:
                return name
        return "used up" if self._is_used_up else ""

    def request_size(self, outgoing: pd.DataFrame, most: int) -> int:
        """How many texts leave in one request: `most`, or fewer so that a budget which is short goes far."""
        price, limit = given_price(self.price.value), given_price(self.limit.value)
        if price is None or limit is None or outgoing.empty:
            return most
        return batch_size_within(limit, self._spending, price, outgoing, most=most)

    def check(self) -> None:
        """Raise `UsageError` for a budget that is no number."""
        _amount(self.limit.value, _NO_BUDGET)

    def say(self, outgoing: pd.DataFrame) -> None:
        """Say how many SMS would leave, what they cost once the price is known, and where that stops."""
        parts = int(outgoing["parts"].sum()) if len(outgoing) else 0
        account = self._desk.account
        currency = account.currency if account is not None else ""
        hint = f"in {currency}, " if currency else ""
        self.price.placeholder = f"{hint}if you know it"
        self.limit.placeholder = f"{hint}if there is a limit"
        price = self._read(self.price, self._price_fault, _NO_PRICE)
        limit = self._read(self.limit, self._budget_fault, _NO_BUDGET)
        size, words = counted(parts, "SMS", "SMS"), []
        larger = int((outgoing["parts"] > 1).sum()) if len(outgoing) else 0
        if larger:
            size += f": {counted(larger, 'text')} {agreeing(larger, 'takes', 'take')} more than one"
        self.shortage, self.enough, self._is_used_up = "", "", False
        if parts and price is not None:
            words.append(f"About {cost_in_words(price * parts, currency=currency)} for {size}.")
        elif parts:
            words.append(f"That is {size}.")
        if limit is not None and parts:
            words += self._about_limit(limit, price, outgoing, currency)
        self.said.value = markup.paragraph(" ".join(words), note=True) if words else ""

    def _about_limit(
        self, limit: Decimal, price: Decimal | None, outgoing: pd.DataFrame, currency: str
    ) -> list[str]:
        """When sending stops, whether that is before everybody has a text, and who wrote this amount."""
        sentences, spent, seen = [], self._spending.cost, self._spending.price_per_part
        if spent:
            used, is_live = (
                cost_in_words(spent, currency=currency),
                self._desk.composition.environment == "live",
            )
            rehearsed = f"The rehearsal has used {used} so far; nothing is paid."
            sentences.append(f"{used} is spent already." if is_live else rehearsed)
        expected = price or (_decimal(seen) if seen else Decimal(0))
        cost = self._cost_with(expected, outgoing)
        if expected and cost > limit:
            self.enough = cost_in_words(rounded_up(cost), currency=currency)
            sentences.append(self._coverage(limit, expected, int(outgoing["parts"].sum())))
        if price is None and self._desk.account is None:
            sentences.append("Write the price too: without it, a rehearsal on this machine invents one.")
        promise = "" if self._goes_out_once_more else _NOT_TWICE
        sentences.append(_STOPS.format(cost_in_words(limit, currency=currency), promise))
        return [*sentences, *self._where_from(is_enough=price is not None and cost <= limit)]

    @property
    def _goes_out_once_more(self) -> bool:
        """Whether a person has settled texts as not there, or ordered them again: they may arrive twice."""
        record = None if self._compared is None else self._compared.record
        return record is not None and len(settled_outcomes(record.ledger.outcomes)) > 0

    def _cost_with(self, price: Decimal, outgoing: pd.DataFrame) -> Fraction:
        """What the whole campaign costs with these texts; as for the engine, the highest price counts."""
        highest = max(self._spending.price_per_part or Fraction(0), Fraction(price))
        spending = replace(self._spending, price_per_part=highest)
        return spending.with_open_parts(int(outgoing["parts"].sum()))

    def _coverage(self, limit: Decimal, price: Decimal, parts: int) -> str:
        """How many SMS leave before that."""
        highest = max(self._spending.price_per_part or Fraction(0), Fraction(price))
        room = Fraction(limit) - self._spending.with_open_parts(0)
        sms = max(0, min(parts, floor(room / highest)))
        self._is_used_up = not sms
        share = f"The budget covers at most {figure(sms)} of {counted(parts, 'SMS', 'SMS')}"
        self.shortage = f"{share}; {self.enough} is enough for all."
        return f"{share}."

    def _where_from(self, *, is_enough: bool) -> list[str]:
        """That the amount was filled in, or was for another campaign; [] if a person wrote it for this."""
        amount, filled_in = self.limit.value, self._filled_in
        campaign, of_campaign = self._of_campaign
        field = f"“{FIELDS['budget']}”"
        if amount == of_campaign and campaign != self._desk.name:
            return [f"{field} is still what it was for “{mask_text(clean(campaign))}”."]
        now = (amount, self._desk.name, self._spending.cost)
        if filled_in is None or now != (filled_in.amount, filled_in.campaign, filled_in.spent):
            return []
        enough = ", enough for everybody," if is_enough else ""
        written = cost_in_words(Decimal(amount)) if amount else ""
        return [f"{field} was {filled_in.before}: {written}{enough} is filled in."]

    def _read(self, field: Field, fault: HTML, sentence: str) -> Decimal | None:
        try:
            amount = _amount(field.value, sentence)
        except UsageError as error:
            fault.value = f'<div role="alert">{markup.paragraph(str(error))}</div>'
            return None
        fault.value = ""
        return amount

    def _take_price(self, price: str) -> None:
        self._desk.price = price
        self._desk.remember()
        self._typed()

    def _take_budget(self, budget: str) -> None:
        """Decide it, once it is an amount; an empty field lifts a budget that is in force."""
        try:
            amount = _amount(budget, _NO_BUDGET)
        except CampaignError:  # said below the field
            return self._typed()
        lifted = None if self._in_force == Budget() else ""
        self._desk.decide(budget=lifted if amount is None else f"{amount:f}")
        self._typed()


def given_price(typed: str) -> Decimal | None:
    """The price that was typed for what was sent; None for none."""
    with suppress(UsageError):
        return _amount(typed, _NO_PRICE)
    return None


def typed_cost(typed: str) -> Decimal | None:
    """What a person typed that the provider charged, None for nothing; `UsageError` for anything else."""
    return _amount(typed, _NO_COST)


def _decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _fault(name: str) -> HTML:
    fault = HTML()
    fault.add_class("problem")
    fault.add_class(f"campaign-{name}")
    return fault


def _amount(text: str, sentence: str) -> Decimal | None:
    """The amount that was typed, None if none was; `UsageError` with the sentence for anything else.

    "1,750" and "1 750" are 1750, as this page writes it; "0,04" is 0.04, and "1.750" may be either.
    """
    amount = _SPACE.sub("", text.strip())
    if _EITHER.fullmatch(amount):
        whole, thousandths = amount.split(".")
        raise UsageError(
            f"Write {whole}{thousandths} or {Decimal(amount).normalize():f}: {amount} may be either."
        )
    amount = amount.replace(",", "" if _GROUPED.fullmatch(amount) else ".")
    try:
        check_amount(amount or 0, subject="amount", write="35")
    except UsageError:
        raise UsageError(sentence) from None
    return Decimal(amount) if amount else None
