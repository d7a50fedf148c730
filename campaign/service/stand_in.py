"""How the service answers, without a network: the contract as a small machine.

The order of its looks is: JSON, credentials set, account, input, funds. A batch is charged as a whole or
refused as a whole (contract, section 4.1, rules 3 and 4).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import tempfile
import threading
import weakref
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from decimal import Decimal
from typing import IO, Any, Literal
from urllib.parse import unquote, unquote_plus

import pandas as pd

from campaign.errors import UsageError
from campaign.messages.lengths import count_parts
from campaign.service import wire

Decode = Literal["percent", "form", "none"]
Charge = Literal["message", "part"]
UnknownUser = Literal["does not exist", "wrong"]

CODE_PREFIX = "ApiJsonSubmit"
_DECODERS: dict[str, Callable[[str], str]] = {"percent": unquote, "form": unquote_plus, "none": str}


class StandIn:
    """One account of the service, its balance and what it accepted.

    The options are those of `Sandbox`. Accepted messages are kept in an unnamed temporary file, so that
    a long run does not fill the memory and nothing stays behind.
    """

    def __init__(
        self,
        *,
        username: str,
        password: str,
        inactive: Collection[str],
        balance: Decimal,
        price: Decimal,
        charge: Charge,
        decode: Decode,
        unknown_user: UnknownUser,
    ) -> None:
        if decode not in _DECODERS:
            raise UsageError(f"decode is {decode!r}; it can be 'percent', 'form' or 'none'.")
        if charge not in ("message", "part"):
            raise UsageError(f"charge is {charge!r}; it can be 'message' or 'part'.")
        if unknown_user not in ("does not exist", "wrong"):
            raise UsageError(f"unknown_user is {unknown_user!r}; it can be 'does not exist' or 'wrong'.")
        self.username = username
        self._password = _digest(password)  # compared, never shown
        self._inactive, self._unknown_user = frozenset(inactive), unknown_user
        self.balance, self.charged, self._price, self._charge = balance, Decimal(0), price, charge
        self._decode = _DECODERS[decode]
        self._batches = 0
        self._changing = threading.Lock()  # balance and inbox change together
        self._accepted: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the stand-in
        weakref.finalize(self, self._accepted.close)

    def inbox(self) -> pd.DataFrame:
        """Every message that was accepted, in order: number, text, raw, sender, priority, batch, time."""
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
        frame["batch"] = pd.Series([batch["batch"] for batch, _ in pairs], dtype="int64")
        frame["time"] = pd.to_datetime(pd.Series([batch["time"] for batch, _ in pairs], dtype=str), utc=True)
        return frame

    def answer(self, content: bytes) -> dict[str, str]:
        """The service's answer to the body of one request."""
        try:
            request = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            return failed(wire.WRONG_JSON)
        if not isinstance(request, dict):
            return failed("sandbox: the body is no JSON object")
        refusal = self._refusal_of_account(request.get("userdata")) or self._refusal_of_input(request)
        return failed(refusal) if refusal else self._accept(request["msgdata"])

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
        right = any(
            hmac.compare_digest(_digest(spelling), self._password)
            for spelling in (self._decode(password), password)
        )
        return "" if right else wire.WRONG_LOGIN

    def _refusal_of_input(self, request: dict[str, Any]) -> str:
        """Input that the contract does not describe is refused in words of its own ("sandbox: …")."""
        messages = request.get("msgdata")
        if request.get("method") != wire.METHOD:
            return f"sandbox: the method is not {wire.METHOD}"
        if not isinstance(messages, list) or not messages:
            return "sandbox: msgdata holds no messages"
        for place, message in enumerate(messages, 1):
            fault = self._fault_of_message(message)
            if fault:
                return f"sandbox: message {place} {fault}"
        return ""

    def _fault_of_message(self, message: Any) -> str:
        if not isinstance(message, dict):
            return "is no JSON object"
        if not all(isinstance(message.get(field), str) for field in ("number", "message", "senderid")):
            return "lacks number, message or senderid as text"
        if not (message["number"].isascii() and message["number"].isdigit()):
            return "has a number that is not digits only"
        if len(self._decode(message["message"])) > wire.TEXT_LIMIT:
            return f"is longer than {wire.TEXT_LIMIT} characters"
        if not 0 < len(self._decode(message["senderid"])) <= wire.SENDER_LIMIT:
            return f"has a sender that is not 1 to {wire.SENDER_LIMIT} characters"
        if message.get("priority", "0") not in wire.PRIORITIES:
            return "has a priority that is not 0 to 4"
        return ""

    def _accept(self, messages: list[dict[str, str]]) -> dict[str, str]:
        units = len(messages)
        if self._charge == "part":
            units = sum(count_parts(self._decode(message["message"])) for message in messages)
        cost = self._price * units
        with self._changing:
            if cost > self.balance:
                return failed(wire.NO_FUNDS)
            self.balance -= cost
            self.charged += cost
            self._batches += 1
            line = {"batch": self._batches, "time": datetime.now(UTC).isoformat(), "msgdata": messages}
            self._accepted.seek(0, 2)
            self._accepted.write(json.dumps(line).encode() + b"\n")
        code = f"{CODE_PREFIX}{secrets.token_hex(7)[:13]}.{secrets.randbelow(10**8):08d}"
        return {"Status": "OK", "Cost": format(cost, "f"), "MsgFollowUpUniqueCode": code}


def failed(message: str) -> dict[str, str]:
    return {"Status": "Failed", "Message": message}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
