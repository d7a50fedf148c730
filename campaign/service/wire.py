"""What goes over the wire: a batch becomes a request body, an answer becomes a verdict.

The only module that knows the service's field names and error texts. It follows the service's
contract ("SMS Submission Service (JSON)"), whose sections are named beside each rule, and
tolerates what real services of this family have been seen to do.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from decimal import Decimal
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import quote

import pyarrow as pa

from campaign.arrow_text import (
    Ints,
    TextArray,
    TextChunks,
    TextScalar,
    as_text,
    combine_chunks,
    join_texts,
    text_array,
    text_buffers,
    unique_texts,
)
from campaign.contract import MESSAGE_TEXTS
from campaign.service.contradictions import contradiction
from campaign.service.encoding import json_escape, percent_encode
from campaign.service.outcome import failure_of
from campaign.words.finding import Finding

PATH = "api/v1/json/"  # section 4.1
METHOD = "SendSms"  # section 2.1

# Section 7, word for word.
WRONG_JSON = "Wrong JSON Passed"
NO_FUNDS = "Money Not Enough To Send This Batch of Msgs"
WRONG_LOGIN = "Wrong Username or Password"
UNKNOWN_USER = "That user does not exist or user not active"
LOGIN_NOT_SET = "Either Username or Password Not Set"

Encoding = Literal["url", "plain"]
Refusal = Literal["", "json", "funds", "credentials", "other"]

# Compared ignoring case and outer spaces: "Wrong UserName Or Password" and "Authentication Failed" occur.
_REFUSALS: dict[str, Refusal] = {
    WRONG_JSON.casefold(): "json",
    NO_FUNDS.casefold(): "funds",
    WRONG_LOGIN.casefold(): "credentials",
    UNKNOWN_USER.casefold(): "credentials",
    LOGIN_NOT_SET.casefold(): "credentials",
    "authentication failed": "credentials",
}

LOGIN_WANTED = "a user name and a password, or other ones"  # by a proxy, with HTTP status 407
_TEXT_KEPT = 2000  # characters of a service's text
_SCALAR = (str, int, Decimal)  # a bool is an int
_PLAIN_AMOUNT = re.compile(r"\d{1,15}(\.\d{1,9})?")


class EncodedMessages:
    """The messages of one part of a plan as JSON objects, encoded once; a batch is a slice of the buffer.

    `messages` holds text columns `number`, `message`, `sender` and `priority` ("" = leave it out).
    """

    def __init__(self, messages: pa.Table, encoding: Encoding) -> None:
        objects = _objects(messages, encoding)
        self._offsets, self._data = text_buffers(objects)

    def __repr__(self) -> str:
        return f"<{len(self._offsets) - 1} encoded messages>"

    def slice(self, start: int, stop: int) -> memoryview:
        """The entries of `msgdata` for the messages from `start` up to `stop`, without the brackets."""
        if not 0 <= start < stop < len(self._offsets):
            raise IndexError(f"no batch of messages {start} to {stop} in {self!r}")
        # Each object ends with a comma, so that neighbours already form a list; the last comma is left out.
        return self._data.data[self._offsets[start] : self._offsets[stop] - 1]


def _objects(messages: pa.Table, encoding: Encoding) -> TextArray:
    """One JSON object and a comma for each message (section 2.3).

    Number and priority are digits in every plan, so they need no escaping.
    """
    encode = percent_encode if encoding == "url" else json_escape
    number, message, sender, priority = (
        as_text(combine_chunks(cast("TextChunks", messages.column(name)))) for name in MESSAGE_TEXTS
    )
    senders, sender_places = unique_texts(sender)
    priorities, priority_places = unique_texts(priority)
    ends = [f'","priority":"{priority}"}},' if priority else '"},' for priority in priorities]
    return join_texts(
        '{"number":"', number, '","message":"', encode(message), '","senderid":"',
        _in_rows(encode(text_array(senders)), sender_places), _in_rows(text_array(ends), priority_places),
    )  # fmt: skip


def _in_rows(texts: TextArray, places: Ints) -> TextArray | TextScalar:
    """The text of each row, or the one that all rows have, as in most campaigns: it is joined faster."""
    return texts[0] if len(texts) == 1 else texts.take(places)


def request_head(username: str, password: str, encoding: Encoding) -> str:
    """What comes before the entries of `msgdata` (section 2.1), credentials included: never log it.

    The password is URL encoded by section 2.2; the username is sent as it is.
    """
    if encoding == "url":
        password = quote(password, safe="")
    login = json.dumps({"username": username, "password": password}, separators=(",", ":"))
    return f'{{"method":"{METHOD}","userdata":{login},"msgdata":['


def request_body(head: str, entries: memoryview) -> bytes:
    """The whole request: never log it, never keep it."""
    return b"".join((head.encode(), entries, b"]}"))


class Answer(NamedTuple):
    """What a complete answer says.

    `verdict` is "accepted", "refused" or "unreadable". `cost` is missing if the service's text is not
    a plain amount; `cost_text` keeps what it wrote. `error` is the service's text, `remark` why the
    answer cannot be read. `refusal` groups the texts by what has to be done about them.
    """

    verdict: Literal["accepted", "refused", "unreadable"]
    cost: Decimal | None = None
    cost_text: str = ""
    code: str = ""
    error: str = ""
    remark: Finding | None = None
    refusal: Refusal = ""


def read_answer(content: bytes, http_status: int) -> Answer:
    """Read one complete answer. Never raises.

    Only `Status` decides (sections 2.4 and 2.5): services send failures with HTTP 200, and a `Message` with a
    success. The content type is ignored, because some send correct JSON as text/html. An `OK` without a
    code, with an HTTP status other than 2xx, or in a malformed document proves nothing, and neither does a
    `Failed` that contradicts itself.
    """
    try:
        answer = _DECODER.decode(content.removeprefix(BOM_UTF8).decode())
    except (ValueError, RecursionError, ArithmeticError) as error:
        return unreadable("answer_unreadable", http_status, flaw="not JSON", **failure_of(error))
    if not isinstance(answer, dict):
        return unreadable("answer_unreadable", http_status, flaw="not a JSON object")
    if answer.get("Status") == "OK":
        return _read_success(answer, http_status)
    if answer.get("Status") == "Failed":
        return _read_failure(answer, http_status)
    return unreadable("answer_unreadable", http_status, flaw="without a known Status")


def refusal_of(message: str) -> Refusal:
    """What a refusal in these words means for the next batch."""
    return _REFUSALS.get(message.strip().casefold(), "other")


def _read_success(answer: dict[str, Any], http_status: int) -> Answer:
    code = answer.get("MsgFollowUpUniqueCode")
    if not 200 <= http_status < 300:
        return unreadable("answer_unclear", http_status, says="OK")
    if isinstance(code, int) and not isinstance(code, bool):
        code = str(code)
    if not isinstance(code, str) or not code.strip():
        return unreadable("answer_unclear", http_status, says="OK", but="has no follow-up code")
    cost = answer.get("Cost")
    text = "" if cost is None else _kept(str(cost) if isinstance(cost, _SCALAR) else "a list or object")
    return Answer("accepted", cost=_amount(cost), cost_text=text, code=_kept(code))


def _read_failure(answer: dict[str, Any], http_status: int) -> Answer:
    message = answer.get("Message")
    if not isinstance(message, str) or not message.strip():
        return unreadable("answer_unclear", http_status, says="Failed", but="not why")
    refusal = refusal_of(message)
    redirected, broken = 300 <= http_status < 400, http_status == 429 or http_status >= 500
    doubt = contradiction(answer, _kept(message))
    if doubt or redirected or (broken and refusal == "other"):
        return unreadable("answer_unclear", http_status, says="Failed", but=doubt, reason=_kept(message))
    return Answer("refused", error=_kept(message), refusal=refusal)


def unreadable(code: str, http_status: int, **facts: Any) -> Answer:
    """An answer that proves nothing; what its HTTP status says, as far as it says anything, comes first."""
    if 300 <= http_status < 400:
        code, facts = "redirected", {}
    if http_status == 407:
        code, facts = "proxy_refused", {"wants": LOGIN_WANTED}
    if http_status == 429:
        code, facts = "slow_down", {}
    if http_status != 200:
        facts["http_status"] = http_status
    return Answer("unreadable", remark=Finding(code, {name: fact for name, fact in facts.items() if fact}))


def _amount(cost: object) -> Decimal | None:
    """A cost as an exact number if it clearly is one: "35", 35 or 35.5, but not "UGX 35" or "1,050"."""
    if isinstance(cost, Decimal) and cost.is_finite() and abs(cost.adjusted()) < 20:
        cost = format(cost, "f")  # 1E+2 is 100
    if isinstance(cost, bool) or not isinstance(cost, (str, int)):
        return None
    text = str(cost).strip()
    return Decimal(text) if text.isascii() and _PLAIN_AMOUNT.fullmatch(text) else None


def _kept(text: str) -> str:
    """A service's text in a form that can be stored: JSON allows half a surrogate pair, UTF-8 does not."""
    return text.strip()[:_TEXT_KEPT].encode("utf-8", "replace").decode()


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    answer = dict(pairs)
    if len(answer) < len(pairs):
        raise ValueError("a key occurs twice")
    return answer


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# Made once: `json.loads` with these options would make a decoder for every answer.
_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse_constant, parse_float=Decimal)
