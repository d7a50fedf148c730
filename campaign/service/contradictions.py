"""Answers with the status Failed that also say that something was sent: they prove nothing.

By the contract, a submission is answered as a whole (section 4.1, rule 3). A service that charges, gives a
follow-up code or mentions messages that were sent has done something, whatever its `Status` says: such a
batch must not count as refused, because what is refused may be sent again.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

_DONE = r"(?:sent|delivered|accepted|queued|dispatched|succeeded|successful(?:ly)?)"
_DONE_OR_SUBMITTED = rf"(?:{_DONE}|submitted)"
_UNDONE = r"(?:failed|rejected|refused|undelivered|invalid)"
_MESSAGES = r"(?:messages?|msgs?|sms|texts?|recipients?|numbers?|contacts?)"
_WAS = r"(?:(?:was|were|has|have|been|are|is|successfully)\s+)*"
_COUNT = r"(?:(?<![\d.,])0*[1-9][\d,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|all)\b)"
_QUANTITY = r"\b(?:some|most|several|many|few|part|rest|others|remaining|not\s+all)"

_PART_OF = re.compile(r"(?<![\d.,:])(\d{1,9})\s*(?:of|out\s+of|/)\s*(?:the\s+|all\s+)*(\d{1,9})(?![.:]?\d)")
_ORDINAL = re.compile(r"(?:messages?|msgs?|sms|entry|item|row|number|part)\s*(?:no\.?|#)?\s*$")
_NONE_OF = re.compile(r"\bnone\s+of\s+(?:the\s+|your\s+|all\s+)*\d+")
# As text: a refusal is rare, and compiling these would take 2 ms of every start.
_PARTLY_SENT = (
    r"\bpartial(?:ly)?\b",
    # 7 sent, 3 failed; 7 messages were sent
    rf"{_COUNT}\s+{_WAS}{_DONE}\b",
    rf"{_COUNT}\s+{_MESSAGES}\s+{_WAS}{_DONE_OR_SUBMITTED}\b",
    # sent: 7; successfully sent 7 messages
    rf"(?<!not )(?<!not be )\b{_DONE}\s*(?:[:=]\s*{_COUNT}(?![:.]\d)|{_COUNT}\s+{_MESSAGES}\b)",
    # some messages were not sent; the rest was not sent
    rf"{_QUANTITY}(?:\s+(?:of|the|your|these))*\s+{_MESSAGES}\b[^.;]*\b{_DONE_OR_SUBMITTED}\b",
    rf"{_QUANTITY}\s+(?:not\s+)?{_WAS}(?:not\s+)?{_DONE_OR_SUBMITTED}\b",
    # nothing but a success
    rf"^(?:(?:your|the)\s+)?(?:{_MESSAGES}\s+)?{_WAS}(?:{_DONE}|success)(?:\s+successfully|\s+for\s+delivery)?[.!]?$",
)
_SAYS_WHAT_BECAME = re.compile(rf"\b(?:{_DONE_OR_SUBMITTED}|{_UNDONE})\b")


def contradiction(answer: dict[str, Any], reason: str) -> str:
    """What contradicts a `Failed`, in words; "" if nothing does.

    `reason` is the service's text, at most a few thousand characters. A follow-up code or a cost counts when
    it has a value: services fill unused fields with null, "", 0, false or an empty list, and a cost of
    nothing agrees with a failure.
    """
    if _has_value(answer.get("MsgFollowUpUniqueCode")):
        return "gives a follow-up code"
    if _has_value(answer.get("Cost")):
        return "gives a cost"
    return "mentions messages that were sent" if says_that_some_were_sent(reason) else ""


def says_that_some_were_sent(reason: str) -> bool:
    """Whether a text mentions messages that were sent: "3 of 10 sent", but not "0 messages sent"."""
    text = _NONE_OF.sub("0", " ".join(reason.casefold().split()))
    if _SAYS_WHAT_BECAME.search(text) and any(_is_part(match, text) for match in _PART_OF.finditer(text)):
        return True
    text = _PART_OF.sub(r"\1", text)  # "0 of 10 sent" says as much as "0 sent"
    return any(re.search(pattern, text) for pattern in _PARTLY_SENT)


def _is_part(match: re.Match[str], text: str) -> bool:
    """Whether "3 of 10" is a number of messages, and not the place of one ("message 3 of 10")."""
    return 0 < int(match[1]) < int(match[2]) and not _ORDINAL.search(text[: match.start()])


def _has_value(field: object) -> bool:
    if isinstance(field, str):
        return re.fullmatch(r"[0.\s]*", field) is None
    if isinstance(field, Decimal) and not field.is_finite():
        return True
    return bool(field)
