"""How a run begins from the form, and what is asked before.

It begins with a plan, or with what is left of a campaign in its folder. A question opens and writes nothing:
it is asked whenever a page is drawn.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from campaign.argument_checks import check_amount
from campaign.environments import Environment
from campaign.errors import ConfirmationError, UsageError
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.sending.campaigns import start
from campaign.sending.engine.budget import Budget
from campaign.sending.opening import compare_in, open_campaign, question_to_resume, question_to_send
from campaign.sending.options import SendOptions
from campaign.sending.run import Run
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox

_GROUPED = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_EITHER = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_SPACE = re.compile(r"(?<=[0-9])[ \u00a0\u202f](?=[0-9]{3})")
_BALANCE = 10_000_000  # texts that a rehearsal on this machine can pay for, at any price


def begin(form: Form, facts: Facts, where: Environment, phrase: str | None) -> Run:
    """Send what the plan would send there. Raises `ConfirmationError` where a person has to decide first."""
    return start(facts.plan(form), confirm=phrase, **_first_options(form, facts, where))


def question_before(form: Form, facts: Facts) -> ConfirmationError | None:
    """What is asked before the plan is sent live; None where nothing would leave."""
    options = SendOptions(**_first_options(form, facts, "live"))
    return question_to_send(compare_in(facts.plan(form), options, "live"), options)


def begin_again(form: Form, facts: Facts, where: Environment, phrase: str | None) -> Run:
    """Send what waits and what was refused in the campaign of the form's folder, whatever its spreadsheet."""
    options = SendOptions(folder=form.folder, confirm=phrase, **_options(form, facts, where))
    return Run(open_campaign(None, options), attended=True)


def question_before_the_rest(form: Form, facts: Facts) -> ConfirmationError | None:
    """What is asked before the rest of the campaign in the form's folder is sent live."""
    account = facts.accounts["live"]
    assert account is not None  # noqa: S101 - only the embedded sandbox has none
    return question_to_resume(account, SendOptions(folder=form.folder, **_options(form, facts, "live")))


def _first_options(form: Form, facts: Facts, where: Environment) -> dict[str, Any]:
    """The options with which a plan is sent: with the name, and what was answered."""
    return {"name": form.name or None, **_options(form, facts, where), **form.answers.get(where, {})}


def _options(form: Form, facts: Facts, where: Environment) -> dict[str, Any]:
    """Where it is sent, and what it may cost."""
    limit = amount_of(form.budget, "Stop when it has cost")
    budget = {} if limit is None else {"budget": Budget.of(limit)}
    return {"account": _account(form, facts, where), **budget}


def _account(form: Form, facts: Facts, where: Environment) -> Account | Sandbox | None:
    """The account. A rehearsal on this machine costs what was typed, if anything was."""
    account, price = facts.accounts[where], amount_of(form.price, "Price of one SMS")
    if account is not None or price is None:
        return account
    return Sandbox(tls=True, price=price, balance=_BALANCE * max(price, Decimal(1)))


def amount_of(typed: str, field: str) -> Decimal | None:
    """The amount that was typed, None if none was; `UsageError` that names the field for anything else.

    "1,750" and "1 750" are 1750; "0,04" is 0.04, and "1.750" may be either.
    """
    amount = _SPACE.sub("", typed.strip())
    if _EITHER.fullmatch(amount):
        whole, thousandths = amount.split(".")
        either = {"first": f"{whole}{thousandths}", "second": f"{Decimal(amount).normalize():f}"}
        raise UsageError("amount_unclear", amount=amount, **either)
    amount = amount.replace(",", "" if _GROUPED.fullmatch(amount) else ".")
    try:
        check_amount(amount or 0, subject="amount", write="35")
    except UsageError:
        raise UsageError("not_an_amount", field=field) from None
    return Decimal(amount) if amount else None
