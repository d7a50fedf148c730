"""One POST behind a gate: what left decides what is known, never the kind of exception.

The service has no idempotency key and no way to ask what became of a batch. So the body is a payload that
first awaits a gate, and the gate makes the intent durable before the first byte of the body leaves:

    gate not passed                               -> not_sent   may be tried again
    passed, a complete and well-formed OK         -> accepted
    passed, a complete and well-formed Failed     -> refused
    everything else                               -> unknown    never tried again by itself
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from campaign.service.account import Account
from campaign.service.wire import Answer, read_answer

Status = Literal["accepted", "refused", "unknown", "not_sent"]
Cause = Literal[
    "", "json", "funds", "credentials", "other", "connect", "setup", "gate", "throttled", "impossible"
]

ANSWER_LIMIT = 64 * 1024  # bytes; a real answer has about 100
TIMEOUT = (
    300.0  # seconds for one batch; the service goes on working after a client gives up, so patience is cheap
)
CONNECT_TIMEOUT = 15.0  # seconds

Gate = Callable[[], Awaitable[None]]


class GateClosed(Exception):  # noqa: N818 - a signal between engine and payload, no user meets it
    """Raised by a gate to keep the body here; the text says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known after one POST.

    `cause` groups what the engine has to react to: the service's refusals ("json", "funds", "credentials",
    "other"), "connect" (nothing left, may be tried again), "setup" (nothing left, trying again is useless),
    "gate" (the gate stayed shut), "throttled" (slow down) and "impossible" (a success for a body that
    never left). `retry_after` is in seconds, as the service asked.
    """

    status: Status
    cost: Decimal | None = None
    code: str = ""
    error: str = ""
    cause: Cause = ""
    retry_after: float | None = None


class GatedBody(aiohttp.payload.Payload):
    """A request body that asks the gate before its first byte, and only once."""

    _autoclose = True

    def __init__(self, content: bytes, gate: Gate) -> None:
        super().__init__(None, content_type="application/json")
        self._content, self._gate, self._size = content, gate, len(content)
        self.asked = self.interrupted = self.passed = self.handed_over = False
        self.why_shut = ""

    def __repr__(self) -> str:
        return f"<request body of {self._size} bytes>"

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        raise GateClosed("the body is only ever written to the connection")

    async def write(self, writer: AbstractStreamWriter) -> None:
        if self.asked:  # a redirect, a middleware or a future aiohttp wants to send it again
            raise GateClosed("the body was asked for twice")
        self.asked = True
        try:
            await self._gate()
        except GateClosed as reason:
            self.why_shut = str(reason)
            raise
        except asyncio.CancelledError:  # aiohttp gave the connection up while the record was being made
            self.interrupted = True
            raise
        self.passed = True
        await writer.write(self._content)
        self.handed_over = True

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        await self.write(writer)


class Transport:
    """The connection to the service; an async context manager.

    `connections` is how many requests may be under way at once. Every request has a connection of its own:
    on a kept-alive one, aiohttp hands a late answer to the next request (aio-libs/aiohttp issue 13656), and a
    batch was reported as accepted that never left. Redirects, cookies, proxies from the environment and
    content encodings are off, because each of them can resend a body or change an answer.
    """

    def __init__(self, account: Account, *, connections: int = 8, timeout: float = TIMEOUT) -> None:
        self._account = account
        self._connections = connections
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=CONNECT_TIMEOUT)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Transport:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            trust_env=False,
            raise_for_status=False,
            auto_decompress=False,
            headers={"Accept-Encoding": "identity", "User-Agent": "campaign"},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def post(self, entries: memoryview, gate: Gate) -> Outcome:
        """Send one batch and say what is known about it. Raises nothing but `CancelledError`.

        `entries` are the batch's encoded messages, `gate` is awaited before the first byte of the body.
        Between the last byte of the answer and the return there is no `await`, so that a cancellation
        cannot fall between reading an answer and acting on it.
        """
        body = GatedBody(self._account.body(entries), gate)
        try:
            response = await self._exchange(body)
        except Exception as error:  # every failure of the exchange is an outcome, whatever its class
            return _outcome_of_fault(body, error)
        return _outcome_of_answer(body, *response)

    async def _exchange(self, body: GatedBody) -> tuple[bytes | None, int, str]:
        """Content (None if too long), HTTP status and Retry-After of one complete answer."""
        if self._session is None:
            raise RuntimeError("the transport is used outside its context")
        async with self._session.post(self._account.endpoint, data=body, allow_redirects=False) as response:
            content = b""
            while len(content) <= ANSWER_LIMIT:
                piece = await response.content.read(ANSWER_LIMIT + 1 - len(content))
                if not piece:
                    return content, response.status, response.headers.get("Retry-After", "")
                content += piece
            response.close()
            return None, response.status, ""


def _outcome_of_answer(body: GatedBody, content: bytes | None, http_status: int, wait: str) -> Outcome:
    answer = (
        Answer("unreadable", error="the answer is longer than 64 KiB")
        if content is None
        else read_answer(content, http_status)
    )
    if not body.passed:
        if answer.verdict == "accepted":
            return Outcome(
                "not_sent", error="an OK was answered although nothing was sent", cause="impossible"
            )
        return Outcome(
            "not_sent", error=f"answered before anything was sent: {answer.error}", cause="connect"
        )
    if answer.verdict == "accepted" and not body.handed_over:
        error = "an OK was answered before the whole batch had been sent"
        return Outcome("unknown", error=error, cause="impossible")
    if answer.verdict == "accepted":
        note = "" if answer.cost is not None else _note_on_cost(answer.cost_text)
        return Outcome("accepted", cost=answer.cost, code=answer.code, error=note)
    if answer.verdict == "refused":
        return Outcome("refused", error=answer.error, cause=answer.refusal)
    throttled = http_status == 429 or 300 <= http_status < 400
    return Outcome(
        "unknown", error=answer.error, cause="throttled" if throttled else "", retry_after=_seconds(wait)
    )


def _note_on_cost(text: str) -> str:
    return f"accepted; its cost cannot be read: {text}" if text else "accepted; the answer holds no cost"


def _outcome_of_fault(body: GatedBody, error: Exception) -> Outcome:
    """Classify by what left; the exception only gives the words.

    The words are ours: a foreign exception's text can hold a proxy's password or the answer's content.
    """
    name = type(error).__name__
    if body.passed:
        what = (
            "no answer in time"
            if isinstance(error, TimeoutError)
            else "the connection broke before a whole answer"
        )
        return Outcome("unknown", error=f"{what} ({name})")
    if body.asked:
        return Outcome(
            "not_sent", error=body.why_shut or f"the record could not be kept ({name})", cause="gate"
        )
    if isinstance(error, (aiohttp.ClientConnectorCertificateError, aiohttp.ServerFingerprintMismatch)):
        return Outcome(
            "not_sent", error="the service's certificate is not valid for its address", cause="setup"
        )
    if isinstance(error, (aiohttp.ClientHttpProxyError, aiohttp.ClientProxyConnectionError)):
        return Outcome("not_sent", error=f"the proxy refused the connection ({name})", cause="setup")
    if isinstance(error, (aiohttp.InvalidURL, RuntimeError)):
        return Outcome("not_sent", error=f"the request could not be made ({name})", cause="setup")
    return Outcome("not_sent", error=f"the service could not be reached ({name})", cause="connect")


def _seconds(wait: str) -> float | None:
    """`Retry-After` in seconds; the form with a date is rare and not worth a guess."""
    return min(float(wait), 3600.0) if wait.isascii() and wait.isdigit() and len(wait) < 8 else None
