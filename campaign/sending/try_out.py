"""One message of a plan to your own phone, before ten thousand people get theirs.

The service does not say whether it decodes what it is sent. If it does not, people read `Hi%20Aisha%2C`, and
only a phone shows that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pandas as pd

from campaign import markup
from campaign.argument_checks import check_count, check_text
from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.messages.preparation import prepare
from campaign.messages.preview import Preview
from campaign.public_calls import public_call
from campaign.results.tables import Result
from campaign.sending.opening import open_campaign
from campaign.sending.options import Place, SendOptions, check_plan
from campaign.sending.run import Run
from campaign.sending.store.identity import try_out_name
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import shorten
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON


@dataclass(frozen=True, slots=True, repr=False)
class TryOut:
    """What was sent to your own phone, and what to look for on it.

    Attributes
    ----------
    preview : Preview
        The message on a phone's screen.
    raw : str
        The text as it went over the wire. If the phone shows this, the service does not decode: use
        `Account(..., encoding="plain")`.
    result : Result
        What the service said.

    Examples
    --------
    >>> campaign.try_out(plan, number="0772 000 009", region="UG").raw
    'Hi%20Amina%21'
    """

    preview: Preview
    raw: str
    result: Result

    @property
    def text(self) -> str:
        return self.preview.messages[0]

    @property
    def question(self) -> Finding:
        """What to look for on the phone."""
        if self.result.environment != "live":
            return Finding("not_live", severity="info")
        return Finding("look_at_phone", {"plain": "" if self.raw == self.text else "plain"}, "info")

    @property
    def headline(self) -> Finding:
        """What became of the text, which is no row of the spreadsheet."""
        status = str(self.result.messages["status"].iloc[0])
        facts = {"status": status.replace("_", " "), "said": self.result.ending}
        return Finding("tried_out", facts, "info")

    def __str__(self) -> str:
        raw = shorten(self.raw, 200)
        lines = [
            str(self.preview),
            f"Over the wire: {raw}",
            *map(PYTHON.text, (self.headline, self.question)),
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        pieces = [
            self.preview.phone(),
            markup.paragraph(PYTHON.text(self.question)),
            markup.facts({"over the wire": shorten(self.raw, 200)}),
            markup.paragraph(PYTHON.text(self.headline), note=True),
        ]
        return markup.card("Try-out", pieces)


@public_call
def try_out(
    plan: Plan,
    account: Account | Sandbox | None = None,
    *,
    number: str,
    region: str | None = None,
    row: int | None = None,
    confirm: str | None = None,
    folder: Place | None = None,
) -> TryOut:
    """Send one message of a plan to your own number, and show it raw and decoded.

    Parameters
    ----------
    plan
        What `prepare` made. Its recipients get nothing, and it does not count when the plan is sent.
    account
        Where and as whom; by default an embedded sandbox.
    number
        Yours: with its country code, or national with `region`.
    region
        Country of the number, such as "UG".
    row
        Whose message; by default the first.
    confirm
        The phrase that live sending asks for.
    folder
        Where to keep it.

    Returns
    -------
    TryOut
        Each call sends.

    Raises
    ------
    UsageError
        The number cannot be read, or the row has no message.
    ConfirmationError
        A person has to decide.

    Examples
    --------
    >>> campaign.try_out(plan, number="0772 000 009", region="UG").text
    'Hi Amina!'
    """
    check_plan(plan)
    check_text(number, subject="number", write='your own number as text, for example number="+256 …"')
    check_count(row, subject="row", write="the number of a row of the sheet, or leave it out", or_none=True)
    messages = plan.messages if row is None else plan.messages[plan.messages["row"] == row]
    if messages.empty:
        raise UsageError("no_message", row=row)
    sent = messages.iloc[0]
    own = _plan_to(number, sent, region)
    name = try_out_name(datetime.now(UTC))
    options = SendOptions(
        account=account, folder=folder, name=name, canary=False, confirm=confirm, progress=False
    )
    result = Run(open_campaign(own, options), attended=False).wait()
    text = own.messages["message"].iloc[0]
    plain = isinstance(account, Account) and account.encoding == "plain"
    raw = text if plain else quote(text, safe="")
    preview = own.preview()
    return TryOut(replace(preview, row=int(sent["row"])), raw, result)


def _plan_to(number: str, sent: pd.Series[Any], region: str | None) -> Plan:
    """A plan with one message of another plan, to another number."""
    table = pd.DataFrame(
        {
            "number": [number],
            "text": [sent["message"]],
            "sender": [sent["sender"]],
            "priority": [sent["priority"]],
        }
    )
    plan = prepare(
        table,
        message="{text}",
        sender="{sender}",
        number="number",
        region=region,
        priority="{priority}" if sent["priority"] else None,
        downgrade=False,
    )
    if plan.messages.empty:
        problem = plan.issues["code"].iloc[0].replace("_", " ")
        raise UsageError("own_number_unusable", problem=problem)
    return plan
