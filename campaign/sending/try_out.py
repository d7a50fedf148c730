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
from campaign.environments import words_for
from campaign.errors import UsageError
from campaign.masking import mask_text
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


@dataclass(frozen=True, slots=True, repr=False)
class TryOut:
    """What was sent to your own phone, and what to look for on it.

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
            return "Does the phone show exactly this text? If not, the service changes it."
        return (
            "Does the phone show exactly this text? If it shows %20 and the like, the service does not "
            'decode: make the account with Account(..., encoding="plain") and try again.'
        )

    @property
    def headline(self) -> str:
        """What became of the text, which is no row of the spreadsheet, with phone numbers masked."""
        words, note = words_for(self.result.environment), self.result.remarks[0]
        status = str(self.result.messages["status"].iloc[0])
        was = "accepted" if status == "accepted" else "not accepted"
        state = "" if status == "accepted" else f" ({status.replace('_', ' ')})"
        sentence = f"The text to your own phone was {was} by {words.service}{state}."
        said = " ".join(filter(None, (words.caution, sentence, note)))
        return mask_text(said)  # it can hold what the service wrote

    def __str__(self) -> str:
        raw = shorten(self.raw, 200)
        return f"{self.preview}\nOver the wire: {raw}\n{self.headline}\n{self.question}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        pieces = [
            self.preview.phone(),
            markup.paragraph(self.question),
            markup.facts({"over the wire": shorten(self.raw, 200)}),
            markup.paragraph(self.headline, note=True),
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
    """Send one message of the plan to your own number, and show what was sent, raw and decoded.

    `number` is yours: with its country code, or written nationally with `region`. `row` chooses whose
    message; by default the first. The recipient in the plan gets nothing, and trying a message does not count
    when the plan is sent. Each call sends. Live asks for `confirm`, as `send` does.

    Raises `UsageError` for a number that cannot be read or a row without a message, and what `send` raises.
    """
    check_plan(plan)
    check_text(number, subject="number", write='your own number as text, for example number="+256 …"')
    check_count(row, subject="row", write="the number of a row of the sheet, or leave it out", or_none=True)
    messages = plan.messages if row is None else plan.messages[plan.messages["row"] == row]
    if messages.empty:
        raise UsageError("The plan has no message to try." if row is None else f"Row {row} gets no message.")
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
        raise UsageError(f"Your own number cannot be used. {plan.issues['detail'].iloc[0]}")
    return plan
