"""How the service answers, without a network: the contract as a small state machine.

It checks in this order: JSON, credentials set, account, input, funds. A batch is charged as a whole or
refused as a whole (contract, section 4.1, rules 3 and 4).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import tempfile
import threading
import weakref
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from decimal import Decimal
from typing import IO, Any, Literal, get_args
from urllib.parse import unquote, unquote_plus

import pandas as pd

from campaign.argument_checks import check_choice
from campaign.contract import PRIORITIES, SENDER_LIMIT, TEXT_LIMIT
from campaign.messages.text.segments import count_parts
from campaign.service import wire
from campaign.service.passwords import Secret, is_text

Decode = Literal["percent", "form", "none"]
Charge = Literal["message", "part"]
UnknownUser = Literal["does not exist", "wrong"]
Undescribed = Literal["refuse", "accept"]

CODE_PREFIX = "ApiJsonSubmit"
_DECODERS: dict[str, Callable[[str], str]] = {"percent": unquote, "form": unquote_plus, "none": str}
_FULLY_ENCODED = re.compile(r"([A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})*")


class Behaviour:
    """One account of the service, its balance and what it accepted.

    The options are those of `Sandbox`. Accepted messages are kept in an unnamed temporary file, so that
    a long run does not fill the memory and nothing stays behind.
    """

    def __init__(
        self,
        *,
        username: str,
        password: Secret,
        inactive: Collection[str],
        balance: Decimal,
        price: Decimal,
        charge: Charge,
        decode: Decode,
        unknown_user: UnknownUser,
        undescribed: Undescribed,
    ) -> None:
        check_choice(decode, get_args(Decode), subject="decode")
        check_choice(charge, get_args(Charge), subject="charge")
        check_choice(unknown_user, get_args(UnknownUser), subject="unknown_user")
        check_choice(undescribed, get_args(Undescribed), subject="undescribed")
        self.username = username
        self._password = password.use(_digest)  # compared, never shown
        self._inactive, self._unknown_user = frozenset(inactive), unknown_user
        self._takes_undescribed = undescribed == "accept"
        self.balance, self.charged, self._price, self._charge = balance, Decimal(0), price, charge
        self._decode = _DECODERS[decode]
        self._changing = threading.Lock()  # balance and inbox change together
        self._accepted: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this object
        weakref.finalize(self, self._accepted.close)

    def top_up(self, amount: Decimal) -> None:
        with self._changing:
            self.balance += amount

    def inbox(self) -> pd.DataFrame:
        """Every message that was accepted, in order; the columns are those that `Sandbox` describes."""
        with self._changing:
            self._accepted.seek(0)
            batches = [json.loads(line) for line in self._accepted]
        pairs = [(batch, message) for batch in batches for message in batch["msgdata"]]
        texts = {
            "number": [message["number"] for _, message in pairs],
            "text": [self._decode(message["message"]) for _, message in pairs],
            "raw": [message["message"] for _, message in pairs],
            "sender": [self._decode(message["senderid"]) for _, message in pairs],
            "priority": [message.get("priority", "") for _, message in pairs],
        }
        frame = pd.DataFrame({name: pd.Series(values, dtype=str) for name, values in texts.items()})
        frame["ambiguous"] = pd.Series([is_ambiguous(raw) for raw in texts["raw"]], dtype=bool)
        frame["request"] = pd.Series([batch["request"] for batch, _ in pairs], dtype="int64")
        times = pd.Series([batch["time"] for batch, _ in pairs], dtype=str)
        frame["time"] = pd.to_datetime(times, utc=True).dt.as_unit("us")
        return frame

    def messages_in(self, content: bytes) -> list[tuple[str, str]]:
        """Number and text of each message in the body of a request, none where it is not as the contract
        says."""
        try:
            messages = json.loads(content)["msgdata"]
            return [(message["number"], self._decode(message["message"])) for message in messages]
        except (ValueError, TypeError, KeyError, RecursionError):
            return []

    def answer(self, content: bytes, ordinal: int) -> dict[str, str]:
        """The service's answer to the body of one request; `ordinal` counts requests from 1."""
        try:
            request = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            return failed(wire.WRONG_JSON)
        if not isinstance(request, dict):
            return failed("sandbox: the body is not a JSON object")
        refusal = self._refusal_of_account(request.get("userdata")) or self._refusal_of_input(request)
        return failed(refusal) if refusal else self._accept(request["msgdata"], ordinal)

    def _refusal_of_account(self, userdata: Any) -> str:
        userdata = userdata if isinstance(userdata, dict) else {}
        username, password = userdata.get("username"), userdata.get("password")
        if not isinstance(username, str) or not isinstance(password, str) or not username or not password:
            return wire.LOGIN_NOT_SET
        if username in self._inactive:
            return wire.UNKNOWN_USER
        if username != self.username:
            return wire.UNKNOWN_USER if self._unknown_user == "does not exist" else wire.WRONG_LOGIN
        # A client may also send unencoded text (section 2.3): a password with a % sign in it, for example.
        is_right = any(
            hmac.compare_digest(_digest(spelling), self._password)
            for spelling in (self._decode(password), password)
        )
        return "" if is_right else wire.WRONG_LOGIN

    def _refusal_of_input(self, request: dict[str, Any]) -> str:
        """Input that the contract does not describe is refused in words of its own ("sandbox: …")."""
        messages = request.get("msgdata")
        if not isinstance(messages, list):
            return "sandbox: msgdata is not a list"
        if not self._takes_undescribed:
            if request.get("method") != wire.METHOD:
                return f"sandbox: the method is not {wire.METHOD}"
            if not messages:
                return "sandbox: msgdata holds no messages"
        for place, message in enumerate(messages, 1):
            if fault := _fault_of_shape(message) or self._fault_of_content(message):
                return f"sandbox: message {place} {fault}"
        return ""

    def _fault_of_content(self, message: dict[str, str]) -> str:
        if self._takes_undescribed:
            return ""
        if not (message["number"].isascii() and message["number"].isdigit()):
            return "has a number that is not digits only"
        if len(self._decode(message["message"])) > TEXT_LIMIT:
            return f"is longer than {TEXT_LIMIT} characters"
        if not 0 < len(self._decode(message["senderid"])) <= SENDER_LIMIT:
            return f"has a sender that is not 1 to {SENDER_LIMIT} characters"
        if message.get("priority", "0") not in PRIORITIES:
            return f"has a priority that is not {PRIORITIES[0]} to {PRIORITIES[-1]}"
        return ""

    def _accept(self, messages: list[dict[str, str]], ordinal: int) -> dict[str, str]:
        units = len(messages)
        if self._charge == "part":
            units = sum(count_parts(self._decode(message["message"])) for message in messages)
        cost = self._price * units
        with self._changing:
            if cost > self.balance:
                return failed(wire.NO_FUNDS)
            self.balance -= cost
            self.charged += cost
            line = {"request": ordinal, "time": _now(), "msgdata": messages}
            self._accepted.seek(0, 2)
            self._accepted.write(json.dumps(line).encode() + b"\n")
        code = f"{CODE_PREFIX}{secrets.token_hex(7)[:13]}.{secrets.randbelow(10**8):08d}"
        return {"Status": "OK", "Cost": format(cost, "f"), "MsgFollowUpUniqueCode": code}


def is_ambiguous(raw: str) -> bool:
    """Whether the text that people read depends on whether and how the service decodes.

    A fully URL-encoded text has one meaning; any other may contain a "+" or a "%" that one service passes on
    and another reads as a space or as the beginning of an escape.
    """
    return not _FULLY_ENCODED.fullmatch(raw) and len({decode(raw) for decode in _DECODERS.values()}) > 1


def _fault_of_shape(message: Any) -> str:
    if not isinstance(message, dict):
        return "is not a JSON object"
    if not all(is_text(message.get(field)) for field in ("number", "message", "senderid")):
        return "lacks number, message or senderid as text"
    return "" if is_text(message.get("priority", "")) else "has a priority that is not text"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def failed(message: str) -> dict[str, str]:
    return {"Status": "Failed", "Message": message}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
