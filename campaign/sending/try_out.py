"""One message of a plan to oneself, before ten thousand people get theirs.

The service may or may not decode what it is sent, and says nothing about it. If it does not, people read
`Hi%20Aisha%2C`. Only a phone shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pandas as pd

from campaign import markup
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.messages.plan import Plan, prepare
from campaign.messages.preview import Preview
from campaign.results.tables import Result
from campaign.sending.campaigns import Place, send
from campaign.service.account import Account
from campaign.text import shorten


@dataclass(frozen=True, slots=True, repr=False)
class TryOut:
    """What was sent to one's own phone, and how to read what the phone shows.

    `text` is what the phone should show, `raw` the same as it went over the wire, `result` what the service
    said. If the phone shows `raw`, the service does not decode: use `Account(..., encoding="plain")`.
    """

    preview: Preview
    raw: str
    result: Result

    @property
    def text(self) -> str:
        return self.preview.messages[0]

    @property
    def question(self) -> str:
        """What to look for on the phone."""
        if self.result.environment != "live":
            return "Nothing reached a phone: this was not live. The text above is what people would read."
        if self.raw == self.text:
            return "Does the phone show exactly this text? If it shows another one, the service changes it."
        return (
            "Does the phone show exactly this text? If it shows %20 and the like, the service does not "
            'decode: make the account with encoding="plain" and try again.'
        )

    @property
    def _headline(self) -> str:
        return mask_text(self.result.headline)  # it can hold what the service wrote

    def __str__(self) -> str:
        raw = shorten(self.raw, 200)
        return f"{self.preview}\nOver the wire: {raw}\n{self._headline}\n{self.question}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        pieces = [
            self.preview.phone(),
            markup.paragraph(self.question),
            markup.facts({"over the wire": shorten(self.raw, 200)}),
            markup.paragraph(self._headline, note=True),
        ]
        return markup.card("Try-out", pieces)


def try_out(
    plan: Plan,
    account: Account | None = None,
    *,
    number: str,
    region: str | None = None,
    row: int | None = None,
    confirm: str | None = None,
    folder: Place | None = None,
) -> TryOut:
    """Send one message of the plan to your own number, and show what was sent, raw and decoded.

    `number` is yours, with its country code, or written nationally with `region`. `row` chooses whose
    message; by default the first. The recipient in the plan gets nothing, and the plan can be sent afterwards
    as if nothing had been. Each call sends. Live asks for `confirm`, as `send` does.

    Raises `UsageError` for a number that cannot be read or a row that gets nothing, and what `send` raises.
    """
    messages = plan.messages if row is None else plan.messages[plan.messages["row"] == row]
    if messages.empty:
        raise UsageError("The plan has no message to try." if row is None else f"Row {row} gets no message.")
    sent = messages.iloc[0]
    own = _plan_to(number, sent, region)
    name = f"try-out-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    result = send(
        own, account=account, folder=folder, name=name, canary=False, confirm=confirm, progress=False
    )
    text = own.messages["message"].iloc[0]
    raw = text if account is not None and account.encoding == "plain" else quote(text, safe="")
    preview = own.preview()
    return TryOut(replace(preview, row=int(sent["row"])), raw, result)


def _plan_to(number: str, sent: pd.Series[Any], region: str | None) -> Plan:
    """A plan with one message of another one, to another number."""
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
        raise UsageError(f"Your own number cannot be used. {plan.issues['detail'].iloc[0]}")
    return plan
